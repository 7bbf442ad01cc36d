"""Names in generated text: usable in the target language, and each used once.

Names of symbols, labels, groups and programs are identifiers, but may be keywords of a language, functions of its
library, or equal to each other. Such a name gets an underscore, or a number, at its end.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable
from typing import Final

_C_WORDS: Final = frozenset(
    """
    auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    alignas alignof asm bool catch char8_t char16_t char32_t class concept consteval constexpr constinit
    const_cast co_await co_return co_yield decltype delete dynamic_cast explicit export false friend mutable
    namespace new noexcept nullptr operator private protected public reinterpret_cast requires static_assert
    static_cast template this thread_local throw true try typeid typename typeof typeof_unqual using virtual
    wchar_t and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq complex imaginary I NULL EOF NAN
    INFINITY HUGE DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS X_TLOSS MAXFLOAT assert errno signgam
    math_errhandling linux unix i386 main float_t double_t size_t ptrdiff_t
    """.split()
)
_C_MATH: Final = frozenset(
    """
    acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10
    log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint
    rint lrint llrint round lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim
    fmax fmin fma j0 j1 jn y0 y1 yn gamma drem finite significand scalb exp10 pow10 sincos lgamma_r roundeven
    fmaximum fminimum
    """.split()
)
_C_LIBRARY: Final = frozenset(
    """
    isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower
    toupper isascii toascii abort abs atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv
    llabs lldiv malloc mblen mbstowcs mbtowc qsort rand realloc srand strtod strtof strtol strtold strtoll
    strtoul strtoull system wcstombs wctomb alloca memchr memcmp memcpy memmove memset strcat strchr strcmp
    strcoll strcpy strcspn strerror strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm
    bcmp bcopy bzero ffs index rindex mempcpy stpcpy stpncpy strcasecmp strdup strncasecmp strndup clearerr
    fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf fseek fsetpos
    ftell fwrite getc getchar gets perror printf putc putchar puts remove rename rewind scanf setbuf setvbuf
    snprintf sprintf sscanf tmpfile tmpnam ungetc vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf
    asctime clock ctime difftime gmtime localtime mktime strftime time signal raise longjmp setjmp localeconv
    setlocale open close read write link unlink select send recv accept bind connect listen pipe fork execl
    execv wait sleep stat gettext dgettext dcgettext strfmon cabs cacos cacosh carg casin casinh catan catanh
    ccos ccosh cexp cimag clog conj cpow cproj creal csin csinh csqrt ctan ctanh isfinite isinf isnan isnormal
    signbit fpclassify isgreater isgreaterequal isless islessequal islessgreater isunordered
    """.split()
)
_C_HEADERS: Final = frozenset(
    """
    assert complex ctype errno fenv features float inttypes iso646 limits locale math setjmp signal stdarg
    stdbool stddef stdint stdio stdlib string tgmath time wchar wctype alloca endian
    """.split()
)
_C_PATTERN: Final = re.compile(r"(M|FP|MATH|INT|UINT|DBL|FLT|LDBL|HUGE)_\w*")
_FORTRAN: Final = frozenset(
    """
    abs acos acosh aimag aint all allocate allocated any asin asinh associate atan atan2 atanh bind block call case ceiling char class close
    contains continue cos cosh count cycle data deallocate dim do dot_product double elemental else elseif elsewhere end enddo endif
    entry enum epsilon equivalence erf error exit exp exponent floor flush format forall fraction function gamma go goto huge iand if
    implicit import impure include index inquire int integer intent interface intrinsic is kind len log log10 logical matmul max maxval merge
    min minval mod module modulo namelist nearest none norm2 not null nullify only open operator optional parameter pause pointer precision
    present print private procedure product program protected public pure rank read real real64 recursive reshape result return save
    select shape sign sin sinh size sqrt stop sum subroutine tan tanh target then tiny to transpose type unpack use value volatile wait where
    while write ieee_is_finite ieee_value ieee_quiet_nan ieee_positive_inf ieee_negative_inf
    """.split()
)
_MATLAB: Final = frozenset(
    """
    break case catch classdef continue do else elseif end end_try_catch end_unwind_protect endfor endfunction endif endswitch endwhile
    enumeration events for function global if methods otherwise parfor persistent properties return spmd switch try until
    unwind_protect unwind_protect_cleanup while i j pi e eps Inf NaN inf nan NA ans true false zeros ones eye reshape triu min max sin cos
    tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign mkpp ppval struct isfinite fix size numel gamma beta who clear
    exist disp fprintf ode45 odeset realmax isempty exit quit
    """.split()
)
_JAVASCRIPT: Final = frozenset(
    """
    abstract arguments as async await boolean break byte case catch char class const continue debugger default delete do double else enum
    eval export extends false final finally float for from function get goto if implements import in instanceof int interface let long
    native new null of package private protected public return set short static super switch synchronized this throw throws transient
    true try typeof undefined var void volatile while with yield Array Error Float64Array Int32Array Infinity Math NaN Number Object
    RangeError CHECKS __proto__
    """.split()
)
_RUST: Final = frozenset(
    """
    Self abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in let loop
    macro match mod move mut override priv pub ref return self static struct super trait true try type typeof union unsafe unsized use
    virtual where while yield core math f64 usize bool Error Parameters Result Ok Err Some None CHECKS NX NR
    std alloc test proc_macro finite
    """.split()
)
_PYTHON: Final = frozenset([*keyword.kwlist, *dir(builtins), "np"])


def is_c_word(name: str) -> bool:
    """A keyword of C or C++, or a macro."""
    return name in _C_WORDS or name.startswith("_") or bool(_C_PATTERN.fullmatch(name))


def is_c_math(name: str) -> bool:
    """A function that <math.h> declares."""
    return name in _C_MATH or name.removesuffix("f") in _C_MATH or name.removesuffix("l") in _C_MATH


def is_c_reserved(name: str) -> bool:
    """Not free for a function or a variable in C, or would hide a standard header as the name of a file."""
    return is_c_word(name) or is_c_math(name) or name in _C_LIBRARY or name in _C_HEADERS


def is_fortran_reserved(name: str) -> bool:
    """A statement, an intrinsic function or a name that generated modules use; upper and lower case are one."""
    return name.lower() in _FORTRAN


def is_matlab_reserved(name: str) -> bool:
    """A keyword of MATLAB or Octave, or a function that generated text calls."""
    return name in _MATLAB


def is_javascript_reserved(name: str) -> bool:
    """A keyword of JavaScript, now or to come, or a name that generated modules use."""
    return name in _JAVASCRIPT


def is_rust_reserved(name: str) -> bool:
    """A keyword of Rust, now or to come, or a name that generated crates use."""
    return name in _RUST or not name.strip("_")


def is_python_reserved(name: str) -> bool:
    """Not free for a function or a variable in Python text that computes with `np`."""
    return name in _PYTHON


class UniqueNames:
    """Gives each thing in a text a name of its own."""

    def __init__(self, is_reserved: Callable[[str], bool]) -> None:
        self._is_reserved = is_reserved
        self._used: set[str] = set()
        self._count: dict[str, int] = {}

    def take(self, name: str) -> str:
        """Use exactly this name."""
        self._used.add(name)
        return name

    def new(self, wish: str) -> str:
        """The name wished for, or one like it that is free: `double` becomes `double_`, a second `w` becomes `w_2`."""
        safe = self._safe(wish)
        name, join = safe, "" if safe.endswith("_") else "_"
        while name in self._used:
            self._count[safe] = self._count.get(safe, 1) + 1
            name = f"{safe}{join}{self._count[safe]}"
        return self.take(name)

    def _safe(self, wish: str) -> str:
        if not self._is_reserved(wish):
            return wish
        with_underscore = wish + "_"
        return with_underscore if not self._is_reserved(with_underscore) else f"x{with_underscore}"
