"""The functions of a sparse nonlinear program in the signatures of IPOPT's C interface, as LLVM text.

The text is the same for all programs. What a program has is in a table of `FIELDS`, which is the `user_data` of every
call: counts, addresses of arrays, and three lists of steps. A step is a row of `STEP` numbers:

    GATHER    n, places, x, y                             y[k] = x[places[k]]
    BATCH     calls, share, table, scratch, next, which   a batch of states; after so many calls, `again(which)` runs it
                                                          and fills in the row for the next ones
    PRODUCT   rows, starts, columns, factors, x, y        y = A x

`known` is 0 where z is another point, 1 where its parts are gathered, 2 where everything of first order is known.
"""

from __future__ import annotations

from typing import Final

from ..loops.kernel_language import Kernel
from ..loops.kernel_parser import kernel_source
from ..loops.sparse_kernels import sparse_product
from ..loops.table_kernels import gather_numbers
from .loop_text import LlvmLoops

FIELDS: Final = (
    "known", "failed", "n", "m", "slopes", "curved", "z", "numbers", "weights", "hessian", "slope_rows", "slope_columns",
    "curved_rows", "curved_columns", "again", "gathers", "gather_count", "firsts", "first_count", "seconds", "second_count",
)  # fmt: skip
COUNTS: Final = ("known", "failed", "n", "m", "slopes", "curved", "gather_count", "first_count", "second_count")
STEP: Final = 8
GATHER, BATCH, PRODUCT = range(3)
FUNCTIONS: Final = ("eval_f", "eval_g", "eval_grad_f", "eval_jac_g", "eval_h")

