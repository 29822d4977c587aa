//go:build pyext

/* native_shortcut.c: ReferenceEvaluator.run for a call of two arguments.
 *
 * The method in Python looks at ten arguments before it runs. This descriptor takes
 * its place on the class once the extension is loaded: a call with outputs and feeds
 * alone goes straight to the session that the evaluator keeps in its slot `_fast`,
 * any other to the method. An evaluator whose slot is empty has no straight way. */
#include "native.h"

#include <structmember.h>

static PyObject *method;       /* the function that the class was written with */
static Py_ssize_t slot_offset; /* of `_fast` in an evaluator */

static PyObject *run(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
  PyObject *session = *(PyObject **)((char *)self + slot_offset);
  if (n == 2 && names == NULL && session != NULL && Py_TYPE(session) == gr_session_type) {
    Py_INCREF(session); /* a kernel may close or change the evaluator meanwhile */
    PyObject *list = gr_session_run_method(session, args, n, NULL);
    Py_DECREF(session);
    return list;
  }
  PyObject *all[16];
  Py_ssize_t total = n + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
  if (total >= (Py_ssize_t)(sizeof all / sizeof *all)) return gr_raise_text(GR_TYPE, "run was given %zd arguments, which are too many", total);
  all[0] = self;
  if (total > 0) memcpy(all + 1, args, (size_t)total * sizeof *args);
  return PyObject_Vectorcall(method, all, (size_t)n + 1, names);
}

PyObject *gr_shortcut(PyObject *module, PyObject *args) {
  (void)module;
  static PyMethodDef definition = {"run", (PyCFunction)(void (*)(void))run, METH_FASTCALL | METH_KEYWORDS, NULL};
  PyTypeObject *type;
  const char *doc;
  if (!PyArg_ParseTuple(args, "O!s", &PyType_Type, &type, &doc)) return NULL;
  PyObject *slot = PyObject_GetAttrString((PyObject *)type, "_fast");
  if (slot == NULL || !Py_IS_TYPE(slot, &PyMemberDescr_Type) || (method = PyObject_GetAttrString((PyObject *)type, "run")) == NULL) {
    Py_XDECREF(slot);
    return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "_fast is no slot of %s", type->tp_name);
  }
  slot_offset = ((PyMemberDescrObject *)slot)->d_member->offset;
  Py_DECREF(slot);
  definition.ml_doc = strdup(doc); /* for as long as the process lives, as the class */
  PyObject *descriptor = definition.ml_doc == NULL ? PyErr_NoMemory() : PyDescr_NewMethod(type, &definition);
  int status = descriptor == NULL ? -1 : PyObject_SetAttrString((PyObject *)type, "run", descriptor);
  Py_XDECREF(descriptor);
  if (status < 0) return NULL;
  Py_RETURN_NONE;
}
