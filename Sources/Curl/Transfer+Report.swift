// SPDX-License-Identifier: MIT

import Basics
import CCurl
import COpenSSL

// What a transfer came to.
extension Transfer {
  private func phase(endingWith code: CURLcode) -> TransferPhase {
    if seen.connectStart == nil { return .prepare }
    if seen.connected == nil { return request.proxy == nil ? .connect : .proxy }
    if judge != nil, seen.requestStart == nil { return .tls }
    // libcurl takes the end of the stream for a first byte.
    return firstByte == nil || code == CURLE_GOT_NOTHING ? .firstByte : .transfer
  }

  func report(code: CURLcode) -> TransferReport {
    noteConnectionEnd()
    var end = TransferEnd(
      code: code, systemError: failedCall, stop: stop,
      phase: phase(endingWith: code), hasAnswer: seen.headersEnd != nil || request.goal == .handshake,
      handshake: judge?.end, proxy: proxyEnd,
      words: LibcurlWords(pins.words),
      isCut: isWithoutFarewell || isShort,
      assumedHTTP2: request.httpVersion == .http2 && !isEncrypted, choseHTTP2: judge?.chosenProtocol == "h2")
    var report = TransferReport(outcome: end.outcome)
    if seen.headersEnd != nil {
      report.statusCode = headers.statusCode
      report.httpVersion = headers.httpVersion
      report.headerBlock = headers.block
    }
    report.body = body.bytes
    report.drained = body.drained
    report.codings = body.usedCodings
    report.lease = lease
    report.truncated = stop == .bodyTooLarge || stop == .enough
    report.times = times(complete: report.outcome == .complete)
    if report.outcome == .complete, let late = lateness(of: report.times) {
      end.stop = .late(late)
      report.outcome = end.outcome
    }
    report.tcp = tcp
    report.tls = judge?.report
    report.applicationProtocol = judge?.chosenProtocol
    report.mayWantAnotherVersion = mayWantAnotherVersion(code)
    report.requiresHTTP1 = stop == .requiresHTTP1
    return report
  }

  /// errno of what failed. ENETUNREACH is this machine's fault only where it has no route, and EACCES only where its route
  /// prohibits: else a router on the way said so (ICMP), and that is about the other side.
  private var failedCall: Int32 {
    let code = socketError != 0 ? socketError : systemError
    if isProhibited, code == EHOSTUNREACH || code == ENETUNREACH { return ENOANO }
    guard code == ENETUNREACH || code == EACCES, let peer = request.plan?.peer, peer.hasRoute else {
      return code
    }
    return code == EACCES ? ENOANO : EHOSTUNREACH
  }

  /// A body that ends with the connection, over TLS whose farewell never came: anybody on the way could have cut it
  /// (RFC 9112 section 9.8). libcurl takes it for the end.
  private var isWithoutFarewell: Bool {
    guard let judge, !judge.saidFarewell, readsBody, seen.headersEnd != nil,
      headers.httpVersion?.first == "1", let status = headers.statusCode, status != 204, status != 304
    else { return false }
    return !headers.isFramed
  }

  /// Less of a body over HTTP/2 than its Content-Length says (RFC 9113 section 8.1.1). libcurl 7.88 takes a broken
  /// connection for the end of its stream.
  private var isShort: Bool {
    guard headers.httpVersion == "2", readsBody, seen.headersEnd != nil,
      let length = headers.announced, let status = headers.statusCode, status != 204, status != 304
    else { return false }
    return Int64(max(body.drained, body.bytes.count)) < length
  }

  /// Over TLS the server did not agree to the version that was offered, by an alert or by saying nothing about it and no
  /// word of HTTP: it may speak another one.
  private func mayWantAnotherVersion(_ code: CURLcode) -> Bool {
    guard let judge, headers.statusCode == nil, code != CURLE_OPERATION_TIMEDOUT else { return false }
    if judge.alert == Int32(TLS1_AD_NO_APPLICATION_PROTOCOL) || stop == .noHTTP2 { return true }
    guard seen.requestStart != nil, judge.chosenProtocol == nil else { return false }
    return stop == nil || stop == .malformedHeader
  }

  private var proxyEnd: ProxyEnd? {
    guard let proxy = request.proxy else { return nil }
    var (status, code, logins) = (0, 0, 0)
    _ = quartz_curl_info_long(easy, CURLINFO_HTTP_CONNECTCODE, &status)
    _ = quartz_curl_info_long(easy, CURLINFO_PROXY_ERROR, &code)
    _ = quartz_curl_info_long(easy, CURLINFO_PROXYAUTH_AVAIL, &logins)
    if proxy.scheme == .http, !isEncrypted, seen.headersEnd != nil { status = headers.statusCode ?? 0 }
    return ProxyEnd(status: status, code: UInt32(clamping: code), logins: ProxyLogins(rawValue: logins))
  }

  /// errno that libcurl noted, also of an earlier transfer with the same handle: a reset does not clear it.
  var systemError: Int32 {
    var value = 0
    guard quartz_curl_info_long(easy, CURLINFO_OS_ERRNO, &value) == CURLE_OK else { return 0 }
    return Int32(truncatingIfNeeded: value)
  }
}
