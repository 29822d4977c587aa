/* lease.h: the lease headers of goruntime/lease, as C sees them.
 *
 * A lease is counted down here without entering Go: legal from any thread,
 * with or without the interpreter's lock, at exit and in a forked child. The fields are
 * read and written by the atomic builtins of gcc and clang alone, which C++ has too.
 * The layout is goruntime/lease's Header, Control and Shared; a Go test
 * compares the offsets below with it.
 */
#ifndef GR_LEASE_H
#define GR_LEASE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gr_lease {
  uint64_t state; /* generation << 32 | references */
  uint64_t next;  /* next header on a return list, | 1 where returned counts bytes */
  uint64_t data;
  uint64_t size;
  uint64_t bytes;
  uint64_t control;
  uint64_t block;
  uint64_t slot;
} gr_lease;

typedef struct gr_lease_control {
  uint64_t head;
  uint64_t returned;
  uint64_t retained;
  uint64_t cap;
  uint64_t unused[4];
} gr_lease_control;

typedef struct gr_lease_shared {
  uint32_t futex;
  uint32_t forked;
} gr_lease_shared;

#define GR_LEASE_NEVER UINT64_MAX /* as cap: no release wakes the janitor */

#ifdef __cplusplus
#define GR_STATIC_ASSERT static_assert
#else
#define GR_STATIC_ASSERT _Static_assert
#endif

GR_STATIC_ASSERT(sizeof(gr_lease) == 64, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease, state) == 0, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease, next) == 8, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease, data) == 16, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease, size) == 24, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease, bytes) == 32, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease, control) == 40, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease, block) == 48, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease, slot) == 56, "layout");
GR_STATIC_ASSERT(sizeof(gr_lease_control) == 64, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease_control, head) == 0, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease_control, returned) == 8, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease_control, retained) == 16, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease_control, cap) == 24, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease_shared, futex) == 0, "layout");
GR_STATIC_ASSERT(offsetof(gr_lease_shared, forked) == 4, "layout");

/* gr_lease_wake lets the janitor evict what passes a cap. In a forked child
 * there is no janitor and nothing is evicted. */
static inline void gr_lease_wake(gr_lease_shared *shared) {
  if (__atomic_load_n(&shared->forked, __ATOMIC_SEQ_CST) != 0) return;
  __atomic_fetch_add(&shared->futex, 1, __ATOMIC_SEQ_CST);
  (void)syscall(SYS_futex, &shared->futex, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
}

/* gr_lease_retain adds a reference. Returns 0, or -1 for a stale handle. */
static inline int gr_lease_retain(gr_lease *lease, uint32_t generation) {
  uint64_t state = __atomic_load_n(&lease->state, __ATOMIC_SEQ_CST);
  for (;;) {
    if ((uint32_t)(state >> 32) != generation || (uint32_t)state == 0) return -1;
    if (__atomic_compare_exchange_n(&lease->state, &state, state + 1, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return 0;
  }
}

/* gr_lease_release drops a reference; the last one pushes the block on its
 * arena's return list. Returns 0, or -1 for a stale handle or a release too
 * many. */
static inline int gr_lease_release(gr_lease *lease, uint32_t generation, gr_lease_shared *shared) {
  uint64_t state = __atomic_load_n(&lease->state, __ATOMIC_SEQ_CST);
  for (;;) {
    if ((uint32_t)(state >> 32) != generation || (uint32_t)state == 0) return -1;
    if (__atomic_compare_exchange_n(&lease->state, &state, state - 1, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) break;
  }
  if ((uint32_t)state != 1) return 0;
  gr_lease_control *control = (gr_lease_control *)(uintptr_t)lease->control;
  uint64_t counted = __atomic_load_n(&control->cap, __ATOMIC_SEQ_CST) != GR_LEASE_NEVER;
  if (counted) __atomic_fetch_add(&control->returned, lease->bytes, __ATOMIC_SEQ_CST);
  uint64_t head = __atomic_load_n(&control->head, __ATOMIC_SEQ_CST);
  do {
    __atomic_store_n(&lease->next, head | counted, __ATOMIC_RELAXED); /* the push publishes it */
  } while (!__atomic_compare_exchange_n(&control->head, &head, (uint64_t)(uintptr_t)lease, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  /* Asked after the push: an arena that lowers its cap, sets one or closes first writes
   * the cap, then looks at the list, so one of the two sees the other. */
  uint64_t cap = __atomic_load_n(&control->cap, __ATOMIC_SEQ_CST);
  if (cap == GR_LEASE_NEVER) return 0;
  uint64_t kept = __atomic_load_n(&control->returned, __ATOMIC_SEQ_CST) + __atomic_load_n(&control->retained, __ATOMIC_SEQ_CST);
  if (!counted || kept > cap) gr_lease_wake(shared);
  return 0;
}

#ifdef __cplusplus
}
#endif

#endif
