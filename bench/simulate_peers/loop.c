/* Dormand-Prince 5(4) and 8(5,3) with the step control of Hairer, Norsett and Wanner as SciPy has it, around one function. Before this
   text stand: the function right_side(t, y, d), its SIZE, and the coefficients A5 B5 C5 E5, A8 B8 C8 E3 E58. */
#include <math.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double size_of(const double *x, const double *scale)
{
    double sum = 0.0;
    for (int i = 0; i < SIZE; i++) sum += (x[i] / scale[i]) * (x[i] / scale[i]);
    return sqrt(sum / SIZE);
}

static double first_step(double t, const double *y, const double *f, int order, double rtol, double atol)
{
    double scale[SIZE], z[SIZE], g[SIZE];
    for (int i = 0; i < SIZE; i++) scale[i] = atol + rtol * fabs(y[i]);
    double d0 = size_of(y, scale), d1 = size_of(f, scale);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    for (int i = 0; i < SIZE; i++) z[i] = y[i] + h0 * f[i];
    right_side(t + h0, z, g);
    for (int i = 0; i < SIZE; i++) g[i] -= f[i];
    double d2 = size_of(g, scale) / h0;
    double h1 = d1 <= 1e-15 && d2 <= 1e-15 ? fmax(1e-6, h0 * 1e-3) : pow(0.01 / fmax(d1, d2), 1.0 / (order + 1));
    return fmin(100 * h0, h1);
}

/* Integrates y from t to end. counts: steps, evaluations. Returns CPU seconds, or -1 where the step became too small. */
double run(int order, double t, double end, double *y, double rtol, double atol, long *counts)
{
    const int stages = order == 5 ? 6 : 12, control = order == 5 ? 4 : 7;
    const double *A = order == 5 ? A5 : A8, *B = order == 5 ? B5 : B8, *C = order == 5 ? C5 : C8;
    static double K[13][SIZE], f[SIZE], next[SIZE], z[SIZE];
    double begin = seconds();
    long steps = 0, evaluations = 2;
    right_side(t, y, f);
    double h = first_step(t, y, f, control, rtol, atol);
    while (t < end) {
        int rejected = 0;
        for (;;) {
            if (h < 1e-14 * fmax(1.0, fabs(t)) || h != h) return -1.0;
            double step = t + h > end ? end - t : h;
            memcpy(K[0], f, sizeof f);
            for (int k = 1; k < stages; k++) {
                for (int i = 0; i < SIZE; i++) {
                    double sum = 0.0;
                    for (int j = 0; j < k; j++) sum += A[k * stages + j] * K[j][i];
                    z[i] = y[i] + step * sum;
                }
                right_side(t + C[k] * step, z, K[k]);
            }
            for (int i = 0; i < SIZE; i++) {
                double sum = 0.0;
                for (int j = 0; j < stages; j++) sum += B[j] * K[j][i];
                next[i] = y[i] + step * sum;
            }
            right_side(t + step, next, K[stages]);
            evaluations += stages;
            double e5 = 0.0, e3 = 0.0;
            for (int i = 0; i < SIZE; i++) {
                double scale = atol + rtol * fmax(fabs(y[i]), fabs(next[i])), a = 0.0, b = 0.0;
                for (int j = 0; j <= stages; j++) {
                    a += (order == 5 ? E5 : E58)[j] * K[j][i];
                    if (order != 5) b += E3[j] * K[j][i];
                }
                e5 += a * a / (scale * scale);
                e3 += b * b / (scale * scale);
            }
            double off = order == 5 ? step * sqrt(e5 / SIZE) : e5 == 0 && e3 == 0 ? 0 : step * e5 / sqrt((e5 + 0.01 * e3) * SIZE);
            double factor = off == 0 ? 10 : 0.9 * pow(off, -1.0 / (control + 1));
            if (off < 1) {
                t += step;
                h = step * fmin(rejected ? 1.0 : 10.0, factor);
                break;
            }
            h = step * fmax(0.2, factor);
            rejected = 1;
        }
        memcpy(y, next, sizeof next);
        memcpy(f, K[stages], sizeof f);
        steps++;
    }
    counts[0] = steps;
    counts[1] = evaluations;
    return seconds() - begin;
}

/* Seconds of one call of the function, from so many of them at states that differ a little. */
double call_seconds(const double *y, long calls)
{
    static double z[SIZE], d[SIZE];
    memcpy(z, y, sizeof z);
    double begin = seconds();
    for (long k = 0; k < calls; k++) {
        right_side(0.0, z, d);
        z[0] += 1e-12 * d[0];
    }
    return (seconds() - begin) / (double)calls;
}
