//go:build pyext

/* native_session.c: a compiled model, and its runs: one crossing into Go each. */
#include <sys/syscall.h>
#include <unistd.h>

#include "native_arrow.h"

/* A set of outputs that was asked for once: the core's number for it, and for
 * each name asked its place among the different ones. */
typedef struct {
  uint64_t handle;
  Py_ssize_t n_outputs;
  Py_ssize_t n_names;
  Py_ssize_t *place;
  PyObject *names; /* tuple of the different names */
} Target;

typedef struct {
  PyObject_HEAD
  uint64_t handle;
  uint64_t execution, io; /* handles of its arenas */
  Py_ssize_t n_inputs;
  PyObject *input_names; /* tuple of interned str */
  int *input_dtypes;
  int *input_optional;
  char **input_types; /* of inputs that are no tensors, else NULL */
  Target outputs;     /* of the model */
  PyObject *targets;  /* dict: tuple of names -> index in list */
  Target *list;
  Py_ssize_t n_list;
  gr_custom_kernels custom;
  PyObject *string_dtype; /* of string outputs, NULL is object */
  int small; /* a run is short enough to keep the interpreter's lock */
} Session;

PyTypeObject *gr_session_type = NULL;

enum { STACK_INPUTS = 16, STACK_OUTPUTS = 4, SMALL_ELEMENTS = 1024 };

/* What a run holds while it is under way. */
typedef struct {
  gr_call call;
  gr_view *views;
  PyObject **arrays;
  gr_string **strings;
  gr_output *outputs;
  gr_view *lent;
  Py_ssize_t seen; /* inputs that were looked at: what lies behind in the lists is not set */
  Py_ssize_t elements;
  PyObject *events; /* a list, where the run is traced */
} Run;

/* ---- description ---- */

static PyObject *info_of(const gr_info *info) {
  PyObject *shape = Py_NewRef(Py_None);
  if (info->rank >= 0) {
    Py_SETREF(shape, PyTuple_New(info->rank));
    for (int i = 0; shape != NULL && i < info->rank; i++) {
      PyObject *dim = info->params[i] != NULL ? PyUnicode_DecodeUTF8(info->params[i], (Py_ssize_t)strlen(info->params[i]), "surrogateescape")
                      : info->dims[i] >= 0    ? PyLong_FromLongLong(info->dims[i])
                                              : Py_NewRef(Py_None);
      if (dim == NULL) Py_CLEAR(shape);
      else PyTuple_SET_ITEM(shape, i, dim);
    }
  }
  if (shape == NULL) return NULL;
  PyObject *name = PyUnicode_DecodeUTF8(info->name, (Py_ssize_t)strlen(info->name), "surrogateescape");
  if (name != NULL) PyUnicode_InternInPlace(&name);
  return Py_BuildValue("(NsiNi)", name, info->type, info->dtype, shape, info->optional);
}

typedef gr_status (*describe)(uint64_t, int64_t, gr_info *, gr_error **);

static PyObject *infos_of(Session *self, int64_t n, describe describe) {
  PyObject *list = PyTuple_New(n);
  for (int64_t i = 0; list != NULL && i < n; i++) {
    gr_info info;
    gr_error *error = NULL;
    PyObject *item = describe(self->handle, i, &info, &error) == GR_OK ? info_of(&info) : gr_raise(error);
    if (item == NULL) Py_CLEAR(list);
    else PyTuple_SET_ITEM(list, i, item);
  }
  return list;
}

/* How the types of inputs that are no tensors start. */
enum { NUM_OTHERS = 3 };
static const char *const others[NUM_OTHERS] = {"seq(", "optional(", "map("};