_RUN: Final = """define internal void @run(ptr %steps, i64 %count, ptr %again) nounwind {
begin:
  br label %ask
ask:
  %k = phi i64 [ 0, %begin ], [ %k.next, %done ]
  %is.step = icmp slt i64 %k, %count
  br i1 %is.step, label %step, label %end
step:
  %k.next = add nsw i64 %k, 1
  %at = mul nsw i64 %k, STEP
  %row = getelementptr inbounds i64, ptr %steps, i64 %at
  %kind = load i64, ptr %row, align 8
  %a.p = getelementptr inbounds i64, ptr %row, i64 1
  %a = load i64, ptr %a.p, align 8
POINTERS  switch i64 %kind, label %product [ i64 GATHER_KIND, label %gather  i64 BATCH_KIND, label %batch ]
gather:
  call void @GATHERED(i64 %a, ptr %b, ptr %c, ptr %d)
  br label %done
product:
  call void @PRODUCT(i64 %a, ptr %b, ptr %c, ptr %d, ptr %e, ptr %f)
  br label %done
batch:
  %left = sub nsw i64 %a, 1
  store i64 %left, ptr %a.p, align 8
  %is.direct = icmp sge i64 %left, 0
  br i1 %is.direct, label %direct, label %indirect
direct:
  store i64 0, ptr %e, align 8
  call void %b(ptr %c, ptr %d)
  br label %done
indirect:
  %which = ptrtoint ptr %f to i64
  call void %again(i64 %which)
  br label %done
done:
  br label %ask
end:
  ret void
}

define void @gathers(ptr %t) nounwind {
LOAD(gathers) LOAD(gather_count) LOAD(again)  call void @run(ptr %gathers, i64 %gather_count, ptr %again)
SET(known, 1)  ret void
}

define void @first(ptr %t) nounwind {
LOAD(firsts) LOAD(first_count) LOAD(again)  call void @run(ptr %firsts, i64 %first_count, ptr %again)
SET(known, 2)  ret void
}

define void @second(ptr %t) nounwind {
LOAD(seconds) LOAD(second_count) LOAD(again)  call void @run(ptr %seconds, i64 %second_count, ptr %again)
  ret void
}

define internal void @go(ptr %t, ptr %x, i1 %is.new) nounwind {
LOAD(known)  %is.unknown = icmp eq i64 %known, 0
  %is.other = or i1 %is.new, %is.unknown
  br i1 %is.other, label %take, label %end
take:
LOAD(n) LOAD(z)  %bytes = mul nsw i64 %n, 8
  call void @llvm.memmove.p0.p0.i64(ptr %z, ptr %x, i64 %bytes, i1 false)
  call void @gathers(ptr %t)
  br label %end
end:
  ret void
}

define internal ptr @first_at(ptr %t, ptr %x, i1 %is.new) nounwind {
  call void @go(ptr %t, ptr %x, i1 %is.new)
LOAD(known) LOAD(numbers)  %is.known = icmp eq i64 %known, 2
  br i1 %is.known, label %end, label %evaluate
evaluate:
  call void @first(ptr %t)
  br label %end
end:
  ret ptr %numbers
}

define internal i1 @copied(ptr %t, ptr %from, i64 %skip, i64 %count, ptr %to) nounwind {
  %source = getelementptr inbounds double, ptr %from, i64 %skip
  %bytes = mul nsw i64 %count, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %source, i64 %bytes, i1 false)
LOAD(failed)  %is.good = icmp eq i64 %failed, 0
  ret i1 %is.good
}

define internal i1 @places(ptr %rows, ptr %columns, i64 %count, ptr %row, ptr %column) nounwind {
  %bytes = mul nsw i64 %count, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %row, ptr %rows, i64 %bytes, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %column, ptr %columns, i64 %bytes, i1 false)
  ret i1 true
}

define zeroext i1 @eval_f(i32 %n.c, ptr %x, i1 zeroext %is.new, ptr %out, ptr %t) nounwind {
LOAD(m)  %numbers = call ptr @first_at(ptr %t, ptr %x, i1 %is.new)
  %good = call i1 @copied(ptr %t, ptr %numbers, i64 %m, i64 1, ptr %out)
  ret i1 %good
}

define zeroext i1 @eval_g(i32 %n.c, ptr %x, i1 zeroext %is.new, i32 %m.c, ptr %out, ptr %t) nounwind {
LOAD(m)  %numbers = call ptr @first_at(ptr %t, ptr %x, i1 %is.new)
  %good = call i1 @copied(ptr %t, ptr %numbers, i64 0, i64 %m, ptr %out)
  ret i1 %good
}

define zeroext i1 @eval_grad_f(i32 %n.c, ptr %x, i1 zeroext %is.new, ptr %out, ptr %t) nounwind {
LOAD(m) LOAD(n)  %skip = add nsw i64 %m, 1
  %numbers = call ptr @first_at(ptr %t, ptr %x, i1 %is.new)
  %good = call i1 @copied(ptr %t, ptr %numbers, i64 %skip, i64 %n, ptr %out)
  ret i1 %good
}

define zeroext i1 @eval_jac_g(i32 %n.c, ptr %x, i1 zeroext %is.new, i32 %m.c, i32 %count, ptr %row, ptr %column, ptr %out, ptr %t) nounwind {
LOAD(m) LOAD(n) LOAD(slopes) LOAD(slope_rows) LOAD(slope_columns)  %is.pattern = icmp eq ptr %out, null
  br i1 %is.pattern, label %pattern, label %values
pattern:
  %told = call i1 @places(ptr %slope_rows, ptr %slope_columns, i64 %slopes, ptr %row, ptr %column)
  ret i1 %told
values:
  %begin = add nsw i64 %m, %n
  %skip = add nsw i64 %begin, 1
  %numbers = call ptr @first_at(ptr %t, ptr %x, i1 %is.new)
  %good = call i1 @copied(ptr %t, ptr %numbers, i64 %skip, i64 %slopes, ptr %out)
  ret i1 %good
}

define zeroext i1 @eval_h(i32 %n.c, ptr %x, i1 zeroext %is.new, double %factor, i32 %m.c, ptr %multipliers, i1 zeroext %is.new.too, i32 %count, ptr %row, ptr %column, ptr %out, ptr %t) nounwind {
LOAD(m) LOAD(curved) LOAD(curved_rows) LOAD(curved_columns) LOAD(weights) LOAD(hessian)  %is.pattern = icmp eq ptr %out, null
  br i1 %is.pattern, label %pattern, label %values
pattern:
  %told = call i1 @places(ptr %curved_rows, ptr %curved_columns, i64 %curved, ptr %row, ptr %column)
  ret i1 %told
values:
  call void @go(ptr %t, ptr %x, i1 %is.new)
  %bytes = mul nsw i64 %m, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %weights, ptr %multipliers, i64 %bytes, i1 false)
  %of.cost = getelementptr inbounds double, ptr %weights, i64 %m
  store double %factor, ptr %of.cost, align 8
  call void @second(ptr %t)
  %good = call i1 @copied(ptr %t, ptr %hessian, i64 0, i64 %curved, ptr %out)
  ret i1 %good
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
"""


def nonlinear_text(rounding: str) -> str:
    """The module; `rounding` is fused or separate."""
    loops = LlvmLoops(rounding=rounding)
    text = _RUN.replace("POINTERS", "".join(map(_pointer_load, range(2, 7), "bcdef")))
    text = text.replace("GATHER_KIND", str(GATHER)).replace("BATCH_KIND", str(BATCH)).replace("STEP", str(STEP))
    kernels: dict[str, Kernel] = {"@GATHERED": gather_numbers, "@PRODUCT": sparse_product}
    for place, kernel in kernels.items():
        text = text.replace(place, "@" + loops.kernels.kernel(kernel, kernel_source(kernel).basic_types, {}).name)
    for k, name in enumerate(FIELDS):
        place = f"  %{name}.at = getelementptr inbounds i64, ptr %t, i64 {k}\n"
        kind = "i64" if name in COUNTS else "ptr"
        text = text.replace(f"LOAD({name}) ", f"{place}  %{name} = load {kind}, ptr %{name}.at, align 8\n")
        for value in (1, 2):
            text = text.replace(f"SET({name}, {value}) ", f"{place}  store i64 {value}, ptr %{name}.at, align 8\n")
    return loops.text() + text


def _pointer_load(k: int, name: str) -> str:
    place = f"  %{name}.p = getelementptr inbounds i64, ptr %row, i64 {k}\n"
    return f"{place}  %{name} = load ptr, ptr %{name}.p, align 8\n"
