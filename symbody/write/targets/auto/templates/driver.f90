! {{part func}}
subroutine check_func
{{numbers}}
    real(wp) :: par({{size}}), f({{n}}), dfdu({{n}}, {{n}}), dfdp({{n}}, {{size}}), worst
    integer :: icp({{size}})
    par = 0
    icp = 1
    {{parameters}}
    call FUNC({{n}}, u, icp, par, 2, f, dfdu, dfdp)
    worst = max(difference(f, wanted_f), difference(reshape(transpose(dfdu), [{{square}}]), wanted_dfdu), &
        difference(reshape(transpose(dfdp(:, [{{columns}}])), [{{entries}}]), wanted_dfdp))
    call verdict("FUNC", 0, worst, {{allowed}})
end subroutine check_func

! {{part stpnt}}
subroutine check_stpnt
{{wanted}}
    real(wp) :: par({{size}}), u({{n}})
    par = 0
    call STPNT({{n}}, u, par, 0.0_wp)
    call verdict("STPNT", 0, difference([u, par([{{columns}}])], wanted), {{allowed}})
end subroutine check_stpnt