static int load(Session *self) {
  int64_t inputs, outputs, nodes;
  gr_error *error = NULL;
  int32_t brief;
  if (gr_session_count(self->handle, &inputs, &outputs, &nodes, &error) != GR_OK || gr_session_brief(self->handle, &brief, &error) != GR_OK ||
      gr_session_arenas(self->handle, &self->execution, &self->io, &error) != GR_OK) {
    gr_raise(error);
    return -1;
  }
  self->n_inputs = inputs;
  self->small = brief && self->custom.list == NULL;
  self->input_names = PyTuple_New(inputs);
  self->outputs.names = PyTuple_New(outputs);
  self->targets = PyDict_New();
  self->input_dtypes = PyMem_Calloc((size_t)inputs + 1, sizeof(int));
  self->input_optional = PyMem_Calloc((size_t)inputs + 1, sizeof(int));
  self->input_types = PyMem_Calloc((size_t)inputs + 1, sizeof(char *));
  if (!self->input_names || !self->outputs.names || !self->targets || !self->input_dtypes || !self->input_optional || !self->input_types) return -1;
  self->outputs.n_outputs = self->outputs.n_names = outputs;
  for (int64_t i = 0; i < inputs + outputs; i++) {
    gr_info info;
    gr_status status = i < inputs ? gr_session_input(self->handle, i, &info, &error) : gr_session_output(self->handle, i - inputs, &info, &error);
    if (status != GR_OK) {
      gr_raise(error);
      return -1;
    }
    PyObject *name = PyUnicode_DecodeUTF8(info.name, (Py_ssize_t)strlen(info.name), "surrogateescape");
    if (name == NULL) return -1;
    PyUnicode_InternInPlace(&name);
    if (i < inputs) {
      PyTuple_SET_ITEM(self->input_names, i, name);
      self->input_dtypes[i] = info.dtype;
      self->input_optional[i] = info.optional;
      for (int k = 0; k < NUM_OTHERS; k++)
        if (strncmp(info.type, others[k], strlen(others[k])) == 0 && (self->input_types[i] = strdup(info.type)) == NULL) return -1;
    } else {
      PyTuple_SET_ITEM(self->outputs.names, i - inputs, name);
    }
  }
  return 0;
}

static PyObject *session_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"path", "data", "folder", "execution", "io", "threads", "custom", "factory", "engine", "library", "counters", NULL};
  PyObject *path = Py_None, *execution = Py_None, *io = Py_None, *pairs = Py_None, *factory = Py_None, *library = Py_None;
  gr_custom custom = {0};
  Py_buffer data = {0};
  const char *folder = NULL;
  gr_options options = {0};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Oz*zOOiOOiOp", names, &path, &data, &folder, &execution, &io, &options.threads, &pairs,
                                   &factory, &options.engine, &library, &options.counters))
    return NULL;
  Session *self = NULL;
  options.execution = gr_arena_handle(execution);
  options.io = gr_arena_handle(io);
  if (gr_check_fork() < 0 || options.execution == (uint64_t)-1 || options.io == (uint64_t)-1) goto done;
  self = (Session *)type->tp_alloc(type, 0);
  if (self == NULL) goto done;
  if (pairs != Py_None) {
    if (gr_custom_from(&self->custom, pairs, factory, &custom) < 0) {
      Py_CLEAR(self);
      goto done;
    }
    options.custom = &custom;
  }
  gr_error *error = NULL;
  gr_status status;
  const char *file = path == Py_None ? NULL : PyBytes_AsString(path);
  options.library = library == Py_None ? NULL : PyBytes_AsString(library);
  if ((path != Py_None && file == NULL) || (library != Py_None && options.library == NULL)) {
    Py_CLEAR(self);
    goto done;
  }
  Py_BEGIN_ALLOW_THREADS
  status = file != NULL ? gr_session_open(file, &options, &self->handle, &error)
                        : gr_session_open_bytes(data.buf, (size_t)data.len, folder, &options, &self->handle, &error);
  Py_END_ALLOW_THREADS
  if (status != GR_OK) {
    gr_raise(error);
    Py_CLEAR(self);
  } else if (load(self) < 0) {
    Py_CLEAR(self);
  } else {
    gr_drop_load_pages();
  }
