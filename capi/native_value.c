//go:build pyext

/* native_value.c: sequences, optionals and maps as lists, None and dicts. */
#include "native.h"

/* The names that the operator schemas give the element types. */
static const char *const type_names[NUM_DTYPES] = {
    "",        "float",      "uint8",         "int8",         "uint16",         "int16",  "int32", "int64",      "string",
    "bool",    "float16",    "double",        "uint32",       "uint64",         "complex64", "complex128", "bfloat16", "float8e4m3fn",
    "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4", "float4e2m1", "float8e8m0", "uint2", "int2",
    "float6e2m3", "float6e3m2",
};

/* named returns the element type that text starts with, up to ',' or ')'. */
static int named(const char *text) {
  size_t n = strcspn(text, ",)");
  for (int i = 1; i < NUM_DTYPES; i++)
    if (strlen(type_names[i]) == n && strncmp(type_names[i], text, n) == 0) return i;
  return 0;
}

/* A value is built from a Python object of a declared type, as
 * "seq(tensor(float))"; keep is a list of what must live as long as it. */
typedef struct {
  PyObject *keep;
  uint64_t io;
} Builder;

static void *room(Builder *b, Py_ssize_t n, size_t size) {
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, n * (Py_ssize_t)size + 1);
  if (bytes == NULL || PyList_Append(b->keep, bytes) < 0) {
    Py_XDECREF(bytes);
    return NULL;
  }
  Py_DECREF(bytes); /* the list's */
  memset(PyBytes_AS_STRING(bytes), 0, (size_t)PyBytes_GET_SIZE(bytes));
  return PyBytes_AS_STRING(bytes);
}

static void free_strings(PyObject *capsule) { PyMem_Free(PyCapsule_GetPointer(capsule, "goruntime.strings")); }

static int build_tensor(Builder *b, PyObject *value, int dtype, gr_value *out) {
  PyObject *array = dtype == DTYPE_STRING ? PyArray_FROM_O(value) : gr_to_array(value, dtype, b->io, NULL);
  if (array == NULL || PyList_Append(b->keep, array) < 0) {
    Py_XDECREF(array);
    return -1;
  }
  Py_DECREF(array); /* the list's */
  out->kind = GR_TENSOR;
  out->dtype = gr_dtype_of((PyArrayObject *)array);
  out->n = PyArray_NDIM((PyArrayObject *)array);
  out->dims = (const int64_t *)PyArray_DIMS((PyArrayObject *)array);
  out->data = PyArray_DATA((PyArrayObject *)array);
  if (dtype == DTYPE_STRING && out->dtype == DTYPE_STRING) {
    gr_string *strings = NULL;
    PyObject *texts = gr_to_strings(array, &strings, NULL);
    PyObject *capsule = texts == NULL ? NULL : PyCapsule_New(strings, "goruntime.strings", free_strings);
    if (capsule == NULL && texts != NULL) PyMem_Free(strings);
    int ok = capsule != NULL && PyList_Append(b->keep, texts) == 0 && PyList_Append(b->keep, capsule) == 0;
    Py_XDECREF(texts);
    Py_XDECREF(capsule);
    out->data = strings;
    return ok ? 0 : -1;
  }
  if (out->dtype < 0 || out->dtype == DTYPE_STRING) {
    gr_raise_text(GR_TYPE, "an array of %R given, which is no element type that the input takes", PyArray_DESCR((PyArrayObject *)array));
    return -1;
  }
  return gr_pack_view(array, b->keep, b->io, out->dtype, &out->data);
}

static int build(Builder *b, PyObject *value, const char *type, gr_value *out);

static int build_sequence(Builder *b, PyObject *value, const char *element, gr_value *out) {
  if (!PyList_Check(value) && !PyTuple_Check(value)) {
    gr_raise_text(GR_TYPE, "a list expected for a sequence, %s given", Py_TYPE(value)->tp_name);
    return -1;
  }
  PyObject *items = PySequence_Tuple(value); /* code that a conversion calls may change the list */
  if (items == NULL) return -1;
  Py_ssize_t n = PyTuple_GET_SIZE(items);
  int status = PyList_Append(b->keep, items);
  out->kind = GR_SEQUENCE;
  out->n = n;
  out->items = room(b, n, sizeof(gr_value));
  for (Py_ssize_t i = 0; status == 0 && i < n; i++)
    status = out->items == NULL ? -1 : build(b, PyTuple_GET_ITEM(items, i), element, &out->items[i]);
  Py_DECREF(items);
  return out->items == NULL ? -1 : status;
}

