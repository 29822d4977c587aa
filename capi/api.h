/* api.h: the C interface of goruntime, for C and C++. docs/c.md builds the library and
 * a program over it.
 *
 * Every function returns a gr_status; on failure *error, where given, receives a
 * gr_error that the caller frees. Objects are handles: a stale one gives
 * GR_CLOSED. Functions may be called from any thread; none may be called in a
 * forked child but gr_lease_release (lease.h), which never enters Go.
 */
#ifndef GR_API_H
#define GR_API_H

#include <stddef.h>
#include <stdint.h>

#include "lease.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GR_MAX_RANK 64

/* The codes of goruntime/errs. */
typedef enum gr_status {
  GR_OK = 0,
  GR_ARGUMENT = 1,
  GR_TYPE = 2,
  GR_SHAPE = 3,
  GR_NAME = 4,
  GR_MODEL = 5,
  GR_UNSUPPORTED = 6,
  GR_MEMORY = 7,
  GR_CLOSED = 8,
  GR_RELEASED = 9,
  GR_CANCELED = 10,
  GR_TIMEOUT = 11,
  GR_FORKED = 12,
  GR_IO = 13,
  GR_COMPUTE = 14,
  GR_INTERNAL = 15
} gr_status;

/* A failure. All texts are owned by the gr_error, none is NULL. */
typedef struct gr_error {
  int32_t code;
  char *message; /* the whole text: operator, node, input, what was seen, the rule */
  char *op;
  char *node;
  char *input;
} gr_error;

/* What a gr_value is. */
enum { GR_TENSOR = 1, GR_SEQUENCE = 2, GR_OPTIONAL = 3, GR_MAP = 4 };

/* A value as a tree: a sequence has its elements as items, an optional one or none,
 * a map two tensors of rank 1: its keys and its values. In an output the lease of a
 * tensor in a sequence or optional is released once, as that of a gr_output; the
 * memory of maps is good until gr_value_free. */
typedef struct gr_value {
  int32_t kind;
  int32_t dtype; /* of a tensor, as all below but items */
  int64_t n;     /* items, or the rank */
  struct gr_value *items;
  const int64_t *dims;
  void *data;
  gr_lease *lease;
  uint32_t generation;
} gr_value;

#define GR_OTHER 255 /* the dtype of a gr_view or gr_output that is no tensor */

/* A tensor that somebody else owns: an input, or memory lent for an output.
 * dtype is TensorProto.DataType, 0 for an input that is not given, GR_OTHER for
 * one that is no tensor: value is it. An input [N, K] may lie as columns: columns are
 * K addresses, each of N elements side by side, and data is NULL. */
typedef struct gr_view {
  void *data;
  const int64_t *dims;
  int32_t dtype;
  int32_t rank;
  const gr_value *value;
  const void *const *columns;
} gr_view;

/* A string element: UTF-8, not terminated. */
typedef struct gr_string {
  const char *data;
  int64_t size;
} gr_string;

/* An output of a run. lease is released once with gr_lease_release(lease,
 * generation, shared); it is NULL where the output went to lent memory. Where dtype
 * is GR_OTHER, value is the output: its leases are released, then gr_value_free. */
typedef struct gr_output {
  void *data;
  gr_lease *lease;
  gr_value *value;
  uint32_t generation;
  int32_t dtype;
  int32_t rank;
  int64_t dims[GR_MAX_RANK];
} gr_output;

/* One call of an operator that the caller brings. */
typedef struct gr_custom_call {
  uint64_t kernel; /* from gr_custom.make */
  const gr_view *inputs; /* good during the call; dtype 0 where omitted */
  size_t n_inputs;
  size_t n_outputs;
  uint64_t token; /* for gr_custom_output */
} gr_custom_call;

/* Operators that the caller brings; they go before those of the core. All is
 * called on the thread that opens the session or runs it. Not 0 is a failure. */
typedef struct gr_custom {
  const char *const *domains; /* n of each, "" for ai.onnx */
  const char *const *names;
  size_t n;
  /* Makes the kernel of one node: a serialized NodeProto whose attributes are bound,
   * and a JSON object: "attributes" are those of numbers (NaN, Infinity and -Infinity among
   * them) and texts (\udc80 to \udcff for bytes that are not UTF-8), "opset" that of the
   * node's domain, "opsets" those of all, "captures" the names that subgraphs read from
   * outside, whose values are inputs behind the node's own, and "functions" those that
   * subgraphs may call, as FunctionProtos in base64. */
  int (*make)(void *arg, const void *node, size_t size, const char *facts, uint64_t *kernel);
  int (*run)(void *arg, const gr_custom_call *call);
  void *arg;
} gr_custom;

