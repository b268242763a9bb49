/* SPDX-License-Identifier: MIT */

/*
 * Preloaded into what runs under valgrind 3.19, so that Swift's runtime gets along with it.
 *
 * Valgrind's wrapper of rt_sigsuspend changes the caller's mask in place, and the one of libdispatch lies in memory that
 * cannot be written: it gets a copy. And Foundation has a new process close every descriptor it sees, also valgrind's own
 * beyond the limit, for which posix_spawn fails: those are left to valgrind.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
  sigset_t copy = *mask;
  return (int)syscall(SYS_rt_sigsuspend, &copy, _NSIG / 8);
}

int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *actions, int descriptor) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)descriptor >= limit.rlim_cur) return 0;
  int (*next)(posix_spawn_file_actions_t *, int) =
      (int (*)(posix_spawn_file_actions_t *, int))dlsym(RTLD_NEXT, "posix_spawn_file_actions_addclose");
  return next(actions, descriptor);
}
