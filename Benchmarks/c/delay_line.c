// SPDX-License-Identifier: MIT
//
// A network of one's own in which every packet takes DELAY milliseconds: a tun device whose packets come back with
// their two addresses exchanged, so that 10.99.0.2 is this machine at the other end of a long cable. Checksums hold,
// as they add the same numbers. For each TCP connection to a listed port one line of JSON says how long its phases
// took where the cable meets this machine: the truth that a client's own figures are held against.
//
// Needs root; meant for a network namespace of its own. Prints "ready" once the device is there; ends with its
// standard input.
//
// usage: delay_line DEVICE DELAY PORT...

#define _GNU_SOURCE

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { CAPACITY = 4096, PACKET = 1600, FLOWS = 65536 };

static struct packet {
  int64_t due;
  uint16_t size;
  unsigned char bytes[PACKET];
} ring[CAPACITY];
static unsigned head, tail;

// By the client's port, in nanoseconds; zero: not seen.
static struct flow {
  int64_t syn, accepted, asked, asked_again, answered, last;
} flows[FLOWS];

static uint16_t ports[16];
static int port_count;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int is_served(uint16_t port) {
  for (int index = 0; index < port_count; index++)
    if (ports[index] == port) return 1;
  return 0;
}

static void print(const struct flow *flow) {
  printf("{\"connect\": %.3f, \"second_flight\": %.3f, \"first_byte\": %.3f, \"transfer\": %.3f}\n",
         (flow->accepted - flow->syn) / 1e6, flow->asked_again ? (flow->asked_again - flow->accepted) / 1e6 : -1,
         flow->answered ? (flow->answered - flow->asked) / 1e6 : -1,
         flow->last ? (flow->last - flow->answered) / 1e6 : -1);
  fflush(stdout);
}

// A packet enters the cable (from the client) or leaves it (to the client).
static void note(const unsigned char *bytes, size_t size, int entering, int64_t at) {
  size_t header = (bytes[0] & 15) * 4u;
  if (size < header + 20 || bytes[9] != 6) return;
  const unsigned char *tcp = bytes + header;
  uint16_t from = (uint16_t)(tcp[0] << 8 | tcp[1]), to = (uint16_t)(tcp[2] << 8 | tcp[3]);
  int has_data = size > header + (tcp[12] >> 4) * 4u, syn = tcp[13] & 2, ended = tcp[13] & 5;
  if (entering && is_served(to)) {
    struct flow *flow = &flows[from];
    if (syn) *flow = (struct flow){.syn = at};
    if (has_data && !flow->asked) flow->asked = at;
    else if (has_data && flow->answered && !flow->asked_again) flow->asked_again = at;
    if (ended && flow->accepted) {
      print(flow);
      *flow = (struct flow){0};
    }
  } else if (!entering && is_served(from)) {
    struct flow *flow = &flows[to];
    if (syn) flow->accepted = at;
    if (has_data && !flow->answered) flow->answered = at;
    if (has_data) flow->last = at;
  }
}

static int open_device(const char *name) {
  int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  if (device < 0 || ioctl(device, TUNSETIFF, &request) < 0) {
    perror("delay_line");
    exit(70);
  }
  return device;
}

static void take(int device, int64_t delay) {
  for (;;) {
    struct packet *packet = &ring[tail % CAPACITY];
    if (tail - head == CAPACITY) return;
    ssize_t size = read(device, packet->bytes, PACKET);
    if (size < 20) return;
    if (packet->bytes[0] >> 4 != 4) continue;
    int64_t at = now();
    packet->size = (uint16_t)size;
    packet->due = at + delay;
    note(packet->bytes, (size_t)size, 1, at);
    tail++;
  }
}

static void give(int device) {
  while (head != tail && ring[head % CAPACITY].due <= now()) {
    struct packet *packet = &ring[head++ % CAPACITY];
    unsigned char address[4];
    memcpy(address, packet->bytes + 12, 4);
    memcpy(packet->bytes + 12, packet->bytes + 16, 4);
    memcpy(packet->bytes + 16, address, 4);
    note(packet->bytes, packet->size, 0, now());
    if (write(device, packet->bytes, packet->size) < 0) perror("delay_line");
  }
}

int main(int argc, char **argv) {
  if (argc < 4 || argc > 18) return 64;
  int device = open_device(argv[1]);
  int64_t delay = atoll(argv[2]) * 1000000;
  for (int index = 3; index < argc; index++) ports[port_count++] = (uint16_t)atoi(argv[index]);
  puts("ready");
  fflush(stdout);
  struct pollfd watched[2] = {{.fd = device, .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
  for (;;) {
    int64_t wait = head == tail ? 1000000000 : ring[head % CAPACITY].due - now();
    struct timespec patience = {.tv_sec = wait > 0 ? wait / 1000000000 : 0, .tv_nsec = wait > 0 ? wait % 1000000000 : 0};
    ppoll(watched, 2, &patience, NULL);
    char byte;
    if (watched[1].revents && read(STDIN_FILENO, &byte, 1) <= 0) return 0;
    take(device, delay);
    give(device);
  }
}
