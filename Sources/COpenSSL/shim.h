/* SPDX-License-Identifier: MIT */

/*
 * OpenSSL for Swift: the headers, plus inline wrappers for what is a macro or a typed stack.
 *
 * Ownership
 *   - Names with get0 lend: valid as long as the object they came from. Names with get1 or set1 take or give a
 *     reference of their own. X509_get_ext_d2i gives; the result is freed by GENERAL_NAMES_free.
 *   - X509_STORE is reference counted: SSL_CTX_set1_cert_store takes its own reference, so a store may be
 *     freed by its owner while handshakes still use it.
 *
 * Errors
 *   - Failures leave codes in a queue of the calling thread (ERR_peek_error: the oldest). The caller clears
 *     it with ERR_clear_error, or the next call on that thread reports the failure of an earlier one.
 *   - errno is set by the socket calls below OpenSSL only.
 *
 * Threads
 *   - X509_STORE guards itself with its own lock. SSL and SSL_CTX belong to one thread at a time.
 */
#ifndef QUARTZ_COPENSSL_SHIM_H
#define QUARTZ_COPENSSL_SHIM_H

#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <time.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "OpenSSL 3.0 or newer is needed"
#endif

static inline int quartz_ssl_set_min_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_min_proto_version(context, version) == 1;
}

/* Zero: the newest. */
static inline int quartz_ssl_set_max_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_max_proto_version(context, version) == 1;
}

static inline int quartz_ssl_set_signatures(SSL_CTX *context, const char *list) {
  return SSL_CTX_set1_sigalgs_list(context, list) == 1;
}

/* A server may not ask for another handshake on a connection that stands: it could ask for ever. */
static inline void quartz_ssl_refuse_renegotiation(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
}

/* The same from now on, for one connection. */
static inline void quartz_ssl_end_renegotiation(SSL *ssl) { (void)SSL_set_options(ssl, SSL_OP_NO_RENEGOTIATION); }

static inline int quartz_ssl_set_max_chain_bytes(SSL_CTX *context, long bytes) {
  return SSL_CTX_set_max_cert_list(context, bytes) >= 0;
}

static inline int quartz_ssl_set_server_name(SSL *ssl, const char *name) {
  return SSL_set_tlsext_host_name(ssl, name) == 1;
}

/* Asks the server for a stapled OCSP response (RFC 6066 section 8). */
static inline void quartz_ssl_request_staple(SSL *ssl) {
  (void)SSL_set_tlsext_status_type(ssl, TLSEXT_STATUSTYPE_ocsp);
}

/* Verdicts on a stapled response (RFC 6960). */
#define QUARTZ_STAPLE_NONE 0
#define QUARTZ_STAPLE_GOOD 1
/* No OCSP response, or one that is an error of the responder. */
#define QUARTZ_STAPLE_UNREADABLE 2
#define QUARTZ_STAPLE_ERROR 3
#define QUARTZ_STAPLE_FOREIGN 4
#define QUARTZ_STAPLE_REVOKED 5
#define QUARTZ_STAPLE_UNKNOWN 6
#define QUARTZ_STAPLE_EXPIRED 7

/* Whether a response of OCSP is about the certificate. Without the issuer its serial number alone is compared. */
static inline int quartz_ocsp_is_about(OCSP_SINGLERESP *single, X509 *certificate, X509 *issuer) {
  OCSP_CERTID *named = (OCSP_CERTID *)OCSP_SINGLERESP_get0_id(single);
  ASN1_OBJECT *algorithm = NULL;
  ASN1_INTEGER *serial = NULL;
  if (OCSP_id_get0_info(NULL, &algorithm, NULL, &serial, named) != 1) return 0;
  if (ASN1_INTEGER_cmp(serial, X509_get0_serialNumber(certificate)) != 0) return 0;
  const EVP_MD *digest = issuer == NULL ? NULL : EVP_get_digestbyobj(algorithm);
  if (digest == NULL) return 1;
  OCSP_CERTID *own = OCSP_cert_to_id(digest, certificate, issuer);
  int is_about = own != NULL && OCSP_id_cmp(own, named) == 0;
  OCSP_CERTID_free(own);
  return is_about;
}

static inline int quartz_ocsp_judge(OCSP_BASICRESP *basic, X509 *certificate, X509 *issuer) {
  for (int index = 0; index < OCSP_resp_count(basic); index++) {
    OCSP_SINGLERESP *single = OCSP_resp_get0(basic, index);
    if (!quartz_ocsp_is_about(single, certificate, issuer)) continue;
    ASN1_GENERALIZEDTIME *since = NULL, *until = NULL;
    int status = OCSP_single_get0_status(single, NULL, NULL, &since, &until);
    if (status == V_OCSP_CERTSTATUS_REVOKED) return QUARTZ_STAPLE_REVOKED;
    if (OCSP_check_validity(since, until, 300, -1) != 1) return QUARTZ_STAPLE_EXPIRED;
    return status == V_OCSP_CERTSTATUS_GOOD ? QUARTZ_STAPLE_GOOD : QUARTZ_STAPLE_UNKNOWN;
  }
  return QUARTZ_STAPLE_FOREIGN;
}

/* Reads the staple of a connection whose certificates have been judged. Its signature is not checked. Leaves nothing in
 * the queue of errors. */
