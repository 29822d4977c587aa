/* native_arrow.h: the structures of the Arrow C data and stream interfaces, as their
 * specification fixes them (arrow.apache.org, "The Arrow C data interface"), and what
 * the files of the Arrow bridge share. */
#ifndef GR_NATIVE_ARROW_H
#define GR_NATIVE_ARROW_H

#include "native.h"

enum { ARROW_NULLABLE = 2 };

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

/* A schema that was imported, shared by the batches of a stream. */
typedef struct {
  PyObject_HEAD
  struct ArrowSchema schema;
} Schema;

/* A batch that was imported: released when its last column is gone. */
typedef struct {
  PyObject_HEAD
  Schema *schema;
  struct ArrowArray array;
} Batch;

/* String elements that lie in somebody else's memory: a feed of a string input. */
typedef struct {
  PyObject_HEAD
  PyObject *owner;
  gr_string *items;
  int rank;
  int64_t dims[2];
} Texts;

/* A matrix [N, K] that lies as K columns in somebody else's memory: a feed that a run
 * reads in place where all its readers take columns. One column is dense, and may be
 * seen as [N]: rank is 1 then. */
typedef struct {
  PyObject_HEAD
  PyObject *owner;
  const void **at;
  const void *lone; /* where at points for one column */
  int dtype, rank;
  int64_t dims[2];
} Columns;

extern PyTypeObject *gr_schema_type, *gr_batch_type, *gr_reader_type, *gr_texts_type, *gr_columns_type;
extern PyType_Spec gr_schema_spec, gr_batch_spec, gr_reader_spec, gr_texts_spec, gr_columns_spec;

/* native_arrow.c */
Schema *gr_schema_of(PyObject *capsule, PyObject *known);         /* moves the schema out of a capsule, or known where it is alike */
Batch *gr_batch_of(Schema *schema, struct ArrowArray *array);     /* moves the array */
PyObject *gr_arrow_batch(PyObject *module, PyObject *args);       /* (schema capsule, array capsule, known Schema or None) -> Batch */
/* native_arrow_column.c */
PyObject *gr_batch_column(Batch *self, PyObject *args);           /* (i, arena, fill) -> array or Texts */
int gr_dtype_of_format(const char *format);                      /* 0 for what is no number */
int64_t gr_first_null(const struct ArrowArray *a, int64_t offset, int64_t n);
PyObject *gr_block_like(uint64_t io, int dtype, int rank, npy_intp *dims, int reason);
/* native_arrow_cast.c */
extern const int64_t gr_widths[NUM_DTYPES];                       /* bytes of the numbers that Arrow has, by type */
int gr_castable(int dtype);                                       /* whether gr_cast takes it, both ways */
int64_t gr_cast(void *target, int to, const void *source, int from, int64_t n); /* the first number that is none of the other type, or -1 */
PyObject *gr_raise_misfit(const char *column, int64_t row, const void *source, int from, int64_t i, int to);
PyObject *gr_arrow_cast(PyObject *module, PyObject *args);        /* (array, dtype, arena, name of the column) -> array */
/* native_arrow_names.c */
enum { GR_TYPE_TEXT = 128 };
const char *gr_type_text(const struct ArrowSchema *schema, char text[GR_TYPE_TEXT]); /* as Arrow's libraries write the type */
/* native_arrow_columns.c */
PyObject *gr_batch_feeds(Batch *self, PyObject *args);            /* (tuple of (name, tuple of numbers, rank, dtype), arena, casts, fills) -> dict of Columns */
PyObject *gr_arrow_matrix(PyObject *module, PyObject *arrays);    /* list of arrays -> Columns */
/* native_arrow_out.c */
PyObject *gr_arrow_export(PyObject *module, PyObject *args);      /* (names, arrays) -> (schema capsule, array capsule) */
PyObject *gr_arrow_columns(PyObject *module, PyObject *args);     /* (names, results, rows) -> dict or None */
/* native_arrow_stream.c */
PyObject *gr_arrow_reader(PyObject *module, PyObject *args);      /* (stream capsule, known Schema or None) -> iterator of Batch */
PyObject *gr_arrow_stream(PyObject *module, PyObject *args);      /* (schema capsule, iterator) -> stream capsule */

#endif
