//go:build pyext

/* native_arrow_out.c: arrays as a record batch that is given away. A leased array is
 * given with one more reference to its lease, which the batch's release ends: in C, on
 * any thread. Only strings, booleans and foreign arrays are copied. */
#include "native_arrow.h"

static const char *const format_of_dtype[NUM_DTYPES] = {
    [1] = "f", [2] = "C", [3] = "c", [4] = "S", [5] = "s", [6] = "i", [7] = "l", [10] = "e", [11] = "g", [12] = "I", [13] = "L",
};

/* ---- schemas ---- */

static void schema_release(struct ArrowSchema *s) {
  for (int64_t i = 0; i < s->n_children; i++) {
    if (s->children[i] == NULL) continue;
    if (s->children[i]->release != NULL) s->children[i]->release(s->children[i]);
    free(s->children[i]);
  }
  free(s->children);
  free((void *)s->format);
  free((void *)s->name);
  s->release = NULL;
}

/* schema_init makes s a schema with n children, which are to be made. */
static int schema_init(struct ArrowSchema *s, const char *format, const char *name, int64_t n) {
  *s = (struct ArrowSchema){.release = schema_release};
  s->format = strdup(format);
  s->name = strdup(name);
  if (n > 0 && (s->children = calloc((size_t)n, sizeof(*s->children))) == NULL) return -1;
  s->n_children = n;
  for (int64_t i = 0; i < n; i++)
    if ((s->children[i] = calloc(1, sizeof(**s->children))) == NULL) return -1;
  return s->format == NULL || s->name == NULL ? -1 : 0;
}

static const char *leaf_format(PyArrayObject *array) {
  int dtype = gr_dtype_of(array);
  if (dtype == DTYPE_STRING) return "U";
  if (dtype == DTYPE_BOOL) return "b";
  return dtype > 0 && dtype < NUM_DTYPES ? format_of_dtype[dtype] : NULL;
}

/* column_schema describes an array: its axes behind the first are fixed-size lists. */
static int column_schema(struct ArrowSchema *s, const char *name, PyArrayObject *array, int axis) {
  if (axis + 1 == PyArray_NDIM(array)) return schema_init(s, leaf_format(array), name, 0);
  char format[32];
  snprintf(format, sizeof format, "+w:%lld", (long long)PyArray_DIM(array, axis + 1));
  if (schema_init(s, format, name, 1) < 0) return -1;
  return column_schema(s->children[0], "item", array, axis + 1);
}

/* ---- arrays ---- */

/* What an array owns. */
typedef struct {
  const void *buffers[3];
  gr_lease *lease;
  uint32_t generation;
  void *own[2];
} Owned;

static void array_release(struct ArrowArray *a) {
  for (int64_t i = 0; i < a->n_children; i++) {
    if (a->children[i] == NULL) continue;
    if (a->children[i]->release != NULL) a->children[i]->release(a->children[i]);
    free(a->children[i]);
  }
  free(a->children);
  Owned *o = a->private_data;
  if (o != NULL) {
    if (o->lease != NULL) gr_lease_release(o->lease, o->generation, &gr_words);
    free(o->own[0]);
    free(o->own[1]);
    free(o);
  }
  a->release = NULL;
}

static int array_init(struct ArrowArray *a, int64_t length, int64_t buffers, int64_t n) {
  Owned *o = calloc(1, sizeof *o);
  *a = (struct ArrowArray){.length = length, .n_buffers = buffers, .release = array_release, .private_data = o};
  if (o == NULL) return -1;
  a->buffers = o->buffers;
  if (n > 0 && (a->children = calloc((size_t)n, sizeof(*a->children))) == NULL) return -1;
  a->n_children = n;
  for (int64_t i = 0; i < n; i++)
    if ((a->children[i] = calloc(1, sizeof(**a->children))) == NULL) return -1;
  return 0;
}

/* numbers gives the memory of an array: leased, or a copy of foreign memory. */
static int numbers(Owned *o, PyArrayObject *array) {
  o->lease = gr_lease_under((PyObject *)array, &o->generation);
  if (o->lease != NULL && gr_lease_retain(o->lease, o->generation) == 0) {
    o->buffers[1] = PyArray_DATA(array);
    return 0;
  }
  o->lease = NULL;
  size_t size = (size_t)PyArray_NBYTES(array);
  if ((o->own[0] = malloc(size > 0 ? size : 1)) == NULL) return -1;
  memcpy(o->own[0], PyArray_DATA(array), size);
  o->buffers[1] = o->own[0];
  return 0;
}

