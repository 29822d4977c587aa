//go:build pyext

/* native_dlpack.c: arrays to and from other libraries by DLPack 1.0
 * (https://dmlc.github.io/dlpack/latest/). NumPy's own exchange knows neither bfloat16
 * nor the numbers of one byte, which runs take and give. */
#include "native.h"

typedef struct {
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides; /* in elements; strides may be NULL */
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor tensor;
  void *context;
  void (*deleter)(struct DLManagedTensor *);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(struct DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor tensor;
} DLManagedTensorVersioned;

enum { READ_ONLY = 1, DEVICE_CPU = 1, MAJOR = 1, MINOR = 0 };

/* The capsule names of the specification, by whether the tensor is versioned. */
static const char *const fresh[] = {"dltensor", "dltensor_versioned"};
static const char *const used[] = {"used_dltensor", "used_dltensor_versioned"};
static const char *const held[] = {"goruntime.DLManagedTensor", "goruntime.DLManagedTensorVersioned"};

/* TensorProto.DataType by DLDataTypeCode and bits. */
static const struct {
  uint8_t code, bits;
  int dtype;
} numbers[] = {
    {0, 8, 3},   {0, 16, 5},  {0, 32, 6},  {0, 64, 7},  {1, 8, 2},   {1, 16, 4},   {1, 32, 12}, {1, 64, 13}, {2, 16, 10}, {2, 32, 1},
    {2, 64, 11}, {4, 16, 16}, {5, 64, 14}, {5, 128, 15}, {6, 8, 9}, {10, 8, 17}, {11, 8, 18}, {12, 8, 19}, {13, 8, 20}, {14, 8, 24},
};
enum { NUM_NUMBERS = sizeof numbers / sizeof *numbers };

/* ---- out ---- */

/* An exported tensor, with its dimensions behind it. */
typedef struct {
  union {
    DLManagedTensor plain;
    DLManagedTensorVersioned versioned;
  } managed;
  PyObject *array;
  int64_t dims[];
} Export;

/* drop ends an export. A consumer may do so on any thread, after the interpreter too. */
static void drop(Export *e) {
  if (Py_IsInitialized()) {
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(e->array);
    PyGILState_Release(state);
  }
  free(e);
}

static void drop_plain(DLManagedTensor *t) { drop(t->context); }
static void drop_versioned(DLManagedTensorVersioned *t) { drop(t->context); }

static void unconsumed(PyObject *capsule) {
  for (int v = 0; v < 2; v++)
    if (PyCapsule_IsValid(capsule, fresh[v])) {
      void *t = PyCapsule_GetPointer(capsule, fresh[v]);
      drop(v ? ((DLManagedTensorVersioned *)t)->context : ((DLManagedTensor *)t)->context);
    }
}

PyObject *gr_dlpack_export(PyObject *module, PyObject *args) {
  (void)module;
  PyArrayObject *array;
  int versioned;
  if (!PyArg_ParseTuple(args, "O!p", &PyArray_Type, &array, &versioned)) return NULL;
  int dtype = gr_dtype_of(array), k = 0, rank = PyArray_NDIM(array), writeable = PyArray_ISWRITEABLE(array) != 0;
  while (k < NUM_NUMBERS && numbers[k].dtype != dtype) k++;
  npy_intp size = PyArray_ITEMSIZE(array);
  if (k == NUM_NUMBERS || PyArray_ISBYTESWAPPED(array)) return PyErr_Format(PyExc_BufferError, "DLPack has no elements like those of %R", PyArray_DESCR(array));
  if (!writeable && !versioned) return PyErr_Format(PyExc_BufferError, "the array is read-only, which the consumer cannot be told: it must ask for DLPack 1.0 (max_version)");
  Export *e = calloc(1, sizeof(Export) + 2 * (size_t)rank * sizeof(int64_t));
  if (e == NULL) return PyErr_NoMemory();
  for (int d = 0; d < rank; d++) {
    e->dims[d] = PyArray_DIM(array, d);
    e->dims[rank + d] = PyArray_STRIDE(array, d) / size;
  }
  DLTensor t = {.data = PyArray_DATA(array), .device_type = DEVICE_CPU, .ndim = rank, .code = numbers[k].code, .bits = numbers[k].bits, .lanes = 1,
                .shape = e->dims, .strides = e->dims + rank};
  if (versioned)
    e->managed.versioned = (DLManagedTensorVersioned){MAJOR, MINOR, e, drop_versioned, writeable ? 0 : READ_ONLY, t};
  else
    e->managed.plain = (DLManagedTensor){t, e, drop_plain};
  PyObject *capsule = PyCapsule_New(&e->managed, fresh[versioned], unconsumed);
  if (capsule == NULL) {
    free(e);
    return NULL;
  }
  e->array = Py_NewRef((PyObject *)array);
  return capsule;
}

/* ---- in ---- */

/* finish gives a consumed tensor back to its producer. */
static void finish(PyObject *capsule) {
  int v = PyCapsule_IsValid(capsule, held[1]);
  void *t = PyCapsule_GetPointer(capsule, held[v]);
  if (v && ((DLManagedTensorVersioned *)t)->deleter != NULL) ((DLManagedTensorVersioned *)t)->deleter(t);
  if (!v && ((DLManagedTensor *)t)->deleter != NULL) ((DLManagedTensor *)t)->deleter(t);
}

/* capsule_of asks a producer for its tensor; older ones know no max_version. */
static PyObject *capsule_of(PyObject *source) {
  PyObject *method = PyObject_GetAttrString(source, "__dlpack__"), *none = PyTuple_New(0);
  PyObject *options = Py_BuildValue("{s(ii)}", "max_version", MAJOR, MINOR), *capsule = NULL;
  if (method != NULL && none != NULL && options != NULL) {
    capsule = PyObject_Call(method, none, options);
    if (capsule == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      capsule = PyObject_Call(method, none, NULL);
    }
  }
  Py_XDECREF(method);
  Py_XDECREF(none);
  Py_XDECREF(options);
  return capsule;
}

/* array_over returns an array over t, whose lifetime is that of owner, which it takes. */
static PyObject *array_over(const DLTensor *t, int flags, PyObject *owner) {
  npy_intp dims[NPY_MAXDIMS], strides[NPY_MAXDIMS], *steps = t->strides == NULL ? NULL : strides;
  int k = 0;
  while (k < NUM_NUMBERS && (numbers[k].code != t->code || numbers[k].bits != t->bits)) k++;
  PyObject *array = NULL;
  PyArray_Descr *descr = NULL;
  int fits = t->ndim >= 0 && t->ndim <= NPY_MAXDIMS;
  for (int d = 0; fits && d < t->ndim; d++) fits = (dims[d] = t->shape[d]) >= 0;
  if (t->device_type != DEVICE_CPU) {
    PyErr_Format(PyExc_BufferError, "a tensor on DLPack device %d given: copy it to the CPU first", t->device_type);
  } else if (k == NUM_NUMBERS || t->lanes != 1) {
    PyErr_Format(PyExc_BufferError, "a tensor of DLPack type %d with %d bits and %d lanes given, which no array holds", t->code, t->bits, t->lanes);
  } else if (!fits) {
    PyErr_Format(PyExc_BufferError, "a tensor of rank %d with a shape that no array has", t->ndim);
  } else if ((descr = gr_descr_of(numbers[k].dtype)) != NULL) {
    for (int d = 0; steps != NULL && d < t->ndim; d++) strides[d] = t->strides[d] * PyDataType_ELSIZE(descr);
    array = PyArray_NewFromDescr(&PyArray_Type, descr, t->ndim, dims, steps, (char *)t->data + t->byte_offset, flags, NULL);
  }
  if (array == NULL) {
    Py_DECREF(owner);
    return NULL;
  }
  if (PyArray_SetBaseObject((PyArrayObject *)array, owner) < 0) Py_CLEAR(array);
  else PyArray_UpdateFlags((PyArrayObject *)array, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED);
  return array;
}

PyObject *gr_dlpack_import(PyObject *module, PyObject *source) {
  (void)module;
  PyObject *capsule = PyCapsule_CheckExact(source) ? Py_NewRef(source) : capsule_of(source), *array = NULL;
  if (capsule == NULL) return NULL;
  int v = PyCapsule_IsValid(capsule, fresh[1]);
  void *t = PyCapsule_GetPointer(capsule, fresh[v]);
  if (t != NULL && v && ((DLManagedTensorVersioned *)t)->major > MAJOR) {
    PyErr_Format(PyExc_BufferError, "a tensor of DLPack %d given, 1.0 was asked for", ((DLManagedTensorVersioned *)t)->major);
  } else if (t != NULL) {
    PyObject *owner = PyCapsule_New(t, held[v], finish);
    if (owner != NULL) {
      PyCapsule_SetName(capsule, used[v]); /* the owner's now */
      int flags = v && ((DLManagedTensorVersioned *)t)->flags & READ_ONLY ? 0 : NPY_ARRAY_WRITEABLE;
      array = array_over(v ? &((DLManagedTensorVersioned *)t)->tensor : &((DLManagedTensor *)t)->tensor, flags, owner);
    }
  }
  Py_DECREF(capsule);
  return array;
}
