// SPDX-License-Identifier: MIT

import Basics
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
  package var started: Instant
  package var ended: Instant
  package var end: End
  /// The kernel's figures of it. `nil` where nothing was sent, and for one that was given up for another.
  package var tcp: TransportFacts? = nil

  package var elapsed: Duration { started.duration(to: ended) }
}

/// How a race went, with stamps taken on the reactor's thread.
package struct RaceReport: Sendable {
  /// The established connection. `nil` where there is none, and when it is not wanted.
  package var socket: ConnectedSocket?
  /// Every address that was dialled, in the order of dialling. Those whose turn never came are not in it.
  package var tries: [DialTry]
  package var started: Instant
  package var ended: Instant
  package var deadline: Instant
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
  /// Between one attempt and the next, RFC 8305, section 8.
  static let stagger = Duration.milliseconds(250)

  private let peers: [SocketAddress]
  /// Of the other side's time, from the start of the race on.
  private let limit: Duration
  private var deadline: Instant { started + limit }
  /// The connection that stands is handed on.
  private let keepsSocket: Bool
  /// Taken when the race ends, so that it is resumed exactly once.
  private var continuation: CheckedContinuation<RaceReport?, Never>?
  private var report: RaceReport?
  private var id: UInt64 = 0
  private var started = Instant.now
  private var tries: [DialTry] = []
  /// Descriptors that are connecting, by the index of their try; -1: no more.
  private var open: [Int32] = []
  private var nextStart: Instant?

  init(
    _ peers: [SocketAddress], limit: Duration, keepsSocket: Bool,
    continuation: CheckedContinuation<RaceReport?, Never>
  ) {
    self.peers = peers
    self.limit = limit
    self.keepsSocket = keepsSocket
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
    let isError = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
    for (index, number) in open.enumerated() where number >= 0 {
      // With one address the event is about its socket; with several any of them may be meant.
      let isAlone = peers.count == 1
      guard isAlone || isConnectOver(number) else { continue }
      let code = outcome(of: number, peers[index], hasError: isError || !isAlone)
      if code == 0 { return finish(index, at: now, on: loop) }
      tries[index].tcp = TransportFacts(connecting: number)
      close(index, as: .failed(code), at: now)
      if !dialNext(on: loop) { return false }
    }
    return true
  }

  func timer(at now: Instant, on loop: ReactorLoop) -> Bool {
    if now >= deadline {
      for (index, number) in open.enumerated() where number >= 0 {
        tries[index].tcp = TransportFacts(connecting: number)
        close(index, as: .timedOut, at: now)
      }
      return finish(nil, at: now, on: loop)
    }
    guard let nextStart, nextStart <= now else { return true }
    return dialNext(on: loop)
  }

  func cancel() {
    for number in open where number >= 0 { _ = Glibc.close(number) }
    open = []
    settle()
  }

  func settle() {
    continuation?.resume(returning: report)
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
      let refusal = errno
      open.append(number)
      guard number >= 0 else {
        tries[index].end = .failed(refusal)
        continue
      }
      let result = peer.withPointer { connect(number, $0, $1) }
      let code = result == 0 ? outcome(of: number, peer, hasError: true) : errno
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
    return open.contains { $0 >= 0 } ? true : finish(nil, at: .now, on: loop)
  }

  /// Zero: the connection stands, or stood until the other side reset it, which is for its user to find out.
  private func outcome(of number: Int32, _ peer: SocketAddress, hasError: Bool) -> Int32 {
    switch hasError ? pendingError(number) : 0 {
    // Nobody listens there, and the kernel joined the socket with itself; see `Flow`.
    case 0: isSelfConnected(number, peer) ? ECONNREFUSED : 0
    case ECONNRESET: 0
    case let code: connectError(number, code)
    }
  }

  /// Nothing if it is closed already.
  private func close(_ index: Int, as end: DialTry.End, at now: Instant) {
    guard open[index] >= 0 else { return }
    _ = Glibc.close(open[index])
    open[index] = -1
    tries[index].end = end
    tries[index].ended = now
  }

  private func finish(_ winner: Int?, at now: Instant, on loop: ReactorLoop) -> Bool {
    var socket: ConnectedSocket?
    if let winner {
      tries[winner].tcp = TransportFacts(connecting: open[winner])
      socket = take(winner, on: loop)
      tries[winner].end = .connected
      tries[winner].ended = now
    }
    for index in open.indices { close(index, as: .abandoned, at: now) }
    report = RaceReport(
      socket: socket, tries: tries, started: started, ended: now, deadline: deadline,
      lateness: loop.lateness(since: started))
    loop.settle(self)
    return false
  }

  /// The winner's socket, where it is wanted.
  private func take(_ winner: Int, on loop: ReactorLoop) -> ConnectedSocket? {
    let number = open[winner]
    open[winner] = -1
    guard keepsSocket else {
      _ = Glibc.close(number)
      return nil
    }
    loop.forget(number)
    RouterReports.end(on: number, tries[winner].peer.family)
    return ConnectedSocket(
      number, to: tries[winner].peer, synRetransmits: tries[winner].tcp?.synRetransmits ?? 0)
  }
}