static int booleans(Owned *o, PyArrayObject *array) {
  npy_intp n = PyArray_SIZE(array);
  const npy_bool *from = PyArray_DATA(array);
  uint8_t *to = calloc((size_t)n / 8 + 1, 1);
  if (to == NULL) return -1;
  for (npy_intp i = 0; i < n; i++) to[i >> 3] |= (uint8_t)((from[i] != 0) << (i & 7));
  o->own[0] = to;
  o->buffers[1] = to;
  return 0;
}

static int strings(Owned *o, PyArrayObject *array) {
  gr_string *items = NULL;
  PyObject *kept = gr_to_strings((PyObject *)array, &items, NULL);
  if (kept == NULL) return -1;
  npy_intp n = PyArray_SIZE(array);
  size_t total = 0;
  for (npy_intp i = 0; i < n; i++) total += (size_t)items[i].size;
  int64_t *offsets = malloc(sizeof(int64_t) * (size_t)(n + 1));
  char *bytes = malloc(total + 1);
  o->own[0] = offsets;
  o->own[1] = bytes;
  if (offsets != NULL && bytes != NULL) {
    offsets[0] = 0;
    for (npy_intp i = 0; i < n; i++) {
      memcpy(bytes + offsets[i], items[i].data, (size_t)items[i].size);
      offsets[i + 1] = offsets[i] + items[i].size;
    }
  }
  o->buffers[1] = offsets;
  o->buffers[2] = bytes;
  PyMem_Free(items);
  Py_DECREF(kept);
  return offsets == NULL || bytes == NULL ? -1 : 0;
}

static int column_array(struct ArrowArray *a, PyArrayObject *array, int axis, int64_t length) {
  if (axis + 1 < PyArray_NDIM(array)) {
    if (array_init(a, length, 1, 1) < 0) return -1;
    return column_array(a->children[0], array, axis + 1, length * PyArray_DIM(array, axis + 1));
  }
  int dtype = gr_dtype_of(array);
  if (array_init(a, length, dtype == DTYPE_STRING ? 3 : 2, 0) < 0) return -1;
  if (dtype == DTYPE_STRING) return strings(a->private_data, array);
  return dtype == DTYPE_BOOL ? booleans(a->private_data, array) : numbers(a->private_data, array);
}

/* ---- capsules ---- */

static void drop_schema(PyObject *capsule) {
  struct ArrowSchema *s = PyCapsule_GetPointer(capsule, "arrow_schema");
  if (s->release != NULL) s->release(s);
  free(s);
}

static void drop_array(PyObject *capsule) {
  struct ArrowArray *a = PyCapsule_GetPointer(capsule, "arrow_array");
  if (a->release != NULL) a->release(a);
  free(a);
}

/* checked returns the arrays of a list as they can be given away: C-contiguous, of one
 * length, of a type that Arrow has. */
static PyObject *checked(PyObject *names, PyObject *arrays, int64_t *rows) {
  Py_ssize_t n = PyList_GET_SIZE(arrays);
  PyObject *list = PyList_New(n);
  *rows = 0;
  for (Py_ssize_t i = 0; list != NULL && i < n; i++) {
    PyArrayObject *array = (PyArrayObject *)PyArray_FROM_OF(PyList_GET_ITEM(arrays, i), NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_NOTSWAPPED);
    if (array == NULL) Py_CLEAR(list);
    else PyList_SET_ITEM(list, i, (PyObject *)array);
    if (array == NULL) break;
    if (PyArray_NDIM(array) == 0 || (i > 0 && PyArray_DIM(array, 0) != *rows)) {
      PyObject *shape = PyObject_GetAttrString((PyObject *)array, "shape");
      gr_raise_text(GR_SHAPE, "the value of %R has the shape %R: the first axis must be the %lld rows of the batch", PyList_GET_ITEM(names, i), shape,
                    (long long)*rows);
      Py_XDECREF(shape);
      Py_CLEAR(list);
    } else if (leaf_format(array) == NULL) {
      gr_raise_text(GR_UNSUPPORTED, "the value of %R has the element type %R, which Arrow does not have", PyList_GET_ITEM(names, i), PyArray_DESCR(array));
      Py_CLEAR(list);
    } else {
      *rows = PyArray_DIM(array, 0);
    }
  }
  return list;
}

/* copied counts what is copied of an array that is given away: what is neither leased nor
 * numbers. An arena that was closed counts nothing more. */
