// {{part file}}
// Checks {{name}}: scilab-cli -nb -f {{name}}_check.sce
exec("{{name}}.sci", -1);

function worst = difference(got, wanted)
    worst = 0;
    if wanted <> [] then
        worst = max(abs(matrix(got.', -1, 1) - wanted)) / (1 + max(abs(wanted)));
    end
    if ~(worst <= 1e300) then
        worst = %inf;
    end
endfunction

function is_wrong = verdict(what, worst, allowed)
    is_wrong = bool2s(~(worst <= allowed));
    word = "good ";
    if is_wrong then
        word = "WRONG";
    end
    mprintf("%-36s %s off by %.2e of at most %.2e\n", what, word, worst, allowed);
endfunction

wrong = 0;
p = {{name}}_parameters();
t = {{t}};
{{x}}
{{r}}
{{checks}}

{{motion}}
if wrong then
    mprintf("SOMETHING IS WRONG\n");
    exit(1);
end
mprintf("all good\n");
exit(0);

// {{part function}}
{{numbers}}
[{{results}}] = {{name}}_{{what}}({{arguments}});
wrong = wrong + verdict("{{what}}", max([{{worst}}]), {{allowed}});

// {{part motion}}
// One step of the classical Runge-Kutta method{{then}}.
function y = step(t, h, y, r, p)
    n = {{n}};
    stages = {{stages}};
    {{table}}
    w = zeros(n, 1);
    k = zeros(n * stages, 1);
{{step}}
    {{project}}
endfunction

function xdot = f(t, x)
    xdot = {{name}}_rhs(t, x, r, p);
endfunction

{{numbers}}
states = matrix(states, {{n}}, {{points}});
[t, x, r] = {{name}}_start();
worst = 0;
for k = 1:{{spans}}
    h = (times(k + 1) - times(k)) / {{steps}};
    for s = 1:{{steps}}
        x = step(times(k) + h * (s - 1), h, x, r, p);
    end
    worst = max(worst, max(abs(x - states(:, k + 1)) ./ scales));
end
wrong = wrong + verdict("motion", worst, {{allowed}});
[t, x, r] = {{name}}_start();
found = ode(x, times(1), times($), 1e-10, 1e-11, f);
wrong = wrong + verdict("motion by ode", max(abs(found - states(:, $)) ./ scales), {{by_ode}});
