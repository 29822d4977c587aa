//go:build pyext

/* native_arrow_columns.c: columns of one type as a matrix. Nothing is copied: the
 * core is told where each column lies. */
#include "native_arrow.h"

PyTypeObject *gr_columns_type = NULL;

/* columns_new returns a matrix of n rows without columns yet. */
static Columns *columns_new(PyObject *owner, int64_t n, int64_t k) {
  Columns *self = (Columns *)gr_columns_type->tp_alloc(gr_columns_type, 0);
  if (self == NULL) return NULL;
  self->owner = Py_NewRef(owner);
  self->rank = 2;
  self->dims[0] = n;
  self->dims[1] = k;
  self->at = k == 1 ? &self->lone : PyMem_Calloc((size_t)k, sizeof(void *));
  if (self->at == NULL) {
    Py_DECREF(self);
    PyErr_NoMemory();
    return NULL;
  }
  return self;
}

static void columns_dealloc(Columns *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->at != &self->lone) PyMem_Free(self->at);
  Py_XDECREF(self->owner);
  type->tp_free(self);
  Py_DECREF(type);
}

/* plain returns where column i of a batch lies and its type, NULL where it is not
 * numbers without a null. */
static const char *plain(const Batch *batch, int64_t i, int *dtype) {
  static const char nothing[8];
  const struct ArrowSchema *schema = batch->schema->schema.children[i];
  const struct ArrowArray *a = batch->array.children[i];
  int64_t n = batch->array.length, offset = a->offset + batch->array.offset;
  *dtype = schema->dictionary == NULL ? gr_dtype_of_format(schema->format) : 0;
  if (*dtype == 0 || gr_first_null(a, offset, n) >= 0) return NULL;
  if (n == 0) return nothing;
  static const int64_t widths[NUM_DTYPES] = {[1] = 4, [2] = 1, [3] = 1, [4] = 2, [5] = 2, [6] = 4, [7] = 8, [10] = 2, [11] = 8, [12] = 4, [13] = 8};
  const char *data = a->n_buffers > 1 ? a->buffers[1] : NULL;
  return data == NULL ? NULL : data + offset * widths[*dtype];
}

/* matrix_of returns columns of a batch as one feed; NULL without an exception where they
 * are not plain numbers of one type. */
static Columns *matrix_of(Batch *self, PyObject *places, int rank) {
  Py_ssize_t k = PyTuple_GET_SIZE(places);
  Columns *made = columns_new((PyObject *)self, self->array.length, k);
  for (Py_ssize_t c = 0; made != NULL && c < k; c++) {
    int64_t i = PyLong_AsLongLong(PyTuple_GET_ITEM(places, c));
    int dtype = 0;
    if (i < 0 || i >= self->array.n_children) {
      if (!PyErr_Occurred()) gr_raise_text(GR_ARGUMENT, "column %lld of %lld", (long long)i, (long long)self->array.n_children);
    } else {
      made->at[c] = plain(self, i, &dtype);
    }
    if (made->at[c] == NULL || (c > 0 && dtype != made->dtype)) Py_CLEAR(made);
    else made->dtype = dtype;
  }
  if (made != NULL && k == 1) made->rank = rank;
  return made;
}

PyObject *gr_batch_feeds(Batch *self, PyObject *wanted) {
  if (!PyTuple_Check(wanted)) return gr_raise_text(GR_TYPE, "a tuple expected, %s given", Py_TYPE(wanted)->tp_name);
  PyObject *feeds = PyDict_New();
  for (Py_ssize_t i = 0; feeds != NULL && i < PyTuple_GET_SIZE(wanted); i++) {
    PyObject *name, *places;
    int rank;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(wanted, i), "OO!i", &name, &PyTuple_Type, &places, &rank)) {
      Py_CLEAR(feeds);
      break;
    }
    Columns *made = matrix_of(self, places, rank);
    if (PyErr_Occurred() || (made != NULL && PyDict_SetItem(feeds, name, (PyObject *)made) < 0)) Py_CLEAR(feeds);
    Py_XDECREF(made);
  }
  return feeds;
}

PyObject *gr_arrow_matrix(PyObject *module, PyObject *list) {
  (void)module;
  if (!PyList_Check(list) || PyList_GET_SIZE(list) == 0) return gr_raise_text(GR_ARGUMENT, "a list of arrays expected");
  Py_ssize_t k = PyList_GET_SIZE(list);
  PyArrayObject *first = (PyArrayObject *)PyList_GET_ITEM(list, 0);
  PyObject *kept = PyList_AsTuple(list);
  Columns *made = NULL;
  for (Py_ssize_t c = 0; kept != NULL && c < k; c++) {
    PyArrayObject *column = (PyArrayObject *)PyTuple_GET_ITEM(kept, c);
    if (!PyArray_Check((PyObject *)column) || PyArray_NDIM(column) != 1 || !PyArray_IS_C_CONTIGUOUS(column) ||
        PyArray_DIM(column, 0) != PyArray_DIM(first, 0) || PyArray_TYPE(column) != PyArray_TYPE(first)) {
      gr_raise_text(GR_ARGUMENT, "column %zd is no column like the first: arrays of one type and length expected", c);
      Py_CLEAR(made);
      break;
    }
    if (made == NULL && (made = columns_new(kept, PyArray_DIM(first, 0), k)) == NULL) break;
    made->dtype = gr_dtype_of(first);
    made->at[c] = PyArray_DATA(column);
  }
  Py_XDECREF(kept);
  return (PyObject *)made;
}

/* lent returns one column as an array over its memory. */
static PyObject *lent(Columns *self) {
  PyArray_Descr *descr = gr_descr_of(self->dtype);
  if (descr == NULL) return NULL;
  PyObject *array = PyArray_NewFromDescr(&PyArray_Type, descr, self->rank, (npy_intp *)self->dims, NULL, (void *)(uintptr_t)self->at[0], NPY_ARRAY_C_CONTIGUOUS, NULL);
  if (array == NULL) return NULL;
  PyArray_UpdateFlags((PyArrayObject *)array, NPY_ARRAY_ALIGNED);
  if (PyArray_SetBaseObject((PyArrayObject *)array, Py_NewRef((PyObject *)self)) < 0) Py_CLEAR(array);
  return array;
}

/* columns_gathered returns the same matrix as an array, for those who look at feeds. */
static PyObject *columns_gathered(Columns *self, PyObject *arena) {
  uint64_t io = gr_arena_handle(arena);
  if (io == (uint64_t)-1) return NULL;
  if (self->dims[1] == 1) return lent(self);
  PyArrayObject *array = (PyArrayObject *)gr_block_like(io, self->dtype, 2, (npy_intp *)self->dims, COPY_INTERLEAVE);
  if (array == NULL) return NULL;
  npy_intp width = PyArray_ITEMSIZE(array);
  char *to = PyArray_DATA(array);
  for (int64_t r = 0; r < self->dims[0]; r++)
    for (int64_t c = 0; c < self->dims[1]; c++, to += width) memcpy(to, (const char *)self->at[c] + r * width, (size_t)width);
  return (PyObject *)array;
}

static PyMethodDef columns_methods[] = {
    {"gathered", (PyCFunction)columns_gathered, METH_O, "The same matrix as an array: in the arena, a counted copy, or lent where it is one column."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot columns_slots[] = {{Py_tp_dealloc, columns_dealloc}, {Py_tp_methods, columns_methods}, {0, NULL}};
PyType_Spec gr_columns_spec = {"goruntime._native.Columns", sizeof(Columns), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, columns_slots};
