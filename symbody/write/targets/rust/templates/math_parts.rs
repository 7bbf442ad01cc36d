// {{part library}}
mod library {
    #[cfg_attr(all(unix, not(target_vendor = "apple")), link(name = "m"))]
    extern "C" {
        {{declarations}}
    }
}

// {{part definition}}
#[inline]
pub fn {{name}}({{arguments}}) -> f64 {
    {{value}}
}
