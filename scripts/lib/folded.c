/* SPDX-License-Identifier: MIT */

/*
 * The memory error of libcurl before 8.1.1 (curl issue 11101), as a program that used one handle for two transfers
 * would meet it: the second answer begins with a folded line. scripts/prove-memory runs it to see that its net holds.
 * Exits 0 when both transfers ended, and prints libcurl's version number.
 */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t drop(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes;
  (void)context;
  return size * count;
}

/* Answers two requests: a sound answer, then one whose first header line is folded. */
static void serve(int listener) {
  char filler[3000];
  char answer[4096];
  memset(filler, 'B', sizeof filler - 1);
  filler[sizeof filler - 1] = 0;
  for (int turn = 0; turn < 2; turn++) {
    char request[4096];
    int link = accept(listener, NULL, NULL);
    ssize_t got = read(link, request, sizeof request);
    int length = turn == 0 ? snprintf(answer, sizeof answer, "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 0\r\n\r\n")
                           : snprintf(answer, sizeof answer, "HTTP/1.1 200 OK\r\n B: %s\r\n\r\n", filler);
    if (got <= 0 || write(link, answer, (size_t)length) != length) exit(1);
    close(link);
  }
  exit(0);
}

int main(void) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof place;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  char url[64];
  if (bind(listener, (struct sockaddr *)&place, length) != 0 || listen(listener, 2) != 0) return 2;
  if (getsockname(listener, (struct sockaddr *)&place, &length) != 0) return 2;
  snprintf(url, sizeof url, "http://127.0.0.1:%u/", (unsigned)ntohs(place.sin_port));
  pid_t server = fork();
  if (server == 0) serve(listener);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURL *easy = curl_easy_init();
  for (int turn = 0; turn < 2; turn++) {
    curl_easy_reset(easy);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
    (void)curl_easy_perform(easy);
  }
  curl_easy_cleanup(easy);
  waitpid(server, NULL, 0);
  printf("%u\n", curl_version_info(CURLVERSION_NOW)->version_num);
  return 0;
}