/* What runs the model of a session: goruntime, or ONNX Runtime as a library, in builds
 * with the tag ort. */
enum { GR_ENGINE_GO = 0, GR_ENGINE_ORT = 1 };

/* How a session is opened; all zero is good. */
typedef struct gr_options {
  const gr_custom *custom; /* copied, but for arg; or NULL */
  uint64_t execution; /* an execution arena to share, or 0 */
  uint64_t io;        /* an I/O arena to share, or 0 */
  int32_t threads;    /* of a run; 0 is all that the process may use */
  int32_t engine;
  int32_t counters; /* not 0: the loops of its runs are counted */
  const char *library; /* the file of an engine's library, or NULL for the usual places */
} gr_options;

/* One run. Ownership: everything is the caller's and borrowed for the call. */
typedef struct gr_call {
  uint64_t target; /* from gr_session_target, or 0 for the model's outputs */
  const gr_view *inputs; /* one for each input of the model, in its order */
  size_t n_inputs;
  gr_output *outputs;
  size_t n_outputs;
  const gr_view *lent; /* NULL, or one for each output, data NULL where not lent; no two
                        * share memory, and an input that shares it is copied before */
  uint64_t execution;  /* replaces the session's arena where not 0 */
  uint64_t io;
  uint64_t stop;    /* from gr_stop_new, or 0 */
  double timeout;   /* seconds, 0 for none */
  int (*poll)(void *); /* asked between nodes at most every 20 ms; not 0 ends the run */
  void *poll_arg;
  int32_t threads; /* replaces the session's number where not 0 */
  int32_t trace;   /* not 0: events receives what happened, also where the run fails */
  char *events;    /* JSON lines, freed with gr_text_free */
} gr_call;

/* An input or output of a model. Texts live as long as the session. */
typedef struct gr_info {
  const char *name;
  const char *type;   /* "tensor(float)" */
  int32_t dtype;      /* of a tensor, else 0 */
  int32_t optional;   /* an input with a default */
  int32_t rank;       /* -1 where the model declares no shape */
  int64_t dims[GR_MAX_RANK];       /* -1 where not a number */
  const char *params[GR_MAX_RANK]; /* the name of a dimension, or NULL */
} gr_info;

#define GR_COPY_REASONS 13

/* The counters of an arena, in bytes and numbers; see goruntime/arena.Stats. */
typedef struct gr_arena_stats {
  int64_t live, retained, peak_live, live_blocks, retained_blocks, leases;
  int64_t hits, misses, evictions, system_allocations, system_releases;
  int64_t migrations, migrated_bytes, misuses;
  int64_t copies[GR_COPY_REASONS];
  int64_t copied_bytes[GR_COPY_REASONS];
} gr_arena_stats;

#ifndef GR_NO_PROTOTYPES
/* Frees a failure and its texts; NULL is none. */
void gr_error_free(gr_error *error);
/* The words that gr_lease_release needs; the same for the life of the process. */
gr_lease_shared *gr_shared(void);
/* Names and active variants as JSON; freed with gr_text_free. */
char *gr_build_info(void);
void gr_text_free(char *text);

/* What a model needs and is not run here, as a JSON list; weights are not read. The
 * model is a path, or bytes where path is NULL. *text is freed with gr_text_free. */
gr_status gr_model_lacks(const char *path, const void *data, size_t size, char **text, gr_error **error);

/* Reads and compiles the model file at path; options NULL is all zero. *session is the
 * caller's until gr_session_close. */
gr_status gr_session_open(const char *path, const gr_options *options, uint64_t *session, gr_error **error);
/* As gr_session_open, of bytes, which are copied. External data is looked for in folder,
 * which may be NULL. */
gr_status gr_session_open_bytes(const void *data, size_t size, const char *folder, const gr_options *options,
                                uint64_t *session, gr_error **error);
/* Waits for the runs of the session and gives back what it owns; outputs live on. */
gr_status gr_session_close(uint64_t session, gr_error **error);
/* How many inputs, outputs and nodes the model has. */
gr_status gr_session_count(uint64_t session, int64_t *inputs, int64_t *outputs, int64_t *nodes, gr_error **error);
/* Whether a run on little data takes a moment, whatever the values: the model has few
 * nodes, and no loop. */
