// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Synchronization
import TestSupport

/// A web server that is broken while it is told to, and a receiver that takes messages or not.
final class AlertWorld: Sendable {
  let isBroken = Atomic(false)
  let answer = Atomic(200)
  /// What a dead man's switch was asked.
  let pings = Atomic(0)
  private let bodies = Mutex<[JSONValue]>([])

  var messages: [JSONValue] { bodies.withLock { $0 } }
  var kinds: [String] { messages.compactMap { $0["kind"]?.string } }

  func serve(_ connection: LoopbackConnection) {
    let head = connection.read(until: "\r\n\r\n")
    if head.hasPrefix("GET /ping/canary") { pings.add(1, ordering: .relaxed) }
    guard head.hasPrefix("POST") else {
      let status = isBroken.load(ordering: .relaxed) ? "503 Broken" : "200 OK"
      connection.write("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      return
    }
    take(connection, head: head)
  }

  /// A message.
  func take(_ connection: LoopbackConnection, head: String) {
    let length =
      head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
    // What was read with the head already, and the rest.
    var body = head.firstRange(of: "\r\n\r\n").map { Array(head[$0.upperBound...].utf8) } ?? []
    while body.count < length {
      let more = connection.read(length - body.count)
      if more.isEmpty { break }
      body += more
    }
    if let json = try? JSONValue.parse(body) { bodies.withLock { $0.append(json) } }
    let status = answer.load(ordering: .relaxed)
    // Nothing at all: the message came, its answer is lost.
    guard status > 0 else { return }
    connection.write("HTTP/1.1 \(status) Answer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
  }
}
