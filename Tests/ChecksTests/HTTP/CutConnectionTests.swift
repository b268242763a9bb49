// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// A stranger on the way who ends a connection early: without TLS's farewell, half of a page is half of a page
/// (RFC 9112 section 9.8).
@Suite(.timeLimit(.minutes(1))) struct CutConnectionTests {
  /// OpenSSL's server sends a page until it closes, behind a relay that passes on all of its records but the last.
  @Test(arguments: ["-tls1_2", "-tls1_3"], [true, false])
  func anEndWithoutFarewellIsNoEnd(version: String, cut: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let identity = try authority.issue("good")
      let server = try await OpenSSLServer(identity, ["-www", version], in: folder)
      defer { server.stop() }
      try await withLoopbackServer(script: { relay($0, to: server.port, cut ? .cut : nil) }) { relay in
        let check = try httpCheck("https://good.test:\(relay.port)/") {
          $0.tls.caFile = authority.rootFile
          $0.httpVersion = "1.1"
          $0.http.expect.bodyNotContains = ["FATAL"]
        }
        let outcome = try await ProbeBench().http(check)
        #expect(outcome.statusCode == 200, "\(outcome.verdict)")
        #expect(outcome.verdict.reason == (cut ? .connectionClosed : .ok), "\(outcome.verdict)")
        #expect(!cut || outcome.verdict.phase == .transfer)
      }
    }
  }

  /// It is we who give up, and the server that loses a connection.
  @Test func aDamagedRecordIsNoAnswer() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let server = try await OpenSSLServer(authority.issue("good"), ["-www", "-tls1_2"], in: folder)
      defer { server.stop() }
      try await withLoopbackServer(script: { relay($0, to: server.port, .damaged) }) { relay in
        let check = try httpCheck("https://good.test:\(relay.port)/") { $0.tls.caFile = authority.rootFile }
        let outcome = try await ProbeBench().http(check)
        #expect(outcome.verdict.reason == .httpProtocol, "\(outcome.verdict)")
        #expect(outcome.verdict.message?.contains("came damaged") == true)
      }
    }
  }
}

private enum Harm { case cut, damaged }

/// Passes bytes on both ways until the server closes; without what the server said last, its farewell, or with a bit
/// of its data changed.
private func relay(_ link: LoopbackConnection, to port: UInt16, _ harm: Harm?) {
  let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(server) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  let connected = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard connected == 0 else { return }
  let far = LoopbackConnection(descriptor: server)
  var waiting: [UInt8] = []
  while true {
    var watched = [
      pollfd(fd: link.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: server, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&watched, 2, 10_000) > 0 else { return }
    if watched[0].revents != 0 {
      let bytes = link.read()
      if bytes.isEmpty { return }
      far.write(bytes)
    }
    guard watched[1].revents != 0 else { continue }
    let bytes = far.read()
    waiting += bytes
    let (end, isFarewell) = wholeRecords(waiting)
    var records = Array(waiting[..<end])
    if harm == .damaged, records.first == 23 { records[end - 1] ^= 1 }
    link.write(records)
    if isFarewell {
      // The server waits for ours.
      if harm != .cut { link.write(Array(waiting[end...])) }
      return
    }
    if bytes.isEmpty { return }
    waiting = Array(waiting[end...])
  }
}

/// Where the whole records (RFC 8446 section 5.1) end that are no farewell, and whether one follows: an alert, which
/// since TLS 1.3 looks like two bytes of data.
private func wholeRecords(_ bytes: [UInt8]) -> (end: Int, isFarewell: Bool) {
  var start = 0
  while start + 5 <= bytes.count {
    let length = Int(bytes[start + 3]) << 8 + Int(bytes[start + 4])
    guard start + 5 + length <= bytes.count else { break }
    if bytes[start] == 21 || bytes[start] == 23 && length <= 19 { return (start, true) }
    start += 5 + length
  }
  return (start, false)
}
