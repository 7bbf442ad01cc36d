/* Types of FMI 2.0 in as many lines as this needs; the standard is at https://fmi-standard.org. */

#include <stddef.h>

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String name, fmi2Status, fmi2String category, fmi2String message, ...);
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

/* What functions of both versions are written with. */
typedef fmi2Status FmiStatus;
typedef fmi2Component FmiInstance;
typedef fmi2FMUstate FmiState;
typedef fmi2ValueReference FmiReference;
typedef fmi2Real FmiReal;
typedef fmi2Integer FmiOrder;
typedef fmi2Boolean FmiBoolean;
typedef fmi2String FmiString;
typedef fmi2Byte FmiByte;
#define FMI_VERSION "fmi2"
#define FMI_OK fmi2OK
#define FMI_DISCARD fmi2Discard
#define FMI_ERROR fmi2Error

/* Several models in one program: compile each with FMI2_FUNCTION_PREFIX=name_ . */
#if defined(FMI2_FUNCTION_PREFIX) && !defined(FMI2_OVERRIDE_FUNCTION_PREFIX)
#define FMI(name) FMI_PASTED(FMI2_FUNCTION_PREFIX, fmi2##name)
#else
#define FMI(name) fmi2##name
#endif

/* Functions that both versions have under other names. */
#define FMI_GET_STATE FMI(GetFMUstate)
#define FMI_SET_STATE FMI(SetFMUstate)
#define FMI_FREE_STATE FMI(FreeFMUstate)
#define FMI_STATE_SIZE FMI(SerializedFMUstateSize)
#define FMI_WRITE_STATE FMI(SerializeFMUstate)
#define FMI_READ_STATE FMI(DeSerializeFMUstate)
#define FMI_GET_DERIVATIVES FMI(GetDerivatives)
