/* native_session.h: what the files about sessions and their runs share. */
#ifndef GR_NATIVE_SESSION_H
#define GR_NATIVE_SESSION_H

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

/* A compiled model. */
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

enum { SMALL_ELEMENTS = 1024 }; /* a run of so many may keep the lock */

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

/* native_target.c */
Target *gr_target_for(Session *self, PyObject *output_names); /* None, or a sequence of str; NULL with an exception */
void gr_target_clear(Target *t);

/* native_feeds.c: puts the inputs into the run; 0, or -1 with an exception. */
int gr_feed_all(Session *self, Run *r, PyObject *feeds, uint64_t io);

#endif
