//go:build ort

#include <stdlib.h>
#include <string.h>

#include "shim.h"

void gr_ort_mute(int mute) {
  static const char *const name = "ORT_DISABLE_TELEMETRY";
  static char *before = NULL;
  if (mute) {
    const char *was = getenv(name);
    before = was == NULL ? NULL : strdup(was);
    setenv(name, "1", 1);
    return;
  }
  if (before != NULL) setenv(name, before, 1);
  else unsetenv(name);
  free(before);
  before = NULL;
}

void gr_ort_forget(gr_ort_tensor *t) {
  if (t->value != NULL) ReleaseOrtValue(t->value);
  t->value = NULL;
}

/* over makes the value of a tensor lie over its elements. */
static OrtStatus *over(gr_ort_frame *f, gr_ort_tensor *t) {
  if (t->value != NULL && t->over == t->data) return NULL;
  gr_ort_forget(t);
  t->over = t->data;
  return CreateOrtTensorWithShape((void *)t->data, t->bytes, t->dims, t->rank, f->memory, (ONNXTensorElementDataType)t->dtype, &t->value);
}

OrtStatus *gr_ort_run(gr_ort_frame *f) {
  int n = f->n_inputs + f->n_outputs;
  for (int i = 0; i < n; i++) {
    gr_ort_tensor *t = &f->tensors[i];
    OrtStatus *status = t->dtype != GR_ORT_NO_TYPE ? over(f, t) : NULL;
    if (status != NULL) return status;
    f->values[i] = t->value;
  }
  return RunOrtSessionWithOptions(f->session, f->values, f->names, f->n_inputs, f->values + f->n_inputs, f->names + f->n_inputs, f->n_outputs,
                                  f->options);
}

OrtStatus *gr_ort_look(OrtValue *value, gr_ort_view *view) {
  ONNXType kind = GR_ORT_UNKNOWN;
  OrtStatus *status = GetValueType(value, &kind);
  view->kind = kind;
  if (status != NULL || kind != GR_ORT_TENSOR) return status;
  OrtTensorTypeAndShapeInfo *info = NULL;
  if ((status = GetTensorTypeAndShape(value, &info)) != NULL) return status;
  ONNXTensorElementDataType dtype = GR_ORT_NO_TYPE;
  size_t rank = 0;
  status = GetTensorElementType(info, &dtype);
  if (status == NULL) status = GetDimensionsCount(info, &rank);
  if (status == NULL && rank <= GR_ORT_MAX_RANK) status = GetDimensions(info, view->dims, rank);
  ReleaseTensorTypeAndShapeInfo(info);
  view->dtype = dtype;
  view->rank = (int64_t)rank;
  view->data = NULL;
  if (status == NULL && dtype != GR_ORT_STRING) status = GetTensorMutableData(value, &view->data);
  return status;
}

OrtStatus *gr_ort_strings(const gr_ort_text *texts, size_t n, int64_t *dims, size_t rank, OrtValue **out) {
  size_t bytes = 0;
  for (size_t i = 0; i < n; i++) bytes += texts[i].size + 1;
  char **list = malloc((n + 1) * sizeof(char *) + bytes);
  *out = NULL;
  if (list == NULL) return NULL;
  char *at = (char *)(list + n + 1);
  for (size_t i = 0; i < n; i++) {
    list[i] = at;
    if (texts[i].size > 0) memcpy(at, texts[i].data, texts[i].size);
    at += texts[i].size;
    *at++ = 0;
  }
  OrtStatus *status = CreateTensorAsOrtValue(dims, (int64_t)rank, GR_ORT_STRING, out);
  if (status == NULL && (status = FillStringTensor(*out, list, n)) != NULL) {
    ReleaseOrtValue(*out);
    *out = NULL;
  }
  free(list);
  return status;
}

OrtStatus *gr_ort_open(const char *path, const void *data, size_t size, const char *folder, int threads, OrtSession **session) {
  OrtEnv *env = NULL; /* the process's: onnxruntime_go holds it too, and neither lets go */
  OrtSessionOptions *options = NULL;
  OrtStatus *status = CreateOrtEnv("goruntime", &env);
  if (status == NULL) status = CreateSessionOptions(&options);
  if (status != NULL) return status;
  status = SetIntraOpNumThreads(options, threads);
  if (status == NULL) status = SetInterOpNumThreads(options, 1);
  if (status == NULL && folder != NULL)
    status = AddSessionConfigEntry(options, "session.model_external_initializers_file_folder_path", (char *)folder);
  if (status == NULL)
    status = path != NULL ? CreateSessionFromFile((char *)path, env, session, options) : CreateSession((void *)data, size, env, session, options);
  ReleaseSessionOptions(options);
  return status;
}
