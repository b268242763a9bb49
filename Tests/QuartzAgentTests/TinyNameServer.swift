// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Synchronization
import TestSupport

/// A name server on loopback and a port of the kernel's choice, to whom every name has the same IPv4 addresses.
final class TinyNameServer: Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let state = Mutex((stopped: false, questions: [String]()))

  /// Questions so far.
  var asked: Int { state.withLock { $0.questions.count } }
  /// Each as its name in lower case and the number of its type.
  var questions: [String] { state.withLock { $0.questions } }

  init(_ addresses: [[UInt8]]) throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXFailure("socket", errno) }
    port = try bindLoopback(descriptor)
    limitReceiving(descriptor, microseconds: 50_000)
    Thread { [self] in serve(addresses) }.start()
  }

  func stop() { state.withLock { $0.stopped = true } }

  private func serve(_ addresses: [[UInt8]]) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !state.withLock({ $0.stopped }) {
      var peer = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      withUnsafeMutablePointer(to: &peer) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { client in
          let count = recvfrom(descriptor, &buffer, buffer.count, 0, client, &length)
          guard count > 12 else { return }
          let query = Array(buffer[..<count])
          state.withLock { $0.questions.append(Self.question(query)) }
          let answer = Self.answer(query, addresses)
          _ = sendto(descriptor, answer, answer.count, 0, client, length)
        }
      }
    }
    close(descriptor)
  }

  private static func question(_ query: [UInt8]) -> String {
    var (end, labels) = (12, [String]())
    while end < query.count, query[end] > 0, end + 1 + Int(query[end]) < query.count {
      labels.append(String(decoding: query[end + 1...end + Int(query[end])], as: UTF8.self).lowercased())
      end += 1 + Int(query[end])
    }
    return "\(labels.joined(separator: ".")) \(end + 2 < query.count ? query[end + 2] : 0)"
  }

  /// RFC 1035, section 4: the question again, and an address record for each address if it was for those.
  private static func answer(_ query: [UInt8], _ addresses: [[UInt8]]) -> [UInt8] {
    var end = 12
    while end < query.count, query[end] > 0 { end += 1 + Int(query[end]) }
    let question = Array(query[12..<min(end + 5, query.count)])
    let records = question.suffix(4).first == 0 && question.suffix(3).first == 1 ? addresses : []
    var bytes = Array(query[..<2]) + [0x81, 0x80, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0] + question
    for record in records { bytes += [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4] + record }
    return bytes
  }
}

/// The longest that a read of a socket waits, as a `timeval`.
func limitReceiving(_ descriptor: Int32, seconds: Int = 0, microseconds: Int = 0) {
  var limit = (seconds, microseconds)
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout.size(ofValue: limit)))
}
