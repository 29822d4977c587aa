//go:build pyext

/* native_array.c: NumPy arrays over leased memory, and arrays as inputs. */
#include <math.h>

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

/* copy_into_io copies an array to a leased block of the I/O arena. */
static PyObject *copy_into_io(PyArrayObject *array, uint64_t io, int reason) {
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

/* whole tells whether a Python scalar or a list holds whole numbers only; what no array
 * can be made of, the conversion tells. */
static int whole(PyObject *value) {
  PyObject *array = PyArray_FromAny(value, NULL, 0, 0, 0, NULL);
  int answer = 1;
  if (array != NULL && PyArray_ISFLOAT((PyArrayObject *)array)) {
    Py_SETREF(array, PyArray_FROM_OTF(array, NPY_DOUBLE, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
    npy_intp n = array == NULL ? 0 : PyArray_SIZE((PyArrayObject *)array);
    const double *x = n == 0 ? NULL : PyArray_DATA((PyArrayObject *)array);
    for (npy_intp i = 0; answer && i < n; i++) answer = isfinite(x[i]) && x[i] == floor(x[i]);
  }
  Py_XDECREF(array);
  PyErr_Clear();
  return answer;
}

/* refuse raises why a value is no array, of a dtype where one is asked for, and of which
 * input where one is named. What NumPy raised, of a number that is too large for the dtype
 * too, becomes an error of this package. It takes descr. */
static PyObject *refuse(PyArray_Descr *descr, PyObject *input, const char *why) {
  PyObject *kind, *value, *trace;
  PyErr_Fetch(&kind, &value, &trace);
  if (kind != NULL && !PyErr_GivenExceptionMatches(kind, PyExc_TypeError) && !PyErr_GivenExceptionMatches(kind, PyExc_ValueError) &&
      !PyErr_GivenExceptionMatches(kind, PyExc_OverflowError)) {
    PyErr_Restore(kind, value, trace);
  } else {
    PyObject *where = input == NULL ? PyUnicode_FromString("") : PyUnicode_FromFormat("input %R: ", input);
    int code = kind == NULL || PyErr_GivenExceptionMatches(kind, PyExc_TypeError) ? GR_TYPE : GR_ARGUMENT;
    if (where != NULL && why != NULL) gr_raise_text(code, "%U%s, %R expected: round them, or cast them with numpy", where, why, descr);
    else if (where != NULL && descr == NULL) gr_raise_text(code, "%Uwhat is given is no array: %S", where, value == NULL ? kind : value);
    else if (where != NULL) gr_raise_text(code, "%Uwhat is given is no array of %R: %S", where, descr, value == NULL ? kind : value);
    Py_XDECREF(where);
    Py_XDECREF(kind);
    Py_XDECREF(value);
    Py_XDECREF(trace);
  }
  Py_XDECREF(descr);
  return NULL;
}

/* gr_to_array returns value as an array that a run may read in place: itself
 * where it is one, in native byte order and C-contiguous, else a counted copy.
 * Texts, which no run reads in place, stay as they are: see gr_to_strings.
 * Only Python scalars and lists take the declared dtype. Errors name the input, where one
 * is given. */
PyObject *gr_to_array(PyObject *value, int dtype, uint64_t io, PyObject *input) {
  if (PyArray_Check(value)) {
    PyArrayObject *array = (PyArrayObject *)value;
    if (gr_dtype_of(array) == DTYPE_STRING) return Py_NewRef(value);
    if (PyArray_ISBYTESWAPPED(array)) return copy_into_io(array, io, COPY_BYTE_ORDER);
    if (!PyArray_IS_C_CONTIGUOUS(array)) return copy_into_io(array, io, COPY_NON_CONTIGUOUS);
    return Py_NewRef(value);
  }
  if (!PyArray_CheckScalar(value) && PyObject_HasAttrString(value, "__dlpack__")) {
    PyObject *array = gr_dlpack_import(NULL, value);
    if (array == NULL) return NULL;
    PyObject *ready = gr_to_array(array, dtype, io, input);
    Py_DECREF(array);
    return ready;
  }
  PyArray_Descr *descr = NULL;
  if (PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) || PyList_Check(value) || PyTuple_Check(value)) {
    if (dtype > 0 && dtype != DTYPE_STRING && (descr = gr_descr_of(dtype)) == NULL) return NULL;
  }
  if (descr != NULL && (PyTypeNum_ISINTEGER(descr->type_num) || descr->type_num == NPY_BOOL) && !PyLong_CheckExact(value) && !whole(value)) {
    return refuse(descr, input, "numbers with fractions are given");
  }
  Py_XINCREF(descr);
  PyObject *array = PyArray_FromAny(value, descr, 0, 0, NPY_ARRAY_CARRAY_RO, NULL);
  if (array == NULL) return refuse(descr, input, NULL);
  Py_XDECREF(descr);
  return array;
}

/* gr_to_strings returns an object array that keeps the texts alive, also where value is
 * written to, and, in *strings, a list of them that is freed with PyMem_Free. Errors name
 * the input, where one is given. */
PyObject *gr_to_strings(PyObject *value, gr_string **strings, PyObject *input) {
  PyArray_Descr *descr = PyArray_DescrFromType(NPY_OBJECT);
  PyObject *array = PyArray_FromAny(value, descr, 0, 0, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_ENSURECOPY, NULL);
  if (array == NULL) return NULL;
  npy_intp n = PyArray_SIZE((PyArrayObject *)array);
  PyObject **items = PyArray_DATA((PyArrayObject *)array);
  *strings = PyMem_Malloc(sizeof(gr_string) * (size_t)(n > 0 ? n : 1));
  if (*strings == NULL) {
    Py_DECREF(array);
    return PyErr_NoMemory();
  }
  for (npy_intp i = 0; i < n; i++) {
    Py_ssize_t size = 0;
    if (items[i] == NULL || !PyUnicode_Check(items[i])) {
      PyObject *where = input == NULL ? PyUnicode_FromString("") : PyUnicode_FromFormat("input %R: ", input);
      const char *given = items[i] == NULL ? "NULL" : Py_TYPE(items[i])->tp_name;
      if (where != NULL) gr_raise_text(GR_TYPE, "%Uelement %zd is of type %s, str expected", where, (Py_ssize_t)i, given);
      Py_XDECREF(where);
    } else if (((*strings)[i].data = PyUnicode_AsUTF8AndSize(items[i], &size)) != NULL) {
      (*strings)[i].size = size;
      continue;
    }
    PyMem_Free(*strings);
    *strings = NULL;
    Py_DECREF(array);
    return NULL;
  }
  return array;
}
