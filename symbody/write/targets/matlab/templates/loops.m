% {{part case}}
case {{kind}}
{{body}}
    at = at + {{width}};
% {{part loop}}

function w = {{name}}(w)
    persistent kinds places
    if isempty(kinds)
        {{kinds}}
        {{places}}
    end
    at = 1;
    for step = 1:{{steps}}
        switch kinds(step)
            {{cases}}
        end
    end
end
% {{part columns}}

function w = {{name}}(w)
    {{seeds}}
    {{found}}
    w = {{name}}_some(w, 0, 0, {{once}});
    w(seeds) = 0;
    for column = 1:{{count}}
        w(seeds(column)) = 1;
        w = {{name}}_some(w, {{once}}, {{start}}, {{steps}});
        w(seeds(column)) = 0;
        w({{size}} + column:{{count}}:{{size}} + {{count}} * {{results}}) = w(found);
    end
end

function w = {{name}}_some(w, first, start, stop)
    persistent kinds places
    if isempty(kinds)
        {{kinds}}
        {{places}}
    end
    at = start + 1;
    for step = first + 1:stop
        switch kinds(step)
            {{cases}}
        end
    end
end
