// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// Each place that judges what targets send gets its worst input at its size limit, all at once, beside a hundred healthy
/// checks at 1 s: those keep their schedule, the status server answers, and SIGTERM is obeyed.
@Suite(.serialized) struct WorstInputStories {
  @Test(.timeLimit(.minutes(2)))
  func theWorstInputsHoldUpNobodyElse() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      var leaf = TestAuthority.Leaf()
      leaf.names = (0..<1000).map { "DNS:name-\($0).a-rather-long-name-that-fills-a-certificate.example" }
      let tls = try await OpenSSLServer(try authority.selfSigned("many", leaf), ["-quiet"], in: folder)
      defer { tls.stop() }
      try await withLoopbackServer(script: WorstInput.http) { worst in
        try await withLoopbackServer(script: WorstInput.txt) { names in
          try await withLoopbackServer(script: WorstInput.letters) { talk in
            let hostile = hostile(http: worst.port, dns: names.port, talk: talk.port, tls: tls.port)
            var rounds: [(calm: HealthyChecks.Figures, busy: HealthyChecks.Figures)] = []
            // What freezes anything does it each time, and for minutes.
            while rounds.count < 3, !rounds.contains(where: { $0.busy.isWithin($0.calm) }) {
              let calm = try await figures(beside: [], in: folder) { true }
              let seen = (worst.accepted, talk.accepted, names.accepted)
              let busy = try await figures(beside: hostile, in: folder) {
                worst.accepted >= seen.0 + 10 && talk.accepted > seen.1 && names.accepted > seen.2
              }
              rounds.append((calm, busy))
            }
            print("without and beside the worst inputs: \(rounds)")
            #expect(rounds.contains { $0.busy.isWithin($0.calm) }, "\(rounds)")
          }
        }
      }
    }
  }

  /// Of a hundred healthy checks at 1 s and the status server, beside others.
  private func figures(
    beside others: [String], in folder: URL, _ areUnderWay: () -> Bool
  ) async throws -> HealthyChecks.Figures {
    try await withLoopbackServer(script: RunStories.web) { web in
      let port = try freePort()
      try? FileManager.default.removeItem(at: folder.appending(path: "state"))
      try RunStories.config(
        (HealthyChecks.lines(web.port) + others).joined(separator: "\n"),
        more: "status: {listen: \"127.0.0.1:\(port)\"}",
        in: folder)
      let process = try AgentProcess(["run"], in: folder)
      try await process.wait(for: "all to be probed") { web.accepted >= 200 && areUnderWay() }
      return try await HealthyChecks.watch(process, port: port, healthy: web, for: others.isEmpty ? 5 : 10)
    }
  }

  /// A configuration may come from less trusted hands: names, keys, tags and hosts of marks without end are refused
  /// in words, and not after hours.
  @Test(.timeLimit(.minutes(2)))
  func aConfigurationOfMarksIsRefusedAtOnce() async throws {
    try await withTemporaryDirectory { folder in
      // A file is 1 MiB at most, and a key of YAML 1 KiB.
      let key = String(repeating: "\u{301}\u{323}", count: 200)
      let marks = String(repeating: "\u{301}\u{323}", count: 20_000)
      let swapped = String(repeating: "\u{323}\u{301}", count: 20_000)
      let longest = String(repeating: "\u{301}\u{323}", count: 60_000)
      try RunStories.config(
        """
          - {name: "\(marks)", type: http, url: "http://127.0.0.1:9/", tags: ["\(marks)", "\(swapped)"]}
          - {name: "\(longest)", type: tcp, host: 127.0.0.1, port: 9}
          - {name: "\(swapped)", type: tcp, host: "\(marks)", port: 9, "\(key)": 1}
          - {name: Web, type: http, url: "http://127.0.0.1:9/", headers: {"\(key)": a}, method: "\(marks)",
             expect: {header: {"\(key)": a}, json: {"\(key)": 1}}}
        """, in: folder)
      let outcome = try await AgentProcess(["validate"], in: folder).finish(within: .seconds(30))
      #expect(outcome.status == 78)
      #expect(outcome.stderr.contains("name must be at most 200 bytes"), "\(outcome.stderr.prefix(2000))")
    }
  }

  private func hostile(http: UInt16, dns: UInt16, talk: UInt16, tls: UInt16) -> [String] {
    let root = "http://127.0.0.1:\(http)"
    let common = "interval: 2s, timeout: 2s"
    let marks = String(repeating: "\u{301}\u{323}", count: 40)
    let secret = String(repeating: "\u{fffd}", count: 1300)
    let deep = "$" + String(repeating: "[-1]", count: 60)
    var lines: [String] = []
    for index in 0..<3 {
      let conditions = [
        "url: \"\(root)/marks/\(index)\", expect: {json: {\"$.end\": 1}}, max_body: 4MiB",
        "url: \"\(root)/broken/\(index)\", headers: {X-Key: \"\(secret)\"}",
        "url: \"\(root)/letters/\(index)\", expect: {body: {matches: \"(a+)+$\"}}",
        "url: \"\(root)/deep/\(index)\", expect: {json: {\"\(deep)\": 1}}, max_body: 4MiB",
        "url: \"\(root)/headers/\(index)\", expect: {header: {x-marks: \"~ (a+)+$\"}}",
      ].map { "type: http, \($0)" }
      let query = "transport: tcp, query: {name: a.test, type: TXT}"
      let answers = "expect: {answers: {all: [\"~ (a+)+$\", \"~ (.*a){9}b\"]}}"
      let others = [
        "type: dns, server: \"127.0.0.1:\(dns)\", \(query), \(answers)",
        "type: tcp, host: 127.0.0.1, port: \(talk), dialog: [{expect: \"~ (?s)(.*a){12}b\"}]",
        "type: tls, host: 127.0.0.1, port: \(tls)",
      ]
      for (number, check) in (conditions + others).enumerated() {
        lines.append("  - {name: \"worst \(index) \(number) \(marks)\", \(check), \(common)}")
      }
    }
    return lines
  }
}

