/* A stand-in for the file that S-functions include at their end: it gives a driver the functions of the S-function. Not MathWorks' file. */

void stand_in_sizes(SimStruct *S)
{
    mdlInitializeSizes(S);
    mdlInitializeSampleTimes(S);
}

void stand_in_start(SimStruct *S)
{
#ifdef MDL_INITIALIZE_CONDITIONS
    mdlInitializeConditions(S);
#else
    (void)S;
#endif
}

void stand_in_outputs(SimStruct *S)
{
    mdlOutputs(S, 0);
    mdlTerminate(S);
}

void stand_in_derivatives(SimStruct *S)
{
#ifdef MDL_DERIVATIVES
    mdlDerivatives(S);
#else
    (void)S;
#endif
}

void stand_in_zero_crossings(SimStruct *S)
{
#ifdef MDL_ZERO_CROSSINGS
    mdlZeroCrossings(S);
#else
    (void)S;
#endif
}

void stand_in_projection(SimStruct *S)
{
#ifdef MDL_PROJECTION
    mdlProjection(S);
#else
    (void)S;
#endif
}
