// SPDX-License-Identifier: MIT

import Basics
import CCurl
import COpenSSL

/// One transfer on the engine's thread: libcurl's handle, what its callbacks noted, and who waits for the report.
///
/// Never leaves that thread. The handle's options point into this object, so it lives until `release()`.
final class Transfer {
  let ticket: TransferTicket
  /// In the engine's table.
  var number = TransferTable.none
  /// The arrival clock's place for it; nil: nothing is awaited.
  var lookout: Int?
  /// Of the connection; negative: there is none yet.
  var descriptor: Int32 = -1
  var handle: EasyHandle
  var easy: UnsafeMutableRawPointer { handle.easy }
  let started = Instant.now
  /// Of its server.
  var allowance: TimeAllowance
  /// What was passed already, and when the last of it was.
  var passed: Milestone = []
  var lastServed = Instant.now
  var turnsBeyond = 0
  let arrivals: ArrivalClock
  let spin: SpinGuard
  /// Bytes of header lines and body that arrived, before a content coding is undone.
  var delivered = 0
  /// Set for https.
  var judge: HandshakeJudge?
  var headers = HeaderAccumulator()
  var body: [UInt8] = []
  var stop: TransferStop?
  /// All options were taken.
  var wasAccepted = false
  var connectStart: Instant?
  var connected: Instant?
  var requestStart: Instant?
  /// The first line of the final answer was complete; until then, that of an interim one.
  var firstLine: Instant?
  var headersEnd: Instant?
  var lastWrite: Instant?
  /// When the kernel could first take bytes: the connection stood.
  private(set) var writableSince: Instant?
  /// Since the final answer is waited for, when it first had bytes. Not for TLS and HTTP/2, where they may be about the
  /// connection.
  private(set) var readableSince: Instant?
  /// errno of our own socket call.
  var socketError: Int32 = 0
  /// Freed at the end: libcurl keeps the pointers, and uses them no more until others are set.
  private var pin: UnsafeMutablePointer<curl_slist>?
  private var bodyBytes: UnsafeMutableRawBufferPointer?
  /// Where libcurl writes what went wrong; nil for a plain transfer.
  private var wordsBuffer: UnsafeMutablePointer<CChar>?
  /// Known with the first byte of a body that may be coded; empty: it is not.
  private var codings: ContentCodings?
  /// What it holds of the memory for all that is under way.
  let lease: MemoryLease
  let memory: MemoryBudget
  /// Bytes of a body that is not kept.
  var drained = 0

  var request: TransferRequest { ticket.request }
  var sendsBody: Bool {
    switch request.method {
    case "HEAD": false
    case "POST", "PUT", "PATCH": true
    default: request.body != nil
    }
  }
  /// The end of the body is what is waited for, if the answer has one.
  var readsBody: Bool {
    switch request.goal {
    case .body, .drain: request.method != "HEAD"
    case .headers, .handshake: false
    }
  }
  /// The server did not want what it was promised.
  var hasFailedExpectation: Bool {
    sendsBody && headersEnd != nil && headers.statusCode == 417
  }
  /// Whether the URL's scheme is https.
  var isEncrypted: Bool { ticket.isEncrypted }
  /// Whether the handle's other options are all set anew by the next transfer, so that it needs no reset.
  var isPlain: Bool { ticket.isPlain }
  /// Whether an answer may call itself HTTP/2: it cannot begin in clear text without our own preface.
  var mayBeHTTP2: Bool { request.httpVersion == .http2 || request.httpVersion == .auto && isEncrypted }
  /// Whether a proxy makes a connection of its own to the target before anything of the request is sent.
  var hasTunnel: Bool {
    guard let proxy = request.proxy else { return false }
    return proxy.scheme == .socks5h || isEncrypted
  }

  /// - Parameter handle: the loop's to clean up.
  init(
    _ ticket: TransferTicket, _ handle: EasyHandle, arrivals: ArrivalClock, memory: MemoryBudget = .shared,
    spin: SpinGuard
  ) {
    self.memory = memory
    lease = MemoryLease(memory)
    allowance = TimeAllowance(ticket.request.timeout)
    self.ticket = ticket
    self.arrivals = arrivals
    self.spin = spin
    self.handle = handle
  }

  /// Header or body arrived: this is no flood.
  func arrived(_ count: Int) {
    delivered += count
    spin.noteProgress()
  }

  /// The connection's socket, until libcurl closes it.
  func hold(_ descriptor: Int32) {
    self.descriptor = descriptor
    spin.watch(descriptor, for: number)
    spin.noteProgress()
  }

  /// Whether it has read far more than it was given.
  var isFlooded: Bool {
    guard let consumed = spin.consumed(descriptor, by: number) else { return false }
    return WireBudget.isSpent(consumed: consumed, delivered: delivered)
  }

  func note(_ what: Arrival, at instant: Instant) {
    switch what {
    case .connection: if writableSince == nil { writableSince = instant }
    case .answer: if readableSince == nil { readableSince = instant }
    }
  }

