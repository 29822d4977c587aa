//go:build pyext

/* native_target.c: the sets of outputs that were asked for. */
#include "native_session.h"

void gr_target_clear(Target *t) {
  PyMem_Free(t->place);
  Py_CLEAR(t->names);
}

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

Target *gr_target_for(Session *self, PyObject *output_names) {
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
    if (found == NULL) gr_target_clear(&t);
  }
  Py_DECREF(names);
  return found;
}

