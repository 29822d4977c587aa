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
  const char *data = a->n_buffers > 1 ? a->buffers[1] : NULL;
  return data == NULL ? NULL : data + offset * gr_widths[*dtype];
}

/* What feeds of a batch are made of. */
typedef struct {
  Batch *batch;
  PyObject *places; /* tuple of numbers of columns */
  int rank;         /* of one column: 1 or 2 */
  int dtype;        /* that columns are converted to, 0 for none */
  int other;        /* that columns are converted to elsewhere, 0 for none */
  PyObject *fills;  /* dict: what stands for nulls, by column */
  PyObject *arena;
  uint64_t io;
} Wanted;

/* filled returns column i with its fill where it is null, and its type; NULL, without an
 * exception where there is no fill or the column is none of numbers. What it copies is
 * kept with made. */
static const char *filled(Columns *made, const Wanted *w, int64_t i, int *dtype) {
  const struct ArrowSchema *schema = w->batch->schema->schema.children[i];
  PyObject *fill = schema->name == NULL || schema->format[0] == '+' ? NULL : PyDict_GetItemString(w->fills, schema->name);
  PyObject *args = fill == NULL ? NULL : Py_BuildValue("LOO", (long long)i, w->arena, fill);
  PyObject *array = args == NULL ? NULL : gr_batch_column(w->batch, args);
  Py_XDECREF(args);
  PyObject *owner = array == NULL ? NULL : PyTuple_Pack(2, made->owner, array);
  Py_XDECREF(array);
  if (owner == NULL) return NULL;
  Py_SETREF(made->owner, owner);
  if (!PyArray_Check(array) || PyArray_NDIM((PyArrayObject *)array) != 1) return NULL;
  *dtype = gr_dtype_of((PyArrayObject *)array);
  return *dtype > 0 && *dtype < NUM_DTYPES && gr_widths[*dtype] > 0 ? PyArray_DATA((PyArrayObject *)array) : NULL;
}

/* convert gives made the columns whose types, in dtypes, are others than the wanted one
 * in a block of the arena. */
static int convert(Columns *made, const Wanted *w, const int *dtypes, int64_t others) {
  int64_t n = made->dims[0], width = gr_widths[w->dtype];
  PyObject *block = gr_block(w->io, others * n * width, COPY_CONVERSION);
  if (block == NULL) return -1;
  char *at = PyArray_DATA((PyArrayObject *)block);
  for (int64_t c = 0; c < made->dims[1]; c++) {
    if (dtypes[c] == w->dtype) continue;
    int64_t misfit = gr_cast(at, w->dtype, made->at[c], dtypes[c], n);
    if (misfit >= 0) {
      const char *name = w->batch->schema->schema.children[PyLong_AsLongLong(PyTuple_GET_ITEM(w->places, c))]->name;
      gr_raise_misfit(name == NULL ? "" : name, misfit, made->at[c], dtypes[c], misfit, w->dtype);
      Py_DECREF(block);
      return -1;
    }
    made->at[c] = at;
    at += n * width;
  }
  PyObject *owner = PyTuple_Pack(2, made->owner, block);
  Py_DECREF(block);
  if (owner == NULL) return -1;
  Py_SETREF(made->owner, owner);
  made->dtype = w->dtype;
  return 0;
}

/* found looks up the columns of made; it returns how many are to be converted, -1 where
 * they are not plain numbers of one type. */
static int64_t found(Columns *made, const Wanted *w, int *dtypes) {
  int64_t others = 0;
  for (Py_ssize_t c = 0; c < made->dims[1]; c++) {
    int64_t i = PyLong_AsLongLong(PyTuple_GET_ITEM(w->places, c));
    if (i < 0 || i >= w->batch->array.n_children) {
      if (!PyErr_Occurred()) gr_raise_text(GR_ARGUMENT, "column %lld of %lld", (long long)i, (long long)w->batch->array.n_children);
      return -1;
    }
    made->at[c] = plain(w->batch, i, &dtypes[c]);
    if (made->at[c] == NULL && (made->at[c] = filled(made, w, i, &dtypes[c])) == NULL) return -1;
    if (w->other > 0 && dtypes[c] != w->other) return -1;
    if (w->dtype > 0 && dtypes[c] != w->dtype && !gr_castable(dtypes[c])) return -1;
    if (w->dtype > 0 && dtypes[c] != w->dtype) others++;
    if (w->dtype == 0 && c > 0 && dtypes[c] != dtypes[0]) return -1;
  }
  return others;
}

/* matrix_of returns columns of a batch as one feed; NULL without an exception where they
 * are not plain. */
static Columns *matrix_of(const Wanted *w) {
  Py_ssize_t k = PyTuple_GET_SIZE(w->places);
  int few[64], *dtypes = k <= 64 ? few : PyMem_Malloc(sizeof(int) * (size_t)k);
  Columns *made = dtypes == NULL ? NULL : columns_new((PyObject *)w->batch, w->batch->array.length, k);
  if (dtypes == NULL) PyErr_NoMemory();
  int64_t others = made == NULL ? -1 : found(made, w, dtypes);
  if (others >= 0) made->dtype = dtypes[0];
  if (others < 0 || (others > 0 && convert(made, w, dtypes, others) < 0)) Py_CLEAR(made);
  if (dtypes != few) PyMem_Free(dtypes);
  if (made != NULL && k == 1) made->rank = w->rank;
  return made;
}

PyObject *gr_batch_feeds(Batch *self, PyObject *args) {
  PyObject *wanted, *arena, *casts, *fills;
  if (!PyArg_ParseTuple(args, "O!OOO!", &PyTuple_Type, &wanted, &arena, &casts, &PyDict_Type, &fills)) return NULL;
  Wanted w = {.batch = self, .fills = fills, .arena = arena, .io = gr_arena_handle(arena)};
  if (w.io == (uint64_t)-1) return NULL;
  PyObject *feeds = PyDict_New();
  for (Py_ssize_t i = 0; feeds != NULL && i < PyTuple_GET_SIZE(wanted); i++) {
    PyObject *name;
    int cast = 0;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(wanted, i), "OO!ii", &name, &PyTuple_Type, &w.places, &w.rank, &w.dtype) || PyTuple_GET_SIZE(w.places) == 0 ||
        (cast = PyBool_Check(casts) ? casts == Py_True : PySequence_Contains(casts, name)) < 0) {
      if (!PyErr_Occurred()) gr_raise_text(GR_ARGUMENT, "no columns given for an input");
      Py_CLEAR(feeds);
      break;
    }
    w.other = cast && !gr_castable(w.dtype) ? w.dtype : 0;
    if (!cast || !gr_castable(w.dtype)) w.dtype = 0;
    Columns *made = matrix_of(&w);
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
