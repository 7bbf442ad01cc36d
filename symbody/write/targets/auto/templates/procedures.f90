! F(u, par); with IJAC = 1 its derivatives by u, with IJAC = 2 those by the parameters too.
subroutine FUNC(NDIM, U, ICP, PAR, IJAC, F, DFDU, DFDP)
    use {{name}}
    implicit none
    integer, intent(in) :: NDIM, ICP(*), IJAC
    real(wp), intent(in) :: U(NDIM), PAR(*)
    real(wp), intent(out) :: F(NDIM)
    real(wp), intent(inout) :: DFDU(NDIM, NDIM), DFDP(NDIM, *)
    type({{name}}_parameters) :: p
    real(wp) :: r({{n_r}})
    {{columns}}
    integer :: status
    {{parameters}}
    call {{name}}_{{field}}(0.0_wp, U, r, p, F, status)
    if (IJAC == 0) return
    call {{name}}_{{field}}_x(0.0_wp, U, r, p, DFDU, status)
    if (IJAC == 1) return
    {{by_parameters}}
end subroutine FUNC

! Where the first run begins.
subroutine STPNT(NDIM, U, PAR, T)
    use, intrinsic :: iso_fortran_env, only: wp => real64
    implicit none
    integer, intent(in) :: NDIM
    real(wp), intent(inout) :: U(NDIM), PAR(*)
    real(wp), intent(in) :: T
    {{start}}
end subroutine STPNT

subroutine BCND
end subroutine BCND

subroutine ICND
end subroutine ICND

subroutine FOPT
end subroutine FOPT

subroutine PVLS
end subroutine PVLS
