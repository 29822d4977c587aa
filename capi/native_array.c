//go:build pyext

/* native_array.c: NumPy arrays over leased memory. What is fed is in native_input.c. */
#include "native.h"

/* NumPy's own types by TensorProto.DataType. */
static const int numpy_types[NUM_DTYPES] = {
    -1,        NPY_FLOAT32, NPY_UINT8,  NPY_INT8,   NPY_UINT16, NPY_INT16,     NPY_INT32,      NPY_INT64, NPY_OBJECT,
    NPY_BOOL,  NPY_FLOAT16, NPY_FLOAT64, NPY_UINT32, NPY_UINT64, NPY_COMPLEX64, NPY_COMPLEX128, -1,        -1,
    -1,        -1,          -1,         -1,         -1,         -1,            -1,             -1,        -1,
    -1,        -1,
};

/* Types of ml_dtypes by TensorProto.DataType. Those below a byte are packed and
 * unpacked on the way: see native_packed.c. */
static const char *const extra_types[NUM_DTYPES] = {
    [16] = "bfloat16",        [17] = "float8_e4m3fn",   [18] = "float8_e4m3fnuz",
    [19] = "float8_e5m2",     [20] = "float8_e5m2fnuz", [21] = "uint4",
    [22] = "int4",            [23] = "float4_e2m1fn",   [24] = "float8_e8m0fnu",
    [25] = "uint2",           [26] = "int2",          [27] = "float6_e2m3fn",
    [28] = "float6_e3m2fn",
};

static PyArray_Descr *descrs[NUM_DTYPES]; /* by TensorProto.DataType, made at first use */

/* descr_named makes the descr of a type of ml_dtypes. */
static PyArray_Descr *descr_named(const char *name) {
  PyArray_Descr *descr = NULL;
  PyObject *module = PyImport_ImportModule("ml_dtypes");
  if (module == NULL) {
    PyErr_Clear();
    gr_raise_text(GR_UNSUPPORTED, "%s arrays need the package ml_dtypes: pip install ml_dtypes", name);
    return NULL;
  }
  PyObject *type = PyObject_GetAttrString(module, name);
  Py_DECREF(module);
  if (type == NULL) return NULL;
  PyArray_DescrConverter(type, &descr);
  Py_DECREF(type);
  return descr;
}

PyArray_Descr *gr_descr_of(int dtype) {
  if (dtype <= 0 || dtype >= NUM_DTYPES || (numpy_types[dtype] < 0 && extra_types[dtype] == NULL)) {
    gr_raise_text(GR_UNSUPPORTED, "values of ONNX element type %d cannot be given to NumPy", dtype);
    return NULL;
  }
  if (descrs[dtype] == NULL)
    descrs[dtype] = numpy_types[dtype] >= 0 ? PyArray_DescrFromType(numpy_types[dtype]) : descr_named(extra_types[dtype]);
  return (PyArray_Descr *)Py_XNewRef((PyObject *)descrs[dtype]);
}

/* extra_dtype_of finds a type of ml_dtypes by the name of its scalar. */
static int extra_dtype_of(PyArray_Descr *descr) {
  const char *name = strrchr(descr->typeobj->tp_name, '.');
  name = name == NULL ? descr->typeobj->tp_name : name + 1;
  for (int i = 0; i < NUM_DTYPES; i++)
    if (extra_types[i] != NULL && strcmp(extra_types[i], name) == 0) return i;
  return -1;
}

int gr_dtype_of(PyArrayObject *array) {
  int type = PyArray_TYPE(array);
  switch (type) {
    case NPY_FLOAT32: return 1;
    case NPY_INT64: return 7;
    case NPY_LONGLONG: return 7;
    case NPY_ULONGLONG: return 13;
    case NPY_OBJECT: case NPY_UNICODE: case NPY_VSTRING: return DTYPE_STRING;
    default: break;
  }
  for (int i = 1; i < NUM_DTYPES; i++)
    if (numpy_types[i] == type) return i;
  return extra_dtype_of(PyArray_DESCR(array));
}

/* A lease as the base of an array. Some that died wait for the next; the interpreter's
 * lock protects them. */
typedef struct {
  PyObject_HEAD gr_lease *lease;
  uint32_t generation;
} Lease;

static Lease *waiting[32];
static int n_waiting = 0;

/* lease_dealloc is the one release of a lease: any thread, any time, no Go. */
static void lease_dealloc(Lease *self) {
  gr_lease_release(self->lease, self->generation, &gr_words);
  if (n_waiting < (int)(sizeof waiting / sizeof *waiting)) waiting[n_waiting++] = self;
  else PyObject_Free(self);
}

