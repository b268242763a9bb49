// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc
import Synchronization
import Testing

@testable import Curl

/// Header lines at their edges, and a transfer's own rules on the thread of a loop.
@Suite(.timeLimit(.minutes(1))) struct HeaderEdgeTests {
  private func steps(_ lines: [String]) -> ([HeaderAccumulator.Step], HeaderAccumulator) {
    var headers = HeaderAccumulator()
    return (lines.map { headers.take(Array("\($0)\r\n".utf8)) }, headers)
  }

  /// Only a field of the name tells the type of the answer, wherever it stands.
  @Test func theTypeHasItsName() {
    let start = "HTTP/1.1 200 OK"
    #expect(steps([start, "Server: x", "Content-Type: text/event-stream", ""]).1.isStream)
    for name in [
      "Server", "Content-Typ", "Content-Types", "Content-Typf", "XContent-Type", "Content\u{5f}Type",
    ] {
      #expect(!steps([start, "\(name): text/event-stream", ""]).1.isStream, "\(name)")
    }
    for type in ["text/event-strea", "text/event-strean", "text/event_stream", "Multipart/X-Mixed-Replac"] {
      #expect(!steps([start, "Content-Type: \(type)", ""]).1.isStream, "\(type)")
    }
    #expect(steps([start, "CONTENT-TYPE:\t Text / Event-Stream ;x", ""]).1.isStream)
    // A field goes on only with its own line.
    #expect(!steps([start, "Content-Type: text/event-", "Server: x", " stream", ""]).1.isStream)
  }

  @Test(
    arguments: [
      ("HTTP/1.1 100 Continue", .more), ("HTTP/1.1 099 x", .malformed), ("HTTP/1.1 999 x", .more),
      ("HTTP/1.1  200 OK", .more), ("HTTP/3 200", .more), ("HTTP/0.9 200 OK", .more),
      ("HTTP/10 200 OK", .malformed),
      ("HTTP/1. 200 OK", .malformed), ("HTTP/1:1 200 OK", .malformed), ("HTTP/1.x 200 OK", .malformed),
      ("HTTP/:.1 200 OK", .malformed), ("HTTP/1.1 2:0 OK", .malformed), ("HTTP/1.1 2/0 OK", .malformed),
      ("XTTP/1.1 200 OK", .malformed), ("HXTP/1.1 200 OK", .malformed), ("HTXP/1.1 200 OK", .malformed),
      ("HTTX/1.1 200 OK", .malformed), ("HTTP 1.1 200 OK", .malformed), ("http/1.1 200 OK", .malformed),
      ("HTTP", .malformed), ("HTTP/", .malformed), (" HTTP/1.1 200 OK", .malformed),
      ("HTTP/1.1\t200 OK", .malformed),
    ] as [(String, HeaderAccumulator.Step)])
  func statusLines(line: String, step: HeaderAccumulator.Step) { #expect(steps([line]).0 == [step]) }

  /// 101 ends an answer, and so does everything but the rest of the hundreds.
  @Test(arguments: [
    (100, true), (101, false), (102, true), (103, true), (199, true), (200, false), (304, false),
  ])
  func whatIsInterim(status: Int, isInterim: Bool) {
    let (found, headers) = steps(["HTTP/1.1 \(status) x", "a: b", ""])
    #expect(found.last == (isInterim ? .interim : .final) && headers.hadInterim == isInterim)
    #expect(headers.statusCode == status && headers.httpVersion == "1.1")
  }

  @Test func whatLeadsElsewhere() {
    let found = (300...310).filter { steps(["HTTP/1.1 \($0) x", "Location: /", ""]).1.isRedirect }
    #expect(found == [301, 302, 303, 307, 308])
    #expect(!steps(["HTTP/1.1 301 x", "Locations: /", ""]).1.isRedirect)
    #expect(!steps(["HTTP/1.1 200 x", "Location: /", ""]).1.isRedirect)
  }

  /// Of an interim answer nothing is left: no length, no coding, no field.
  @Test func anInterimAnswerLeavesNothing() {
    let (found, headers) = steps([
      "HTTP/1.1 103 x", "Content-Length: 5", "Transfer-Encoding: gzip", "Content-Type: text/event-stream", "",
      "HTTP/1.1 200 OK", "Content-Length: 7", "",
    ])
    #expect(found.last == .final && headers.announced == 7 && !headers.hasForeignCoding && !headers.isStream)
    #expect(headers.fields == [HeaderField("Content-Length", "7")])
    let (_, bare) = steps(["HTTP/1.1 103 x", "Content-Length: 5", "", "HTTP/1.1 200 OK", ""])
    #expect(bare.announced == nil && !bare.isFramed)
  }

  @Test(
    arguments: [
      ("0", 0), ("00012", 12), (" \t7\t ", 7), ("9223372036854775799", 9_223_372_036_854_775_799),
      ("9223372036854775800", nil), ("9223372036854775807", nil), ("92233720368547757990", nil),
      ("1,1 ,\t1", 1),
      ("1,2", nil), (",1", nil), ("1;1", nil), ("+1", nil), ("/", nil), (":", nil), ("1 1", nil),
    ] as [(String, Int64?)])
  func lengths(text: String, length: Int64?) {
    let (found, headers) = steps(["HTTP/1.1 200 OK", "Content-Length:\(text)"])
    #expect(found.last == (length == nil ? .malformed : .more))
    if let length { #expect(headers.announced == length && headers.isFramed) }
  }

  /// A line may end with a line feed alone or with nothing; what it holds of them besides is malformed.
  @Test func endsOfLines() {
    func last(_ line: String) -> HeaderAccumulator.Step {
      var headers = HeaderAccumulator()
      _ = headers.take(Array("HTTP/1.1 200 OK\n".utf8))
      return headers.take(Array(line.utf8))
    }
    #expect(["a: b\r\n", "a: b\n", "a: b", "a: b\r"].map(last) == [.more, .more, .more, .more])
    #expect(["a: b\n\n", "a: b\r\r\n", "a\n: b\r\n", "a: \0\r\n"].map(last).allSatisfy { $0 == .malformed })
    #expect(["\r\n", "\n", "\r", ""].map(last).allSatisfy { $0 == .final })
  }

  /// Bytes that bring nothing are measured against those that were handed over, up to the last one.
  @Test func whatTheWireMayCarry() {
    let free = 1_048_576
    for delivered in [0, 1, 1000, 1 << 30] {
      #expect(!WireBudget.isSpent(consumed: free + 32 * delivered, delivered: delivered))
      #expect(WireBudget.isSpent(consumed: free + 32 * delivered + 1, delivered: delivered))
    }
    for delivered in [Int.max / 32, Int.max / 32 + 1, .max] {
      #expect(!WireBudget.isSpent(consumed: .max, delivered: delivered))
    }
    #expect(milliseconds(.seconds(2) + .milliseconds(3) + .microseconds(999)) == 2003)
    #expect(milliseconds(.zero) == 0 && milliseconds(.microseconds(999)) == 0)
  }

  private static func transfer(_ loop: LoopThread, _ change: (inout TransferRequest) -> Void = { _ in })
    throws
    -> Transfer
  {
    var asked = TransferRequest(
      url: "http://good.test/", plan: .address(SocketAddress(.v4(0x7f00_0001), port: 80)),
      timeout: .seconds(5),
      goal: .headers)
    change(&asked)
    return Transfer(
      TransferTicket(asked, submitted: .now), EasyHandle(try #require(curl_easy_init())),
      arrivals: ArrivalClock(loop),
      sockets: EngineSockets(on: loop))
  }

  /// A socket that took in more than what was handed over excuses is flooded; another descriptor is not asked.
  @Test func aFloodedSocket() async throws {
    let (sender, receiver) = try tcpPair()
    defer { for number in [sender, receiver] { close(number) } }
    let piece = [UInt8](repeating: 1, count: 16_384)
    var room = piece
    // 2 MiB, a piece at a time.
    for _ in 0..<128 {
      #expect(send(sender, piece, piece.count, 0) == piece.count)
      var left = piece.count
      while left > 0 { left -= max(1, recv(receiver, &room, left, 0)) }
    }
    let found = try await onLoop { loop -> [Bool] in
      let transfer = try Self.transfer(loop)
      defer { transfer.handle.cleanUp() }
      transfer.number = 7
      var found = [transfer.isFlooded]
      transfer.hold(receiver)
      found.append(transfer.isFlooded)
      transfer.arrived(20_000)
      found.append(transfer.isFlooded)
      transfer.arrived(20_000)
      found.append(transfer.isFlooded)
      transfer.spin.forget(receiver)
      return found
    }
    // 32 times 20,000 bytes and a megabyte are too little for it, twice as much are enough.
    #expect(found == [false, true, true, false])
  }

  /// A number stands for one transfer, also where its place has another by now.
  @Test func numbersOfTransfers() async throws {
    let found = try await onLoop { loop -> [Bool] in
      let table = TransferTable()
      let (one, two, three) = (try Self.transfer(loop), try Self.transfer(loop), try Self.transfer(loop))
      defer { for transfer in [one, two, three] { transfer.handle.cleanUp() } }
      var found = [table.isEmpty, table[0] == nil, table[1 << 32] == nil]
      let (first, second) = (table.insert(one), table.insert(two))
      found += [table[first] === one, table[second] === two, first != second, !table.isEmpty]
      found += [
        first != TransferTable.none, table[TransferTable.none] == nil, table[TransferTable.cancelled] == nil,
      ]
      table.remove(first)
      table.remove(first)
      found += [table[first] == nil, table[second] === two, table.transfers.count == 1]
      let third = table.insert(three)
      found += [third != first, third & 0xffff_ffff == first & 0xffff_ffff]
      // The number of before neither finds nor removes what has its place.
      table.remove(first)
      found += [table[first] == nil, table[third] === three, table.transfers.count == 2]
      table.remove(second)
      table.remove(third)
      return found + [table.isEmpty, table.transfers.isEmpty]
    }
    #expect(found == Array(repeating: true, count: found.count))
  }

  /// What a request sends and reads, by its method and its goal.
  @Test func whatIsSentAndRead() async throws {
    let found = try await onLoop { loop -> [String] in
      func words(_ change: (inout TransferRequest) -> Void) throws -> String {
        let transfer = try Self.transfer(loop, change)
        defer { transfer.handle.cleanUp() }
        let facts = [
          transfer.sendsBody ? "sends" : nil, transfer.readsBody ? "reads" : nil,
          transfer.keepsBody ? "keeps" : nil,
          transfer.mayBeHTTP2 ? "2" : nil, transfer.hasTunnel ? "tunnel" : nil,
          transfer.isEncrypted ? "tls" : nil,
        ]
        return facts.compactMap(\.self).joined(separator: " ")
      }
      let proxy = ProxySettings(scheme: .http, endpoint: Endpoint(host: "p", port: 1))
      let socks = ProxySettings(scheme: .socks5h, endpoint: Endpoint(host: "p", port: 1))
      return [
        try words { _ in }, try words { $0.goal = .body(limit: 1) }, try words { $0.goal = .drain(limit: 1) },
        try words { ($0.goal, $0.method) = (.body(limit: 1), "HEAD") }, try words { $0.goal = .handshake },
        try words { $0.method = "POST" }, try words { $0.method = "PUT" }, try words { $0.method = "PATCH" },
        try words { $0.method = "DELETE" }, try words { ($0.method, $0.body) = ("DELETE", []) },
        try words { ($0.method, $0.body) = ("HEAD", [1]) }, try words { $0.url = "https://a/" },
        try words { ($0.url, $0.httpVersion) = ("https://a/", .http11) },
        try words { $0.httpVersion = .http2 },
        try words { $0.proxy = proxy }, try words { ($0.proxy, $0.url) = (proxy, "https://a/") },
        try words { $0.proxy = socks },
      ]
    }
    #expect(
      found == [
        "", "reads keeps", "reads", "keeps", "", "sends", "sends", "sends", "", "sends", "", "2 tls", "tls",
        "2", "",
        "2 tunnel tls", "tunnel",
      ])
  }
}
