// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Synchronization
import Testing

@testable import Curl

/// What a transfer does with each line and each piece that libcurl hands over, without libcurl.
@Suite(.timeLimit(.minutes(1))) struct TransferCallbackTests {
  private struct Seen: Sendable, Equatable {
    /// Lines and pieces that were taken.
    var taken = 0
    var stop: TransferStop?
    var body = 0
    var drained = 0
    var isAnswered = false
    var hasFirstLine = false
    var hasFailedExpectation = false
    var usesCodings = false
  }

  private static let start = "HTTP/1.1 200 OK"

  /// Feeds the lines and then the pieces, until one is not taken.
  private func feed(
    _ lines: [String], _ pieces: [String] = [], memory: Int = 1 << 20,
    _ change: @escaping @Sendable (inout TransferRequest) -> Void = { _ in }
  ) async throws -> Seen {
    try await onLoop { loop in
      var asked = TransferRequest(
        url: "http://good.test/", plan: .address(SocketAddress(.v4(0x7f00_0001), port: 80)),
        timeout: .seconds(5),
        goal: .body(limit: 5))
      change(&asked)
      let transfer = Transfer(
        TransferTicket(asked, submitted: .now), EasyHandle(try #require(curl_easy_init())),
        arrivals: ArrivalClock(loop), memory: MemoryBudget(limit: memory), sockets: EngineSockets(on: loop))
      let context = Unmanaged.passUnretained(transfer).toOpaque()
      var seen = Seen()
      let parts = lines.map { ("\($0)\r\n", true) } + pieces.map { ($0, false) }
      for (text, isLine) in parts {
        var bytes = text.utf8.map { CChar(bitPattern: $0) }
        let count = bytes.count
        let taken = isLine ? takeHeader(&bytes, 1, count, context) : takeBody(&bytes, 1, count, context)
        guard taken == count else {
          #expect(taken == 0)
          break
        }
        seen.taken += 1
      }
      transfer.arrivals.forget(transfer)
      (seen.stop, seen.body, seen.drained) = (transfer.stop, transfer.body.bytes.count, transfer.body.drained)
      seen.isAnswered = transfer.seen.headersEnd != nil
      seen.hasFirstLine = transfer.seen.firstLine != nil
      seen.hasFailedExpectation = transfer.hasFailedExpectation
      seen.usesCodings = transfer.body.usedCodings != nil
      transfer.handle.cleanUp()
      return seen
    }
  }

  private func stop(
    _ lines: [String], _ change: @escaping @Sendable (inout TransferRequest) -> Void = { _ in }
  ) async throws -> TransferStop? { try await feed(lines, [], change).stop }

  /// A body is taken up to its limit, and the piece that goes beyond it ends the transfer.
  @Test func aBody() async throws {
    let whole = try await feed([Self.start, ""], ["he", "llo"])
    #expect(whole == Seen(taken: 4, body: 5, isAnswered: true, hasFirstLine: true))
    let long = try await feed([Self.start, ""], ["hell", "oo", "never"])
    #expect(long == Seen(taken: 3, stop: .bodyTooLarge, body: 5, isAnswered: true, hasFirstLine: true))
    let none = try await feed([Self.start, ""], ["hello world"]) { $0.goal = .handshake }
    #expect(none == Seen(taken: 3, isAnswered: true, hasFirstLine: true))
  }

  /// What is drained is counted and not kept, but for its beginning where that is wanted and is no coded body.
  @Test func aBodyThatIsDrained() async throws {
    let drained = try await feed([Self.start, ""], ["abc", "d", "e", "f"]) { $0.goal = .drain(limit: 4) }
    #expect(drained == Seen(taken: 4, stop: .enough, drained: 5, isAnswered: true, hasFirstLine: true))
    let kept = try await feed([Self.start, ""], ["abc", "d"]) {
      ($0.goal, $0.keepsBeginning) = (.drain(limit: 4), true)
    }
    #expect(kept.body == 4 && kept.drained == 4 && kept.stop == nil)
    let coded = try await feed([Self.start, "Content-Encoding: gzip", ""], ["abc"]) {
      ($0.goal, $0.keepsBeginning) = (.drain(limit: 4), true)
    }
    #expect(coded.body == 0 && coded.drained == 3)
  }

  /// A stream is handed on piece by piece, until its reader has enough.
  @Test func aStream() async throws {
    let heard = Mutex<[String]>([])
    let seen = try await feed([Self.start, ""], ["one", "two", "three"]) { request in
      request.stream = { bytes in
        heard.withLock {
          $0.append(String(decoding: bytes, as: UTF8.self))
          return $0.count < 2
        }
      }
    }
    #expect(heard.withLock(\.self) == ["one", "two"])
    #expect(seen == Seen(taken: 3, stop: .goalReached, isAnswered: true, hasFirstLine: true))
  }

  /// Whose codings are undone, an unknown one ends the transfer with its first piece.
  @Test func aCodedBody() async throws {
    let lines = [Self.start, "Content-Encoding: gzip", ""]
    let coded = try await feed(lines, ["hello world"]) { $0.decompress = true }
    #expect(coded.stop == nil && coded.body == 11 && coded.usesCodings, "its limit is that of what is undone")
    let plain = try await feed(lines, ["hello world"])
    #expect(plain.stop == .bodyTooLarge && !plain.usesCodings)
    let unknown = try await feed([Self.start, "Content-Encoding: rot13", ""], ["a"]) { $0.decompress = true }
    #expect(unknown.stop == .malformedCoding && unknown.taken == 3)
  }

  /// What is enough of an answer: its headers, a redirect, a challenge or a stream, where it is asked for.
  @Test func whatIsEnough() async throws {
    let redirect = ["HTTP/1.1 302 Found", "Location: /", ""]
    let challenge = ["HTTP/1.1 401 Unauthorized", ""]
    let stream = [Self.start, "Content-Type: text/event-stream", ""]
    for lines in [redirect, challenge, stream, ["HTTP/1.1 403 Forbidden", ""]] {
      #expect(try await stop(lines) == nil)
      #expect(try await stop(lines) { $0.goal = .headers } == .goalReached)
      let atRedirect = try await stop(lines) { $0.stopsAtRedirect = true }
      #expect(atRedirect == (lines == redirect ? .goalReached : nil))
      let atChallenge = try await stop(lines) { $0.stopsAtChallenge = true }
      #expect(atChallenge == (lines == challenge ? .goalReached : nil))
      let atStream = try await stop(lines) { $0.stopsAtStream = true }
      #expect(atStream == (lines == stream ? .goalReached : nil))
    }
    let seen = try await feed(challenge) { $0.stopsAtChallenge = true }
    #expect(seen == Seen(taken: 1, stop: .goalReached, isAnswered: true, hasFirstLine: true))
  }

  /// A transfer coding that was not asked for ends what would read its body, and nothing else.
  @Test func aForeignCoding() async throws {
    let lines = ["HTTP/1.1 302 Found", "Transfer-Encoding: gzip, chunked", "Location: /", ""]
    #expect(try await stop(lines) == .foreignCoding)
    #expect(try await stop(lines) { $0.goal = .drain(limit: 1) } == .foreignCoding)
    #expect(try await stop(lines) { $0.method = "HEAD" } == nil)
    #expect(try await stop(lines) { $0.goal = .headers } == .goalReached)
    #expect(try await stop(lines) { $0.stopsAtRedirect = true } == .goalReached)
    #expect(try await stop([Self.start, "Transfer-Encoding: chunked", ""]) == nil)
  }

  /// HTTP/2 in clear text comes only where it was asked for.
  @Test func anotherVersion() async throws {
    let lines = ["HTTP/2 200", ""]
    #expect(try await stop(lines) == .malformedHeader)
    #expect(try await stop(lines) { $0.httpVersion = .http11 } == .malformedHeader)
    #expect(try await stop(lines) { $0.httpVersion = .http2 } == nil)
    #expect(try await stop(lines) { $0.url = "https://good.test/" } == nil)
    let refused = try await stop(lines) { ($0.url, $0.httpVersion) = ("https://good.test/", .http11) }
    #expect(refused == .malformedHeader)
  }

  @Test func linesThatEndIt() async throws {
    #expect(try await stop([Self.start, "no colon"]) == .malformedHeader)
    let long = "a: " + String(repeating: "v", count: 65_536)
    #expect(try await stop([Self.start, long]) == .headersTooLarge)
    let poor = try await feed([Self.start], memory: 16)
    #expect(poor.stop == .local(.memory, message: TransferFailure.noMemory) && poor.taken == 0)
    #expect(try await feed([Self.start], memory: 17).stop == nil)
  }

  /// Behind an interim answer the first byte is waited for again.
  @Test func anInterimAnswer() async throws {
    let seen = try await feed(["HTTP/1.1 103 Early Hints", "a: b", ""])
    #expect(seen == Seen(taken: 3))
    let whole = try await feed(["HTTP/1.1 103 Early Hints", "", Self.start, ""])
    #expect(whole == Seen(taken: 4, isAnswered: true, hasFirstLine: true))
  }

  /// The answer to an expectation is one where a body was to be sent.
  @Test(arguments: [("POST", 417, true), ("POST", 200, false), ("GET", 417, false)])
  func anExpectation(method: String, status: Int, hasFailed: Bool) async throws {
    let seen = try await feed(["HTTP/1.1 \(status) x", ""]) { $0.method = method }
    #expect(seen.hasFailedExpectation == hasFailed)
    let open = try await feed(["HTTP/1.1 \(status) x"]) { $0.method = method }
    #expect(!open.hasFailedExpectation)
  }
}
