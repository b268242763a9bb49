// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc

/// A request that cannot be sent as it is.
struct RefusedRequest: Error {
  var fault: LocalFault
  var message: String
}

extension Transfer {
  /// Sets the handle up for its request. Each option's return code counts: one that was refused would leave the
  /// transfer less safe than promised.
  func prepare(trust: TrustStore) throws(RefusedRequest) {
    if !handle.isPrepared {
      try applyPolicy()
      try applyCallbacks()
    }
    try applyContext()
    try applyRequest()
    try applyPlan()
    if isEncrypted { try applyTLS(trust) }
  }

  /// Options that are the same for every transfer: a fresh connection, nothing remembered, nothing from the
  /// environment.
  private func applyPolicy() throws(RefusedRequest) {
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_QUICK_EXIT, 1)
    try set(CURLOPT_FRESH_CONNECT, 1)
    try set(CURLOPT_FORBID_REUSE, 1)
    try set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    try set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
    try set(CURLOPT_PROXY, "")
    try set(CURLOPT_NOPROXY, "*")
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_FOLLOWLOCATION, 0)
    // The path that is signed and shown is the one that is requested: dot segments are removed where a URL is made.
    try set(CURLOPT_PATH_AS_IS, 1)
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    try set(CURLOPT_CAINFO, nil)
    try set(CURLOPT_CAPATH, nil)
  }

  private func applyRequest() throws(RefusedRequest) {
    guard !request.url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) else {
      throw RefusedRequest(fault: .request, message: "the url holds a space or control character")
    }
    try set(CURLOPT_URL, request.url)
    if !isPlain { try check(quartz_curl_set_context(easy, CURLOPT_ERRORBUFFER, pins.keepWords())) }
    // The engine keeps the time; what a transfer waited for its turn is no part of it.
    try set(CURLOPT_TIMEOUT_MS, max(1, milliseconds(backstop)))
    // libcurl's own limit for the connection is 300 s.
    if !isPlain { try set(CURLOPT_CONNECTTIMEOUT_MS, max(1, milliseconds(backstop))) }
    try set(CURLOPT_HTTP_VERSION, httpVersion)
    try set(CURLOPT_BUFFERSIZE, mayBeHTTP2 ? Self.http2Buffer : Self.ordinaryBuffer)
    if request.goal == .handshake { try set(CURLOPT_CONNECT_ONLY, 1) }
    if request.decompress {
      try set(CURLOPT_ACCEPT_ENCODING, "")
      // It asks; what comes is decoded here.
      try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    }
    try applyMethod()
    try applyHeaders()
  }

  /// Bytes that libcurl hands over at once; the second is its own default. It decodes a whole header block of HTTP/2
  /// (128 KiB at most) and hands over one buffer of it; the rest then waits until the server sends more, which it does
  /// not after a short answer. So one buffer holds every block that libcurl takes.
  static let (http2Buffer, ordinaryBuffer) = (160 * 1024, 16 * 1024)

  private var httpVersion: Int {
    switch request.httpVersion {
    case .auto: CURL_HTTP_VERSION_2TLS
    case .http10: CURL_HTTP_VERSION_1_0
    case .http11: CURL_HTTP_VERSION_1_1
    // Over TLS the handshake decides; what it offers is narrowed to h2 there.
    case .http2: isEncrypted ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
    }
  }

  private func applyMethod() throws(RefusedRequest) {
    guard isToken(request.method) else {
      throw RefusedRequest(fault: .request, message: "the method is no http token")
    }
    if request.method == "HEAD" {
      try set(CURLOPT_NOBODY, 1)
    } else if sendsBody {
      let body = request.body ?? []
      let copy = pins.keep(body: body)
      try check(quartz_curl_set_body(easy, copy.baseAddress, Int64(body.count)))
    }
    if request.method != "GET" && request.method != "HEAD" || request.body != nil {
      try set(CURLOPT_CUSTOMREQUEST, request.method)
    }
  }

  /// `Name: value`, or libcurl's `Name;` for an empty value. With a body, an `Expect` that was not configured is
  /// switched off, and so is the content type that libcurl would invent.
  private func applyHeaders() throws(RefusedRequest) {
    let headers = request.headers
    // Of the plain transfer before, which had no body either.
    if isPlain, handle.has(headers) { return }
    var lines: [String] = []
    if sendsBody {
      if !headers.contains(where: { $0.name.lowercased() == "expect" }) { lines.append("Expect:") }
      if !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
        lines.append("Content-Type:")
      }
    }
    for field in headers {
      let value = field.value.reveal()
      guard isToken(field.name), !value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
        throw RefusedRequest(fault: .request, message: "a request header holds characters that http forbids")
      }
      lines.append(value.isEmpty ? field.name + ";" : field.name + ": " + value)
    }
    guard let code = handle.set(lines, of: headers) else {
      throw RefusedRequest(fault: .system(errno: ENOMEM), message: "out of memory")
    }
    try check(code)
  }

  private func applyPlan() throws(RefusedRequest) {
    switch request.plan {
    case nil: throw RefusedRequest(fault: .request, message: "the address to dial is no literal")
    case .address(let peer): try pin(peer)
    case .connected(let socket):
      try pin(socket.peer)
      try check(quartz_curl_set_socket_options(easy, keepConnection))
    case .unixSocket(let path):
      try set(CURLOPT_UNIX_SOCKET_PATH, path)
    }
  }

  private func pin(_ peer: SocketAddress) throws(RefusedRequest) {
    // What the URL names is the place to dial: there is nothing to look up, and the socket's address is looked at anyway.
    if request.proxy == nil, isPlain, isPlace(peer, of: request.url) {
      return try check(quartz_curl_set_list(easy, CURLOPT_CONNECT_TO, nil))
    }
    if let proxy = request.proxy { return try apply(proxy, at: peer) }
    // An empty host and port match whatever the URL names. The address is not looked up anywhere.
    guard let list = curl_slist_append(nil, "::\(peer)") else {
      throw RefusedRequest(fault: .system(errno: ENOMEM), message: "out of memory")
    }
    pins.keep(pin: list)
    try check(quartz_curl_set_list(easy, CURLOPT_CONNECT_TO, list))
  }

  /// The proxy is dialled at its address; the target's name goes to it as it stands in the URL.
  private func apply(_ proxy: ProxySettings, at peer: SocketAddress) throws(RefusedRequest) {
    try set(CURLOPT_PROXY, "\(proxy.scheme.rawValue)://\(peer)")
    try set(CURLOPT_NOPROXY, "")
    // The proxy's own answer to CONNECT is no header of the target.
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_PROXYAUTH, quartz_curl_auth_basic())
    try set(CURLOPT_SOCKS5_AUTH, quartz_curl_auth_basic())
    guard let username = proxy.username else { return }
    try set(CURLOPT_PROXYUSERNAME, username)
    try set(CURLOPT_PROXYPASSWORD, proxy.password?.reveal() ?? "")
  }

  /// The transfer that the callbacks are for.
  private func applyContext() throws(RefusedRequest) {
    let itself = Unmanaged.passUnretained(self).toOpaque()
    try check(quartz_curl_set_context(easy, CURLOPT_WRITEDATA, itself))
    try check(quartz_curl_set_context(easy, CURLOPT_HEADERDATA, itself))
    try check(quartz_curl_set_context(easy, CURLOPT_OPENSOCKETDATA, itself))
    try check(quartz_curl_set_context(easy, CURLOPT_PREREQDATA, itself))
    try check(quartz_curl_set_context(easy, CURLOPT_PRIVATE, itself))
  }

  private func applyCallbacks() throws(RefusedRequest) {
    try check(quartz_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, takeBody))
    try check(quartz_curl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, takeHeader))
    try check(quartz_curl_set_open_socket(easy, openPinnedSocket))
    try check(quartz_curl_set_pre_request(easy, allowRequest))
    // Not the transfer: a connection may outlive it.
    let keeper = Unmanaged.passUnretained(sockets).toOpaque()
    try check(quartz_curl_set_context(easy, CURLOPT_CLOSESOCKETDATA, keeper))
    try check(quartz_curl_set_close_socket(easy, closeSocket))
  }

  private func applyTLS(_ trust: TrustStore) throws(RefusedRequest) {
    let store: CertificateStore
    do {
      store = try trust.store(caFile: request.tls.caFile)
    } catch {
      throw RefusedRequest(fault: .trustStore, message: error.description)
    }
    let judge = HandshakeJudge(
      host: try urlHost(), options: request.tls, store: store, for: request.origin, memory: memory)
    judge.onCertificate = { [unowned self] in goesOn(with: .certificate, at: .now) }
    if request.httpVersion == .http2 { judge.protocols = ["h2"] }
    self.judge = judge
    // libcurl's own verdict is replaced by the judge's, which refuses inside the handshake.
    try set(CURLOPT_SSL_VERIFYPEER, 0)
    try set(CURLOPT_SSL_VERIFYHOST, 0)
    try check(quartz_curl_set_context(easy, CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(self).toOpaque()))
    try check(quartz_curl_set_ssl_context(easy, takeOverTLS))
  }

  /// The host as libcurl reads it: what is judged must be what libcurl asks for.
  private func urlHost() throws(RefusedRequest) -> String {
    let refused = RefusedRequest(fault: .request, message: "the url cannot be parsed")
    guard let url = curl_url() else { throw refused }
    defer { curl_url_cleanup(url) }
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_set(url, CURLUPART_URL, request.url, 0) == CURLUE_OK,
      curl_url_get(url, CURLUPART_HOST, &text, 0) == CURLUE_OK, let text
    else { throw refused }
    defer { curl_free(text) }
    let host = String(cString: text)
    return host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
  }

  private func set(_ option: CURLoption, _ value: Int) throws(RefusedRequest) {
    try check(quartz_curl_set_long(easy, option, value))
  }

  private func set(_ option: CURLoption, _ value: String?) throws(RefusedRequest) {
    try check(quartz_curl_set_string(easy, option, value))
  }

  private func check(_ code: CURLcode) throws(RefusedRequest) {
    guard code == CURLE_OK else {
      throw RefusedRequest(
        fault: .library(code: Int32(bitPattern: code.rawValue)),
        message: "libcurl refused an option: \(code.rawValue)")
    }
  }
}

/// Whole milliseconds, rounded towards zero.
func milliseconds(_ duration: Duration) -> Int { Int(clamping: duration.microseconds / 1000) }

/// Whether a URL with the scheme http names this IPv4 address and port and nothing else. False for other ways to write
/// it.
private func isPlace(_ peer: SocketAddress, of url: String) -> Bool {
  guard case .v4 = peer.address else { return false }
  return url.hasPrefix("http://\(peer)/") || peer.port == 80 && url.hasPrefix("http://\(peer.address)/")
}