static int build_optional(Builder *b, PyObject *value, const char *element, gr_value *out) {
  out->kind = GR_OPTIONAL;
  if (value == Py_None) return 0;
  out->n = 1;
  out->items = room(b, 1, sizeof(gr_value));
  return out->items == NULL ? -1 : build(b, value, element, out->items);
}

static int build_map(Builder *b, PyObject *value, const char *key, gr_value *out) {
  if (!PyDict_Check(value)) {
    gr_raise_text(GR_TYPE, "a dict expected for a map, %s given", Py_TYPE(value)->tp_name);
    return -1;
  }
  const char *of = strchr(key, ',');
  int dtype = of != NULL && strncmp(of, ",tensor(", 8) == 0 ? named(of + 8) : 0;
  out->kind = GR_MAP;
  out->n = 2;
  out->items = room(b, 2, sizeof(gr_value));
  PyObject *keys = PyDict_Keys(value), *items = PyDict_Values(value);
  int status = out->items == NULL || keys == NULL || items == NULL ? -1 : build_tensor(b, keys, named(key), &out->items[0]);
  if (status == 0) status = build_tensor(b, items, dtype, &out->items[1]);
  Py_XDECREF(keys);
  Py_XDECREF(items);
  return status;
}

static int build(Builder *b, PyObject *value, const char *type, gr_value *out) {
  if (Py_EnterRecursiveCall(" in a nested value")) return -1;
  int status;
  if (strncmp(type, "seq(", 4) == 0) status = build_sequence(b, value, type + 4, out);
  else if (strncmp(type, "optional(", 9) == 0) status = build_optional(b, value, type + 9, out);
  else if (strncmp(type, "map(", 4) == 0) status = build_map(b, value, type + 4, out);
  else status = build_tensor(b, value, strncmp(type, "tensor(", 7) == 0 ? named(type + 7) : 0, out);
  Py_LeaveRecursiveCall();
  return status;
}

/* gr_other_from fills view with a Python object of a type that is no tensor, and
 * returns a list of what must live as long as it. */
PyObject *gr_other_from(PyObject *value, const char *type, uint64_t io, gr_view *view) {
  Builder b = {PyList_New(0), io};
  gr_value *root = b.keep == NULL ? NULL : room(&b, 1, sizeof(gr_value));
  if (root == NULL || build(&b, value, type, root) < 0) {
    Py_XDECREF(b.keep);
    return NULL;
  }
  view->dtype = GR_OTHER;
  view->value = root;
  return b.keep;
}

/* gr_other_type returns the type of a value that nothing declares: that of its first
 * elements. The values of a map are float, as ZipMap has them, unless they are texts or
 * whole numbers. */
PyObject *gr_other_type(PyObject *value) {
  if (value == Py_None) return PyUnicode_FromString("optional(tensor())");
  if (PyDict_Check(value)) {
    PyObject *key, *item;
    Py_ssize_t at = 0;
    if (!PyDict_Next(value, &at, &key, &item)) return PyUnicode_FromString("map(int64,tensor(float))");
    const char *values = PyUnicode_Check(item) ? "string" : PyLong_Check(item) ? "int64" : "float";
    return PyUnicode_FromFormat("map(%s,tensor(%s))", PyUnicode_Check(key) ? "string" : "int64", values);
  }
  if (!PyList_Check(value)) {
    int texts = PyArray_Check(value) && gr_dtype_of((PyArrayObject *)value) == DTYPE_STRING;
    return PyUnicode_FromString(texts ? "tensor(string)" : "tensor()");
  }
  if (PyList_GET_SIZE(value) == 0) return PyUnicode_FromString("seq(tensor())");
  if (Py_EnterRecursiveCall(" in a nested value")) return NULL;
  PyObject *element = gr_other_type(PyList_GET_ITEM(value, 0));
  Py_LeaveRecursiveCall();
  PyObject *type = element == NULL ? NULL : PyUnicode_FromFormat("seq(%U)", element);
  Py_XDECREF(element);
  return type;
}

/* ---- outputs ---- */

void gr_value_drop(gr_value *v) {
  if (v->lease != NULL) gr_lease_release(v->lease, v->generation, &gr_words);
  v->lease = NULL;
  for (int64_t i = 0; v->items != NULL && i < v->n; i++) gr_value_drop(&v->items[i]);
}

/* output_of makes an output of a tensor; it takes the lease. */
static void output_of(gr_value *v, gr_output *o) {
  o->data = v->data;
  o->lease = v->lease;
  o->value = NULL;
  o->generation = v->generation;
  o->dtype = v->dtype;
  o->rank = (int32_t)v->n;
  memcpy(o->dims, v->dims, sizeof(int64_t) * (size_t)v->n);
  v->lease = NULL;
}

