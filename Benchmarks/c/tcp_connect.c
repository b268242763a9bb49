// SPDX-License-Identifier: MIT
//
// The least a program can do to probe TCP ports: a non-blocking connect, one epoll event, a look at SO_ERROR and a
// close; IN_FLIGHT at once. No deadline, no address policy, no timing.
//
// usage: tcp_connect IPV4 PORT PROBES IN_FLIGHT

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "report.h"

static int start_probe(int poller, const struct sockaddr_in *target) {
  int probe = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0) return -1;
  int failed = connect(probe, (const struct sockaddr *)target, sizeof *target);
  struct epoll_event interest = {.events = EPOLLOUT, .data.fd = probe};
  if ((failed && errno != EINPROGRESS) || epoll_ctl(poller, EPOLL_CTL_ADD, probe, &interest)) {
    close(probe);
    return -1;
  }
  return 0;
}

static int end_probe(int probe) {
  int error = 1;
  socklen_t length = sizeof error;
  getsockopt(probe, SOL_SOCKET, SO_ERROR, &error, &length);
  close(probe);
  return error == 0;
}

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  struct sockaddr_in target = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[2]))};
  if (inet_pton(AF_INET, argv[1], &target.sin_addr) != 1) return 64;
  long probes = atol(argv[3]), in_flight = atol(argv[4]);
  int poller = epoll_create1(EPOLL_CLOEXEC);
  if (poller < 0) return 70;

  struct stopwatch start = start_watch();
  long started = 0, going = 0, ok = 0;
  struct epoll_event events[256];
  while (started < probes || going > 0) {
    while (started < probes && going < in_flight) {
      started++;
      if (start_probe(poller, &target) == 0) going++;
    }
    if (going == 0) continue;
    int ready = epoll_wait(poller, events, 256, -1);
    for (int index = 0; index < ready; index++) {
      ok += end_probe(events[index].data.fd);
      going--;
    }
  }
  report(start, probes, ok);
  close(poller);
  return ok == probes ? 0 : 1;
}
