function [t, x, r] = {{name}}_start()
% Where motions begin.
    t = {{t}};
    {{x}}
    {{r}}
end
