/* definite_loop: 1704 operations: 772 additions, 917 multiplications, 15 divisions, 0 functions */

#include "definite_loop.h"

#include <math.h>

/* A = L D L' of a symmetric matrix whose leading minors are not zero; reads the upper triangle only.

   Leaves 1/D on the diagonal, L below it, D L' above it. */
static void definite_factor(int n, double *a)
{
    for (int k = 0; k < n; k++) {
        a[k * n + k] = 1.0 / a[k * n + k];
        for (int i = k + 1; i < n; i++) {
            double t = a[k * n + i] * a[k * n + k];
            a[i * n + k] = t;
            for (int j = i; j < n; j++) {
                a[i * n + j] = a[i * n + j] - t * a[k * n + j];
            }
        }
    }
}

/* Solve L D L' x = b with the factors of `definite_factor`; x holds b on entry. */
static void definite_solve(int n, const double *a, double *x)
{
    for (int k = 0; k < n; k++) {
        double t = x[k] * a[k * n + k];
        x[k] = t;
        for (int i = k + 1; i < n; i++) {
            x[i] = x[i] - t * a[k * n + i];
        }
    }
    for (int m = 0; m < n; m++) {
        double t = x[n - 1 - m];
        for (int k = 0; k < n - 1 - m; k++) {
            x[k] = x[k] - t * a[(n - 1 - m) * n + k];
        }
    }
}

void definite_loop(double a, double b, double solution[15])
{
    const double v4 = 15.0 + (a + b);
    const double v6 = 0.5*a;
    const double v8 = 0.3333333333333333*a;
    const double v10 = 0.25*a;
    const double v12 = 0.2*a;
    const double v14 = 0.16666666666666666*a;
    const double v16 = 0.14285714285714285*a;
    const double v18 = 0.125*a;
    const double v20 = 0.1111111111111111*a;
    const double v22 = 0.1*a;
    const double v24 = 0.09090909090909091*a;
    const double v26 = 0.08333333333333333*a;
    const double v28 = 0.07692307692307693*a;
    const double v30 = 0.07142857142857142*a;
    double factors[225] = {
        v4, v6, v8, v10, v12, v14, v16, v18, v20, v22, v24, v26, v28, v30, 0.06666666666666667*a,
        0.0, v4, v6, v8, v10, v12, v14, v16, v18, v20, v22, v24, v26, v28, v30,
        0.0, 0.0, v4, v6, v8, v10, v12, v14, v16, v18, v20, v22, v24, v26, v28,
        0.0, 0.0, 0.0, v4, v6, v8, v10, v12, v14, v16, v18, v20, v22, v24, v26,
        0.0, 0.0, 0.0, 0.0, v4, v6, v8, v10, v12, v14, v16, v18, v20, v22, v24,
        0.0, 0.0, 0.0, 0.0, 0.0, v4, v6, v8, v10, v12, v14, v16, v18, v20, v22,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, v4, v6, v8, v10, v12, v14, v16, v18, v20,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, v4, v6, v8, v10, v12, v14, v16, v18,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, v4, v6, v8, v10, v12, v14, v16,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, v4, v6, v8, v10, v12, v14,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, v4, v6, v8, v10, v12,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, v4, v6, v8, v10,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, v4, v6, v8,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, v4, v6,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, v4
    };
    definite_factor(15, factors);
    double solution_2[15] = {
        0.0, b, 2.0*b, 3.0*b, 4.0*b, 5.0*b, 6.0*b, 7.0*b, 8.0*b, 9.0*b, 10.0*b, 11.0*b, 12.0*b, 13.0*b, 14.0*b
    };
    definite_solve(15, factors, solution_2);
    solution[0] = solution_2[0];
    solution[1] = solution_2[1];
    solution[2] = solution_2[2];
    solution[3] = solution_2[3];
    solution[4] = solution_2[4];
    solution[5] = solution_2[5];
    solution[6] = solution_2[6];
    solution[7] = solution_2[7];
    solution[8] = solution_2[8];
    solution[9] = solution_2[9];
    solution[10] = solution_2[10];
    solution[11] = solution_2[11];
    solution[12] = solution_2[12];
    solution[13] = solution_2[13];
    solution[14] = solution_2[14];
}