/// Servers of the worst input.
private enum WorstInput {
  static let http: @Sendable (LoopbackConnection) -> Void = { link in
    let request = link.read(until: "\r\n\r\n")
    let path = request.split(separator: " ").dropFirst().first ?? "/"
    var headers = ""
    let body: [UInt8]
    switch String(path.split(separator: "/").first ?? "") {
    case "marks": body = marks
    case "broken":
      link.write("HTTP/1.1 500 No\r\nContent-Length: 65536\r\nConnection: close\r\n\r\n")
      link.write([UInt8](repeating: 0xff, count: 65_536))
      return
    case "letters": body = [UInt8](repeating: 0x61, count: 900_000)
    case "deep": body = deep
    default:
      let run = String(repeating: "\u{301}\u{323}", count: 70)
      headers = (0..<190).map { _ in "X-Marks: \(run)\r\n" }.joined()
      body = []
    }
    link.write("HTTP/1.1 200 OK\r\n\(headers)Content-Length: \(body.count)\r\nConnection: close\r\n\r\n")
    link.write(body)
  }

  /// A name of 900,000 combining marks.
  private static let marks = Array(
    ("{\"" + String(repeating: "\u{301}\u{323}", count: 450_000) + "\": 1, \"end\": 1}").utf8)

  private static let deep: [UInt8] = {
    let (open, close) = (String(repeating: "[", count: 60), String(repeating: "]", count: 60))
    return Array((open + String(repeating: "1,", count: 1_000_000) + "1" + close).utf8)
  }()

  /// 16 KiB in which the pattern nearly matches everywhere.
  static let letters: @Sendable (LoopbackConnection) -> Void = { link in
    link.write([UInt8](repeating: 0x61, count: 16_000))
    link.waitForEnd()
  }

  /// 64 KiB of text records by TCP.
  static let txt: @Sendable (LoopbackConnection) -> Void = { link in
    let query = link.read()
    guard query.count > 18 else { return }
    let question = Array(query[14...].prefix { $0 != 0 }) + [0]
    let id = Array(query[2..<4])
    let record: [UInt8] =
      [0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 1, 0, 255] + [UInt8](repeating: 0x61, count: 255)
    let count = 240
    var message: [UInt8] = id + [0x84, 0, 0, 1, 0, UInt8(count), 0, 0, 0, 0]
    message += question + [0, 16, 0, 1]
    for _ in 0..<count { message += record }
    link.write([UInt8(message.count >> 8), UInt8(message.count & 255)] + message)
    link.waitForEnd()
  }
}

/// What the status server answers to one GET, head and body, up to 30 s without a byte; empty: nothing.
func statusAnswer(
  _ path: String, port: UInt16, headers: String = "", method: String = "GET"
) async -> String {
  await onThread {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    // Longer than a judgement may wait for a thread of its own on a loaded machine (`JudgeBench.patience`).
    limitReceiving(descriptor, seconds: 60)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { return "" }
    let link = LoopbackConnection(descriptor: descriptor)
    link.write("\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(headers)Connection: close\r\n\r\n")
    var bytes: [UInt8] = []
    while true {
      let more = link.read()
      if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += more
    }
  }
}
