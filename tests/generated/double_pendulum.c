/* double_pendulum: 39 operations: 7 additions, 28 multiplications, 0 divisions, 4 functions */

#include "double_pendulum.h"

#include <math.h>

void double_pendulum(
    double t, const double q[2], const double u[2], const double p[5], double M[4], double bias[2], double *energy
)
{
    (void)t;
    const double q1 = q[0];
    const double q2 = q[1];
    const double u1 = u[0];
    const double u2 = u[1];
    const double m1 = p[0];
    const double m2 = p[1];
    const double l1 = p[2];
    const double l2 = p[3];
    const double g = p[4];
    const double I1 = l1*l1*(m2 + 0.3333333333333333*m1);
    const double v12 = 0.5*(l2*(m2*l1));
    const double v15 = q1 - q2;
    const double coupling = v12*cos(v15);
    const double I2 = 0.3333333333333333*(m2*(l2*l2));
    const double swing = v12*sin(v15);
    const double v25 = u2*u2;
    const double weight1 = l1*(g*(m2 + 0.5*m1));
    const double weight2 = 0.5*(l2*(m2*g));
    const double v41 = u1*u1;
    const double T = 0.5*(I1*v41 + I2*v25) + u2*(u1*coupling);
    M[0] = I1;
    M[1] = coupling;
    M[2] = coupling;
    M[3] = I2;
    bias[0] = swing*v25 + sin(q1)*weight1;
    bias[1] = weight2*sin(q2) - swing*v41;
    *energy = T;
}
