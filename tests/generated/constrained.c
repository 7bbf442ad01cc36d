/* constrained: 74 operations: 31 additions, 34 multiplications, 4 divisions, 5 functions */

#include "constrained.h"

#include <math.h>

static double tyre(double slip, double load)
{
    return load*slip/(1.0 + fabs(slip));
}

/* P A = L U with partial pivoting. Leaves L below the diagonal, U above it and 1/diagonal(U) on it, row order in p. */
static void general_factor(int n, double *a, int *p)
{
    for (int k = 0; k < n; k++) {
        p[k] = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(a[i * n + k]) > fabs(a[p[k] * n + k])) {
                p[k] = i;
            }
        }
        for (int j = 0; j < n; j++) {
            double t = a[k * n + j];
            a[k * n + j] = a[p[k] * n + j];
            a[p[k] * n + j] = t;
        }
        a[k * n + k] = 1.0 / a[k * n + k];
        for (int i = k + 1; i < n; i++) {
            double t = a[i * n + k] * a[k * n + k];
            a[i * n + k] = t;
            for (int j = k + 1; j < n; j++) {
                a[i * n + j] = a[i * n + j] - t * a[k * n + j];
            }
        }
    }
}

static double larger(double a, double b)
{
    return a >= b ? a : b;
}

static double sign_of(double a)
{
    return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a;
}

static double smaller(double a, double b)
{
    return a <= b ? a : b;
}

/* Solve A x = b with the factors of `general_factor`; x holds b on entry. */
static void general_solve(int n, const double *a, const int *p, double *x)
{
    for (int k = 0; k < n; k++) {
        double t = x[k];
        x[k] = x[p[k]];
        x[p[k]] = t;
    }
    for (int i = 0; i < n; i++) {
        double t = x[i];
        for (int k = 0; k < i; k++) {
            t = t - a[i * n + k] * x[k];
        }
        x[i] = t;
    }
    for (int m = 0; m < n; m++) {
        double t = x[n - 1 - m];
        for (int k = n - m; k < n; k++) {
            t = t - a[(n - 1 - m) * n + k] * x[k];
        }
        x[n - 1 - m] = t * a[(n - 1 - m) * n + n - 1 - m];
    }
}

void constrained(
    double t, const double q[2], const double u[2], const double p[3], const double *unused, double motion[3],
    double J[2], double forces[2]
)
{
    (void)unused;
    const double x = q[0];
    const double y = q[1];
    const double vx = u[0];
    const double vy = u[1];
    const double m = p[0];
    const double k = p[1];
    const double load = p[2];
    const double v2 = x*x;
    const double v8 = y*y;
    const double v5 = x*y;
    const double sin_x = sin(x);
    const double cos_x = cos(x);
    double factors[9] = {
        m + v2, v5, sin_x,
        v5, m + v8, cos_x,
        sin_x, cos_x, 0.0
    };
    int pivots[3];
    general_factor(3, factors, pivots);
    const double grip = (0.0 < vx && !(vy < -1.0)) ? tyre(vy/vx, load) : 0.0;
    const double pull = k*larger(0.0, -1.0 + sqrt(v8 + v2));
    double solution[6] = {
        grip - x*pull, wind(t) - y*pull, vx*(vy*sign_of(vx)), smaller(x, y), 1.0, 0.0
    };
    general_solve(3, factors, pivots, solution);
    general_solve(3, factors, pivots, &solution[3]);
    motion[0] = solution[0];
    motion[1] = solution[1];
    motion[2] = solution[2];
    J[0] = solution[3];
    J[1] = solution[4];
    forces[0] = grip;
    forces[1] = pull;
}
