//go:build pyext

/* native_error.c: failures of the core as Python exceptions, and the guard that
 * keeps a forked child out of Go. */
#include <pthread.h>
#include <stdarg.h>

#include "native.h"

volatile int gr_forked = 0;
PyObject *gr_errors_module = NULL;

static void after_fork(void) {
  gr_forked = 1;
  __atomic_store_n(&gr_words.forked, 1, __ATOMIC_SEQ_CST);
}

int gr_install_fork_guard(void) { return pthread_atfork(NULL, NULL, after_fork); }

int gr_check_fork(void) {
  if (!gr_forked) return 0;
  gr_raise_text(GR_FORKED,
                "goruntime cannot run in a process forked after it was used: start workers with the "
                "multiprocessing method 'spawn' or 'forkserver', or use goruntime only after the fork");
  return -1;
}

PyObject *gr_set_errors(PyObject *module, PyObject *errors) {
  (void)module;
  Py_XSETREF(gr_errors_module, Py_NewRef(errors));
  Py_RETURN_NONE;
}

/* set raises the exception that errors.make returned. */
static PyObject *set(PyObject *error) {
  if (error != NULL) {
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
  }
  return NULL;
}

/* gr_raise keeps an exception that a signal handler has raised already. Texts
 * go as bytes: names may hold any. */
PyObject *gr_raise(gr_error *error) {
  if (!PyErr_Occurred())
    set(PyObject_CallMethod(gr_errors_module, "make", "iyyyy", (int)error->code, error->message, error->op, error->node,
                            error->input));
  gr_error_free(error);
  return NULL;
}

PyObject *gr_raise_text(int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  PyObject *text = PyUnicode_FromFormatV(format, args);
  va_end(args);
  if (text == NULL) return NULL;
  PyObject *error = PyObject_CallMethod(gr_errors_module, "make", "iOyyy", code, text, "", "", "");
  Py_DECREF(text);
  return set(error);
}