PyTypeObject gr_lease_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "goruntime.IOLease",
    .tp_basicsize = sizeof(Lease),
    .tp_dealloc = (destructor)lease_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "Memory of an I/O arena, which it gets back when the last array over it dies.",
};

/* lease_of takes the lease of an output. */
static PyObject *lease_of(gr_output *output) {
  Lease *self;
  if (n_waiting > 0) {
    self = waiting[--n_waiting];
    PyObject_Init((PyObject *)self, &gr_lease_type);
  } else if ((self = PyObject_New(Lease, &gr_lease_type)) == NULL) {
    gr_output_drop(output);
    return NULL;
  }
  self->lease = output->lease;
  self->generation = output->generation;
  output->lease = NULL;
  return (PyObject *)self;
}

gr_lease *gr_lease_under(PyObject *array, uint32_t *generation) {
  while (array != NULL && PyArray_Check(array)) array = PyArray_BASE((PyArrayObject *)array);
  if (array == NULL || Py_TYPE(array) != &gr_lease_type) return NULL;
  *generation = ((Lease *)array)->generation;
  return ((Lease *)array)->lease;
}

void gr_output_drop(gr_output *output) {
  if (output->lease != NULL) gr_lease_release(output->lease, output->generation, &gr_words);
  output->lease = NULL;
  if (output->value != NULL) {
    gr_value_drop(output->value);
    gr_value_free(output->value);
  }
  output->value = NULL;
}

/* array_over wraps leased memory; it takes the lease and the descr. */
static PyObject *array_over(gr_output *output, PyArray_Descr *descr) {
  PyObject *base = lease_of(output);
  if (base == NULL) {
    Py_DECREF(descr);
    return NULL;
  }
  PyObject *array = PyArray_NewFromDescr(&PyArray_Type, descr, output->rank, (npy_intp *)output->dims, NULL, output->data,
                                         NPY_ARRAY_CARRAY, NULL);
  if (array == NULL) {
    Py_DECREF(base);
    return NULL;
  }
  /* As PyArray_SetBaseObject does for a base that is no array, without its search for one. */
  ((PyArrayObject_fields *)array)->base = base;
  return array;
}

PyObject *gr_array_of(gr_output *output) {
  if (output->dtype == GR_OTHER) return gr_other_of(output);
  if (gr_packed(output->dtype)) return gr_unpacked(output);
  if (output->dtype == DTYPE_STRING) {
    PyObject *strings = gr_strings_of(output);
    gr_output_drop(output);
    return strings;
  }
  PyArray_Descr *descr = gr_descr_of(output->dtype);
  if (descr == NULL) {
    gr_output_drop(output);
    return NULL;
  }
  return array_over(output, descr);
}

PyObject *gr_strings_of(const gr_output *output) {
  PyObject *array = PyArray_SimpleNew(output->rank, (npy_intp *)output->dims, NPY_OBJECT);
  if (array == NULL) return NULL;
  PyObject **items = PyArray_DATA((PyArrayObject *)array);
  const gr_string *strings = output->data;
  npy_intp n = PyArray_SIZE((PyArrayObject *)array);
  for (npy_intp i = 0; i < n; i++) {
    PyObject *text = PyUnicode_DecodeUTF8(strings[i].data, strings[i].size, "surrogateescape");
    if (text == NULL) {
      Py_DECREF(array);
      return NULL;
    }
    Py_XSETREF(items[i], text);
  }
  return array;
}

PyObject *gr_block(uint64_t io, npy_intp bytes, int reason) {
  gr_output block = {0};
  gr_error *error = NULL;
  if (gr_arena_copy_block(io, (size_t)bytes, reason, &block, &error) != GR_OK) return gr_raise(error);
  block.rank = 1;
  block.dims[0] = bytes;
  return array_over(&block, PyArray_DescrFromType(NPY_UINT8));
}

/* gr_copied returns a copy of an array in a leased block of the I/O arena. */
PyObject *gr_copied(PyArrayObject *array, uint64_t io, int reason) {
  gr_output block = {0};
  gr_error *error = NULL;
  PyArray_Descr *descr = PyArray_DescrNewByteorder(PyArray_DESCR(array), NPY_NATIVE);
  if (descr == NULL) return NULL;
  if (gr_arena_copy_block(io, (size_t)PyArray_NBYTES(array), reason, &block, &error) != GR_OK) {
    Py_DECREF(descr);
    return gr_raise(error);
  }
  block.rank = PyArray_NDIM(array);
  memcpy(block.dims, PyArray_DIMS(array), sizeof(npy_intp) * (size_t)block.rank);
  PyObject *copy = array_over(&block, descr);
  if (copy != NULL && PyArray_CopyInto((PyArrayObject *)copy, array) < 0) Py_CLEAR(copy);
  return copy;
}
