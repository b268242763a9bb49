// SPDX-License-Identifier: MIT
//
// The kernel's event descriptors, its clock and its file systems, and the allocator's upkeep, which Swift's Glibc module
// leaves out, and prctl, which is variadic. Only glibc's own declarations, and
// typed wrappers of what is variadic: there is nothing to own here. Each function returns -1 and sets errno on failure; a descriptor
// it returns belongs to the caller, who closes it once. Create with the CLOEXEC flag of its family, always.

#ifndef QUARTZ_CLINUX_SHIM_H
#define QUARTZ_CLINUX_SHIM_H

#include <elf.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/vfs.h>

// pipe2(2) with O_CLOEXEC, whose declaration glibc keeps for _GNU_SOURCE: both ends are closed in what is started meanwhile.
extern int pipe2(int ends[2], int flags);
static inline int quartz_pipe(int ends[2]) { return pipe2(ends, 02000000); }

// The same of posix_spawn_file_actions_addclosefrom_np(3) (glibc 2.34) and posix_spawn_file_actions_addchdir_np(3) (2.29);
// both return an error number.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
static inline int quartz_spawn_close_from(posix_spawn_file_actions_t *actions, int from) {
  return posix_spawn_file_actions_addclosefrom_np(actions, from);
}
static inline int quartz_spawn_chdir(posix_spawn_file_actions_t *actions, const char *path) {
  return posix_spawn_file_actions_addchdir_np(actions, path);
}

// PR_SET_DUMPABLE of prctl(2).
static inline int quartz_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }
// The name ps(1) and a debugger show of the calling thread, at most 15 bytes: PR_SET_NAME of prctl(2).
static inline int quartz_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0UL, 0UL, 0UL); }

// Forgets the resident pages of the program's own code and constants: they come back from its file when they are used
// again. A segment that may be written is left alone, it holds what was relocated; so are the libraries, which other
// processes share. PT_PHDR says how far the program was moved: elf(5), getauxval(3), MADV_DONTNEED of madvise(2).
static inline void quartz_forget_code(void) {
  const Elf64_Phdr *headers = (const Elf64_Phdr *)getauxval(AT_PHDR);
  unsigned long count = headers == 0 ? 0 : getauxval(AT_PHNUM);
  unsigned long page = getauxval(AT_PAGESZ), moved = 0, known = 0;
  for (unsigned long i = 0; i < count; i++)
    if (headers[i].p_type == PT_PHDR) {
      moved = (unsigned long)headers - headers[i].p_vaddr;
      known = 1;
    }
  if (!known || page == 0) return;
  for (unsigned long i = 0; i < count; i++) {
    if (headers[i].p_type != PT_LOAD || (headers[i].p_flags & PF_W) != 0) continue;
    unsigned long begin = (moved + headers[i].p_vaddr) & ~(page - 1);
    unsigned long end = (moved + headers[i].p_vaddr + headers[i].p_memsz + page - 1) & ~(page - 1);
    // A failure leaves everything as it was.
    madvise((void *)begin, end - begin, MADV_DONTNEED);
  }
}

#endif
