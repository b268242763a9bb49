/* SPDX-License-Identifier: MIT */

/*
 * libcurl for Swift: the header itself, plus one typed inline wrapper for each shape of the variadic calls,
 * which Swift cannot call.
 *
 * Ownership
 *   - A string given to quartz_curl_set_string is copied by libcurl; a list given to quartz_curl_set_list and a
 *     body given to quartz_curl_set_body are NOT: they must outlive their use by the handle, which ends when the
 *     option is set anew, with curl_easy_reset or with curl_easy_cleanup; then curl_slist_free_all.
 *   - curl_slist_append returns the list's new head, or NULL when memory is out; the old list is then still
 *     the caller's.
 *   - Strings from quartz_curl_info_string belong to the handle and die with curl_easy_cleanup.
 *   - A socket returned by the open-socket callback belongs to libcurl from then on, which closes it.
 *
 * Errors
 *   - Each setter returns the CURLcode of curl_easy_setopt and must be checked: an option that was refused
 *     leaves the handle less safe than asked for.
 *   - errno is meaningless after these calls. The one of a failed system call inside a transfer is read with
 *     CURLINFO_OS_ERRNO, before curl_easy_cleanup; zero means that none was noted.
 *
 * Threads
 *   - A handle belongs to one thread at a time. Only curl_multi_wakeup may be called from another one, and only
 *     while the multi handle is known to exist.
 */
#ifndef QUARTZ_CCURL_SHIM_H
#define QUARTZ_CCURL_SHIM_H

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The pre-request callback needs 7.80, the protocol list as text 7.85, QUICK_EXIT 7.87. */
#if LIBCURL_VERSION_NUM < 0x075801
#error "libcurl 7.88.1 or newer is needed"
#endif

/* The name ps(1) and a debugger show of the calling thread: PR_SET_NAME of prctl(2), which is variadic. */
static inline int quartz_curl_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0UL, 0UL, 0UL); }

/* Of the library that is loaded, as LIBCURL_VERSION_NUM. */
static inline uint32_t quartz_curl_version(void) { return curl_version_info(CURLVERSION_NOW)->version_num; }

/* A macro with a cast, which Swift does not see. */
static inline long quartz_curl_auth_basic(void) { return (long)CURLAUTH_BASIC; }

static inline CURLcode quartz_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode quartz_curl_set_size(CURL *easy, CURLoption option, int64_t value) {
  return curl_easy_setopt(easy, option, (curl_off_t)value);
}

/* NULL restores the option's default, which for CAINFO and CAPATH means "none". */
static inline CURLcode quartz_curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

/* For the ...DATA options: handed to the callback as it is. */
static inline CURLcode quartz_curl_set_context(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode quartz_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

/* A list of one CONNECT_TO entry that matches whatever the URL names. NULL: no literal, or out of memory; the caller
 * frees it as any list. */
static inline struct curl_slist *quartz_curl_pin(const char *literal, uint16_t port) {
  struct in6_addr address;
  char entry[80];
  int length = -1;
  if (inet_pton(AF_INET, literal, &address) == 1)
    length = snprintf(entry, sizeof entry, "::%s:%u", literal, (unsigned)port);
  else if (inet_pton(AF_INET6, literal, &address) == 1)
    length = snprintf(entry, sizeof entry, "::[%s]:%u", literal, (unsigned)port);
  return length > 0 && (size_t)length < sizeof entry ? curl_slist_append(NULL, entry) : NULL;
}

/* Not copied: see Ownership. */
static inline CURLcode quartz_curl_set_body(CURL *easy, const void *bytes, int64_t count) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_POSTFIELDS, (const char *)bytes);
}

