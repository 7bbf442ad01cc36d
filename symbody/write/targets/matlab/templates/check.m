% {{part file}}
function wrong = {{name}}_check()
% Checks the functions of {{name}}; returns how many are wrong.
    wrong = 0;
    p = {{name}}_parameters();
    t = {{t}};
    {{x}}
    {{r}}
    has_mex = exist('{{name}}_mex', 'file') == 3;
    {{checks}}
    {{flags}}
    {{motion}}
    if wrong
        disp('SOMETHING IS WRONG');
    else
        disp('all good');
    end
end

function worst = difference(got, wanted)
    worst = 0;
    if ~isempty(wanted)
        worst = max(abs(got(:) - wanted(:))) / (1 + max(abs(wanted(:))));
    end
    if ~(worst <= realmax)
        worst = Inf;
    end
end

function is_wrong = verdict(what, worst, allowed)
    is_wrong = ~(worst <= allowed);
    if is_wrong
        word = 'WRONG';
    else
        word = 'good ';
    end
    fprintf('%-36s %s off by %.2e of at most %.2e\n', what, word, worst, allowed);
end

{{step}}

% {{part function}}
{{numbers}}
[{{results}}] = {{name}}_{{what}}({{arguments}});
wrong = wrong + verdict('{{what}}', {{worst}}, {{allowed}});
if has_mex
    [{{results}}] = {{name}}_mex('{{what}}', {{arguments}});
    wrong = wrong + verdict('{{what}} by mex', {{worst}}, {{allowed}});
end

% {{part motion}}
{{numbers}}
states = reshape(states, {{n}}, {{points}});
[t, x, r] = {{name}}_start();
worst = 0;
f = @(t, x) {{name}}_rhs(t, x, r, p);
if has_mex
    f = @(t, x) {{name}}_mex('rhs', t, x, r, p);
end
for k = 1:{{spans}}
    h = (times(k + 1) - times(k)) / {{steps}};
    for s = 1:{{steps}}
        x = step(f, times(k) + h * (s - 1), h, x, r, p, has_mex);
    end
    worst = max(worst, max(abs(x - states(:, k + 1)) ./ scales));
end
wrong = wrong + verdict('motion', worst, {{allowed}});
[~, x] = {{name}}_start();
options = odeset('RelTol', 1e-9, 'AbsTol', 1e-10);
[~, xs] = ode45(f, times([1, end]), x, options);
wrong = wrong + verdict('motion by ode45', max(abs(xs(end, :).' - states(:, end)) ./ scales), {{by_ode45}});

% {{part step}}
function y = step(f, t, h, y, r, p, has_mex)
% One step of the classical Runge-Kutta method{{then}}.
    n = {{n}};
    stages = {{stages}};
    {{table}}
    w = zeros(n, 1);
    k = zeros(n * stages, 1);
{{step}}
    {{project}}
end

% {{part project}}
if has_mex
    y = {{name}}_mex('project', t + h, y, r, p);
else
    y = {{name}}_project(t + h, y, r, p);
end
