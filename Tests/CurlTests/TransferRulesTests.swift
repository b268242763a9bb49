// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc
import Testing

@testable import Curl

/// What is decided about a transfer without one: its parts in time, its way through the engine, its proxy's word.
@Suite struct TransferRulesTests {
  /// Every step at a time of its own, in milliseconds.
  private static func times(_ change: (inout TransferTimes) -> Void = { _ in }) -> TransferTimes {
    var times = TransferTimes()
    (times.connectStart, times.connected, times.tlsDone) = (
      .milliseconds(1), .milliseconds(3), .milliseconds(6)
    )
    (times.requestStart, times.firstByte) = (.milliseconds(10), .milliseconds(20))
    (times.headersEnd, times.lastByte, times.ended) = (
      .milliseconds(21), .milliseconds(35), .milliseconds(50)
    )
    change(&times)
    return times
  }

  private func parts(_ times: TransferTimes, _ phase: TransferPhase? = nil) -> [Duration?] {
    let spans = TransferSpans(times, failedIn: phase)
    return [spans.connect, spans.tls, spans.firstByte, spans.transfer]
  }

  private func milliseconds(_ numbers: [Int?]) -> [Duration?] {
    numbers.map { number in number.map { Duration.milliseconds($0) } }
  }

  /// Each part lasts from its own begin to its own end, and the part in which a transfer failed until that.
  @Test func partsOfATransfer() {
    #expect(parts(Self.times()) == milliseconds([2, 3, 10, 15]))
    #expect(parts(Self.times(), .prepare) == milliseconds([2, 3, 10, 15]))
    #expect(parts(Self.times { $0.tlsDone = nil }) == milliseconds([2, nil, 10, 15]))
    #expect(parts(TransferTimes()) == [nil, nil, nil, nil])
    let early = Self.times {
      ($0.connected, $0.tlsDone, $0.requestStart, $0.firstByte) = (nil, nil, nil, nil)
    }
    for phase in [TransferPhase.connect, .proxy] {
      #expect(parts(early, phase) == milliseconds([49, nil, nil, nil]))
      #expect(parts(Self.times { $0.firstByte = nil }, phase) == milliseconds([2, 3, 40, nil]))
      #expect(parts(Self.times(), phase) == milliseconds([2, 3, 10, 15]))
    }
    #expect(parts(early) == [nil, nil, nil, nil])
    #expect(parts(Self.times(), .tls) == milliseconds([2, 43, 10, 15]))
    #expect(parts(Self.times { $0.ended = .milliseconds(5) }, .tls) == milliseconds([2, 0, 10, 15]))
    let silent = Self.times { ($0.firstByte, $0.headersEnd, $0.lastByte) = (nil, nil, nil) }
    #expect(parts(silent, .firstByte) == milliseconds([2, 3, 40, nil]))
    #expect(parts(Self.times(), .firstByte) == milliseconds([2, 3, 10, 15]))
    let cut = Self.times { ($0.headersEnd, $0.lastByte) = (nil, nil) }
    #expect(parts(cut) == milliseconds([2, 3, 10, nil]))
    #expect(parts(cut, .transfer) == milliseconds([2, 3, 10, 30]))
    #expect(parts(Self.times(), .transfer) == milliseconds([2, 3, 10, 15]))
  }

  /// Headers that come in parts are part of the answer from a millisecond on, where no body was read.
  @Test(arguments: [(999, nil), (1000, 1000), (1001, 1001)] as [(Int, Int?)])
  func slowHeaders(microseconds: Int, part: Int?) {
    let times = Self.times {
      ($0.lastByte, $0.headersEnd) = (nil, Duration.milliseconds(20) + .microseconds(microseconds))
    }
    #expect(TransferSpans(times).transfer == part.map { .microseconds($0) })
  }

  /// Our own delay lies between the end of the connection's set-up, TLS included, and the request.
  @Test func ownDelay() {
    #expect(Self.times().idle == .milliseconds(4))
    #expect(Self.times { $0.tlsDone = nil }.idle == .milliseconds(7))
    #expect(Self.times { ($0.tlsDone, $0.connected) = (nil, nil) }.idle == .zero)
    #expect(Self.times { $0.requestStart = nil }.idle == .zero)
    #expect(Self.times { $0.requestStart = .milliseconds(5) }.idle == .zero)
  }

  private static let peer = ConnectionPlan.address(SocketAddress(.v4(0x7f00_0001), port: 80))

  private func ticket(
    _ url: String = "http://a/", _ change: (inout TransferRequest) -> Void = { _ in }
  ) -> TransferTicket {
    var request = TransferRequest(url: url, plan: Self.peer, timeout: .seconds(10), goal: .headers)
    change(&request)
    return TransferTicket(request, submitted: Instant(nanoseconds: 0))
  }

