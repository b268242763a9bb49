/* SPDX-License-Identifier: MIT */

/*
 * libcurl for Swift: the header itself, plus one typed inline wrapper for each shape of the variadic calls,
 * which Swift cannot call.
 *
 * Ownership
 *   - A string given to quartz_curl_set_string is copied by libcurl; a list given to quartz_curl_set_list and a
 *     body given to quartz_curl_set_body are NOT: they must outlive their use by the handle, which ends when the
 *     option is set again, with curl_easy_reset or with curl_easy_cleanup; then curl_slist_free_all.
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
 *   - A handle belongs to one thread at a time.
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
#include <sys/socket.h>
#include <unistd.h>

/* The pre-request callback needs 7.80, the protocol list as text 7.85, QUICK_EXIT 7.87. */
#if LIBCURL_VERSION_NUM < 0x075801
#error "libcurl 7.88.1 or newer is needed"
#endif

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

/* Not copied: see Ownership. */
static inline CURLcode quartz_curl_set_body(CURL *easy, const void *bytes, int64_t count) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_POSTFIELDS, (const char *)bytes);
}

/* For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION, which share their shape. */
static inline CURLcode quartz_curl_set_data_callback(CURL *easy, CURLoption option, curl_write_callback callback) {
  return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode quartz_curl_set_read_callback(CURL *easy, curl_read_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, callback);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_READDATA, context);
}

/* Called only with CURLOPT_VERBOSE. */
static inline CURLcode quartz_curl_set_debug_callback(CURL *easy, curl_debug_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
}

static inline long quartz_curl_use_ssl_all(void) { return (long)CURLUSESSL_ALL; }

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

/* The pointer set as CURLOPT_PRIVATE. */
static inline CURLcode quartz_curl_info_private(CURL *easy, void **value) {
  return curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)value);
}

static inline CURLMcode quartz_curl_multi_set_socket_callback(CURLM *multi, curl_socket_callback callback,
                                                              void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback) : code;
}

static inline CURLMcode quartz_curl_multi_set_timer_callback(CURLM *multi, curl_multi_timer_callback callback,
                                                             void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback) : code;
}

static inline CURLMcode quartz_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/* The message's result; its union has no member of a Swift type. */
static inline CURLcode quartz_curl_message_result(const CURLMsg *message) { return message->data.result; }

/* The address libcurl is about to dial, as long as its family says: the field is declared shorter. */
static inline const void *quartz_curl_place(const struct curl_sockaddr *address) { return &address->addr; }

#endif
