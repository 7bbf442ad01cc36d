! {{part interfaces}}
    interface
        {{functions}}
    end interface

! {{part interface}}
pure function {{name}}({{arguments}}) bind(c, name={{bound}}) result(value)
    import :: c_double
    real(c_double), value, intent(in) :: {{arguments}}
    real(c_double) :: value
end function {{name}}

! {{part function}}
pure function {{name}}({{arguments}}) result(value)
    real(wp), intent(in) :: {{arguments}}
    real(wp) :: value
    {{value}}
end function {{name}}
