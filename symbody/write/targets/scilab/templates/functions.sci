// {{part file}}
{{about}}

{{name}}_folder = get_absolute_file_path("{{name}}.sci");

function {{name}}_link(folder)
    // Loads the compiled library.
    names = [..
        {{entries}}
    ];
    link(folder + "lib{{name}}" + getdynlibext(), names, "c");
endfunction

function p = {{name}}_parameters()
    // Parameters as in the model, in order.
    {{p}}
endfunction

function names = {{name}}_state_names()
    {{state_names}}
endfunction

function names = {{name}}_parameter_names()
    {{parameter_names}}
endfunction

function [t, x, r] = {{name}}_start()
    // Where motions begin.
    t = {{t}};
    {{x}}
    {{r}}
endfunction

function {{name}}_good(status, what)
    // Refuses what a function of C refuses.
    if status <> 0 then
        error(msprintf("%s: status %d", what, double(status)));
    end
endfunction

function numbers = {{name}}_numbers(given, n, what)
    // So many numbers; where there are none, one that is not looked at.
    if size(given, "*") <> n then
        error(msprintf("%s: expected %d numbers, got %d", what, n, size(given, "*")));
    end
    numbers = matrix(given, -1, 1);
    if n == 0 then
        numbers = 0;
    end
endfunction

{{functions}}

{{name}}_link({{name}}_folder);

// {{part function}}
function [{{results}}] = {{name}}_{{function}}({{arguments}})
    // {{about}}
    {{numbers}}
    [{{results}}, status] = call("{{name}}_{{function}}_call", ..
        {{passed}}
    );
    {{name}}_good(status, "{{function}}");
    {{transposed}}
endfunction
