/* SPDX-License-Identifier: MIT */

#define _GNU_SOURCE
#include "spin.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Connections ended in one turn that can be told of. */
#define QUARTZ_SPIN_CUTS 16
/* Bytes read since the first look that are more than any handshake: its chain of certificates may have 100 KiB. */
#define QUARTZ_SPIN_MANY (132u * 1024)
/* Byte by byte it is less, and takes longer: then this much, at so many looks. */
#define QUARTZ_SPIN_SOME (8u * 1024)
#define QUARTZ_SPIN_LOOKS 5

typedef struct {
  /* The transfer of the connection; zero for none. */
  uint64_t owner;
  /* Read from it at the first look. */
  uint64_t consumed;
} quartz_spin_place;

struct quartz_spin_guard {
  timer_t timer;
  int is_armed;
  volatile sig_atomic_t is_changing;
  /* Counts each time the thread comes back from the libraries. */
  volatile uint64_t progress;
  uint64_t seen;
  /* Ticks without progress. */
  unsigned ticks;
  /* By descriptor. */
  size_t capacity;
  quartz_spin_place *places;
  unsigned cut_count;
  uint64_t cuts[QUARTZ_SPIN_CUTS];
};

/* Bytes that were taken out of a TCP socket since it was connected. 0 when it is none, or the kernel cannot tell. */
static int consumed_bytes(int descriptor, uint64_t *bytes) {
  /* tcpi_bytes_received of linux/tcp.h, which does not go together with netinet/tcp.h; Linux 4.1 and newer. */
  enum { offset = 128 };
  unsigned char info[offset + 8];
  socklen_t length = sizeof info;
  int unread = 0;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, &length) != 0 || length < sizeof info) return 0;
  if (ioctl(descriptor, FIONREAD, &unread) != 0 || unread < 0) return 0;
  memcpy(bytes, info + offset, sizeof *bytes);
  *bytes = *bytes > (uint64_t)unread ? *bytes - (uint64_t)unread : 0;
  return 1;
}

/* Throws away what waits in the socket and resets the connection: each call on it fails from here on. */
static void quartz_spin_cut(int descriptor) {
  struct sockaddr unspecified = {.sa_family = AF_UNSPEC};
  (void)connect(descriptor, &unspecified, sizeof unspecified);
  (void)shutdown(descriptor, SHUT_RDWR);
}

static void quartz_spin_look(quartz_spin_guard *guard) {
  uint64_t most = guard->ticks >= QUARTZ_SPIN_LOOKS ? QUARTZ_SPIN_SOME : QUARTZ_SPIN_MANY;
  int worst = -1;
  for (size_t index = 0; index < guard->capacity; index++) {
    quartz_spin_place *place = &guard->places[index];
    uint64_t bytes = 0;
    if (place->owner == 0 || !consumed_bytes((int)index, &bytes)) continue;
    if (guard->ticks == 1) {
      place->consumed = bytes;
    } else if (bytes > place->consumed && bytes - place->consumed >= most) {
      most = bytes - place->consumed;
      worst = (int)index;
    }
  }
  if (worst < 0) return;
  quartz_spin_cut(worst);
  if (guard->cut_count < QUARTZ_SPIN_CUTS) guard->cuts[guard->cut_count++] = guard->places[worst].owner;
  guard->ticks = 0;
}

static void quartz_spin_tick(int signal, siginfo_t *information, void *context) {
  quartz_spin_guard *guard = (quartz_spin_guard *)information->si_value.sival_ptr;
  (void)signal;
  (void)context;
  if (information->si_code != SI_TIMER || guard == NULL || guard->is_changing) return;
  if (guard->progress != guard->seen) {
    guard->seen = guard->progress;
    guard->ticks = 0;
    return;
  }
  int code = errno;
  guard->ticks++;
  quartz_spin_look(guard);
  errno = code;
}

quartz_spin_guard *quartz_spin_new(void) { return (quartz_spin_guard *)calloc(1, sizeof(quartz_spin_guard)); }

void quartz_spin_free(quartz_spin_guard *guard) {
  if (guard == NULL) return;
  quartz_spin_disarm(guard);
  free(guard->places);
  free(guard);
}

int quartz_spin_arm(quartz_spin_guard *guard, long nanoseconds) {
  if (guard == NULL) return ENOMEM;
  if (guard->is_armed) return 0;
  int number = SIGRTMIN + 5;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = quartz_spin_tick;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, number);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = number;
  event.sigev_value.sival_ptr = guard;
  event._sigev_un._tid = (int)syscall(SYS_gettid);
  struct itimerspec interval = {{0, nanoseconds}, {0, nanoseconds}};
  if (sigaction(number, &action, NULL) != 0) return errno;
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &guard->timer) != 0) return errno;
  if (timer_settime(guard->timer, 0, &interval, NULL) != 0) {
    int code = errno;
    (void)timer_delete(guard->timer);
    return code;
  }
  (void)pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
  guard->is_armed = 1;
  return 0;
}

/* A signal that is still on its way comes before this returns. */
void quartz_spin_disarm(quartz_spin_guard *guard) {
  if (guard == NULL) return;
  if (guard->is_armed) (void)timer_delete(guard->timer);
  guard->is_armed = 0;
}

/* The thread has come back. */
void quartz_spin_progress(quartz_spin_guard *guard) {
  if (guard != NULL) guard->progress = guard->progress + 1;
}

/* 0 when memory is out: then the connection is not looked at. */
int quartz_spin_watch(quartz_spin_guard *guard, int descriptor, uint64_t owner) {
  if (guard == NULL || descriptor < 0) return 0;
  int result = 1;
  guard->is_changing = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if ((size_t)descriptor >= guard->capacity) {
    size_t capacity = (size_t)descriptor + 256;
    quartz_spin_place *places = (quartz_spin_place *)realloc(guard->places, capacity * sizeof *places);
    if (places != NULL) {
      memset(places + guard->capacity, 0, (capacity - guard->capacity) * sizeof *places);
      guard->places = places;
      guard->capacity = capacity;
    }
    result = places != NULL;
  }
  if (result) guard->places[descriptor] = (quartz_spin_place){.owner = owner, .consumed = 0};
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  guard->is_changing = 0;
  return result;
}

/* Before the descriptor is closed. */
void quartz_spin_forget(quartz_spin_guard *guard, int descriptor) {
  if (guard == NULL) return;
  if (descriptor >= 0 && (size_t)descriptor < guard->capacity) guard->places[descriptor].owner = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* One of those whose connection was ended since the last call; 0: no more. */
uint64_t quartz_spin_take(quartz_spin_guard *guard) {
  uint64_t owner = 0;
  if (guard == NULL || guard->cut_count == 0) return 0;
  guard->is_changing = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (guard->cut_count > 0) owner = guard->cuts[--guard->cut_count];
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  guard->is_changing = 0;
  return owner;
}

int64_t quartz_spin_consumed(const quartz_spin_guard *guard, int descriptor, uint64_t owner) {
  uint64_t bytes = 0;
  if (guard == NULL || descriptor < 0 || (size_t)descriptor >= guard->capacity) return -1;
  if (guard->places[descriptor].owner != owner || !consumed_bytes(descriptor, &bytes)) return -1;
  return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}
