// SPDX-License-Identifier: MIT
//
// An HTTP server that answers each request DELAY milliseconds after it has read it, on 127.0.0.1 and a port of the
// kernel's choice, which it prints. It ends with its standard input.
//
// usage: http_delay DELAY

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { CAPACITY = 65536 };

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

// The delay is the same for all, so who asked first is answered first: a ring is enough.
static struct pending {
  int connection;
  struct timespec due;
} ring[CAPACITY];
static unsigned head, tail;

static void watch(int poller, int descriptor) {
  struct epoll_event interest = {.events = EPOLLIN, .data.fd = descriptor};
  epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &interest);
}

static void take_request(int poller, int connection, long delay) {
  char request[4096];
  ssize_t count = recv(connection, request, sizeof request, MSG_DONTWAIT);
  if (count <= 0 || tail - head == CAPACITY) {
    close(connection);
    return;
  }
  epoll_ctl(poller, EPOLL_CTL_DEL, connection, NULL);
  struct pending *pending = &ring[tail++ % CAPACITY];
  pending->connection = connection;
  clock_gettime(CLOCK_MONOTONIC, &pending->due);
  pending->due.tv_nsec += delay * 1000000;
  pending->due.tv_sec += pending->due.tv_nsec / 1000000000;
  pending->due.tv_nsec %= 1000000000;
}

static void answer_due(int timer) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  for (; head != tail; head++) {
    struct pending *pending = &ring[head % CAPACITY];
    if (pending->due.tv_sec > now.tv_sec ||
        (pending->due.tv_sec == now.tv_sec && pending->due.tv_nsec > now.tv_nsec))
      break;
    send(pending->connection, answer, sizeof answer - 1, MSG_NOSIGNAL);
    close(pending->connection);
  }
  struct itimerspec next = {0};
  if (head != tail) next.it_value = ring[head % CAPACITY].due;
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &next, NULL);
}

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  long delay = atol(argv[1]);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 4096) ||
      getsockname(listener, (struct sockaddr *)&address, &length)) {
    perror("http_delay");
    return 70;
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  int poller = epoll_create1(EPOLL_CLOEXEC);
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  watch(poller, listener);
  watch(poller, timer);
  watch(poller, STDIN_FILENO);
  struct epoll_event events[256];
  for (;;) {
    int ready = epoll_wait(poller, events, 256, -1);
    for (int index = 0; index < ready; index++) {
      int descriptor = events[index].data.fd, connection;
      if (descriptor == STDIN_FILENO) return 0;
      if (descriptor == listener) {
        while ((connection = accept(listener, NULL, NULL)) >= 0) watch(poller, connection);
      } else if (descriptor != timer) {
        take_request(poller, descriptor, delay);
      }
    }
    answer_due(timer);
  }
}
