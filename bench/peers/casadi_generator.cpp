// Pinocchio's algorithms on CasADi's scalars, as C: casadi_generator ARCHIVE FOLDER FUNCTION...
//
// Writes FOLDER/<function>.c for each function, and a line of JSON with its operations. Both of Pinocchio's conventions
// are offered where there are two. Derivatives are those of Pinocchio's own algorithm, or (`_traced`, where q lives in a
// flat space) CasADi's Jacobian of the articulated-body algorithm.

#include <pinocchio/autodiff/casadi.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <cstdio>
#include <string>
#include <vector>

using ::casadi::SX;
using pinocchio::Convention;
using Model = pinocchio::ModelTpl<SX>;
using Data = pinocchio::DataTpl<SX>;
using Column = Eigen::Matrix<SX, Eigen::Dynamic, 1>;

namespace {

// Row after row in one column, as results are written everywhere here; of a symmetric matrix the upper triangle counts.
template <class Entries> SX rows_of(const Entries &x, bool upper = false)
{
    SX out(x.rows() * x.cols(), 1);
    for (int i = 0; i < x.rows(); i++)
        for (int j = upper ? i : 0; j < x.cols(); j++)
            out(i * x.cols() + j) = x(i, j);
    return SX::densify(out);
}

Column entries_of(const SX &x)
{
    Column out(x.size1());
    for (int i = 0; i < x.size1(); i++)
        out[i] = x(i);
    return out;
}

// Arithmetic and functions; not what only moves numbers.
long operations(const ::casadi::Function &f)
{
    long n = 0;
    for (int i = 0; i < f.n_instructions(); i++) {
        const auto op = f.instruction_id(i);
        n += op != ::casadi::OP_INPUT && op != ::casadi::OP_OUTPUT && op != ::casadi::OP_CONST && op != ::casadi::OP_ASSIGN;
    }
    return n;
}

struct Robot {
    Model model;
    SX q, v, x;
    Column Q, V, X;

    explicit Robot(const pinocchio::Model &m)
        : model(m.cast<SX>()), q(SX::sym("q", m.nq)), v(SX::sym("v", m.nv)), x(SX::sym("x", m.nv)), Q(entries_of(q)),
          V(entries_of(v)), X(entries_of(x))
    {
    }

    std::vector<SX> results(const std::string &name) const
    {
        Data data(model);
        const auto ends_with = [&](const std::string &end) {
            return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
        };
        const Convention way = ends_with("_world") ? Convention::WORLD : Convention::LOCAL;
        if (name == "inverse_dynamics") {
            pinocchio::rnea(model, data, Q, V, X);
            return {rows_of(data.tau)};
        }
        if (name.rfind("mass_matrix", 0) == 0) {
            pinocchio::crba(model, data, Q, way);
            return {rows_of(data.M, true)};
        }
        if (name.rfind("forward_dynamics", 0) == 0) {
            pinocchio::aba(model, data, Q, V, X, way);
            return {rows_of(data.ddq)};
        }
        if (name == "forward_derivatives_traced") {
            pinocchio::aba(model, data, Q, V, X, Convention::LOCAL);
            const SX a = rows_of(data.ddq);
            const auto part = [&](const SX &s) { return SX::densify(SX::vec(SX::jacobian(a, s).T())); };
            return {part(q), part(v), part(x)};
        }
        if (name == "forward_derivatives") {
            pinocchio::computeABADerivatives(model, data, Q, V, X);
            return {rows_of(data.ddq_dq), rows_of(data.ddq_dv), rows_of(data.Minv, true)};
        }
        throw std::invalid_argument("there is no function " + name);
    }
};

} // namespace

int main(int count, char **words)
{
    pinocchio::Model model;
    model.loadFromText(words[1]);
    const Robot robot(model);
    const std::string folder = std::string(words[2]) + "/";
    for (int k = 3; k < count; k++) {
        const std::string name = words[k];
        const ::casadi::Function f(name, {robot.q, robot.v, robot.x}, robot.results(name));
        ::casadi::CodeGenerator generator(name + ".c");
        generator.add(f);
        generator.generate(folder);
        std::printf("{\"name\": \"%s\", \"ops\": %ld, \"work\": %ld}\n", name.c_str(), operations(f), (long)f.sz_w());
        std::fflush(stdout);
    }
}
