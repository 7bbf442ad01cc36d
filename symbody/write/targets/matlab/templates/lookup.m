function y = {{name}}(x)
    {{times}}
    {{coefficients}}
    y = ppval(mkpp(times, reshape(coefficients, {{pieces}}, {{terms}})), min(max(x, times(1)), times(end)));
    {{outside}}
end
