// SPDX-License-Identifier: MIT

import Basics
import Curl
import Groups
import Network
import NetworkTestSupport
import Synchronization
import TestSupport

/// An etcd that gives one answer after the other, and notes what it was asked.
final class EtcdRecorder: Sendable {
  struct Answer: Sendable {
    var status = 200
    var body: String

    init(_ body: String, status: Int = 200) { (self.body, self.status) = (body, status) }
  }

  static let header = #""header":{"cluster_id":"7","revision":"12"}"#

  private let answers: Mutex<[Answer]>
  private let heads = Mutex<[String]>([])
  private let asked = Mutex<[String]>([])

  init(_ answers: [Answer]) { self.answers = Mutex(answers) }

  /// Requests since the last look, such as `kv/range {"key":"YQ=="}`.
  func take() -> [String] {
    asked.withLock { asked in
      defer { asked = [] }
      return asked
    }
  }

  /// Heads of all requests, in lower case.
  var allHeads: [String] { heads.withLock(\.self) }

  func serve(_ connection: LoopbackConnection) {
    let mark = Array("\r\n\r\n".utf8)
    let first = Array(connection.read(until: "\r\n\r\n").utf8)
    guard let end = first.indices.first(where: { first[$0...].starts(with: mark) }) else { return }
    let head = String(decoding: first[..<end], as: UTF8.self)
    var body = Array(first.dropFirst(end + 4))
    let length =
      head.lowercased().split(separator: "content-length: ").dropFirst().first
      .flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    while body.count < length {
      let more = connection.read(length - body.count)
      if more.isEmpty { break }
      body += more
    }
    let path = head.split(separator: " ").dropFirst().first ?? ""
    heads.withLock { $0.append(head.lowercased()) }
    asked.withLock { $0.append("\(path.dropFirst(4)) \(String(decoding: body, as: UTF8.self))") }
    let answer = answers.withLock { $0.isEmpty ? Answer("{}") : $0.removeFirst() }
    connection.write(
      "HTTP/1.1 \(answer.status) X\r\nDate: Mon, 05 Jan 2026 00:00:07 GMT\r\n"
        + "Content-Length: \(answer.body.utf8.count)\r\nConnection: close\r\n\r\n\(answer.body)")
  }
}

/// Runs `body` with a client of an etcd that answers so.
func withEtcd(
  _ answers: [EtcdRecorder.Answer], user: String? = nil,
  _ body: (EtcdClient, EtcdRecorder) async throws -> Void
) async throws {
  let recorder = EtcdRecorder(answers)
  try await withLoopbackServer(script: { recorder.serve($0) }) { server in
    try await withCurlEngine { engine in
      let settings = EtcdSettings(
        endpoints: [try HTTPURL("http://127.0.0.1:\(server.port)")], user: user,
        password: user.map { _ in Redacted("sesame") })
      try await body(EtcdClient(settings, over: .test(engine)), recorder)
    }
  }
}

/// Runs `body` with the way out of an engine of its own.
func withEngine(_ body: (Outbound) async throws -> Void) async throws {
  try await withCurlEngine { engine in try await body(.test(engine)) }
}

/// Clock readings, one after the other; the last one stays.
final class Readings: Sendable {
  private let left: Mutex<[ClockReading]>

  init(_ readings: [ClockReading]) { left = Mutex(readings) }

  func next() -> ClockReading {
    left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
  }
}

func base64(_ text: String) -> String { Base64.text(text.utf8) }