done:
  PyMem_Free((void *)custom.domains);
  PyBuffer_Release(&data);
  return (PyObject *)self;
}

static PyObject *session_close(Session *self, PyObject *unused) {
  (void)unused;
  uint64_t handle = self->handle;
  self->handle = 0;
  if (handle != 0 && !gr_forked) {
    Py_BEGIN_ALLOW_THREADS
    gr_session_close(handle, NULL);
    Py_END_ALLOW_THREADS
  }
  Py_RETURN_NONE;
}

static void target_clear(Target *t) {
  PyMem_Free(t->place);
  Py_CLEAR(t->names);
}

static void session_dealloc(Session *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->handle != 0 && !gr_forked) gr_session_close(self->handle, NULL);
  gr_custom_clear(&self->custom);
  for (Py_ssize_t i = 0; i < self->n_list; i++) target_clear(&self->list[i]);
  PyMem_Free(self->list);
  target_clear(&self->outputs);
  PyMem_Free(self->input_dtypes);
  PyMem_Free(self->input_optional);
  for (Py_ssize_t i = 0; self->input_types != NULL && i < self->n_inputs; i++) free(self->input_types[i]);
  PyMem_Free(self->input_types);
  Py_XDECREF(self->input_names);
  Py_XDECREF(self->targets);
  Py_XDECREF(self->string_dtype);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyObject *session_inputs(Session *self, void *unused) {
  (void)unused;
  return gr_check_fork() < 0 ? NULL : infos_of(self, self->n_inputs, gr_session_input);
}

static PyObject *session_outputs(Session *self, void *unused) {
  (void)unused;
  return gr_check_fork() < 0 ? NULL : infos_of(self, self->outputs.n_outputs, gr_session_output);
}

static PyObject *session_arenas(Session *self, void *unused) {
  (void)unused;
  return Py_BuildValue("KK", (unsigned long long)self->execution, (unsigned long long)self->io);
}

static PyObject *session_engine(Session *self, void *unused) {
  (void)unused;
  char *text = NULL;
  gr_error *error = NULL;
  if (gr_check_fork() < 0) return NULL;
  if (gr_session_engine(self->handle, &text, &error) != GR_OK) return gr_raise(error);
  PyObject *name = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  gr_text_free(text);
  return name;
}

static PyObject *session_handle(Session *self, void *unused) {
  (void)unused;
  return PyLong_FromUnsignedLongLong(self->handle);
}

/* ---- targets ---- */

/* fill asks the core for the target of a tuple of names. */
static int fill(Session *self, Target *t, PyObject *names) {
  Py_ssize_t n = PyTuple_GET_SIZE(names);
  PyObject *seen = PyDict_New(), *unique = PyList_New(0);
  const char **texts = PyMem_Calloc((size_t)n + 1, sizeof(char *));
  t->place = PyMem_Calloc((size_t)n + 1, sizeof(Py_ssize_t));
  t->n_names = n;
  int ok = seen != NULL && unique != NULL && texts != NULL && t->place != NULL;
  for (Py_ssize_t i = 0; ok && i < n; i++) {
    PyObject *name = PyTuple_GET_ITEM(names, i);
    PyObject *at = PyDict_GetItemWithError(seen, name);
    if (at == NULL) {
      Py_ssize_t k = PyList_GET_SIZE(unique);
      ok = !PyErr_Occurred() && PyUnicode_Check(name) && (texts[k] = PyUnicode_AsUTF8(name)) != NULL && PyList_Append(unique, name) == 0;
      if (!ok && !PyErr_Occurred()) gr_raise_text(GR_TYPE, "an output name of type str expected, %s given", Py_TYPE(name)->tp_name);
      PyObject *index = ok ? PyLong_FromSsize_t(k) : NULL;
      ok = index != NULL && PyDict_SetItem(seen, name, index) == 0;
      Py_XDECREF(index);
      t->place[i] = k;
    } else {
      t->place[i] = PyLong_AsSsize_t(at);
    }
  }
  if (ok) {
    gr_error *error = NULL;
    t->n_outputs = PyList_GET_SIZE(unique);
    ok = gr_session_target(self->handle, texts, (size_t)t->n_outputs, &t->handle, &error) == GR_OK;
    if (!ok) gr_raise(error);
  }
  if (ok) ok = (t->names = PyList_AsTuple(unique)) != NULL;
  PyMem_Free(texts);
  Py_XDECREF(seen);
  Py_XDECREF(unique);
  return ok ? 0 : -1;
}

