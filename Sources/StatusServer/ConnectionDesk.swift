// SPDX-License-Identifier: MIT

import Basics
import NIOCore
import Synchronization

/// The server's open connections: their places, their turns, and their common end.
///
/// Requests that read the agent's state are answered one at a time, first come, first served, and no connection asks
/// for more than one answer at once: however many pages are requested, they take one thread of those that probes run
/// on, and the next one to ask waits for as many answers as there are connections, not for as many as were asked for.
final class ConnectionDesk: Sendable {
  private struct State {
    var places: ConnectionPlaces
    var channels: [Int: any Channel] = [:]
    var isClosing = false
    var waiter: CheckedContinuation<Void, Never>?
    var isTurnTaken = false
    var queue: [(number: Int, begin: @Sendable () -> Void)] = []
  }

  private let state: Mutex<State>

  /// - Parameter limit: open connections.
  init(limit: Int) { state = Mutex(State(places: ConnectionPlaces(limit: limit))) }

  /// A number for the new connection, and the one to be closed for it, which may be its own: it has to know its number
  /// by then, or it could not leave.
  func enter(_ channel: any Channel) -> (number: Int, leaving: (any Channel)?) {
    let address = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0)?.origin.description } ?? ""
    return state.withLock { state in
      let (number, leaving) = state.places.enter(from: address)
      state.channels[number] = channel
      return (number, state.isClosing ? channel : leaving.flatMap { state.channels[$0] })
    }
  }

  /// False: the server closes, and the connection is to be closed instead of asked for more.
  func move(_ number: Int, to stage: ConnectionPlaces.Stage) -> Bool {
    state.withLock { state in
      state.places.move(number, to: stage)
      return !state.isClosing
    }
  }

  /// As `move`, to `sending` an answer of so many bytes, for which others that take none may be closed.
  func send(_ number: Int, bytes: Int) -> Bool {
    let (leaving, isOpen) = state.withLock { state in
      (state.places.send(number, bytes: bytes).compactMap { state.channels[$0] }, !state.isClosing)
    }
    for channel in leaving { channel.close(promise: nil) }
    return isOpen
  }

  /// Calls `begin`, which must lead to `giveTurn`, when the turn has come; never when the connection leaves before.
  func awaitTurn(_ number: Int, _ begin: @escaping @Sendable () -> Void) {
    let isNow = state.withLock { state in
      state.places.move(number, to: state.isTurnTaken ? .waiting : .answering)
      if state.isTurnTaken { state.queue.append((number, begin)) }
      defer { state.isTurnTaken = true }
      return !state.isTurnTaken
    }
    if isNow { begin() }
  }

  func giveTurn() {
    let begin = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.queue.isEmpty else {
        state.isTurnTaken = false
        return nil
      }
      let next = state.queue.removeFirst()
      state.places.move(next.number, to: .answering)
      return next.begin
    }
    begin?()
  }

  func leave(_ number: Int) {
    let waiter = state.withLock { state in
      state.places.leave(number)
      state.queue.removeAll { $0.number == number }
      state.channels[number] = nil
      return state.places.isEmpty ? state.waiter.take() : nil
    }
    waiter?.resume()
  }

  /// Closes what is idle; who is being answered still gets the answer.
  func close() {
    let idle = state.withLock { state in
      state.isClosing = true
      return state.channels.filter { state.places.stage(of: $0.key) == .asking }.values.map(\.self)
    }
    for channel in idle { channel.close(promise: nil) }
  }

  func closeAll() {
    for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
  }

  /// Returns when no connection is open any more.
  func untilEmpty() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.places.isEmpty { state.waiter = continuation }
        return state.places.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }
}
