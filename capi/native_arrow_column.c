//go:build pyext

/* native_arrow_column.c: the columns of a batch as what a run can read. Numbers are
 * lent, also in fixed-size lists and in lists of one length; strings are views of
 * their bytes; only packed booleans and nulls that are filled are copied, counted. */
#include "native_arrow.h"

enum { MAX_RANK = 8 };

/* A level of a column, of lists or of values, where some are null. */
typedef struct {
  const uint8_t *valid; /* a bit for each, from offset on */
  int64_t offset, items;
  int64_t first; /* that is null */
} Gap;

/* What a column is under its lists: values from data on, dims after the rows. */
typedef struct {
  const struct ArrowSchema *schema;
  const struct ArrowArray *array;
  int64_t offset; /* of the first value */
  int rank, num_gaps;
  npy_intp dims[MAX_RANK];
  Gap gaps[MAX_RANK]; /* from the outer lists to the values */
} Leaf;

int gr_dtype_of_format(const char *format) {
  static const char formats[] = "CcSsIiLlefg";
  static const int dtypes[] = {2, 3, 4, 5, 12, 6, 13, 7, 10, 1, 11};
  const char *at = format[0] != 0 && format[1] == 0 ? strchr(formats, format[0]) : NULL;
  return at == NULL ? 0 : dtypes[at - formats];
}

static int bit(const uint8_t *bits, int64_t i) { return bits[i >> 3] >> (i & 7) & 1; }

/* first_null returns the first row that is null, -1 for none. */
int64_t gr_first_null(const struct ArrowArray *a, int64_t offset, int64_t n) {
  const uint8_t *valid = a->n_buffers > 0 ? a->buffers[0] : NULL;
  if (a->null_count == 0 || valid == NULL) return -1;
  for (int64_t i = 0; i < n; i++)
    if (!bit(valid, offset + i)) return i;
  return -1;
}

static int wrong(const char *name, const char *what) {
  gr_raise_text(GR_ARGUMENT, "the column '%s' %s", name == NULL ? "" : name, what);
  return -1;
}

/* nested refuses a column of other values than lists. */
static int nested(const struct ArrowSchema *schema, const char *name) {
  char type[GR_TYPE_TEXT];
  gr_raise_text(GR_UNSUPPORTED, "the column '%s' is or holds %s: of nested columns only lists of numbers are taken", name == NULL ? "" : name, gr_type_text(schema, type));
  return -1;
}

/* stride returns the length that all n lists from offsets[0] on have, -1 where they
 * differ or are not in order. */
#define STRIDE(NAME, T)                                                        \
  static int64_t NAME(const T *offsets, int64_t n) {                           \
    int64_t k = n > 0 ? (int64_t)offsets[1] - (int64_t)offsets[0] : 0;         \
    if (n > 0 && (offsets[0] < 0 || k < 0)) return -1;                         \
    for (int64_t i = 1; i < n; i++)                                            \
      if ((int64_t)offsets[i + 1] - (int64_t)offsets[i] != k) return -1;       \
    return k;                                                                  \
  }
STRIDE(stride32, int32_t)
STRIDE(stride64, int64_t)

/* gap notes the level at which the leaf is, if some of its items are null. */
static void gap(Leaf *leaf, int64_t items) {
  int64_t first = gr_first_null(leaf->array, leaf->offset, items);
  if (first >= 0) leaf->gaps[leaf->num_gaps++] = (Gap){leaf->array->buffers[0], leaf->offset, items, first};
}

/* row_of returns the row of the first null of a gap, of a column of n rows. */
static long long row_of(const Gap *g, int64_t n) { return g->first / (g->items / n); }