  /// The request went out, or an interim answer is over: what comes next may be the final answer.
  func awaitAnswer() {
    (firstLine, readableSince) = (nil, nil)
    // Not for TLS, where what comes first may be the handshake's last, nor for HTTP/2, where it is the connection's own.
    if judge == nil, request.httpVersion != .http2 {
      arrivals.await(.answer, on: descriptor, for: self)
    } else {
      arrivals.forget(self)
    }
  }

  /// Keeps more of the body, coded as it is. What goes beyond its limit is left out.
  ///
  /// - Returns: why the transfer ends; nil: it goes on.
  func keep(_ bytes: UnsafeRawBufferPointer, limit: Int) -> TransferStop? {
    if request.decompress, codings == nil {
      guard let found = ContentCodings(headers.block.values("content-encoding")) else {
        return .malformedCoding
      }
      codings = found
    }
    let isCoded = codings?.isEmpty == false
    let limit = isCoded ? ContentDecoder.mostCoded(limit) : limit
    let count = min(bytes.count, max(0, limit - body.count))
    let needed = body.count + count
    if needed > body.capacity {
      // Twice as much each time, but never beyond the limit.
      let size = min(limit, max(needed, 2 * body.capacity))
      guard lease.grow(by: size - body.capacity) else {
        return .local(.memory, message: TransferFailure.noMemory)
      }
      body.reserveCapacity(size)
    }
    body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    return count < bytes.count ? .bodyTooLarge : nil
  }

  /// Only a plain transfer sets anew all that the plain one before it had set. For any other the handle is made new
  /// first: what it still points to (the pinned address, say) was freed.
  func shedPreparation() {
    if handle.isPrepared, !isPlain { handle.reset() }
  }

  /// Frees what the handle's options pointed to. The handle must not use them any more.
  func release() {
    curl_slist_free_all(pin)
    pin = nil
    bodyBytes?.deallocate()
    bodyBytes = nil
    wordsBuffer?.deallocate()
    wordsBuffer = nil
  }

  /// Makes the room for libcurl's words, at a fixed place as long as the handle.
  func keepWords() -> UnsafeMutablePointer<CChar> {
    let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    wordsBuffer = words
    return words
  }

  /// Keeps the list that pins the address alive until the end.
  func keep(pin list: UnsafeMutablePointer<curl_slist>) { pin = list }

