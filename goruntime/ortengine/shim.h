//go:build ort

/* shim.h: one run of ONNX Runtime in one crossing from Go.
 *
 * The first part are the functions of onnxruntime_go's C layer that are used here, as
 * its onnxruntime_wrapper.h declares them; they are linked into the same program. Go
 * cannot include a header of another module. A test compares the two. */
#ifndef GR_ORT_SHIM_H
#define GR_ORT_SHIM_H

#include <stddef.h>
#include <stdint.h>

typedef struct OrtEnv OrtEnv;
typedef struct OrtStatus OrtStatus;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtValue OrtValue;
typedef enum ONNXTensorElementDataType { GR_ORT_NO_TYPE, GR_ORT_STRING = 8 } ONNXTensorElementDataType;
typedef enum ONNXType { GR_ORT_UNKNOWN, GR_ORT_TENSOR, GR_ORT_SEQUENCE, GR_ORT_MAP } ONNXType;

void ReleaseOrtStatus(OrtStatus *status);
const char *GetErrorMessage(OrtStatus *status);
OrtStatus *CreateOrtEnv(char *name, OrtEnv **env);
OrtStatus *CreateOrtMemoryInfo(OrtMemoryInfo **mem_info);
OrtStatus *CreateSessionOptions(OrtSessionOptions **o);
void ReleaseSessionOptions(OrtSessionOptions *o);
OrtStatus *AddSessionConfigEntry(OrtSessionOptions *o, char *key, char *value);
OrtStatus *SetIntraOpNumThreads(OrtSessionOptions *o, int n);
OrtStatus *SetInterOpNumThreads(OrtSessionOptions *o, int n);
OrtStatus *CreateSession(void *model_data, size_t model_data_length, OrtEnv *env, OrtSession **out, OrtSessionOptions *options);
OrtStatus *CreateSessionFromFile(char *model_path, OrtEnv *env, OrtSession **out, OrtSessionOptions *options);
void ReleaseOrtSession(OrtSession *session);
OrtStatus *RunOrtSessionWithOptions(OrtSession *session, OrtValue **inputs, char **input_names, int input_count, OrtValue **outputs, char **output_names, int output_count, OrtRunOptions *run_options);
OrtStatus *CreateRunOptions(OrtRunOptions **o);
void ReleaseRunOptions(OrtRunOptions *o);
OrtStatus *RunOptionsSetTerminate(OrtRunOptions *o);
OrtStatus *RunOptionsUnsetTerminate(OrtRunOptions *o);
void ReleaseOrtValue(OrtValue *value);
OrtStatus *CreateOrtTensorWithShape(void *data, size_t data_size, int64_t *shape, int64_t shape_size, OrtMemoryInfo *mem_info, ONNXTensorElementDataType dtype, OrtValue **out);
OrtStatus *CreateTensorAsOrtValue(int64_t *shape, int64_t shape_size, ONNXTensorElementDataType dtype, OrtValue **out);
OrtStatus *GetTensorTypeAndShape(const OrtValue *value, OrtTensorTypeAndShapeInfo **out);
OrtStatus *GetDimensionsCount(const OrtTensorTypeAndShapeInfo *info, size_t *out);
OrtStatus *GetDimensions(const OrtTensorTypeAndShapeInfo *info, int64_t *dim_values, size_t dim_values_length);
OrtStatus *GetTensorElementType(const OrtTensorTypeAndShapeInfo *info, enum ONNXTensorElementDataType *out);
void ReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo *input);
OrtStatus *GetTensorMutableData(OrtValue *value, void **out);
OrtStatus *GetValue(OrtValue *container, int index, OrtValue **dst);
OrtStatus *GetValueType(OrtValue *v, enum ONNXType *out);
OrtStatus *GetValueCount(OrtValue *v, size_t *out);
OrtStatus *CreateOrtValue(OrtValue **in, size_t num_values, enum ONNXType value_type, OrtValue **out);
OrtStatus *FillStringTensor(OrtValue *v, char **strings, size_t num_strings);
OrtStatus *GetStringTensorDataLength(OrtValue *v, size_t *length);
OrtStatus *GetStringTensorContent(OrtValue *v, void *data_buffer, size_t data_size, size_t *offsets_buffer, size_t offsets_length);

enum { GR_ORT_MAX_RANK = 64 };

/* A tensor of a frame. Addresses are numbers: see goruntime/RATIONALE.md. */
typedef struct {
  uintptr_t data; /* where the elements lie */
  size_t bytes;
  int64_t *dims;
  int32_t rank;
  int32_t dtype;   /* ONNX Runtime's number; 0 is an output that it allocates */
  OrtValue *value; /* over the elements, kept for the next run, or NULL */
  uintptr_t over;  /* where value's elements lie */
} gr_ort_tensor;

/* What runs of one signature need, one at a time: inputs, then outputs. */
typedef struct {
  OrtSession *session;
  OrtMemoryInfo *memory;
  OrtRunOptions *options; /* or NULL */
  int32_t n_inputs, n_outputs;
  gr_ort_tensor *tensors;
  char **names;
  OrtValue **values;
} gr_ort_frame;

/* A value that ONNX Runtime made. */
typedef struct {
  int32_t kind; /* an ONNXType */
  int32_t dtype;
  int64_t rank;
  int64_t dims[GR_ORT_MAX_RANK];
  void *data;
} gr_ort_view;

/* A string element as goruntime/tensor.Text has it. */
typedef struct {
  const char *data;
  uint64_t size;
} gr_ort_text;

/* Keeps the library that is loaded between gr_ort_mute(1) and gr_ort_mute(0) from
 * collecting and sending what it is used for, and from keeping a number of the machine:
 * it asks the environment when it begins. */
void gr_ort_mute(int mute);
/* Runs the frame. Outputs without a dtype are afterwards in values, the caller's to
 * release. */
OrtStatus *gr_ort_run(gr_ort_frame *frame);
/* Forgets the value of a tensor. */
void gr_ort_forget(gr_ort_tensor *tensor);
OrtStatus *gr_ort_look(OrtValue *value, gr_ort_view *view);
/* Makes a string tensor: the texts are copied. *out is NULL where memory is short. */
OrtStatus *gr_ort_strings(const gr_ort_text *texts, size_t n, int64_t *dims, size_t rank, OrtValue **out);
OrtStatus *gr_ort_open(const char *path, const void *data, size_t size, const char *folder, int threads, OrtSession **session);
#endif