/* listed returns the elements of a tensor of a map as a list of Python objects. */
static PyObject *listed(gr_value *v) {
  gr_output o;
  output_of(v, &o);
  PyObject *array = NULL;
  if (o.dtype == DTYPE_STRING) {
    array = gr_strings_of(&o);
  } else {
    PyArray_Descr *descr = gr_descr_of(o.dtype);
    if (descr != NULL) array = PyArray_NewFromDescr(&PyArray_Type, descr, o.rank, (npy_intp *)o.dims, NULL, o.data, NPY_ARRAY_CARRAY_RO, NULL);
  }
  PyObject *list = array == NULL ? NULL : PyObject_CallMethod(array, "tolist", NULL);
  Py_XDECREF(array);
  return list;
}

/* number_of returns number i of a tensor as a Python object: of the types that maps have
 * mostly. */
static PyObject *number_of(int dtype, const void *data, int64_t i) {
  switch (dtype) {
    case DTYPE_F32: return PyFloat_FromDouble(((const float *)data)[i]);
    case DTYPE_F64: return PyFloat_FromDouble(((const double *)data)[i]);
    default: return PyLong_FromLongLong(((const int64_t *)data)[i]);
  }
}

/* The keys of the last map: those of a row of maps are one tensor. */
typedef struct {
  const void *data;
  PyObject *list;
} Keys;

static PyObject *dict_of(gr_value *v, Keys *keys) {
  if (keys->list == NULL || keys->data != v->items[0].data) {
    Py_XSETREF(keys->list, listed(&v->items[0]));
    keys->data = v->items[0].data;
  }
  const gr_value *of = &v->items[1];
  int simple = of->dtype == DTYPE_F32 || of->dtype == DTYPE_F64 || of->dtype == DTYPE_I64;
  PyObject *items = keys->list == NULL || simple ? NULL : listed(&v->items[1]);
  PyObject *dict = keys->list == NULL || (items == NULL && !simple) ? NULL : PyDict_New();
  for (Py_ssize_t i = 0; dict != NULL && i < PyList_GET_SIZE(keys->list); i++) {
    PyObject *item = simple ? number_of(of->dtype, of->data, i) : Py_NewRef(PyList_GET_ITEM(items, i));
    if (item == NULL || PyDict_SetItem(dict, PyList_GET_ITEM(keys->list, i), item) < 0) Py_CLEAR(dict);
    Py_XDECREF(item);
  }
  Py_XDECREF(items);
  return dict;
}

/* object_of returns a value as lists, None and dicts of what copy makes of its tensors or,
 * without it, of arrays that take their leases. */
static PyObject *object_of(gr_value *v, Keys *keys, PyObject *(*copy)(const gr_view *tensor)) {
  if (v->kind == GR_TENSOR && copy != NULL) {
    gr_view tensor = {.data = v->data, .dims = v->dims, .dtype = v->dtype, .rank = (int32_t)v->n};
    return copy(&tensor);
  }
  if (v->kind == GR_TENSOR) {
    gr_output o;
    output_of(v, &o);
    return gr_array_of(&o);
  }
  if (v->kind == GR_MAP) return dict_of(v, keys);
  if (v->kind == GR_OPTIONAL) return v->n == 0 ? Py_NewRef(Py_None) : object_of(&v->items[0], keys, copy);
  PyObject *list = PyList_New((Py_ssize_t)v->n);
  for (int64_t i = 0; list != NULL && i < v->n; i++) {
    PyObject *item = object_of(&v->items[i], keys, copy);
    if (item == NULL) Py_CLEAR(list);
    else PyList_SET_ITEM(list, (Py_ssize_t)i, item);
  }
  return list;
}

/* gr_other_copied returns a value that somebody else owns as lists, None and dicts of
 * what copy makes of its tensors. */
PyObject *gr_other_copied(const gr_value *v, PyObject *(*copy)(const gr_view *tensor)) {
  Keys keys = {NULL, NULL};
  PyObject *object = object_of((gr_value *)v, &keys, copy); /* takes nothing of it */
  Py_XDECREF(keys.list);
  return object;
}

/* gr_other_of returns an output that is no tensor as lists, None and dicts; it
 * takes the output. */
PyObject *gr_other_of(gr_output *output) {
  Keys keys = {NULL, NULL};
  PyObject *object = object_of(output->value, &keys, NULL);
  Py_XDECREF(keys.list);
  gr_output_drop(output);
  return object;
}
