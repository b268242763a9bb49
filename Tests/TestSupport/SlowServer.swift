// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Synchronization

/// An HTTP server on loopback that answers each request a fixed time after it came, thousands of them at once, and
/// closes. One thread of its own, which sleeps until the next one is due.
package final class SlowServer: Sendable {
  package let port: UInt16
  private let listener: Int32
  private let isStopped = Atomic(false)
  private let delay: Int64
  private let threads = ThreadCount()

  /// - Parameter delay: from the request to its answer.
  package init(delay: Duration) throws {
    let (seconds, attoseconds) = delay.components
    self.delay = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    listener = socket(AF_INET, kind, 0)
    guard listener >= 0 else { throw POSIXFailure("socket", errno) }
    port = try bindLoopback(listener, ipv6: false, address: 0x7f00_0001, port: 0)
    guard listen(listener, 4096) == 0 else { throw POSIXFailure("listen", errno) }
    threads.start { [self] in serve() }
  }

  /// It ends within a tenth of a second.
  package func stop() {
    isStopped.store(true, ordering: .relaxed)
    threads.wait()
  }

  private func serve() {
    var waiting = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
    // The delay is the same for all: whoever asked first is answered first.
    var due: [(at: Int64, connection: Int32)] = []
    var next = 0
    while !isStopped.load(ordering: .relaxed) {
      let left = next < due.count ? (due[next].at - SystemClock.monotonic.nanoseconds) / 1_000_000 + 1 : 100
      if poll(&waiting, UInt(waiting.count), Int32(max(0, min(100, left)))) > 0 {
        take(&waiting, &due)
      }
      while next < due.count, due[next].at <= SystemClock.monotonic.nanoseconds {
        answer(due[next].connection)
        next += 1
      }
    }
    for entry in waiting { close(entry.fd) }
    for one in due[next...] { close(one.connection) }
  }

  private func take(_ waiting: inout [pollfd], _ due: inout [(at: Int64, connection: Int32)]) {
    for index in waiting.indices.dropFirst().reversed() where waiting[index].revents != 0 {
      var request = [UInt8](repeating: 0, count: 4096)
      let connection = waiting[index].fd
      waiting.swapAt(index, waiting.count - 1)
      waiting.removeLast()
      // A request of a few headers comes whole.
      if recv(connection, &request, request.count, 0) > 0 {
        due.append((SystemClock.monotonic.nanoseconds + delay, connection))
      } else {
        close(connection)
      }
    }
    while true {
      let connection = accept(listener, nil, nil)
      if connection < 0 { return }
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      _ = fcntl(connection, F_SETFL, O_NONBLOCK)
      waiting.append(pollfd(fd: connection, events: Int16(POLLIN), revents: 0))
    }
  }

  private func answer(_ connection: Int32) {
    let words = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8)
    _ = send(connection, words, words.count, Int32(MSG_NOSIGNAL))
    close(connection)
  }

}