gr_status gr_session_brief(uint64_t session, int32_t *brief, gr_error **error);
/* Describes input or output i of the model. */
gr_status gr_session_input(uint64_t session, int64_t i, gr_info *info, gr_error **error);
gr_status gr_session_output(uint64_t session, int64_t i, gr_info *info, gr_error **error);
/* The name of the engine that runs the model, freed with gr_text_free. */
gr_status gr_session_engine(uint64_t session, char **name, gr_error **error);
/* The arenas of the session, which go with it where they were not given. */
gr_status gr_session_arenas(uint64_t session, uint64_t *execution, uint64_t *io, gr_error **error);
/* Prepares runs for the values of these names, inner ones too, each once; *target is good
 * until the session's end, and the same for the same names. */
gr_status gr_session_target(uint64_t session, const char *const *names, size_t n, uint64_t *target, gr_error **error);
/* Runs the model once. On failure no output holds anything, and the session is usable. */
gr_status gr_session_run(uint64_t session, gr_call *call, gr_error **error);
/* Makes output slot of the call that token names, to be filled before run returns.
 * The elements of strings are gr_string into *text, which has text_size bytes. *data
 * is NULL where nothing reads the output. */
gr_status gr_custom_output(uint64_t token, size_t slot, int32_t dtype, const int64_t *dims, int32_t rank, size_t text_size,
                           void **data, char **text, gr_error **error);
/* As gr_custom_output, but of memory that the caller alone owns, uncopied: *taken is 1
 * where the output leaves the run, and release(owner) is called once when its last
 * holder has let go, on any thread and also on an error. Where *taken is 0 nothing
 * happened. */
gr_status gr_custom_adopt(uint64_t token, size_t slot, int32_t dtype, const int64_t *dims, int32_t rank, void *data,
                          void (*release)(void *owner), void *owner, int32_t *taken, gr_error **error);
/* As gr_custom_output, of a sequence, an optional or a map, which is copied. */
gr_status gr_custom_value(uint64_t token, size_t slot, const gr_value *value, gr_error **error);
/* Frees the value of an output, but no lease in it. */
void gr_value_free(gr_value *value);

/* What ends runs from another thread: gr_stop_cancel ends those whose call has the stop,
 * and later ones, with GR_CANCELED. */
gr_status gr_stop_new(uint64_t *stop, gr_error **error);
gr_status gr_stop_cancel(uint64_t stop, gr_error **error);
gr_status gr_stop_close(uint64_t stop, gr_error **error);

/* An arena for runs: of what leaves them where io is not 0, else of what dies in them.
 * capacity is how many blocks to prepare for, 0 for none; retention_cap bounds the bytes
 * that are kept free, below 0 by the default; limit bounds all bytes, 0 is no bound. */
gr_status gr_arena_new(int32_t io, int64_t capacity, int64_t retention_cap, int64_t limit, uint64_t *arena, gr_error **error);
/* Gives free memory back and refuses further use; leased blocks live to their release. */
gr_status gr_arena_close(uint64_t arena, gr_error **error);
gr_status gr_arena_get_stats(uint64_t arena, gr_arena_stats *stats, gr_error **error);
/* Gives free memory back until at most target bytes are kept; *bytes is how many went. */
gr_status gr_arena_trim(uint64_t arena, int64_t target, int64_t *bytes, gr_error **error);
/* Sets retention_cap; what lies above it goes at once. */
gr_status gr_arena_set_cap(uint64_t arena, int64_t cap, gr_error **error);
/* Lets peak_live start from now. */
gr_status gr_arena_reset_peak(uint64_t arena, gr_error **error);
/* Whether address lies in the arena's memory. */
gr_status gr_arena_owns(uint64_t arena, const void *address, int32_t *owns, gr_error **error);
/* A leased block of an I/O arena, for input copies; counted under reason. */
gr_status gr_arena_copy_block(uint64_t arena, size_t bytes, int32_t reason, gr_output *block, gr_error **error);
/* Counts a copy that was made into other memory under reason. */
gr_status gr_arena_count_copy(uint64_t arena, size_t bytes, int32_t reason, gr_error **error);
#endif

#ifdef __cplusplus
}
#endif

#endif
