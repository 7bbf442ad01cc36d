{{about}}
!
!  Every subroutine gives a status: 0, or 3 where an argument is not finite, 4 where a projection does not end.
!  They do not look at their arguments where {{name}}_options.f90 says so.
module {{name}}
    use {{name}}_options, only: {{name}}_checks
    use, intrinsic :: iso_fortran_env, only: real64
    use, intrinsic :: iso_c_binding, only: c_double
    use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_value, ieee_quiet_nan, ieee_positive_inf, &
        ieee_negative_inf
    implicit none
    private
    public :: wp
    integer, parameter :: wp = real64
    integer, parameter, public :: {{name}}_nx = {{n_x}}
    integer, parameter, public :: {{name}}_nr = {{n_r}}
    integer, parameter, public :: {{name}}_np = {{n_p}}

    type, public :: {{name}}_parameters
        {{fields}}
    end type {{name}}_parameters

    {{public}}
{{constants}}

{{interfaces}}

contains

{{helpers}}

pure subroutine {{name}}_default_parameters(p)
    type({{name}}_parameters), intent(out) :: p
    p = {{name}}_parameters()
end subroutine {{name}}_default_parameters

pure subroutine {{name}}_initial_state(t, x, r)
    real(wp), intent(out) :: t, x({{n_x}}), r({{n_r}})
    {{start}}
end subroutine {{name}}_initial_state

{{definitions}}

end module {{name}}
