/* MuJoCo's smooth dynamics on a model from a binary file, with the signature that `driver.c` calls. */

#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    mjModel *model;
    mjData *data;
    mjtNum *bias;
} Robot;

void *opened(const char *file)
{
    Robot *r = malloc(sizeof *r);
    r->model = mj_loadModel(file, 0);
    r->model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT | mjDSBL_LIMIT | mjDSBL_EQUALITY |
                                  mjDSBL_FRICTIONLOSS | mjDSBL_ACTUATION;
    r->data = mj_makeData(r->model);
    r->bias = calloc((size_t)r->model->nv, sizeof *r->bias);
    return r;
}

static void set(Robot *r, const double *q, const double *u)
{
    memcpy(r->data->qpos, q, sizeof(double) * (size_t)r->model->nq);
    memcpy(r->data->qvel, u, sizeof(double) * (size_t)r->model->nv);
    mj_kinematics(r->model, r->data);
    mj_comPos(r->model, r->data);
}

static void copied(double *to, const double *from, int n)
{
    if (to)
        memcpy(to, from, sizeof(double) * (size_t)n);
}

void inverse_dynamics(const double *const *in, double *const *out, void *own)
{
    Robot *r = own;
    set(r, in[0], in[1]);
    memcpy(r->data->qacc, in[2], sizeof(double) * (size_t)r->model->nv);
    mj_comVel(r->model, r->data);
    mj_rne(r->model, r->data, 1, r->bias);
    copied(out[0], r->bias, r->model->nv);
}

void mass_matrix(const double *const *in, double *const *out, void *own)
{
    Robot *r = own;
    set(r, in[0], in[1]);
    mj_makeM(r->model, r->data);
    if (out[0])
        mj_fullM(r->model, r->data, out[0]);
}

void forward_dynamics(const double *const *in, double *const *out, void *own)
{
    Robot *r = own;
    set(r, in[0], in[1]);
    mj_makeM(r->model, r->data);
    mj_factorM(r->model, r->data);
    mj_comVel(r->model, r->data);
    mj_rne(r->model, r->data, 0, r->bias);
    for (int k = 0; k < r->model->nv; k++)
        r->data->qfrc_smooth[k] = in[2][k] - r->bias[k];
    mj_solveM(r->model, r->data, r->data->qacc, r->data->qfrc_smooth, 1);
    copied(out[0], r->data->qacc, r->model->nv);
}
