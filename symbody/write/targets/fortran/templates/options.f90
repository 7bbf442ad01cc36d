! Options of {{name}}.f90, which the compiler folds in.
module {{name}}_options
    implicit none
    logical, parameter :: {{name}}_checks = .{{checks}}. ! whether subroutines look at their arguments
end module {{name}}_options
