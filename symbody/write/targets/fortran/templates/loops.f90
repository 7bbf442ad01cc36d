! {{part fragment}}
pure subroutine {{name}}(w, places)
    real(wp), intent(inout) :: w(0:)
    integer, intent(in) :: places(0:)
    {{declarations}}
{{body}}
end subroutine {{name}}

! {{part case}}
case ({{kind}})
    call {{function}}(w, places(at:at + {{width}} - 1))
    at = at + {{width}}
! {{part loop}}
pure subroutine {{name}}(w)
    real(wp), intent(inout) :: w(0:)
{{kinds}}
{{places}}
    integer :: at, k
    at = 0
    do k = 0, {{steps}} - 1
        select case (kinds(k))
        {{cases}}
        end select
    end do
end subroutine {{name}}

! {{part columns}}
pure subroutine {{name}}_some(w, first, start, stop)
    real(wp), intent(inout) :: w(0:)
    integer, intent(in) :: first, start, stop
{{kinds}}
{{places}}
    integer :: at, k
    at = start
    do k = first, stop - 1
        select case (kinds(k))
        {{cases}}
        end select
    end do
end subroutine {{name}}_some

pure subroutine {{name}}(w)
    real(wp), intent(inout) :: w(0:)
{{seeds}}
{{found}}
    integer :: c, k
    call {{name}}_some(w, 0, 0, {{once}})
    do c = 0, {{count}} - 1
        w(seeds(c)) = 0.0_wp
    end do
    do c = 0, {{count}} - 1
        w(seeds(c)) = 1.0_wp
        call {{name}}_some(w, {{once}}, {{start}}, {{steps}})
        w(seeds(c)) = 0.0_wp
        do k = 0, {{results}} - 1
            w({{size}} + k * {{count}} + c) = w(found(k))
        end do
    end do
end subroutine {{name}}

