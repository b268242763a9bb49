// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import NIOCore
import StatusSupport
import Synchronization
import TestSupport
import Testing
@testable import Status
@testable import StatusServer

/// Clients that hold connections without ever finishing lock nobody out.
@Suite(.timeLimit(.minutes(3)), .serialized) struct DrippingClientTests {
  /// Each has a connection that a byte of a request goes into now and then, and a new one when it is closed.
  private final class Drippers: Sendable {
    private let sockets: Mutex<[Int32]>
    private let address: ListenAddress
    private let stopped = Atomic(false)
    let reopened = Atomic(0)

    init(_ count: Int, _ address: ListenAddress) throws {
      self.address = address
      sockets = Mutex(try (0..<count).map { _ in try Self.open(address) })
      Thread { [self] in drip() }.start()
    }

    private static func open(_ address: ListenAddress) throws -> Int32 {
      let socket = try connected(address)
      _ = fcntl(socket, F_SETFL, O_NONBLOCK)
      return socket
    }

    private func drip() {
      let head = Array("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ".utf8)
      var round = 0
      while !stopped.load(ordering: .relaxed) {
        sockets.withLock { sockets in
          for index in sockets.indices where !stopped.load(ordering: .relaxed) {
            let byte = round < head.count ? head[round] : UInt8(ascii: "x")
            var sent = byte
            if send(sockets[index], &sent, 1, Int32(MSG_NOSIGNAL)) == 1 || errno == EAGAIN { continue }
            close(sockets[index])
            if let fresh = try? Self.open(address) { sockets[index] = fresh }
            reopened.add(1, ordering: .relaxed)
          }
        }
        round += 1
        usleep(20_000)
      }
    }

    func stop() {
      stopped.store(true, ordering: .relaxed)
      sockets.withLock { sockets in
        for socket in sockets { close(socket) }
        sockets = []
      }
    }
  }

  /// 2,000 from loopback, where the honest client is too: it is answered each time, long before the patience with any
  /// of them is over.
  @Test func twoThousandDrippersLockNobodyOut() async throws {
    guard raiseDescriptors(to: 6000) else {
      withKnownIssue("the descriptor limit of this machine is too low") { Issue.record("needs 6,000") }
      return
    }
    try await withServer(try sampleSource()) { address in
      let drippers = try Drippers(2000, address)
      defer { drippers.stop() }
      var slowest = Duration.zero
      for target in ["/livez", "/readyz", "/", "/metrics", "/api/v1/summary"] {
        for _ in 0..<4 {
          let clock = ContinuousClock.now
          let answer = try await get(address, target)
          slowest = max(slowest, clock.duration(to: .now))
          #expect(answer.status == 200, "\(target)")
          try await Task.sleep(for: .milliseconds(50))
        }
      }
      #expect(slowest < .nanoseconds(LocalStatusServer.patience.nanoseconds / 2), "\(slowest)")
      #expect(drippers.reopened.load(ordering: .relaxed) > 128)
    }
  }

  /// Those who ask for a page and do not read it hold up nobody, also on a unix socket: health goes ahead, and a page waits for one answer of each connection.
  @Test(arguments: [true, false]) func unreadAnswersLockNobodyOut(isSocket: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let listen =
        isSocket
        ? ListenAddress.unix(path: folder.appending(path: "s").path) : .tcp(host: "127.0.0.1", port: 0)
      try await withServer(try sampleSource(), listen: listen) { address in
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        let request = Array(String(repeating: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 200).utf8)
        for _ in 0..<400 {
          let socket = try connected(address)
          _ = fcntl(socket, F_SETFL, O_NONBLOCK)
          var size: Int32 = 4096
          setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, 4)
          _ = send(socket, request, request.count, Int32(MSG_NOSIGNAL))
          sockets.append(socket)
        }
        for target in ["/livez", "/readyz", "/"] {
          #expect(try await get(address, target).status == 200, "\(target)")
        }
      }
    }
  }
}

private func raiseDescriptors(to wanted: UInt) -> Bool {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  if limit.rlim_cur >= wanted { return true }
  limit.rlim_cur = wanted
  limit.rlim_max = max(limit.rlim_max, wanted)
  return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
}