/* descend walks through lists down to the values of n rows. */
static int descend(Leaf *leaf, const char *name, int64_t n) {
  int64_t count = n;
  leaf->rank = 1;
  leaf->dims[0] = n;
  for (;;) {
    const char *f = leaf->schema->format;
    int64_t k, start;
    gap(leaf, count);
    if (f[0] != '+') return 0;
    if (leaf->rank == MAX_RANK) return wrong(name, "has more lists within each other than are taken");
    if (leaf->array->n_children != 1 || leaf->schema->n_children != 1) return nested(leaf->schema, name);
    const void *offsets = leaf->array->n_buffers > 1 ? leaf->array->buffers[1] : NULL;
    if (strncmp(f, "+w:", 3) == 0) {
      k = strtoll(f + 3, NULL, 10);
      start = leaf->offset * k;
    } else if (strcmp(f, "+l") == 0 && (offsets != NULL || count == 0)) {
      k = stride32((const int32_t *)offsets + leaf->offset, count);
      start = count > 0 ? ((const int32_t *)offsets)[leaf->offset] : 0;
    } else if (strcmp(f, "+L") == 0 && (offsets != NULL || count == 0)) {
      k = stride64((const int64_t *)offsets + leaf->offset, count);
      start = count > 0 ? ((const int64_t *)offsets)[leaf->offset] : 0;
    } else {
      return nested(leaf->schema, name);
    }
    const Gap *null = leaf->num_gaps > 0 ? &leaf->gaps[leaf->num_gaps - 1] : NULL;
    if (k < 0 && null != NULL && null->items == count) {
      gr_raise_text(GR_ARGUMENT, "the column '%s' has a list in row %lld that is null and has no values: a fill can stand for those of a fixed_size_list",
                    name == NULL ? "" : name, row_of(null, n));
      return -1;
    }
    if (k < 0) return wrong(name, "has lists of different lengths: all must be equally long");
    leaf->array = leaf->array->children[0];
    leaf->schema = leaf->schema->children[0];
    if (leaf->array->offset < 0 || leaf->array->length < start + count * k) return wrong(name, "has lists that end behind their values");
    leaf->offset = leaf->array->offset + start;
    leaf->dims[leaf->rank++] = k;
    count *= k;
  }
}

/* lend wraps values as a read-only array that keeps the batch alive. */
static PyObject *lend(Batch *self, Leaf *leaf, int dtype) {
  PyArray_Descr *descr = gr_descr_of(dtype);
  if (descr == NULL) return NULL;
  npy_intp width = PyDataType_ELSIZE(descr);
  char *data = leaf->array->n_buffers > 1 ? (char *)(uintptr_t)leaf->array->buffers[1] : NULL;
  if (data == NULL) return PyArray_Zeros(leaf->rank, leaf->dims, descr, 0); /* no rows */
  PyObject *array = PyArray_NewFromDescr(&PyArray_Type, descr, leaf->rank, leaf->dims, NULL, data + leaf->offset * width, NPY_ARRAY_C_CONTIGUOUS, NULL);
  if (array == NULL) return NULL;
  PyArray_UpdateFlags((PyArrayObject *)array, NPY_ARRAY_ALIGNED);
  if (PyArray_SetBaseObject((PyArrayObject *)array, Py_NewRef((PyObject *)self)) < 0) Py_CLEAR(array);
  return array;
}

/* block_like returns a new array of the arena for values of this type and shape. */
PyObject *gr_block_like(uint64_t io, int dtype, int rank, npy_intp *dims, int reason) {
  PyArray_Descr *descr = gr_descr_of(dtype);
  if (descr == NULL) return NULL;
  PyObject *block = gr_block(io, PyDataType_ELSIZE(descr) * PyArray_MultiplyList(dims, rank), reason);
  if (block == NULL) {
    Py_DECREF(descr);
    return NULL;
  }
  PyObject *array = PyArray_NewFromDescr(&PyArray_Type, descr, rank, dims, NULL, PyArray_DATA((PyArrayObject *)block), NPY_ARRAY_CARRAY, NULL);
  if (array == NULL || PyArray_SetBaseObject((PyArrayObject *)array, block) < 0) {
    if (array == NULL) Py_DECREF(block);
    Py_CLEAR(array);
  }
  return array;
}

