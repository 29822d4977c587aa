//go:build pyext

/* native_arrow_stream.c: streams of batches, taken from others and given to them. */
#include <errno.h>

#include "native_arrow.h"

PyTypeObject *gr_reader_type = NULL;

/* ---- taken ---- */

typedef struct {
  PyObject_HEAD
  struct ArrowArrayStream stream;
  Schema *schema;
  int some; /* a batch was read */
} Reader;

static void nothing_release(struct ArrowArray *a) {
  for (int64_t i = 0; a->children != NULL && i < a->n_children; i++) {
    if (a->children[i] != NULL && a->children[i]->release != NULL) a->children[i]->release(a->children[i]);
    free(a->children[i]);
  }
  if (a->dictionary != NULL && a->dictionary->release != NULL) a->dictionary->release(a->dictionary);
  free(a->dictionary);
  free(a->children);
  a->release = NULL;
}

/* nothing makes a an array of this schema without rows, and without memory of values. */
static int nothing(struct ArrowArray *a, const struct ArrowSchema *schema) {
  *a = (struct ArrowArray){.n_children = schema->n_children, .release = nothing_release};
  if (schema->n_children > 0 && (a->children = calloc((size_t)schema->n_children, sizeof(*a->children))) == NULL) return -1;
  for (int64_t i = 0; i < schema->n_children; i++)
    if ((a->children[i] = calloc(1, sizeof(**a->children))) == NULL || nothing(a->children[i], schema->children[i]) < 0) return -1;
  if (schema->dictionary == NULL) return 0;
  return (a->dictionary = calloc(1, sizeof(*a->dictionary))) == NULL ? -1 : nothing(a->dictionary, schema->dictionary);
}

static PyObject *stream_error(struct ArrowArrayStream *stream) {
  const char *text = stream->get_last_error == NULL ? NULL : stream->get_last_error(stream);
  return gr_raise_text(GR_IO, "the Arrow stream failed: %s", text == NULL ? "it does not say why" : text);
}

PyObject *gr_arrow_reader(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *capsule, *known = Py_None;
  if (!PyArg_ParseTuple(args, "O|O", &capsule, &known)) return NULL;
  struct ArrowArrayStream *from = PyCapsule_GetPointer(capsule, "arrow_array_stream");
  if (from == NULL) return NULL;
  if (from->release == NULL) return gr_raise_text(GR_ARGUMENT, "the Arrow stream was taken already");
  Reader *self = (Reader *)gr_reader_type->tp_alloc(gr_reader_type, 0);
  struct ArrowSchema *schema = calloc(1, sizeof *schema);
  PyObject *holder = NULL;
  if (self == NULL || schema == NULL) goto done;
  self->stream = *from;
  from->release = NULL;
  if (self->stream.get_schema(&self->stream, schema) != 0) {
    stream_error(&self->stream);
    goto done;
  }
  if ((holder = PyCapsule_New(schema, "arrow_schema", NULL)) != NULL) self->schema = gr_schema_of(holder, known);
  if (schema->release != NULL) schema->release(schema);
done:
  free(schema);
  Py_XDECREF(holder);
  if (self != NULL && self->schema == NULL) Py_CLEAR(self);
  return (PyObject *)self;
}

/* reader_next returns the next batch. A stream of none has one without rows, so that what
 * is made of it has a schema. */
static PyObject *reader_next(Reader *self) {
  struct ArrowArray array = {0};
  int status;
  Py_BEGIN_ALLOW_THREADS
  status = self->stream.get_next(&self->stream, &array);
  Py_END_ALLOW_THREADS
  if (status != 0) return PyErr_Occurred() ? NULL : stream_error(&self->stream);
  if (array.release == NULL && self->some) return NULL; /* the end */
  if (array.release == NULL && nothing(&array, &self->schema->schema) < 0) {
    array.release(&array);
    return PyErr_NoMemory();
  }
  self->some = 1;
  PyObject *batch = (PyObject *)gr_batch_of(self->schema, &array);
  if (array.release != NULL) array.release(&array);
  return batch;
}

