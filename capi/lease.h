/* lease.h: the lease headers of goruntime/lease, as C sees them.
 *
 * A lease is counted down here without entering Go: legal from any thread,
 * with or without the interpreter's lock, at exit and in a forked child.
 * The layout is goruntime/lease's Header, Control and Shared; a Go test
 * compares the offsets below with it.
 */
#ifndef GR_LEASE_H
#define GR_LEASE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct gr_lease {
  _Atomic uint64_t state; /* generation << 32 | references */
  _Atomic uint64_t next;  /* next header on a return list, | 1 where returned counts bytes */
  uint64_t data;
  uint64_t size;
  uint64_t bytes;
  uint64_t control;
  uint64_t block;
  uint64_t slot;
} gr_lease;

typedef struct gr_lease_control {
  _Atomic uint64_t head;
  _Atomic uint64_t returned;
  _Atomic uint64_t retained;
  _Atomic uint64_t cap;
  uint64_t unused[4];
} gr_lease_control;

typedef struct gr_lease_shared {
  _Atomic uint32_t futex;
  _Atomic uint32_t forked;
} gr_lease_shared;

#define GR_LEASE_NEVER UINT64_MAX /* as cap: no release wakes the janitor */

_Static_assert(sizeof(gr_lease) == 64, "layout");
_Static_assert(offsetof(gr_lease, state) == 0, "layout");
_Static_assert(offsetof(gr_lease, next) == 8, "layout");
_Static_assert(offsetof(gr_lease, data) == 16, "layout");
_Static_assert(offsetof(gr_lease, size) == 24, "layout");
_Static_assert(offsetof(gr_lease, bytes) == 32, "layout");
_Static_assert(offsetof(gr_lease, control) == 40, "layout");
_Static_assert(offsetof(gr_lease, block) == 48, "layout");
_Static_assert(offsetof(gr_lease, slot) == 56, "layout");
_Static_assert(sizeof(gr_lease_control) == 64, "layout");
_Static_assert(offsetof(gr_lease_control, head) == 0, "layout");
_Static_assert(offsetof(gr_lease_control, returned) == 8, "layout");
_Static_assert(offsetof(gr_lease_control, retained) == 16, "layout");
_Static_assert(offsetof(gr_lease_control, cap) == 24, "layout");
_Static_assert(offsetof(gr_lease_shared, futex) == 0, "layout");
_Static_assert(offsetof(gr_lease_shared, forked) == 4, "layout");

/* gr_lease_wake lets the janitor evict what passes a cap. In a forked child
 * there is no janitor and nothing is evicted. */
static inline void gr_lease_wake(gr_lease_shared *shared) {
  if (atomic_load(&shared->forked) != 0) return;
  atomic_fetch_add(&shared->futex, 1);
  (void)syscall(SYS_futex, &shared->futex, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
}

/* gr_lease_retain adds a reference. Returns 0, or -1 for a stale handle. */
static inline int gr_lease_retain(gr_lease *lease, uint32_t generation) {
  uint64_t state = atomic_load(&lease->state);
  for (;;) {
    if ((uint32_t)(state >> 32) != generation || (uint32_t)state == 0) return -1;
    if (atomic_compare_exchange_weak(&lease->state, &state, state + 1)) return 0;
  }
}

/* gr_lease_release drops a reference; the last one pushes the block on its
 * arena's return list. Returns 0, or -1 for a stale handle or a release too
 * many. */
static inline int gr_lease_release(gr_lease *lease, uint32_t generation, gr_lease_shared *shared) {
  uint64_t state = atomic_load(&lease->state);
  for (;;) {
    if ((uint32_t)(state >> 32) != generation || (uint32_t)state == 0) return -1;
    if (atomic_compare_exchange_weak(&lease->state, &state, state - 1)) break;
  }
  if ((uint32_t)state != 1) return 0;
  gr_lease_control *control = (gr_lease_control *)(uintptr_t)lease->control;
  uint64_t counted = atomic_load(&control->cap) != GR_LEASE_NEVER;
  if (counted) atomic_fetch_add(&control->returned, lease->bytes);
  uint64_t head = atomic_load(&control->head);
  do {
    atomic_store_explicit(&lease->next, head | counted, memory_order_relaxed); /* the push publishes it */
  } while (!atomic_compare_exchange_weak(&control->head, &head, (uint64_t)(uintptr_t)lease));
  /* Asked after the push: an arena that lowers its cap, sets one or closes first writes
   * the cap, then looks at the list, so one of the two sees the other. */
  uint64_t cap = atomic_load(&control->cap);
  if (cap != GR_LEASE_NEVER && (!counted || atomic_load(&control->returned) + atomic_load(&control->retained) > cap)) gr_lease_wake(shared);
  return 0;
}

#endif
