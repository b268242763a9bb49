// SPDX-License-Identifier: MIT
//
// The kernel's event descriptors, its clock and its file systems, and the allocator's upkeep, which Swift's Glibc module
// leaves out, and prctl, which is variadic. Only glibc's own declarations, typed wrappers of what is variadic, and the
// kernel's structures in a form that every kernel can fill: there is nothing to own here. Each function returns -1 and sets errno on failure; a descriptor
// it returns belongs to the caller, who closes it once. Create with the CLOEXEC flag of its family, always.

#ifndef QUARTZ_CLINUX_SHIM_H
#define QUARTZ_CLINUX_SHIM_H

#include <elf.h>
#include <malloc.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <time.h>

// Behind <time.h>, whose timespec it holds.
#include <asm/socket.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>

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

// pthread_setattr_default_np(3), whose declaration glibc keeps for _GNU_SOURCE: what every thread starts with that is told
// nothing else. Zero, or an error number.
extern int pthread_setattr_default_np(const pthread_attr_t *attributes);
static inline int quartz_set_thread_defaults(const pthread_attr_t *attributes) {
  return pthread_setattr_default_np(attributes);
}

// PR_SET_DUMPABLE of prctl(2).
static inline int quartz_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }
// The name ps(1) and a debugger show of the calling thread, at most 15 bytes: PR_SET_NAME of prctl(2).
static inline int quartz_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0UL, 0UL, 0UL); }

// PR_SET_CHILD_SUBREAPER and PR_GET_CHILD_SUBREAPER of prctl(2): whether orphans among its descendants are re-parented to
// this process.
static inline int quartz_adopt_orphans(int on) { return prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)on, 0UL, 0UL, 0UL); }
static inline int quartz_adopts_orphans(void) {
  int on = 0;
  return prctl(PR_GET_CHILD_SUBREAPER, (unsigned long)&on, 0UL, 0UL, 0UL) == 0 ? on : -1;
}

// Of glibc, whose own header would make all of its names this module's.
extern long syscall(long number, ...);

// pidfd_open(2), which sets CLOEXEC itself, and pidfd_send_signal(2); glibc has them since 2.36.
static inline int quartz_open_process(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0U); }
static inline int quartz_signal_process(int descriptor, int number) {
  return (int)syscall(SYS_pidfd_send_signal, descriptor, number, (void *)0, 0U);
}

// The soft limit of RLIMIT_MSGQUEUE (12 on every architecture), by prlimit(2) and the kernel's structure of two numbers.
static inline int quartz_queue_limit(uint64_t *soft) {
  uint64_t limits[2];
  if (syscall(SYS_prlimit64, 0, 12, (void *)0, limits) != 0) return -1;
  *soft = limits[0];
  return 0;
}
static inline int quartz_set_queue_limit(uint64_t soft) {
  uint64_t limits[2];
  if (syscall(SYS_prlimit64, 0, 12, (void *)0, limits) != 0) return -1;
  limits[0] = soft;
  return (int)syscall(SYS_prlimit64, 0, 12, limits, (void *)0);
}

// An object that the dynamic linker loaded: the first fields of dl_phdr_info, dl_iterate_phdr(3). Of
// glibc, whose own header would make all of its names this module's.
struct quartz_loaded {
  Elf64_Addr moved;
  const char *name;
  const Elf64_Phdr *headers;
  Elf64_Half count;
};
struct dl_phdr_info;
extern int dl_iterate_phdr(int (*each)(struct dl_phdr_info *object, unsigned long size, void *context), void *context);

// A failure leaves everything as it was. A segment that may be written holds what was relocated and is left alone.
static inline int quartz_forget_object(struct dl_phdr_info *object, unsigned long size, void *page_size) {
  const struct quartz_loaded *loaded = (const struct quartz_loaded *)object;
  unsigned long page = *(const unsigned long *)page_size;
  if (size < sizeof(struct quartz_loaded)) return 0;
  for (unsigned long i = 0; i < loaded->count; i++) {
    const Elf64_Phdr *header = &loaded->headers[i];
    if (header->p_type != PT_LOAD || (header->p_flags & PF_W) != 0) continue;
    unsigned long begin = (loaded->moved + header->p_vaddr) & ~(page - 1);
    unsigned long end = (loaded->moved + header->p_vaddr + header->p_memsz + page - 1) & ~(page - 1);
    madvise((void *)begin, end - begin, MADV_DONTNEED);
  }
  return 0;
}

