//go:build pyext

/* native_run.c: runs of a session, one crossing into Go each. */
#include <float.h>
#include <math.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native_session.h"

enum { STACK_INPUTS = 16, STACK_OUTPUTS = 4 };

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
  if (gr_feed_all(self, r, feeds, io) < 0) return NULL;
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

/* limit sets the seconds after which the run ends: at once where there are none left. */
static int limit(Run *r, PyObject *value) {
  double seconds = PyFloat_AsDouble(value);
  if (PyErr_Occurred() || isnan(seconds)) {
    gr_raise_text(PyFloat_Check(value) || PyLong_Check(value) ? GR_ARGUMENT : GR_TYPE, "timeout is %R: a number of seconds expected", value);
    return -1;
  }
  r->call.timeout = seconds > 0 ? seconds : DBL_MIN; /* 0 is no limit there */
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
    case KW_TIMEOUT: return value == Py_None ? 0 : limit(r, value);
    default: {
      int over = 0;
      long n = value == Py_None ? 0 : PyLong_AsLongAndOverflow(value, &over);
      r->call.threads = over > 0 || n > INT32_MAX ? INT32_MAX : over < 0 || n < INT32_MIN ? INT32_MIN : (int32_t)n;
      return PyErr_Occurred() ? -1 : 0;
    }
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
  if (n != 2) return gr_raise_text(GR_TYPE, "run was given %zd arguments; it takes output_names and feed_inputs", n);
  if (!PyDict_Check(args[1])) return gr_raise_text(GR_TYPE, "feed_inputs: a dict of values by name expected, %s given", Py_TYPE(args[1])->tp_name);
  if (gr_check_fork() < 0) return NULL;
  for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
    int k = 0;
    while (k < NUM_KEYWORDS && keywords[k] != PyTuple_GET_ITEM(names, i)) k++;
    if (k == NUM_KEYWORDS) return gr_raise_text(GR_TYPE, "run has no argument %R", PyTuple_GET_ITEM(names, i));
    if (option(&r, k, args[2 + i], &lent) < 0) return NULL;
  }
  if (self->handle == 0) return gr_raise_text(GR_CLOSED, "the evaluator is closed");
  Target *t = gr_target_for(self, args[0]);
  if (t == NULL) return NULL;
  Target local = *t; /* the list may move while the lock is released */
  return begin(self, &local, &r, args[1], lent);
}

