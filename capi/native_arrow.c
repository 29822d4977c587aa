//go:build pyext

/* native_arrow.c: record batches that were imported. Nothing of them is copied; each
 * column that is lent keeps its batch alive. */
#include "native_arrow.h"

PyTypeObject *gr_schema_type = NULL, *gr_batch_type = NULL, *gr_texts_type = NULL;

static Schema *moved_schema(PyObject *capsule) {
  struct ArrowSchema *from = PyCapsule_GetPointer(capsule, "arrow_schema");
  if (from == NULL) return NULL;
  if (from->release == NULL || from->format == NULL || strcmp(from->format, "+s") != 0) {
    char type[GR_TYPE_TEXT];
    gr_raise_text(GR_ARGUMENT, "the Arrow data is %s, a record batch or a table expected: give a column a name in one",
                  from->release == NULL ? "released already" : gr_type_text(from, type));
    return NULL;
  }
  Schema *self = (Schema *)gr_schema_type->tp_alloc(gr_schema_type, 0);
  if (self == NULL) return NULL;
  self->schema = *from;
  from->release = NULL; /* moved, as the interface has it */
  return self;
}

static void schema_dealloc(Schema *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->schema.release != NULL) self->schema.release(&self->schema);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyType_Slot schema_slots[] = {{Py_tp_dealloc, schema_dealloc}, {0, NULL}};
PyType_Spec gr_schema_spec = {"goruntime._native.ArrowSchema", sizeof(Schema), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, schema_slots};

/* sound tells whether the children of a batch are there and long enough. */
static int sound(const struct ArrowSchema *schema, const struct ArrowArray *array) {
  if (array->length < 0 || array->offset < 0 || array->n_children != schema->n_children) {
    gr_raise_text(GR_ARGUMENT, "an Arrow batch with %lld columns for a schema of %lld", (long long)array->n_children, (long long)schema->n_children);
    return 0;
  }
  if (gr_first_null(array, array->offset, array->length) >= 0) {
    gr_raise_text(GR_UNSUPPORTED, "an Arrow batch with rows that are null: only columns may have nulls");
    return 0;
  }
  for (int64_t i = 0; i < array->n_children; i++) {
    const struct ArrowArray *c = array->children[i];
    if (c->length < array->offset + array->length || c->offset < 0) {
      gr_raise_text(GR_ARGUMENT, "column %lld of the Arrow batch has %lld rows, the batch %lld", (long long)i, (long long)c->length,
                    (long long)(array->offset + array->length));
      return 0;
    }
  }
  return 1;
}

Batch *gr_batch_of(Schema *schema, struct ArrowArray *array) {
  if (!sound(&schema->schema, array)) return NULL;
  Batch *self = (Batch *)gr_batch_type->tp_alloc(gr_batch_type, 0);
  if (self == NULL) return NULL;
  self->schema = (Schema *)Py_NewRef((PyObject *)schema);
  self->array = *array;
  array->release = NULL;
  return self;
}

/* metadata_size returns the bytes of a schema's metadata. */
static Py_ssize_t metadata_size(const char *metadata) {
  int32_t pairs, length;
  if (metadata == NULL) return 0;
  memcpy(&pairs, metadata, 4);
  Py_ssize_t size = 4;
  for (int32_t k = 0; k < 2 * pairs; k++) {
    memcpy(&length, metadata + size, 4);
    size += 4 + length;
  }
  return size;
}

/* alike tells whether two schemas are the same in all that is read of them. */
static int alike(const struct ArrowSchema *a, const struct ArrowSchema *b) {
  if (a == NULL || b == NULL) return a == b;
  if (a->n_children != b->n_children || strcmp(a->format, b->format) != 0) return 0;
  if (strcmp(a->name == NULL ? "" : a->name, b->name == NULL ? "" : b->name) != 0) return 0;
  if ((a->metadata != NULL || b->metadata != NULL) && (a->metadata == NULL || b->metadata == NULL || metadata_size(a->metadata) != metadata_size(b->metadata) ||
                                                       memcmp(a->metadata, b->metadata, (size_t)metadata_size(a->metadata)) != 0))
    return 0;
  for (int64_t i = 0; i < a->n_children; i++)
    if (!alike(a->children[i], b->children[i])) return 0;
  return alike(a->dictionary, b->dictionary);
}