/* target_for returns the target of output_names: None, or a sequence of str. */
static Target *target_for(Session *self, PyObject *output_names) {
  if (output_names == Py_None) return &self->outputs;
  if (PyUnicode_Check(output_names)) {
    gr_raise_text(GR_TYPE, "output_names: a list of names or None expected, the str %R given", output_names);
    return NULL;
  }
  PyObject *names = PySequence_Tuple(output_names);
  if (names == NULL) return NULL;
  Target *found = NULL;
  PyObject *at = PyDict_GetItemWithError(self->targets, names);
  if (at != NULL) {
    found = &self->list[PyLong_AsSsize_t(at)];
  } else if (!PyErr_Occurred()) {
    Target t = {0};
    Target *grown = NULL;
    PyObject *index = NULL;
    if (fill(self, &t, names) == 0 && (grown = PyMem_Realloc(self->list, sizeof(Target) * (size_t)(self->n_list + 1))) != NULL) {
      self->list = grown;
      if ((index = PyLong_FromSsize_t(self->n_list)) != NULL && PyDict_SetItem(self->targets, names, index) == 0) {
        self->list[self->n_list] = t;
        found = &self->list[self->n_list++];
      }
    }
    Py_XDECREF(index);
    if (found == NULL) target_clear(&t);
  }
  Py_DECREF(names);
  return found;
}

/* ---- runs ---- */

/* feed puts input i into the run. */
static int feed(Session *self, Run *r, Py_ssize_t i, PyObject *value, uint64_t io) {
  gr_view *v = &r->views[i];
  if (self->input_types[i] != NULL) {
    r->elements += SMALL_ELEMENTS; /* how many there are is not looked at */
    return (r->arrays[i] = gr_other_from(value, self->input_types[i], io, v)) == NULL ? -1 : 0;
  }
  if (Py_TYPE(value) == gr_texts_type) {
    Texts *texts = (Texts *)value;
    r->arrays[i] = Py_NewRef(value);
    *v = (gr_view){.data = texts->items, .dims = texts->dims, .dtype = DTYPE_STRING, .rank = texts->rank};
    r->elements += SMALL_ELEMENTS;
    return 0;
  }
  if (Py_TYPE(value) == gr_columns_type) {
    Columns *columns = (Columns *)value;
    r->arrays[i] = Py_NewRef(value);
    *v = (gr_view){.dims = columns->dims, .dtype = columns->dtype, .rank = columns->rank};
    if (columns->dims[1] == 1) v->data = (void *)(uintptr_t)columns->at[0];
    else v->columns = columns->at;
    r->elements += columns->dims[0] * columns->dims[1];
    return 0;
  }
  PyObject *array;
  if (PyArray_CheckExact(value) && PyArray_IS_C_CONTIGUOUS((PyArrayObject *)value) && !PyArray_ISBYTESWAPPED((PyArrayObject *)value)) {
    array = Py_NewRef(value);
  } else if ((array = gr_to_array(value, self->input_dtypes[i], io)) == NULL) {
    return -1;
  }
  r->arrays[i] = array;
  int dtype = gr_dtype_of((PyArrayObject *)array);
  if (dtype == DTYPE_STRING && self->input_dtypes[i] == DTYPE_STRING) {
    PyObject *texts = gr_to_strings(array, &r->strings[i]);
    if (texts == NULL) return -1;
    Py_SETREF(r->arrays[i], texts);
    array = texts;
  } else if (dtype < 0 || dtype == DTYPE_STRING) {
    PyObject *descr = (PyObject *)PyArray_DESCR((PyArrayObject *)array);
    gr_raise_text(GR_TYPE, "input %R: an array of %R given, which is no element type that the input takes", PyTuple_GET_ITEM(self->input_names, i), descr);
    return -1;
  }
  v->data = r->strings[i] != NULL ? (void *)r->strings[i] : PyArray_DATA((PyArrayObject *)array);
  v->dtype = dtype;
  v->rank = PyArray_NDIM((PyArrayObject *)array);
  v->dims = (const int64_t *)PyArray_DIMS((PyArrayObject *)array);
  r->elements += PyArray_SIZE((PyArrayObject *)array);
  if (!gr_packed(dtype)) return 0;
  PyObject *keep = PyList_New(0);
  int status = keep == NULL || PyList_Append(keep, array) < 0 ? -1 : gr_pack_view(array, keep, io, dtype, &v->data);
  if (keep != NULL) Py_SETREF(r->arrays[i], keep);
  return status;
}

