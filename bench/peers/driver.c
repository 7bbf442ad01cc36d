/* Calls a function for each of many states, and says how long that took.

   Everything that is compared has the same form: a pointer for each input and output, and one of its own (scratch
   memory, or the peer's model). A step of zero gives all states the same place. */

#include <math.h>
#include <time.h>

typedef void (*Function)(const double *const *in, double *const *out, void *own);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU seconds of the thread for `passes` over all states; `in` and `out` have at most 8 entries. */
double drive(Function f, void *own, long n_in, const double *const *in, const long *in_step,
             long n_out, double *const *out, const long *out_step, long states, long passes)
{
    const double *from[8];
    double *to[8];
    const double start = now();
    for (long p = 0; p < passes; p++)
        for (long s = 0; s < states; s++) {
            for (long k = 0; k < n_in; k++)
                from[k] = in[k] + s * in_step[k];
            for (long k = 0; k < n_out; k++)
                to[k] = out[k] ? out[k] + s * out_step[k] : 0;
            f(from, to, own);
        }
    return now() - start;
}

/* A fixed piece of work in registers and first-level cache: nanoseconds for one round, of which the least is what an
   undisturbed core takes. Products of 4 by 4 matrices, a root, sines. */
double calibrate(long rounds)
{
    double a[16], b[16], c[16];
    for (int i = 0; i < 16; i++) {
        a[i] = 0.1 * i;
        b[i] = 0.01 * (16 - i);
    }
    const double start = now();
    for (long r = 0; r < rounds; r++) {
        double square = 0;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                c[4 * i + j] = 0;
                for (int k = 0; k < 4; k++)
                    c[4 * i + j] += a[4 * i + k] * b[4 * k + j];
                square += c[4 * i + j] * c[4 * i + j];
            }
        const double scale = 1 / sqrt(1e-9 + square);
        for (int i = 0; i < 16; i++)
            a[i] = c[i] * scale + 0.01 * sin(c[i]);
    }
    const double seconds = now() - start;
    return a[3] == 12345.678 ? 0 : 1e9 * seconds / (double)rounds; /* the comparison keeps the work alive */
}