/* For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION, which share their shape. */
static inline CURLcode quartz_curl_set_data_callback(CURL *easy, CURLoption option, curl_write_callback callback) {
  return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode quartz_curl_set_open_socket(CURL *easy, curl_opensocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode quartz_curl_set_close_socket(CURL *easy, curl_closesocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode quartz_curl_set_socket_options(CURL *easy, curl_sockopt_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, callback);
}

static inline CURLcode quartz_curl_set_pre_request(CURL *easy, curl_prereq_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode quartz_curl_set_ssl_context(CURL *easy, curl_ssl_ctx_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
}

static inline CURLcode quartz_curl_info_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

/* Microseconds for the ..._TIME_T infos. */
static inline CURLcode quartz_curl_info_size(CURL *easy, CURLINFO info, int64_t *value) {
  curl_off_t wide = 0;
  CURLcode code = curl_easy_getinfo(easy, info, &wide);
  *value = (int64_t)wide;
  return code;
}

static inline CURLcode quartz_curl_info_string(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, (char **)value);
}

/* What was set as CURLOPT_PRIVATE. */
static inline CURLcode quartz_curl_info_private(CURL *easy, void **value) {
  return curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)value);
}

static inline CURLMcode quartz_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/* The message's result; its union has no member of a Swift type. */
static inline CURLcode quartz_curl_message_result(const CURLMsg *message) { return message->data.result; }

/* 1 when the address is exactly this literal and port, else 0. */
static inline int quartz_curl_same_address(const void *raw, int family, const char *literal, uint16_t port) {
  if (family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)raw;
    struct in_addr wanted;
    return inet_pton(AF_INET, literal, &wanted) == 1 && v4->sin_addr.s_addr == wanted.s_addr &&
           v4->sin_port == htons(port);
  }
  if (family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)raw;
    struct in6_addr wanted;
    return inet_pton(AF_INET6, literal, &wanted) == 1 &&
           memcmp(&v6->sin6_addr, &wanted, sizeof wanted) == 0 && v6->sin6_port == htons(port);
  }
  return 0;
}

/* Of the address libcurl is about to dial. */
static inline int quartz_curl_is_address(const struct curl_sockaddr *address, const char *literal, uint16_t port) {
  return quartz_curl_same_address(&address->addr, address->family, literal, port);
}

/* Of the other end of a connected socket. With 0, errno is that of a failed call, or zero when it is another address. */
static inline int quartz_curl_is_peer(int descriptor, const char *literal, uint16_t port) {
  struct sockaddr_storage peer;
  socklen_t length = sizeof peer;
  errno = 0;
  if (getpeername(descriptor, (struct sockaddr *)(void *)&peer, &length) != 0) return 0;
  return quartz_curl_same_address(&peer, peer.ss_family, literal, port);
}

/* Whether the kernel knows a way to the literal address: connecting a datagram socket sends nothing. */
static inline int quartz_curl_has_route(const char *literal) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(9)};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
  int is_v4 = inet_pton(AF_INET, literal, &v4.sin_addr) == 1;
  if (!is_v4 && inet_pton(AF_INET6, literal, &v6.sin6_addr) != 1) return 0;
  int descriptor = socket(is_v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return 0;
  int result = is_v4 ? connect(descriptor, (const struct sockaddr *)(const void *)&v4, sizeof v4)
                     : connect(descriptor, (const struct sockaddr *)(const void *)&v6, sizeof v6);
  (void)close(descriptor);
  return result == 0;
}

/* Binds a socket to the local address and a port the kernel chooses at connect. -1 with errno on failure, EINVAL
 * for what is no literal. */
static inline int quartz_curl_bind(int descriptor, const char *literal) {
  int late = 1;
  (void)setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &late, sizeof late);
  struct sockaddr_in v4 = {.sin_family = AF_INET};
  if (inet_pton(AF_INET, literal, &v4.sin_addr) == 1)
    return bind(descriptor, (const struct sockaddr *)(const void *)&v4, sizeof v4);
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
  if (inet_pton(AF_INET6, literal, &v6.sin6_addr) == 1)
    return bind(descriptor, (const struct sockaddr *)(const void *)&v6, sizeof v6);
  errno = EINVAL;
  return -1;
}

#endif
