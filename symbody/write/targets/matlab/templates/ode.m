function [a, b, c] = {{name}}(t, x, flag, p, r)
% {{title}} as an ODE file of MATLAB 5: x' = {{name}}(t, x, '', p); flags are {{flags}}.
% p: numbers in order, or a structure; without it those of the model. r: inputs, without them as at the start.
    if nargin < 3
        flag = '';
    end
    if nargin < 4
        p = {{model}}_parameters();
    elseif ~isstruct(p)
        p = {{model}}_parameters(p);
    end
    if nargin < 5
        [~, ~, r] = {{model}}_start();
    end
    switch flag
        {{cases}}
        otherwise
            error('{{name}}: there is no flag %s', flag);
    end
end

function c = flags()
% Flags that are answered.
    c = struct({{answered}});
end