/* filled copies a column and puts fill where it, or a list that holds it, is null. */
static PyObject *filled(Leaf *leaf, PyObject *values, int dtype, PyObject *fill, uint64_t io) {
  PyArrayObject *array = (PyArrayObject *)gr_block_like(io, dtype, leaf->rank, leaf->dims, COPY_NULLS);
  if (array == NULL) return NULL;
  if (PyArray_CopyInto(array, (PyArrayObject *)values) < 0) {
    Py_DECREF(array);
    return NULL;
  }
  char *to = PyArray_DATA(array);
  for (const Gap *g = leaf->gaps; g < leaf->gaps + leaf->num_gaps; g++) {
    npy_intp each = PyArray_NBYTES(array) / g->items; /* bytes of a list */
    for (int64_t i = 0; i < g->items; i++) {
      if (bit(g->valid, g->offset + i)) continue;
      for (char *at = to + i * each; at < to + (i + 1) * each; at += PyArray_ITEMSIZE(array)) {
        if (PyArray_SETITEM(array, at, fill) < 0) {
          Py_DECREF(array);
          return NULL;
        }
      }
    }
  }
  return (PyObject *)array;
}

/* booleans unpacks a column of bits. */
static PyObject *booleans(Leaf *leaf, uint64_t io) {
  PyObject *array = gr_block_like(io, 9, leaf->rank, leaf->dims, COPY_BITS);
  const uint8_t *bits = leaf->array->n_buffers > 1 ? leaf->array->buffers[1] : NULL;
  if (array == NULL || bits == NULL) return array;
  npy_bool *to = PyArray_DATA((PyArrayObject *)array);
  npy_intp n = PyArray_SIZE((PyArrayObject *)array);
  for (npy_intp i = 0; i < n; i++) to[i] = (npy_bool)bit(bits, leaf->offset + i);
  return array;
}

/* ---- strings ---- */

/* text_at writes string i of an array of strings; -1 where its offsets are wild. */
static int text_at(const char *format, const struct ArrowArray *a, int64_t i, gr_string *out) {
  if (format[0] == 'v') { /* a view: up to 12 bytes in place, else buffer and offset */
    const char *view = (const char *)a->buffers[1] + 16 * i;
    int32_t size, buffer, at;
    memcpy(&size, view, 4);
    out->size = size;
    out->data = view + 4;
    if (size <= 12) return size < 0 ? -1 : 0;
    memcpy(&buffer, view + 8, 4);
    memcpy(&at, view + 12, 4);
    int64_t n = a->n_buffers - 3;
    if (buffer < 0 || buffer >= n || at < 0) return -1;
    if (at + (int64_t)size > ((const int64_t *)a->buffers[a->n_buffers - 1])[buffer]) return -1;
    out->data = (const char *)a->buffers[2 + buffer] + at;
    return 0;
  }
  int64_t from, to;
  if (format[0] == 'u') {
    from = ((const int32_t *)a->buffers[1])[i];
    to = ((const int32_t *)a->buffers[1])[i + 1];
  } else {
    from = ((const int64_t *)a->buffers[1])[i];
    to = ((const int64_t *)a->buffers[1])[i + 1];
  }
  if (from < 0 || to < from) return -1;
  out->data = (const char *)a->buffers[2] + from;
  out->size = to - from;
  return 0;
}

static int is_text(const char *format) { return strcmp(format, "u") == 0 || strcmp(format, "U") == 0 || strcmp(format, "vu") == 0; }

/* index_at reads an index of a dictionary. */
static int64_t index_at(int dtype, const void *data, int64_t i) {
  switch (dtype) {
    case 2: return ((const uint8_t *)data)[i];
    case 3: return ((const int8_t *)data)[i];
    case 4: return ((const uint16_t *)data)[i];
    case 5: return ((const int16_t *)data)[i];
    case 6: return ((const int32_t *)data)[i];
    case 7: return ((const int64_t *)data)[i];
    case 12: return ((const uint32_t *)data)[i];
    case 13: return ((const uint64_t *)data)[i] > INT64_MAX ? -1 : (int64_t)((const uint64_t *)data)[i];
    default: return -1;
  }
}

