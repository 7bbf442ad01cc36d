/* {{part case}} */
case {{kind}}:
    {{function}}({{groups}});
    at += {{width}};
    break;
/* {{part loop}} */
static SYMBODY_THREAD {{real}} {{name}}_memory[{{memory}}];

{{kinds}}
{{places}}
static void {{name}}_some(const int *kinds, const int *at, int count)
{
    {{real}} *const w = {{name}}_memory;
    for (int k = 0; k < count; k++) {
        switch (kinds[k]) {
        {{cases}}
        default:
            break;
        }
    }
}

static void {{name}}(void)
{
    {{name}}_some({{name}}_kinds, {{name}}_places, {{steps}});
}
/* {{part columns}} */
static SYMBODY_THREAD {{real}} {{name}}_memory[{{memory}}];

{{kinds}}
{{places}}
static void {{name}}_some(const int *kinds, const int *at, int count)
{
    {{real}} *const w = {{name}}_memory;
    for (int k = 0; k < count; k++) {
        switch (kinds[k]) {
        {{cases}}
        default:
            break;
        }
    }
}

{{seeds}}
{{found}}
static void {{name}}(void)
{
    {{real}} *const w = {{name}}_memory;
    {{name}}_some({{name}}_kinds, {{name}}_places, {{once}});
    for (int c = 0; c < {{count}}; c++) {
        w[{{name}}_seeds[c]] = {{zero}};
    }
    for (int c = 0; c < {{count}}; c++) {
        w[{{name}}_seeds[c]] = {{one}};
        {{name}}_some({{name}}_kinds + {{once}}, {{name}}_places + {{start}}, {{repeated}});
        w[{{name}}_seeds[c]] = {{zero}};
        for (int k = 0; k < {{results}}; k++) {
            w[{{size}} + k * {{count}} + c] = w[{{name}}_found[k]];
        }
    }
}
