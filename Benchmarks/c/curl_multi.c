// SPDX-License-Identifier: MIT
//
// The least a program can do to probe over HTTP with libcurl: one multi handle, a fresh connection for each probe,
// IN_FLIGHT at once, nothing kept but whether the status was 200. Easy handles are used again: the bar is set as high
// as libcurl allows.
//
// usage: curl_multi URL PROBES IN_FLIGHT

#include <curl/curl.h>
#include <stdlib.h>

#include "report.h"

static size_t discard(char *data, size_t size, size_t count, void *context) {
  (void)data;
  (void)context;
  return size * count;
}

static CURL *make_probe(const char *url) {
  CURL *probe = curl_easy_init();
  if (!probe) exit(70);
  curl_easy_setopt(probe, CURLOPT_URL, url);
  curl_easy_setopt(probe, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(probe, CURLOPT_FRESH_CONNECT, 1L);
  curl_easy_setopt(probe, CURLOPT_FORBID_REUSE, 1L);
  curl_easy_setopt(probe, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
  curl_easy_setopt(probe, CURLOPT_SSL_SESSIONID_CACHE, 0L);
  curl_easy_setopt(probe, CURLOPT_PROXY, "");
  curl_easy_setopt(probe, CURLOPT_TIMEOUT_MS, 10000L);
  curl_easy_setopt(probe, CURLOPT_WRITEFUNCTION, discard);
  return probe;
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  long probes = atol(argv[2]), in_flight = atol(argv[3]);
  if (in_flight > probes) in_flight = probes;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  if (!multi) return 70;
  CURL **pool = calloc((size_t)in_flight, sizeof *pool);
  if (!pool) return 70;

  struct stopwatch start = start_watch();
  for (long index = 0; index < in_flight; index++) {
    pool[index] = make_probe(argv[1]);
    curl_multi_add_handle(multi, pool[index]);
  }
  long started = in_flight, ended = 0, ok = 0;
  while (ended < probes) {
    int running, left;
    curl_multi_perform(multi, &running);
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL *probe = message->easy_handle;
      long status = 0;
      curl_easy_getinfo(probe, CURLINFO_RESPONSE_CODE, &status);
      if (message->data.result == CURLE_OK && status == 200) ok++;
      ended++;
      curl_multi_remove_handle(multi, probe);
      if (started < probes) {
        started++;
        curl_multi_add_handle(multi, probe);
      }
    }
    if (ended < probes) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  report(start, probes, ok);

  for (long index = 0; index < in_flight; index++) curl_easy_cleanup(pool[index]);
  free(pool);
  curl_multi_cleanup(multi);
  curl_global_cleanup();
  return ok == probes ? 0 : 1;
}
