//go:build pyext

/* native_pages.c: what only loading needed goes back to the kernel.
 *
 * The dynamic loader and the initialisation of Go packages touch nearly all of the
 * library once: relocation tables, tables of functions, the declarations of all
 * operators. Those pages are clean copies of the file; dropped, the few that runs
 * need come back from the page cache, and the rest stops counting as resident. */
#include "native.h"

#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* One fault maps all of a folio of the page cache, up to 2 MB, but none that reaches
 * beyond its mapping. Text and tables lie in mappings of this size therefore; a flag that
 * means nothing for clean pages of a file, set on every other piece, keeps them apart. */
enum { PIECE = 256 << 10 };

/* drop advises the kernel about the read-only segments of the object that holds
 * the address at data. Segments that can be written are left: what the loader
 * relocated in them is in no file. */
static int drop(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  uintptr_t here = (uintptr_t)data, page = (uintptr_t)sysconf(_SC_PAGESIZE);
  int ours = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + p->p_vaddr;
    ours |= p->p_type == PT_LOAD && here >= start && here < start + p->p_memsz;
  }
  for (int i = 0; ours && i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD || (p->p_flags & PF_W) != 0) continue;
    uintptr_t start = (info->dlpi_addr + p->p_vaddr) & ~(page - 1), end = info->dlpi_addr + p->p_vaddr + p->p_filesz;
    size_t n = (end - start) & ~(page - 1);
    for (size_t at = 0; at < n; at += 2 * PIECE) madvise((void *)(start + at), n - at < PIECE ? n - at : PIECE, MADV_DONTDUMP);
    madvise((void *)start, n, MADV_DONTNEED);
  }
  return ours;
}

void gr_drop_load_pages(void) {
  static int dropped = 0; /* under the interpreter's lock, or twice for nothing */
  if (dropped) return;
  dropped = 1;
  dl_iterate_phdr(drop, (void *)(uintptr_t)&gr_drop_load_pages);
}
