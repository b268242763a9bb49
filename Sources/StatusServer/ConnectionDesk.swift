// SPDX-License-Identifier: MIT

import NIOCore
import Synchronization

/// The server's open connections: their places, and their common end.
final class ConnectionDesk: Sendable {
  private struct State {
    var places: ConnectionPlaces
    var channels: [Int: any Channel] = [:]
    var isClosing = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state: Mutex<State>

  /// - Parameter limit: open connections.
  init(limit: Int) { state = Mutex(State(places: ConnectionPlaces(limit: limit))) }

  /// A number for the new connection. Somebody else's may be closed for it, and its own when the server closes.
  func enter(_ channel: any Channel) -> Int {
    let address = channel.remoteAddress?.ipAddress ?? ""
    let (number, leaving) = state.withLock { state in
      let (number, leaving) = state.places.enter(from: address)
      state.channels[number] = channel
      return (number, state.isClosing ? channel : leaving.flatMap { state.channels[$0] })
    }
    leaving?.close(promise: nil)
    return number
  }

  /// False: the server closes, and the connection is to be closed instead of asked for more.
  func move(_ number: Int, to stage: ConnectionPlaces.Stage) -> Bool {
    state.withLock { state in
      state.places.move(number, to: stage)
      return !state.isClosing
    }
  }

  func leave(_ number: Int) {
    let waiter = state.withLock { state in
      state.places.leave(number)
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
