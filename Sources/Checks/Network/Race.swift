// SPDX-License-Identifier: MIT

import CLinux
import Curl
import Glibc
import Monitoring

/// How one address of a race fared.
package struct DialTry: Hashable, Sendable {
  package enum End: Hashable, Sendable {
    case connected
    /// Another one was connected first.
    case abandoned
    case timedOut
    /// A system call failed with this errno.
    case failed(Int32)
  }

  package var peer: SocketAddress
  package var started: ContinuousClock.Instant
  package var ended: ContinuousClock.Instant
  package var end: End

  package var elapsed: Duration { started.duration(to: ended) }
}

/// How a race went, with stamps taken on the reactor's thread.
package struct RaceReport: Sendable {
  /// The connection that stands; nil when none does.
  package var socket: ConnectedSocket?
  /// Every address that was dialled, in the order of dialling. Those whose turn never came are not in it.
  package var tries: [DialTry]
  package var started: ContinuousClock.Instant
  package var ended: ContinuousClock.Instant
  package var deadline: ContinuousClock.Instant
  /// The longest time the reactor's own thread was late or busy elsewhere meanwhile.
  package var lateness: Duration

  package var elapsed: Duration { started.duration(to: ended) }
  package var winner: DialTry? { tries.first { $0.end == .connected } }
}

/// Dials addresses until one accepts: in their order, the next 250 ms after the one before it or as soon as one has
/// failed (RFC 8305, section 5). The first connection that stands wins, the others are closed.
///
/// Made, used and released on the reactor's thread.
final class Race: ReactorFlow {
  typealias Instant = ContinuousClock.Instant

  /// Between one attempt and the next, RFC 8305, section 8.
  static let stagger = Duration.milliseconds(250)

  private let peers: [SocketAddress]
  private let deadline: Instant
  /// Taken when the race ends, so that it is resumed exactly once.
  private var continuation: CheckedContinuation<RaceReport?, Never>?
  private var id: UInt64 = 0
  private var started = Instant.now
  private var tries: [DialTry] = []
  /// Descriptors that are connecting, by the index of their try.
  private var open: [Int: Int32] = [:]
  private var nextStart: Instant?

  init(
    _ peers: [SocketAddress], deadline: Instant, continuation: CheckedContinuation<RaceReport?, Never>
  ) {
    self.peers = peers
    self.deadline = deadline
    self.continuation = continuation
  }

  func begin(_ id: UInt64, on loop: ReactorLoop) -> Bool {
    self.id = id
    started = .now
    if started >= deadline { return finish(nil, at: started, on: loop) }
    loop.wake(id, at: deadline)
    return dialNext(on: loop)
  }

  func ready(_ events: UInt32, at now: Instant, on loop: ReactorLoop) -> Bool {
    for (index, number) in open.sorted(by: { $0.key < $1.key }) where isConnectOver(number) {
      let code = outcome(of: number)
      if code == 0 { return finish(index, at: now, on: loop) }
      close(index, as: .failed(code), at: now)
      if !dialNext(on: loop) { return false }
    }
    return true
  }

  func timer(at now: Instant, on loop: ReactorLoop) -> Bool {
    if now >= deadline {
      for index in open.keys { close(index, as: .timedOut, at: now) }
      return finish(nil, at: now, on: loop)
    }
    guard let nextStart, nextStart <= now else { return true }
    return dialNext(on: loop)
  }

  func cancel() {
    for number in open.values { _ = Glibc.close(number) }
    open = [:]
    continuation?.resume(returning: nil)
    continuation = nil
  }

  /// Starts attempts until one is under way. False when the race is over.
  private func dialNext(on loop: ReactorLoop) -> Bool {
    nextStart = nil
    while tries.count < peers.count {
      let peer = peers[tries.count]
      // The first begins with the race: with one address its time is the whole.
      let now = tries.isEmpty ? started : Instant.now
      tries.append(DialTry(peer: peer, started: now, ended: now, end: .abandoned))
      let index = tries.count - 1
      let number = openSocket(.tcp, to: peer)
      guard number >= 0 else {
        tries[index].end = .failed(errno)
        continue
      }
      open[index] = number
      let result = peer.withPointer { connect(number, $0, $1) }
      let code = result == 0 ? outcome(of: number) : errno
      if code == 0 { return finish(index, at: .now, on: loop) }
      let watched = code == EINPROGRESS ? loop.watch(number, id, EPOLLOUT.rawValue, isNew: true) : code
      guard watched == 0 else {
        close(index, as: .failed(watched), at: .now)
        continue
      }
      if tries.count < peers.count {
        let next = now + Self.stagger
        nextStart = next
        loop.wake(id, at: next)
      }
      return true
    }
    return open.isEmpty ? finish(nil, at: .now, on: loop) : true
  }

  /// Zero: the connection stands, or stood until the other side reset it, which is for its user to find out.
  private func outcome(of number: Int32) -> Int32 {
    switch pendingError(number) {
    // Nobody listens there, and the kernel joined the socket with itself; see `Flow`.
    case 0: isSelfConnected(number) ? ECONNREFUSED : 0
    case ECONNRESET: 0
    case let code: code
    }
  }

  private func close(_ index: Int, as end: DialTry.End, at now: Instant) {
    if let number = open.removeValue(forKey: index) { _ = Glibc.close(number) }
    tries[index].end = end
    tries[index].ended = now
  }

  private func finish(_ winner: Int?, at now: Instant, on loop: ReactorLoop) -> Bool {
    var socket: ConnectedSocket?
    if let winner, let number = open.removeValue(forKey: winner) {
      loop.forget(number)
      tries[winner].end = .connected
      tries[winner].ended = now
      let peer = tries[winner].peer
      socket = ConnectedSocket(number, address: peer.address.description, port: peer.port)
    }
    for index in open.keys { close(index, as: .abandoned, at: now) }
    let report = RaceReport(
      socket: socket, tries: tries, started: started, ended: now, deadline: deadline,
      lateness: loop.lateness(since: started))
    continuation?.resume(returning: report)
    continuation = nil
    return false
  }
}
