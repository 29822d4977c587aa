//go:build pyext

/* native_session.c: a compiled model as a Python object. Its runs are in native_run.c. */
#include "native_session.h"

PyTypeObject *gr_session_type = NULL;

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

static void session_dealloc(Session *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->handle != 0 && !gr_forked) gr_session_close(self->handle, NULL);
  gr_custom_clear(&self->custom);
  for (Py_ssize_t i = 0; i < self->n_list; i++) gr_target_clear(&self->list[i]);
  PyMem_Free(self->list);
  gr_target_clear(&self->outputs);
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