/* feed_all takes the inputs from the dict of feeds, without a lookup where they stand
 * there in the model's order. */
static int feed_all(Session *self, Run *r, PyObject *feeds, uint64_t io) {
  Py_ssize_t used = 0, at = 0, i = 0;
  for (; i < self->n_inputs; i++) {
    PyObject *name = PyTuple_GET_ITEM(self->input_names, i), *key, *value;
    r->views[i] = (gr_view){0};
    r->arrays[i] = NULL;
    r->strings[i] = NULL;
    r->seen = i + 1;
    if (!PyDict_Next(feeds, &at, &key, &value) || key != name) value = PyDict_GetItemWithError(feeds, name);
    if (value == NULL) {
      if (PyErr_Occurred()) return -1;
      if (self->input_optional[i]) continue;
      break;
    }
    used++;
    Py_INCREF(value); /* code that a conversion calls may change the dict */
    int status = feed(self, r, i, value, io);
    Py_DECREF(value);
    if (status < 0) return -1;
  }
  if (i == self->n_inputs && used == PyDict_GET_SIZE(feeds)) return 0;
  PyObject *failed = PyObject_CallMethod(gr_errors_module, "wrong_feeds", "OO", self->input_names, feeds);
  Py_XDECREF(failed);
  return -1;
}

/* lend puts the caller's output arrays into the run. */
static int lend(Target *t, Run *r, PyObject *outputs) {
  r->lent = PyMem_Calloc((size_t)t->n_outputs + 1, sizeof(gr_view));
  if (r->lent == NULL) return -1;
  PyObject *name, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(outputs, &at, &name, &value)) {
    Py_ssize_t i = PySequence_Index(t->names, name);
    if (i < 0) {
      PyErr_Clear();
      gr_raise_text(GR_NAME, "outputs: %R is not among the outputs of this run, which are %R", name, t->names);
      return -1;
    }
    if (!PyArray_Check(value) || !PyArray_ISCARRAY((PyArrayObject *)value)) {
      gr_raise_text(GR_ARGUMENT, "outputs: the memory for %R must be a writable, C-contiguous array in native byte order", name);
      return -1;
    }
    PyArrayObject *array = (PyArrayObject *)value;
    r->lent[i].data = PyArray_DATA(array);
    r->lent[i].dtype = gr_dtype_of(array);
    r->lent[i].rank = PyArray_NDIM(array);
    r->lent[i].dims = (const int64_t *)PyArray_DIMS(array);
    if (r->lent[i].dtype <= 0 || r->lent[i].dtype == DTYPE_STRING || gr_packed(r->lent[i].dtype)) {
      gr_raise_text(GR_TYPE, "outputs: the array for %R cannot hold an output", name);
      return -1;
    }
  }
  r->call.lent = r->lent;
  return 0;
}