static void reader_dealloc(Reader *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->stream.release != NULL) self->stream.release(&self->stream);
  Py_XDECREF(self->schema);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyType_Slot reader_slots[] = {
    {Py_tp_dealloc, reader_dealloc}, {Py_tp_iter, PyObject_SelfIter}, {Py_tp_iternext, reader_next}, {0, NULL}};
PyType_Spec gr_reader_spec = {"goruntime._native.ArrowReader", sizeof(Reader), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, reader_slots};

/* ---- given ---- */

/* The state of a stream that is given away: a Python iterator of capsule pairs, and
 * the pair that was made already, whose schema is the stream's. */
typedef struct {
  PyObject *source; /* called for the schema capsule */
  PyObject *iterator;
  char *error;
} Given;

/* note keeps the text of the exception that is raised. */
static int note(Given *g) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject *text = value == NULL ? NULL : PyObject_Str(value);
  const char *bytes = text == NULL ? NULL : PyUnicode_AsUTF8(text);
  if (bytes == NULL || bytes[0] == 0) bytes = type == NULL ? "an exception without a text" : ((PyTypeObject *)type)->tp_name;
  free(g->error);
  g->error = strdup(bytes);
  if (type != NULL && PyErr_GivenExceptionMatches(type, PyExc_KeyboardInterrupt)) PyErr_SetInterrupt(); /* whom Ctrl-C is for raises it again */
  PyErr_Clear();
  Py_XDECREF(text);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return EINVAL;
}

static int given_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  Given *g = stream->private_data;
  PyGILState_STATE state = PyGILState_Ensure();
  int status = 0;
  PyObject *capsule = PyObject_CallNoArgs(g->source);
  struct ArrowSchema *schema = capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, "arrow_schema");
  if (schema == NULL) {
    status = note(g);
  } else {
    *out = *schema;
    schema->release = NULL;
  }
  Py_XDECREF(capsule);
  PyGILState_Release(state);
  return status;
}

static int given_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  Given *g = stream->private_data;
  PyGILState_STATE state = PyGILState_Ensure();
  int status = 0;
  *out = (struct ArrowArray){0};
  PyObject *capsule = PyIter_Next(g->iterator);
  struct ArrowArray *array = capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, "arrow_array");
  if (array != NULL) {
    *out = *array;
    array->release = NULL;
  } else if (PyErr_Occurred()) {
    status = note(g);
  }
  Py_XDECREF(capsule);
  PyGILState_Release(state);
  return status;
}

static const char *given_error(struct ArrowArrayStream *stream) { return ((Given *)stream->private_data)->error; }

static void given_release(struct ArrowArrayStream *stream) {
  Given *g = stream->private_data;
  if (Py_IsInitialized()) {
    PyGILState_STATE state = PyGILState_Ensure();
    Py_XDECREF(g->source);
    Py_XDECREF(g->iterator);
    PyGILState_Release(state);
  }
  free(g->error);
  free(g);
  stream->release = NULL;
}

static void drop_stream(PyObject *capsule) {
  struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
  if (stream->release != NULL) stream->release(stream);
  free(stream);
}

PyObject *gr_arrow_stream(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *source, *iterator;
  if (!PyArg_ParseTuple(args, "OO", &source, &iterator)) return NULL;
  struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
  Given *g = calloc(1, sizeof *g);
  PyObject *capsule = stream == NULL || g == NULL ? PyErr_NoMemory() : PyCapsule_New(stream, "arrow_array_stream", drop_stream);
  if (capsule == NULL) {
    free(stream);
    free(g);
    return NULL;
  }
  g->source = Py_NewRef(source);
  g->iterator = Py_NewRef(iterator);
  *stream = (struct ArrowArrayStream){given_schema, given_next, given_error, given_release, g};
  return capsule;
}