  /// Keeps a copy of the body at a fixed place as long as the handle.
  func keep(body: [UInt8]) -> UnsafeMutableRawBufferPointer {
    // At least one byte, so that the pointer is never null: libcurl takes null for "read it from a callback".
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(body.count, 1), alignment: 1)
    copy.copyBytes(from: body)
    bodyBytes = copy
    return copy
  }

  private func phase(endingWith code: CURLcode) -> TransferPhase {
    if connectStart == nil { return .prepare }
    if connected == nil { return request.proxy == nil ? .connect : .proxy }
    if judge != nil, requestStart == nil { return .tls }
    // libcurl takes the end of the stream for a first byte.
    return firstByte == nil || code == CURLE_GOT_NOTHING ? .firstByte : .transfer
  }

  func report(code: CURLcode) -> TransferReport {
    let end = TransferEnd(
      code: code, systemError: failedCall, stop: stop,
      phase: phase(endingWith: code), hasAnswer: headersEnd != nil || request.goal == .handshake,
      handshake: judge?.end, proxy: proxyEnd,
      words: LibcurlWords(wordsBuffer.map { String(cString: $0) } ?? ""),
      isCut: isWithoutFarewell || isShort,
      assumedHTTP2: request.httpVersion == .http2 && !isEncrypted, choseHTTP2: judge?.chosenProtocol == "h2")
    var report = TransferReport(outcome: end.outcome)
    if headersEnd != nil {
      report.statusCode = headers.statusCode
      report.httpVersion = headers.httpVersion
      report.headerBlock = headers.block
    }
    report.body = body
    if let codings, !codings.isEmpty, !body.isEmpty { report.codings = codings }
    report.lease = lease
    report.truncated = stop == .bodyTooLarge || stop == .enough
    report.times = times(complete: report.outcome == .complete)
    report.tls = judge?.report
    report.applicationProtocol = judge?.chosenProtocol
    report.mayWantAnotherVersion = mayWantAnotherVersion(code)
    return report
  }

  /// errno of what failed. ENETUNREACH is this machine's fault only where it has no route: else a router on the way said
  /// so, and that is about the other side.
  private var failedCall: Int32 {
    let code = socketError != 0 ? socketError : systemError
    guard code == ENETUNREACH, let peer = request.plan?.peer else { return code }
    return peer.hasRoute ? EHOSTUNREACH : code
  }

  /// A body that ends with the connection, over TLS whose farewell never came: anybody on the way could have cut it
  /// (RFC 9112 section 9.8). libcurl takes it for the end.
  private var isWithoutFarewell: Bool {
    guard let judge, !judge.saidFarewell, readsBody, headersEnd != nil,
      headers.httpVersion?.first == "1", let status = headers.statusCode, status != 204, status != 304
    else { return false }
    return !headers.isFramed
  }

  /// Less of a body over HTTP/2 than its Content-Length says (RFC 9113 section 8.1.1). libcurl 7.88 takes a broken
  /// connection for the end of its stream.
  private var isShort: Bool {
    guard headers.httpVersion == "2", readsBody, headersEnd != nil,
      let length = headers.announced, let status = headers.statusCode, status != 204, status != 304
    else { return false }
    return Int64(max(drained, body.count)) < length
  }

  /// Over TLS the server did not agree to the version that was offered, by an alert or by saying nothing about it and no
  /// word of HTTP: it may speak another one.
  private func mayWantAnotherVersion(_ code: CURLcode) -> Bool {
    guard let judge, headers.statusCode == nil, code != CURLE_OPERATION_TIMEDOUT else { return false }
    if judge.alert == Int32(TLS1_AD_NO_APPLICATION_PROTOCOL) || stop == .noHTTP2 { return true }
    guard requestStart != nil, judge.chosenProtocol == nil else { return false }
    return stop == nil || stop == .malformedHeader
  }

  private var proxyEnd: ProxyEnd? {
    guard let proxy = request.proxy else { return nil }
    var (status, code) = (0, 0)
    _ = quartz_curl_info_long(easy, CURLINFO_HTTP_CONNECTCODE, &status)
    _ = quartz_curl_info_long(easy, CURLINFO_PROXY_ERROR, &code)
    if proxy.scheme == .http, !isEncrypted, headersEnd != nil { status = headers.statusCode ?? 0 }
    return ProxyEnd(status: status, code: UInt32(clamping: code))
  }

  private func times(complete: Bool) -> TransferTimes {
    var times = TransferTimes()
    times.queued = started - ticket.submitted
    times.held = allowance.held
    times.connectStart = connectStart.map { $0 - started }
    times.connected = connected.map { $0 - started }
    times.tlsDone = judge == nil ? nil : (judge?.doneAt ?? requestStart).map { $0 - started }
    times.requestStart = requestStart.map { $0 - started }
    times.headersEnd = headersEnd.map { $0 - started - backlog }
    times.firstByte = firstByte.map { $0 - started }
    times.ended = Instant.now - started
    guard complete else { return times }
    switch stop == .goalReached ? .headers : request.goal {
    case .headers: times.ended = times.headersEnd ?? times.ended
    case .handshake: times.ended = times.tlsDone ?? times.connected ?? times.ended
    case .body, .drain:
      // libcurl noted the end; our thread may have been busy with others since. The last byte is no earlier than
      // what we saw of it. Where we ended it ourselves, what we saw is all there is.
      if stop != nil, let seen = lastWrite ?? headersEnd {
        times.ended = seen - started
      } else if let requestStart,
        let length = interval(from: CURLINFO_PRETRANSFER_TIME_T, to: CURLINFO_TOTAL_TIME_T)
      {
        times.ended =
          max(requestStart + length, lastWrite ?? requestStart, headersEnd ?? requestStart) - started
      }
      times.ended -= backlog(until: started + times.ended)
      times.lastByte = times.ended
    }
    return times
  }

  private var backlog: Duration { headersEnd.map { backlog(until: $0) } ?? .zero }

  /// How long what came at once waited for us. Zero when it came in parts: then each part's own time counts.
  private func backlog(until end: Instant) -> Duration {
    guard let firstLine, let readableSince, end - firstLine < .microseconds(500) else { return .zero }
    return firstLine - readableSince
  }

  /// Nil: none came. libcurl is asked only about an answer that stopped within its first line.
  private var firstByte: Instant? {
    if let firstLine { return readableSince ?? firstLine }
    // Of an upload that is held back, too, libcurl says that it began; and an interim answer is none.
    if sendsBody || headers.hadInterim { return nil }
    let delay = interval(from: CURLINFO_PRETRANSFER_TIME_T, to: CURLINFO_STARTTRANSFER_TIME_T)
    guard let requestStart, let delay else { return nil }
    return requestStart + delay
  }

  /// Between two of libcurl's own stamps; nil when one is missing.
  private func interval(from start: CURLINFO, to end: CURLINFO) -> Duration? {
    var (first, last): (Int64, Int64) = (0, 0)
    guard quartz_curl_info_size(easy, start, &first) == CURLE_OK,
      quartz_curl_info_size(easy, end, &last) == CURLE_OK, last > 0
    else { return nil }
    return .microseconds(max(0, last - first))
  }

  /// errno that libcurl noted, also of an earlier transfer with the same handle: a reset does not clear it.
  var systemError: Int32 {
    var value = 0
    guard quartz_curl_info_long(easy, CURLINFO_OS_ERRNO, &value) == CURLE_OK else { return 0 }
    return Int32(truncatingIfNeeded: value)
  }
}