/* poll asks for signals while a run is under way without the lock. */
static int poll(void *state) {
  PyThreadState **thread = state;
  PyEval_RestoreThread(*thread);
  int stop = PyErr_CheckSignals();
  *thread = PyEval_SaveThread();
  return stop;
}

/* on_main_thread tells whether this is the process's first thread, the one that
 * Python handles signals on; asked once a thread. */
static int on_main_thread(void) {
  static _Thread_local int answer = -1;
  if (answer < 0) answer = (pid_t)syscall(SYS_gettid) == getpid();
  return answer;
}

static gr_status cross(Session *self, Run *r, gr_error **error) {
  if (self->small && r->elements <= SMALL_ELEMENTS && r->call.stop == 0) return gr_session_run(self->handle, &r->call, error);
  PyThreadState *thread = PyEval_SaveThread();
  if (on_main_thread()) {
    r->call.poll = poll;
    r->call.poll_arg = &thread;
  }
  gr_status status = gr_session_run(self->handle, &r->call, error);
  PyEval_RestoreThread(thread);
  return status;
}

/* results returns the list of outputs; it takes them all. */
static PyObject *results(Session *self, Target *t, Run *r, PyObject *lent) {
  PyObject *made[STACK_OUTPUTS], **arrays = made;
  PyObject *list = NULL;
  if (t->n_outputs > STACK_OUTPUTS && (arrays = PyMem_Calloc((size_t)t->n_outputs, sizeof(PyObject *))) == NULL) PyErr_NoMemory();
  Py_ssize_t n = 0;
  for (; arrays != NULL && n < t->n_outputs; n++) {
    PyObject *own = lent == NULL || lent == Py_None ? NULL : PyDict_GetItemWithError(lent, PyTuple_GET_ITEM(t->names, n));
    arrays[n] = own != NULL ? Py_NewRef(own) : gr_array_of(&r->outputs[n]);
    if (arrays[n] != NULL && self->string_dtype != NULL && r->outputs[n].dtype == DTYPE_STRING)
      Py_SETREF(arrays[n], PyArray_FromAny(arrays[n], (PyArray_Descr *)Py_NewRef(self->string_dtype), 0, 0, NPY_ARRAY_FORCECAST, NULL));
    if (arrays[n] == NULL) break;
  }
  if (n == t->n_outputs && (list = PyList_New(t->n_names)) != NULL)
    for (Py_ssize_t i = 0; i < t->n_names; i++)
      PyList_SET_ITEM(list, i, Py_NewRef(arrays[t->place == NULL ? i : t->place[i]]));
  for (Py_ssize_t i = 0; i < n; i++) Py_DECREF(arrays[i]);
  for (Py_ssize_t i = n; i < t->n_outputs; i++) gr_output_drop(&r->outputs[i]);
  if (arrays != made) PyMem_Free(arrays);
  return list;
}

/* note appends the events of a run to the list that the caller gave. An exception
 * that a signal or a kernel raised waits meanwhile. */
static int note(Run *r) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject *text = PyUnicode_DecodeUTF8(r->call.events, (Py_ssize_t)strlen(r->call.events), "replace");
  gr_text_free(r->call.events);
  int status = text == NULL ? -1 : PyList_Append(r->events, text);
  Py_XDECREF(text);
  if (type != NULL) PyErr_Restore(type, value, trace);
  return status;
}