  /// A handle needs no reset only after a plain GET in clear text to an address.
  @Test func plainRequests() {
    #expect(ticket().isPlain)
    #expect(ticket { $0.timeout = Duration.seconds(140) - .nanoseconds(1) }.isPlain)
    #expect(ticket { $0.goal = .body(limit: 9) }.isPlain && ticket { $0.httpVersion = .http11 }.isPlain)
    let others: [(inout TransferRequest) -> Void] = [
      { $0.timeout = .seconds(140) }, { $0.goal = .handshake }, { $0.decompress = true },
      { $0.method = "HEAD" }, { $0.body = [] }, { $0.httpVersion = .http2 }, { $0.plan = nil },
      { $0.plan = .unixSocket("/s") },
    ]
    #expect(others.map { ticket("http://a/", $0).isPlain } == others.map { _ in false })
    #expect(!ticket("https://a/").isPlain)
  }

  /// Encrypted is what has the scheme https, in either case.
  @Test(arguments: [
    ("https://a/", true), ("HTTPS://a/", true), ("HtTpS:", true), ("http://a/", false), ("https", false),
    ("httpz://a/", false), ("https;//a/", false), ("", false), ("xhttps://a/", false), ("httpS\u{1a}", false),
  ])
  func encrypted(url: String, isEncrypted: Bool) { #expect(ticket(url).isEncrypted == isEncrypted) }

  /// A request waits as long as its patience, and as long as its timeout where none is given.
  @Test func patience() {
    let start = Instant(nanoseconds: 0)
    #expect(ticket().patienceEnd == start + .seconds(10))
    #expect(ticket { $0.patience = .seconds(3) }.patienceEnd == start + .seconds(3))
    #expect(ticket { $0.patience = .seconds(30) }.patienceEnd == start + .seconds(30))
  }

  /// What a proxy answers while there is no connection behind it, and what is its word later too.
  @Test func wordsOfAProxy() {
    func end(
      _ proxy: ProxyEnd, _ phase: TransferPhase = .proxy, code: CURLcode = CURLE_RECV_ERROR, error: Int32 = 0,
      stop: TransferStop? = nil
    ) -> TransferFailure? {
      let end = TransferEnd(code: code, systemError: error, stop: stop, phase: phase, proxy: proxy)
      if case .failed(let failure) = end.outcome { return failure }
      return nil
    }
    func words(_ proxy: ProxyEnd) -> String? { end(proxy)?.message }
    let login = "the proxy wants other credentials"
    for proxy in [
      ProxyEnd(status: 407), ProxyEnd(code: CURLPX_USER_REJECTED.rawValue),
      ProxyEnd(code: CURLPX_NO_AUTH.rawValue),
    ] {
      for phase in [TransferPhase.proxy, .firstByte] {
        #expect(
          end(proxy, phase) == TransferFailure(.proxyAuthentication, phase: .proxy, message: login))
      }
    }
    // What it offers: Basic among it, nothing that is known, or other kinds alone.
    let basic = ProxyLogins.basic
    for logins in [basic, [basic, ProxyLogins(rawValue: 6)], [], ProxyLogins(rawValue: 1 << 7)] {
      #expect(words(ProxyEnd(status: 407, logins: logins)) == login)
    }
    for (bits, names) in [(2, "Digest"), (4, "Negotiate"), (14, "Digest, Negotiate, NTLM"), (64, "Bearer")] {
      let told = "the proxy wants a kind of login that is not supported: it offers \(names), and not Basic"
      let failure = end(ProxyEnd(status: 407, logins: ProxyLogins(rawValue: bits)))
      #expect(failure == TransferFailure(.proxyAuthentication, phase: .proxy, message: told))
    }
    #expect(
      words(ProxyEnd(status: 502, logins: ProxyLogins(rawValue: 2))) == "the proxy answered CONNECT with 502")
    let late = end(ProxyEnd(status: 407), code: CURLE_OPERATION_TIMEDOUT)
    #expect(late == TransferFailure(.proxyAuthentication, phase: .proxy, message: login, timedOut: true))
    for status in [200, 299] {
      #expect(words(ProxyEnd(status: status)) == "the proxy's answer to CONNECT breaks the rules of HTTP")
    }
    for status in [199, 300, 502] {
      #expect(words(ProxyEnd(status: status)) == "the proxy answered CONNECT with \(status)")
    }
    #expect(words(ProxyEnd()) == "the proxy ended the connection")
    let overdue = TransferFailure(
      .proxyConnect, phase: .proxy, message: "the proxy made no connection within the time limit",
      timedOut: true)
    #expect(end(ProxyEnd(), stop: .deadline) == overdue)
    #expect(end(ProxyEnd(status: 200), code: CURLE_OPERATION_TIMEDOUT) == overdue)
    #expect(
      end(ProxyEnd(), stop: .flood)?.message == "the proxy sends without end what makes no connection")
    #expect(end(ProxyEnd(), error: EMFILE)?.kind == .local(.system(errno: EMFILE)))
    #expect(end(ProxyEnd(status: 502), error: ECONNREFUSED)?.kind == .proxyConnect)
    #expect(end(ProxyEnd(), .connect, error: ECONNREFUSED)?.kind == .connectRefused)
  }
}
