// Pinocchio's algorithms on a model from a text archive, with the signature that `driver.c` calls.
//
// Inputs are q, v and, where there is a third, accelerations or forces. Results stay in Pinocchio's own data, as they
// do in use; they are copied out only where an output is given.

#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

namespace {

struct Robot {
    pinocchio::Model model;
    pinocchio::Data data;
    explicit Robot(const pinocchio::Model &m) : model(m), data(m) {}
};

using Input = Eigen::Map<const Eigen::VectorXd>;
using Convention = pinocchio::Convention;

Input positions(const Robot &r, const double *p) { return Input(p, r.model.nq); }
Input tangent(const Robot &r, const double *p) { return Input(p, r.model.nv); }

template <class Result> void copied(double *to, const Result &x)
{
    if (to)
        Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(to, x.rows(), x.cols()) = x;
}

template <class Tensor> void copied_tensor(double *to, const Tensor &x)
{
    if (to)
        for (Eigen::Index i = 0; i < x.dimension(0); ++i)
            for (Eigen::Index j = 0; j < x.dimension(1); ++j)
                for (Eigen::Index k = 0; k < x.dimension(2); ++k)
                    *to++ = x(i, j, k);
}

template <Convention way> void mass_matrix(const double *const *in, double *const *out, void *own)
{
    Robot &r = *static_cast<Robot *>(own);
    pinocchio::crba(r.model, r.data, positions(r, in[0]), way);
    copied(out[0], r.data.M);
}

template <Convention way> void forward_dynamics(const double *const *in, double *const *out, void *own)
{
    Robot &r = *static_cast<Robot *>(own);
    pinocchio::aba(r.model, r.data, positions(r, in[0]), tangent(r, in[1]), tangent(r, in[2]), way);
    copied(out[0], r.data.ddq);
}

} // namespace

extern "C" {

void *opened(const char *archive)
{
    pinocchio::Model model;
    model.loadFromText(archive);
    return new Robot(model);
}

void inverse_dynamics(const double *const *in, double *const *out, void *own)
{
    Robot &r = *static_cast<Robot *>(own);
    pinocchio::rnea(r.model, r.data, positions(r, in[0]), tangent(r, in[1]), tangent(r, in[2]));
    copied(out[0], r.data.tau);
}

void mass_matrix_local(const double *const *in, double *const *out, void *own)
{
    mass_matrix<Convention::LOCAL>(in, out, own);
}

void mass_matrix_world(const double *const *in, double *const *out, void *own)
{
    mass_matrix<Convention::WORLD>(in, out, own);
}

void forward_dynamics_local(const double *const *in, double *const *out, void *own)
{
    forward_dynamics<Convention::LOCAL>(in, out, own);
}

void forward_dynamics_world(const double *const *in, double *const *out, void *own)
{
    forward_dynamics<Convention::WORLD>(in, out, own);
}

void inverse_second_derivatives(const double *const *in, double *const *out, void *own)
{
    Robot &r = *static_cast<Robot *>(own);
    pinocchio::ComputeRNEASecondOrderDerivatives(
        r.model, r.data, positions(r, in[0]), tangent(r, in[1]), tangent(r, in[2]));
    copied_tensor(out[0], r.data.d2tau_dqdq);
    copied_tensor(out[1], r.data.d2tau_dvdv);
    copied_tensor(out[2], r.data.d2tau_dqdv);
    copied_tensor(out[3], r.data.d2tau_dadq);
}

void forward_derivatives(const double *const *in, double *const *out, void *own)
{
    Robot &r = *static_cast<Robot *>(own);
    pinocchio::computeABADerivatives(r.model, r.data, positions(r, in[0]), tangent(r, in[1]), tangent(r, in[2]));
    copied(out[0], r.data.ddq_dq);
    copied(out[1], r.data.ddq_dv);
    copied(out[2], r.data.Minv);
}

} // extern "C"