/* execute runs target t on feeds. */
static PyObject *execute(Session *self, Target *t, Run *r, PyObject *feeds, PyObject *lent) {
  uint64_t io = r->call.io != 0 ? r->call.io : self->io;
  if (feed_all(self, r, feeds, io) < 0) return NULL;
  if (lent != NULL && lent != Py_None && lend(t, r, lent) < 0) return NULL;
  r->call.target = t->handle;
  r->call.inputs = r->views;
  r->call.n_inputs = (size_t)self->n_inputs;
  r->call.outputs = r->outputs;
  r->call.n_outputs = (size_t)t->n_outputs;
  gr_error *error = NULL;
  gr_status status = cross(self, r, &error);
  if (r->call.events != NULL && note(r) < 0) status = GR_INTERNAL;
  if (status != GR_OK) return gr_raise(error);
  return results(self, t, r, lent);
}

/* begin points the run at memory for its inputs and outputs. */
static PyObject *begin(Session *self, Target *t, Run *r, PyObject *feeds, PyObject *lent) {
  gr_view views[STACK_INPUTS];
  PyObject *arrays[STACK_INPUTS];
  gr_string *strings[STACK_INPUTS];
  gr_output outputs[STACK_OUTPUTS];
  size_t n = (size_t)self->n_inputs;
  int many = self->n_inputs > STACK_INPUTS, wide = t->n_outputs > STACK_OUTPUTS;
  r->views = many ? PyMem_Malloc(n * sizeof(gr_view)) : views;
  r->arrays = many ? PyMem_Malloc(n * sizeof(PyObject *)) : arrays;
  r->strings = many ? PyMem_Malloc(n * sizeof(gr_string *)) : strings;
  r->outputs = wide ? PyMem_Malloc((size_t)t->n_outputs * sizeof(gr_output)) : outputs;
  PyObject *list = NULL;
  if (r->views == NULL || r->arrays == NULL || r->strings == NULL || r->outputs == NULL) {
    PyErr_NoMemory();
  } else {
    list = execute(self, t, r, feeds, lent);
    for (Py_ssize_t i = 0; i < r->seen; i++) {
      Py_XDECREF(r->arrays[i]);
      PyMem_Free(r->strings[i]);
    }
  }
  PyMem_Free(r->lent);
  if (many) {
    PyMem_Free(r->views);
    PyMem_Free(r->arrays);
    PyMem_Free(r->strings);
  }
  if (wide) PyMem_Free(r->outputs);
  return list;
}

/* The keywords of run, interned: compared by address. */
enum { KW_OUTPUTS, KW_EXECUTION, KW_IO, KW_CANCEL, KW_TIMEOUT, KW_THREADS, KW_EVENTS, NUM_KEYWORDS };
static const char *const keyword_texts[NUM_KEYWORDS] = {"outputs", "execution", "io", "cancel", "timeout", "threads", "events"};
static PyObject *keywords[NUM_KEYWORDS];

int gr_session_init_names(void) {
  for (int i = 0; i < NUM_KEYWORDS; i++)
    if ((keywords[i] = PyUnicode_InternFromString(keyword_texts[i])) == NULL) return -1;
  return 0;
}

/* option reads keyword k of a run. */
static int option(Run *r, int k, PyObject *value, PyObject **lent) {
  switch (k) {
    case KW_OUTPUTS:
      if (value != Py_None && !PyDict_Check(value)) {
        gr_raise_text(GR_TYPE, "outputs must be a dict of arrays, %s given", Py_TYPE(value)->tp_name);
        return -1;
      }
      *lent = value;
      return 0;
    case KW_EXECUTION: return (r->call.execution = gr_arena_handle(value)) == (uint64_t)-1 ? -1 : 0;
    case KW_IO: return (r->call.io = gr_arena_handle(value)) == (uint64_t)-1 ? -1 : 0;
    case KW_CANCEL: return (r->call.stop = gr_stop_handle(value)) == (uint64_t)-1 ? -1 : 0;
    case KW_EVENTS:
      if (!PyList_Check(value)) {
        gr_raise_text(GR_TYPE, "events must be a list, %s given", Py_TYPE(value)->tp_name);
        return -1;
      }
      r->events = value;
      r->call.trace = 1;
      return 0;
    case KW_TIMEOUT:
      if (value != Py_None) r->call.timeout = PyFloat_AsDouble(value);
      return PyErr_Occurred() ? -1 : 0;
    default:
      if (value != Py_None) r->call.threads = (int32_t)PyLong_AsLong(value);
      return PyErr_Occurred() ? -1 : 0;
  }
}

