function p = {{name}}_parameters(values)
{{about}}
    p = struct();
    {{defaults}}
    if nargin > 0
        if numel(values) ~= {{count}}
            error('{{name}}_parameters: expected {{count}} numbers');
        end
        {{given}}
    end
end