static void copied(PyArrayObject *array, uint64_t io) {
  int dtype = gr_dtype_of(array), reason = COPY_NON_CONTIGUOUS;
  size_t bytes = (size_t)PyArray_NBYTES(array);
  uint32_t generation;
  gr_error *error = NULL;
  if (dtype == DTYPE_STRING) reason = COPY_CONVERSION;
  else if (dtype == DTYPE_BOOL) reason = COPY_BITS;
  else if (gr_lease_under((PyObject *)array, &generation) != NULL) return;
  if (gr_arena_count_copy(io, bytes, reason, &error) != GR_OK) gr_error_free(error);
}

static int fill(struct ArrowSchema *s, struct ArrowArray *a, PyObject *names, PyObject *list, int64_t rows) {
  Py_ssize_t n = PyList_GET_SIZE(list);
  if (schema_init(s, "+s", "", n) < 0 || array_init(a, rows, 1, n) < 0) return -1;
  for (Py_ssize_t i = 0; i < n; i++) {
    const char *name = PyUnicode_AsUTF8(PyList_GET_ITEM(names, i));
    PyArrayObject *array = (PyArrayObject *)PyList_GET_ITEM(list, i);
    if (name == NULL || column_schema(s->children[i], name, array, 0) < 0 || column_array(a->children[i], array, 0, rows) < 0) return -1;
  }
  return 0;
}

PyObject *gr_arrow_export(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *names, *arrays, *arena = Py_None;
  if (!PyArg_ParseTuple(args, "O!O!|O", &PyList_Type, &names, &PyList_Type, &arrays, &arena)) return NULL;
  uint64_t io = gr_arena_handle(arena);
  if (io == (uint64_t)-1) return NULL;
  if (PyList_GET_SIZE(names) != PyList_GET_SIZE(arrays)) return gr_raise_text(GR_ARGUMENT, "as many names as arrays expected");
  int64_t rows;
  PyObject *list = checked(names, arrays, &rows);
  if (list == NULL) return NULL;
  for (Py_ssize_t i = 0; arena != Py_None && i < PyList_GET_SIZE(list); i++) copied((PyArrayObject *)PyList_GET_ITEM(list, i), io);
  struct ArrowSchema *schema = calloc(1, sizeof *schema);
  struct ArrowArray *array = calloc(1, sizeof *array);
  PyObject *pair = NULL, *schema_capsule = NULL, *array_capsule = NULL;
  if (schema == NULL || array == NULL || fill(schema, array, names, list, rows) < 0) {
    if (!PyErr_Occurred()) PyErr_NoMemory();
  } else if ((schema_capsule = PyCapsule_New(schema, "arrow_schema", drop_schema)) != NULL) {
    schema = NULL;
    if ((array_capsule = PyCapsule_New(array, "arrow_array", drop_array)) != NULL) {
      array = NULL;
      pair = PyTuple_Pack(2, schema_capsule, array_capsule);
    }
  }
  if (schema != NULL && schema->release != NULL) schema->release(schema);
  if (array != NULL && array->release != NULL) array->release(array);
  free(schema);
  free(array);
  Py_XDECREF(schema_capsule);
  Py_XDECREF(array_capsule);
  Py_DECREF(list);
  return pair;
}

/* column_of returns a result as a column of n rows, NULL for what is none. */
static PyObject *column_of(PyObject *result, int64_t n) {
  PyArrayObject *array = (PyArrayObject *)result;
  if (!PyArray_Check(result) || PyArray_NDIM(array) == 0 || PyArray_DIM(array, 0) != n) return NULL;
  return PyArray_NDIM(array) == 2 && PyArray_DIM(array, 1) == 1 ? PyArray_Ravel(array, NPY_CORDER) : Py_NewRef(result);
}

PyObject *gr_arrow_columns(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *names, *results;
  int64_t rows;
  if (!PyArg_ParseTuple(args, "OO!L", &names, &PyList_Type, &results, &rows)) return NULL;
  PyObject *list = PySequence_Fast(names, "names expected"), *columns = list == NULL ? NULL : PyDict_New();
  int whole = columns != NULL && PySequence_Fast_GET_SIZE(list) == PyList_GET_SIZE(results);
  for (Py_ssize_t i = 0; whole && i < PyList_GET_SIZE(results); i++) {
    PyObject *column = column_of(PyList_GET_ITEM(results, i), rows);
    whole = column != NULL && PyDict_SetItem(columns, PySequence_Fast_GET_ITEM(list, i), column) == 0;
    Py_XDECREF(column);
  }
  Py_XDECREF(list);
  if (whole || PyErr_Occurred()) {
    if (PyErr_Occurred()) Py_CLEAR(columns);
    return columns;
  }
  Py_XDECREF(columns);
  Py_RETURN_NONE;
}