PyObject *gr_session_run_method(PyObject *session, PyObject *const *args, Py_ssize_t n, PyObject *names) {
  Session *self = (Session *)session;
  Run r; /* the lists are set where they are made: a run may be shorter than clearing it all */
  r.call = (gr_call){0};
  r.lent = NULL;
  r.events = NULL;
  r.seen = r.elements = 0;
  PyObject *lent = NULL;
  if (n != 2 || !PyDict_Check(args[1])) return gr_raise_text(GR_TYPE, "run takes output_names and a dict of feeds");
  if (gr_check_fork() < 0) return NULL;
  for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
    int k = 0;
    while (k < NUM_KEYWORDS && keywords[k] != PyTuple_GET_ITEM(names, i)) k++;
    if (k == NUM_KEYWORDS) return gr_raise_text(GR_TYPE, "run has no argument %R", PyTuple_GET_ITEM(names, i));
    if (option(&r, k, args[2 + i], &lent) < 0) return NULL;
  }
  if (self->handle == 0) return gr_raise_text(GR_CLOSED, "the evaluator is closed");
  Target *t = target_for(self, args[0]);
  if (t == NULL) return NULL;
  Target local = *t; /* the list may move while the lock is released */
  return begin(self, &local, &r, args[1], lent);
}

static PyMethodDef session_methods[] = {
    {"run", (PyCFunction)(void (*)(void))gr_session_run_method, METH_FASTCALL | METH_KEYWORDS, "One run; see goruntime.ReferenceEvaluator.run."},
    {"close", (PyCFunction)session_close, METH_NOARGS, "Waits for runs and gives memory back; arrays live on."},
    {NULL, NULL, 0, NULL},
};

static PyObject *session_string_dtype(Session *self, void *unused) {
  (void)unused;
  return Py_NewRef(self->string_dtype == NULL ? Py_None : self->string_dtype);
}

static int session_set_string_dtype(Session *self, PyObject *value, void *unused) {
  (void)unused;
  if (value == NULL || (value != Py_None && (!PyArray_DescrCheck(value) || ((PyArray_Descr *)value)->type_num != NPY_VSTRING))) {
    gr_raise_text(GR_TYPE, "string_dtype: a numpy.dtypes.StringDType() or None expected, %R given", value == NULL ? Py_None : value);
    return -1;
  }
  Py_XSETREF(self->string_dtype, value == Py_None ? NULL : Py_NewRef(value));
  return 0;
}

static PyGetSetDef session_getset[] = {
    {"string_dtype", (getter)session_string_dtype, (setter)session_set_string_dtype, "the dtype of string outputs, None for object", NULL},
    {"inputs", (getter)session_inputs, NULL, "(name, type, dtype, shape, optional) of each input", NULL},
    {"outputs", (getter)session_outputs, NULL, "(name, type, dtype, shape, optional) of each output", NULL},
    {"engine", (getter)session_engine, NULL, "the name of the engine that runs the model", NULL},
    {"handle", (getter)session_handle, NULL, "what the control plane calls it, 0 when it is closed", NULL},
    {"arenas", (getter)session_arenas, NULL, "handles of the execution and the I/O arena", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot session_slots[] = {
    {Py_tp_new, session_new},         {Py_tp_dealloc, session_dealloc}, {Py_tp_methods, session_methods},
    {Py_tp_getset, session_getset},   {0, NULL},
};

PyType_Spec gr_session_spec = {"goruntime._native.Session", sizeof(Session), 0, Py_TPFLAGS_DEFAULT, session_slots};
