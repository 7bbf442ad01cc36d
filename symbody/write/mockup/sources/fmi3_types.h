/* Types of FMI 3.0 in as many lines as this needs; the standard is at https://fmi-standard.org. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(
    fmi3InstanceEnvironment, fmi3Float64 time, fmi3Boolean set_requested, fmi3Boolean get_allowed, fmi3Boolean step_finished,
    fmi3Boolean can_return_early, fmi3Boolean *early_return_requested, fmi3Float64 *early_return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

/* What functions of both versions are written with. */
typedef fmi3Status FmiStatus;
typedef fmi3Instance FmiInstance;
typedef fmi3FMUState FmiState;
typedef fmi3ValueReference FmiReference;
typedef fmi3Float64 FmiReal;
typedef fmi3Int32 FmiOrder;
typedef fmi3Boolean FmiBoolean;
typedef fmi3String FmiString;
typedef fmi3Byte FmiByte;
#define FMI_VERSION "fmi3"
#define FMI_OK fmi3OK
#define FMI_DISCARD fmi3Discard
#define FMI_ERROR fmi3Error

/* Several models in one program: compile each with FMI3_FUNCTION_PREFIX=name_ . */
#if defined(FMI3_FUNCTION_PREFIX) && !defined(FMI3_OVERRIDE_FUNCTION_PREFIX)
#define FMI(name) FMI_PASTED(FMI3_FUNCTION_PREFIX, fmi3##name)
#else
#define FMI(name) fmi3##name
#endif

/* Functions that both versions have under other names. */
#define FMI_GET_STATE FMI(GetFMUState)
#define FMI_SET_STATE FMI(SetFMUState)
#define FMI_FREE_STATE FMI(FreeFMUState)
#define FMI_STATE_SIZE FMI(SerializedFMUStateSize)
#define FMI_WRITE_STATE FMI(SerializeFMUState)
#define FMI_READ_STATE FMI(DeserializeFMUState)
#define FMI_GET_DERIVATIVES FMI(GetContinuousStateDerivatives)