static PyObject *texts(Batch *self, Leaf *leaf, const char *name, PyObject *fill) {
  const struct ArrowSchema *words = leaf->schema->dictionary;
  const char *format = words != NULL ? words->format : leaf->schema->format;
  const struct ArrowArray *from = words != NULL ? leaf->array->dictionary : leaf->array;
  int index = words != NULL ? gr_dtype_of_format(leaf->schema->format) : 0;
  const uint8_t *valid = leaf->array->null_count != 0 ? leaf->array->buffers[0] : NULL;
  gr_string missing = {NULL, 0};
  Py_ssize_t size = 0;
  if (fill != Py_None && (missing.data = PyUnicode_AsUTF8AndSize(fill, &size)) == NULL) return NULL;
  missing.size = size;
  int64_t n = leaf->dims[0];
  Texts *t = (Texts *)gr_texts_type->tp_alloc(gr_texts_type, 0);
  if (t == NULL) return NULL;
  t->owner = fill == Py_None ? Py_NewRef((PyObject *)self) : PyTuple_Pack(2, (PyObject *)self, fill);
  t->items = PyMem_Malloc(sizeof(gr_string) * (size_t)(n > 0 ? n : 1));
  t->rank = 1;
  t->dims[0] = n;
  if (t->items == NULL || t->owner == NULL) {
    Py_DECREF(t);
    return PyErr_NoMemory();
  }
  for (int64_t i = 0; i < n; i++) {
    int64_t at = leaf->offset + i;
    if (valid != NULL && !bit(valid, at)) {
      t->items[i] = missing;
      continue;
    }
    if (words != NULL) {
      at = index_at(index, leaf->array->buffers[1], at);
      if (at < 0 || at >= from->length) {
        Py_DECREF(t);
        wrong(name, "has an index outside its dictionary");
        return NULL;
      }
      at += from->offset;
      if (from->null_count != 0 && from->buffers[0] != NULL && !bit(from->buffers[0], at)) {
        if (fill == Py_None) {
          Py_DECREF(t);
          return gr_raise_text(GR_ARGUMENT, "the column '%s' is null in row %lld: give a fill value for it", name, (long long)i);
        }
        t->items[i] = missing;
        continue;
      }
    }
    if (text_at(format, from, at, &t->items[i]) < 0) {
      Py_DECREF(t);
      wrong(name, "has strings that lie outside their bytes");
      return NULL;
    }
  }
  return (PyObject *)t;
}

PyObject *gr_batch_column(Batch *self, PyObject *args) {
  int64_t i;
  PyObject *arena, *fill;
  if (!PyArg_ParseTuple(args, "LOO", &i, &arena, &fill)) return NULL;
  uint64_t io = gr_arena_handle(arena);
  if (io == (uint64_t)-1) return NULL;
  if (i < 0 || i >= self->array.n_children) return gr_raise_text(GR_ARGUMENT, "column %lld of %lld", (long long)i, (long long)self->array.n_children);
  Leaf leaf = {.schema = self->schema->schema.children[i], .array = self->array.children[i]};
  const char *name = leaf.schema->name;
  leaf.offset = leaf.array->offset + self->array.offset;
  if (descend(&leaf, name, self->array.length) < 0) return NULL;
  if (leaf.num_gaps > 0 && fill == Py_None)
    return gr_raise_text(GR_ARGUMENT, "the column '%s' %s null in row %lld: give a fill value for it", name, leaf.rank > 1 ? "is or has a" : "is",
                         row_of(leaf.gaps, self->array.length));
  int text = is_text(leaf.schema->dictionary != NULL ? leaf.schema->dictionary->format : leaf.schema->format);
  if (text && leaf.rank == 1) return texts(self, &leaf, name, fill);
  int dtype = leaf.schema->dictionary != NULL ? 0 : gr_dtype_of_format(leaf.schema->format);
  int bits = dtype == 0 && strcmp(leaf.schema->format, "b") == 0;
  if (dtype == 0 && !bits) {
    char type[GR_TYPE_TEXT];
    return gr_raise_text(GR_UNSUPPORTED, "the column '%s' is %s, which no tensor can hold: convert it to numbers or strings first", name,
                         gr_type_text(self->schema->schema.children[i], type));
  }
  PyObject *values = bits ? booleans(&leaf, io) : lend(self, &leaf, dtype);
  if (values == NULL || leaf.num_gaps == 0) return values;
  PyObject *array = filled(&leaf, values, bits ? 9 : dtype, fill, io);
  Py_DECREF(values);
  return array;
}