static inline int quartz_ssl_judge_staple(SSL *ssl) {
  const unsigned char *bytes = NULL;
  long count = SSL_get_tlsext_status_ocsp_resp(ssl, &bytes);
  X509 *certificate = SSL_get0_peer_certificate(ssl);
  if (count <= 0 || bytes == NULL || certificate == NULL) return QUARTZ_STAPLE_NONE;
  const STACK_OF(X509) *path = SSL_get0_verified_chain(ssl);
  X509 *issuer = path != NULL && sk_X509_num(path) > 1 ? sk_X509_value(path, 1) : NULL;
  int found = QUARTZ_STAPLE_UNREADABLE;
  ERR_set_mark();
  OCSP_RESPONSE *response = d2i_OCSP_RESPONSE(NULL, &bytes, count);
  if (response != NULL && OCSP_response_status(response) != OCSP_RESPONSE_STATUS_SUCCESSFUL) {
    found = QUARTZ_STAPLE_ERROR;
  } else if (response != NULL) {
    OCSP_BASICRESP *basic = OCSP_response_get1_basic(response);
    if (basic != NULL) found = quartz_ocsp_judge(basic, certificate, issuer);
    OCSP_BASICRESP_free(basic);
  }
  OCSP_RESPONSE_free(response);
  ERR_pop_to_mark();
  return found;
}

/* Whether a certificate may only be served with a staple: the TLS feature status_request (RFC 7633). */
static inline int quartz_x509_must_staple(const X509 *certificate) {
  TLS_FEATURE *features = (TLS_FEATURE *)X509_get_ext_d2i(certificate, NID_tlsfeature, NULL, NULL);
  if (features == NULL) return 0;
  int wanted = 0;
  for (int index = 0; index < sk_ASN1_INTEGER_num(features); index++) {
    if (ASN1_INTEGER_get(sk_ASN1_INTEGER_value(features, index)) == TLSEXT_TYPE_status_request) wanted = 1;
  }
  TLS_FEATURE_free(features);
  return wanted;
}

/* An index for this program's own pointer on every SSL_CTX; negative on failure. */
static inline int quartz_ssl_context_index(void) {
  return SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
}

static inline int quartz_x509_count(const STACK_OF(X509) *chain) { return chain ? sk_X509_num(chain) : 0; }

/* Lends. */
static inline X509 *quartz_x509_at(const STACK_OF(X509) *chain, int index) { return sk_X509_value(chain, index); }

static inline int quartz_names_count(const GENERAL_NAMES *names) { return names ? sk_GENERAL_NAME_num(names) : 0; }

/* Bits of an RSA key's public exponent; as many as there may be where it cannot be read. */
static inline int quartz_rsa_exponent_bits(const EVP_PKEY *key) {
  BIGNUM *exponent = NULL;
  if (EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) != 1) return 16384;
  int bits = BN_num_bits(exponent);
  BN_free(exponent);
  return bits;
}

/* A Diffie-Hellman group that is known by name has short exponents; any other has exponents as long as its prime. */
static inline int quartz_is_named_group(const EVP_PKEY *key) {
  char name[64];
  return EVP_PKEY_get_group_name(key, name, sizeof name, NULL) == 1;
}

/* Lends the bytes of one alternative name: text for DNS, URI and mail names, 4 or 16 bytes for addresses.
 * Returns GEN_DNS, GEN_IPADD, GEN_URI, GEN_EMAIL, or -1 for any other kind. */
static inline int quartz_name_at(const GENERAL_NAMES *names, int index, const unsigned char **bytes, int *count) {
  const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
  const ASN1_STRING *text = NULL;
  switch (name->type) {
  case GEN_DNS:
  case GEN_URI:
  case GEN_EMAIL:
    text = name->d.ia5;
    break;
  case GEN_IPADD:
    text = name->d.iPAddress;
    break;
  default:
    return -1;
  }
  *bytes = ASN1_STRING_get0_data(text);
  *count = ASN1_STRING_length(text);
  return name->type;
}

/* Gives: the caller frees with GENERAL_NAMES_free. NULL when there is none or it cannot be read. */
static inline GENERAL_NAMES *quartz_x509_alternative_names(const X509 *certificate) {
  return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}

/* Writes a name in the form of RFC 2253 as UTF-8. Control characters are escaped; what is not ASCII is left as it
 * is, so that names of all languages stay readable. */
static inline int quartz_x509_name_print(BIO *out, const X509_NAME *name) {
  return X509_NAME_print_ex(out, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0;
}

/* Seconds since the epoch, or INT64_MIN when the time cannot be read. */
static inline int64_t quartz_asn1_seconds(const ASN1_TIME *time) {
  struct tm parts;
  if (time == NULL || ASN1_TIME_to_tm(time, &parts) != 1) return INT64_MIN;
  return (int64_t)timegm(&parts);
}

/* Bytes that a BIO holds for its reader. */
static inline size_t quartz_bio_pending(BIO *memory) { return BIO_ctrl_pending(memory); }

/* Reads at most `size` bytes of the memory a BIO of type BIO_s_mem holds. Negative on failure. */
static inline int quartz_bio_read(BIO *memory, void *buffer, int size) { return BIO_read(memory, buffer, size); }

#endif
