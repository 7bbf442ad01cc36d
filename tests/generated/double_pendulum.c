/* double_pendulum: 36 operations: 7 additions, 25 multiplications, 0 divisions, 4 functions */

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
    const double v10 = q1 - q2;
    const double v15 = m2*l2;
    const double v16 = 0.5*v15;
    const double v17 = l1*v16;
    const double coupling = cos(v10)*v17;
    const double I2 = 0.3333333333333333*(l2*v15);
    const double weight1 = g*(l1*(m2 + 0.5*m1));
    const double swing = sin(v10)*v17;
    const double v31 = u2*u2;
    const double weight2 = g*v16;
    const double v38 = u1*u1;
    const double T = u2*(u1*coupling) + 0.5*(I1*v38 + I2*v31);
    M[0] = I1;
    M[1] = coupling;
    M[2] = coupling;
    M[3] = I2;
    bias[0] = sin(q1)*weight1 + swing*v31;
    bias[1] = weight2*sin(q2) - swing*v38;
    *energy = T;
}