Schema *gr_schema_of(PyObject *capsule, PyObject *known) {
  if (known != Py_None && Py_TYPE(known) == gr_schema_type) {
    const struct ArrowSchema *given = PyCapsule_GetPointer(capsule, "arrow_schema");
    if (given == NULL) return NULL;
    if (given->release != NULL && alike(given, &((Schema *)known)->schema)) return (Schema *)Py_NewRef(known);
  }
  return moved_schema(capsule);
}

PyObject *gr_arrow_batch(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *schema_capsule, *array_capsule, *known = Py_None;
  if (!PyArg_ParseTuple(args, "OO|O", &schema_capsule, &array_capsule, &known)) return NULL;
  struct ArrowArray *array = PyCapsule_GetPointer(array_capsule, "arrow_array");
  if (array == NULL) return NULL;
  if (array->release == NULL) return gr_raise_text(GR_ARGUMENT, "the Arrow batch was taken already");
  Schema *schema = gr_schema_of(schema_capsule, known);
  if (schema == NULL) return NULL;
  Batch *batch = gr_batch_of(schema, array);
  Py_DECREF(schema);
  return (PyObject *)batch;
}

static void batch_dealloc(Batch *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->array.release != NULL) self->array.release(&self->array);
  Py_XDECREF(self->schema);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyObject *batch_length(Batch *self, void *unused) {
  (void)unused;
  return PyLong_FromLongLong(self->array.length);
}

/* element returns the format of what a column holds: of the words of a dictionary, of the
 * values of lists. */
static const char *element(const struct ArrowSchema *c) {
  while (c->format[0] == '+' && c->n_children == 1) c = c->children[0];
  return c->dictionary != NULL ? c->dictionary->format : c->format;
}

/* batch_fields returns (name, format, metadata, format of the elements) of each column. */
static PyObject *batch_fields(Batch *self, void *unused) {
  (void)unused;
  int64_t n = self->schema->schema.n_children;
  PyObject *list = PyTuple_New(n);
  for (int64_t i = 0; list != NULL && i < n; i++) {
    const struct ArrowSchema *c = self->schema->schema.children[i];
    PyObject *item = Py_BuildValue("(ssy#s)", c->name == NULL ? "" : c->name, c->format, c->metadata, metadata_size(c->metadata), element(c));
    if (item == NULL) Py_CLEAR(list);
    else PyTuple_SET_ITEM(list, i, item);
  }
  return list;
}

static PyMethodDef batch_methods[] = {
    {"column", (PyCFunction)gr_batch_column, METH_VARARGS, "Column i as an array or Texts; what must be copied goes to the arena."},
    {"feeds", (PyCFunction)gr_batch_feeds, METH_VARARGS,
     "(tuple of (name of an input, numbers of columns, rank, dtype), arena, casts, fills): by name the feeds whose columns are plain numbers."},
    {NULL, NULL, 0, NULL},
};

static PyObject *batch_schema(Batch *self, void *unused) {
  (void)unused;
  return Py_NewRef((PyObject *)self->schema);
}

static PyGetSetDef batch_getset[] = {
    {"length", (getter)batch_length, NULL, "the number of rows", NULL},
    {"schema", (getter)batch_schema, NULL, "the schema, the same object for batches that share it", NULL},
    {"fields", (getter)batch_fields, NULL, "(name, format, metadata, format of the elements) of each column", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot batch_slots[] = {{Py_tp_dealloc, batch_dealloc}, {Py_tp_methods, batch_methods}, {Py_tp_getset, batch_getset}, {0, NULL}};
PyType_Spec gr_batch_spec = {"goruntime._native.ArrowBatch", sizeof(Batch), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, batch_slots};

static void texts_dealloc(Texts *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyMem_Free(self->items);
  Py_XDECREF(self->owner);
  type->tp_free(self);
  Py_DECREF(type);
}

/* texts_column sees n strings as [n, 1]. */
static PyObject *texts_column(Texts *self, PyObject *unused) {
  (void)unused;
  self->rank = 2;
  self->dims[1] = 1;
  return Py_NewRef((PyObject *)self);
}

static PyMethodDef texts_methods[] = {
    {"as_column", (PyCFunction)texts_column, METH_NOARGS, "The same strings as [n, 1]."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot texts_slots[] = {{Py_tp_dealloc, texts_dealloc}, {Py_tp_methods, texts_methods}, {0, NULL}};
PyType_Spec gr_texts_spec = {"goruntime._native.Texts", sizeof(Texts), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, texts_slots};
