// {{part file}}
{{about}}
model {{name}} {{title}}
  {{declarations}}
{{protected}}
  {{hidden}}
equation
  {{equations}}
end {{name}};

// {{part held}}
model {{name}}_{{ending}}
  extends {{name}}({{held}});
  {{rates}}
equation
  {{equations}}
end {{name}}_{{ending}};
