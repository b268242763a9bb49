// SPDX-License-Identifier: MIT
//
// A TCP server that accepts and closes, on 127.0.0.1 and a port of the kernel's choice, which it prints. It ends
// with its standard input, so that it cannot outlive the script that started it.
//
// usage: tcp_accept

#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 4096) ||
      getsockname(listener, (struct sockaddr *)&address, &length)) {
    perror("tcp_accept");
    return 70;
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  struct pollfd polled[2] = {{.fd = listener, .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
  while (polled[1].revents == 0) {
    if (poll(polled, 2, -1) < 0) continue;
    int connection;
    while ((connection = accept(listener, NULL, NULL)) >= 0) close(connection);
  }
  return 0;
}
