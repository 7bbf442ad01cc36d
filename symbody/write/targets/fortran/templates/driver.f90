! {{part program}}
! Checks {{name}}.f90.
program {{name}}_driver
    use {{name}}
    implicit none
    integer :: wrong
    wrong = 0
    {{calls}}
    if (wrong > 0) then
        print "(a)", "SOMETHING IS WRONG"
        stop 1
    end if
    print "(a)", "all good"
contains

    {{difference}}

    subroutine verdict(what, status, worst, allowed)
        character(*), intent(in) :: what
        integer, intent(in) :: status
        real(wp), intent(in) :: worst, allowed
        logical :: is_good
        is_good = status == 0 .and. worst <= allowed
        print "(a28, 1x, a5, 2x, a, i0, a, es9.2, a, es9.2)", what, merge("good ", "WRONG", is_good), &
            "status ", status, ", off by ", worst, " of at most ", allowed
        if (.not. is_good) wrong = wrong + 1
    end subroutine verdict

    {{checks}}

    {{motion}}

end program {{name}}_driver

! {{part difference}}
pure function difference(got, wanted) result(worst)
    real(wp), intent(in) :: got(:), wanted(:)
    real(wp) :: worst
    worst = maxval(abs(got - wanted)) / (1.0_wp + maxval(abs(wanted)))
    if (.not. worst <= huge(worst)) worst = huge(worst)
end function difference

! {{part procedure}}
subroutine check_{{what}}
{{held}}
    type({{name}}_parameters) :: p
    integer :: status
{{numbers}}
    {{results}}
    call {{name}}_{{what}}({{arguments}}, status)
    call verdict("{{what}}", status, {{worst}}, {{allowed}})
end subroutine check_{{what}}

! {{part motion}}
! One step of the classical Runge-Kutta method{{then}}.
pure subroutine step(t, h, y, r, p, status)
    real(wp), intent(in) :: t, h, r({{n_r}})
    real(wp), intent(inout) :: y(0:{{last}})
    type({{name}}_parameters), intent(in) :: p
    integer, intent(out) :: status
    integer, parameter :: n = {{n}}, stages = {{stages}}
{{table}}
    real(wp) :: w(0:n - 1), k(0:n * stages - 1), d(0:n - 1)
{{step}}
    {{project}}
end subroutine step

! The reference motion, by steps of a fixed length.
subroutine check_motion
{{numbers}}
    real(wp) :: t, x({{n}}), r({{n_r}}), h, worst
    type({{name}}_parameters) :: p
    integer :: k, s, status
    call {{name}}_initial_state(t, x, r)
    worst = 0
    status = 0
    do k = 1, {{spans}}
        h = (times(k + 1) - times(k)) / {{steps}}
        do s = 1, {{steps}}
            if (status == 0) call step(times(k) + h * (s - 1), h, x, r, p, status)
        end do
        worst = max(worst, maxval(abs(x - states(k * {{n}} + 1:(k + 1) * {{n}})) / scales))
    end do
    call verdict("motion", status, worst, {{allowed}})
end subroutine check_motion