// Forgets the resident pages of code and constants, the program's and its libraries': they come back from their files when
// they are used again. elf(5), getauxval(3), MADV_DONTNEED of madvise(2).
static inline void quartz_forget_code(void) {
  unsigned long page = getauxval(AT_PAGESZ);
  if (page != 0) dl_iterate_phdr(quartz_forget_object, &page);
}

// socket(7). Of glibc, whose own header would make all of its names this module's.
extern int getsockopt(int descriptor, int level, int option, void *__restrict value, unsigned *__restrict length);
extern int setsockopt(int descriptor, int level, int option, const void *value, unsigned length);

// Types of the control messages of stamped packets, of cmsg(3), linux/errqueue.h and timestamping.rst of the kernel.
enum {
  QUARTZ_STAMPS = SO_TIMESTAMPING,
  QUARTZ_STAMP_ORIGIN = SO_EE_ORIGIN_TIMESTAMPING,
};

// SO_TIMESTAMPING: the kernel says of each packet when it came and, in the error queue, when it left, by its own clock
// and without the packet. Those that leave are numbered from 0 on.
static inline int quartz_ask_for_stamps(int descriptor, int leaving) {
  int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
  if (leaving) flags |= SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;
  return setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags);
}

// The kernel's figures of a TCP connection, of struct tcp_info (tcp(7), linux/tcp.h). Times are microseconds; a round
// trip of zero: none was measured.
struct quartz_tcp_facts {
  uint32_t retransmits, round_trip, variance, timeout, segment, path_mtu, out_of_order;
};

// The structure's beginning up to tcpi_total_retrans, as every kernel since 2.6 has it, and then up to tcpi_rcv_ooopack, as
// Linux 5.4 has it. Not netinet/tcp.h: what a header of the library declares here, Swift would look for here alone.
struct quartz_tcp_info {
  uint8_t states[8];
  uint32_t rto, ato, snd_mss, rcv_mss, unacked, sacked, lost, retrans, fackets, last_data_sent, last_ack_sent,
      last_data_recv, last_ack_recv, pmtu, rcv_ssthresh, rtt, rttvar, snd_ssthresh, snd_cwnd, advmss, reordering, rcv_rtt,
      rcv_space, total_retrans;
};
enum { quartz_tcp_info_out_of_order = 224, quartz_tcp_info_room = 256 };

// A kernel writes as much of the structure as it knows and there is room for, and says how much.
static inline int quartz_tcp_facts_in(const void *bytes, unsigned long length, struct quartz_tcp_facts *facts) {
  struct quartz_tcp_info info;
  if (bytes == 0 || length < sizeof info) return -1;
  __builtin_memcpy(&info, bytes, sizeof info);
  facts->retransmits = info.total_retrans;
  facts->round_trip = info.rtt;
  facts->variance = info.rttvar;
  facts->timeout = info.rto;
  facts->segment = info.snd_mss;
  facts->path_mtu = info.pmtu;
  facts->out_of_order = 0;
  if (length >= quartz_tcp_info_out_of_order + sizeof facts->out_of_order)
    __builtin_memcpy(&facts->out_of_order, (const char *)bytes + quartz_tcp_info_out_of_order, sizeof facts->out_of_order);
  return 0;
}

// TCP_INFO (11) of SOL_TCP (6), getsockopt(2). It takes nothing from the socket: an error that waits there still waits.
static inline int quartz_tcp_facts_of(int descriptor, struct quartz_tcp_facts *facts) {
  uint64_t info[quartz_tcp_info_room / sizeof(uint64_t)];
  unsigned length = sizeof info;
  if (getsockopt(descriptor, 6, 11, info, &length) != 0) return -1;
  return quartz_tcp_facts_in(info, length, facts);
}

#endif
