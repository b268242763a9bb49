// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Synchronization

/// Gives addresses the names that reverse DNS has for them.
package protocol HopNaming: Sendable {
  /// `nil` for none, or none in time.
  func name(of address: IPAddress, until deadline: Instant) async -> String?
}

extension SystemResolver: HopNaming {
  package func name(of address: IPAddress, until deadline: Instant) async -> String? {
    await reverseName(of: address, until: deadline)
  }
}

/// The names of one trace's hops, looked up while it goes on.
final class HopNameBook: Sendable {
  private struct State {
    var asked: Set<IPAddress> = []
    var names: [IPAddress: String] = [:]
  }

  private let state = Mutex(State())
  private let feed: AsyncStream<IPAddress>.Continuation
  private let addresses: AsyncStream<IPAddress>

  /// More than a way has routers, and no stranger's list.
  private static let limit = 128
  private static let atOnce = 4

  init() {
    (addresses, feed) = AsyncStream<IPAddress>.makeStream(bufferingPolicy: .bufferingOldest(Self.limit))
  }

  /// From any thread: asks for the names of addresses that are new.
  func want(_ trace: RouteTrace) {
    for hop in trace.hops {
      for answer in hop.answers {
        let isNew = state.withLock { state in
          state.asked.count < Self.limit && state.asked.insert(answer.address).inserted
        }
        if isNew { feed.yield(answer.address) }
      }
    }
  }

  /// No more will be wanted.
  func finish() { feed.finish() }

  func put(into trace: inout RouteTrace) {
    let names = state.withLock { $0.names }
    for hop in trace.hops.indices {
      for answer in trace.hops[hop].answers.indices {
        trace.hops[hop].answers[answer].name = names[trace.hops[hop].answers[answer].address]
      }
    }
  }

  /// Until all that is wanted was asked for.
  func lookUp(by names: any HopNaming, until deadline: Instant) async {
    await withTaskGroup(of: Void.self) { group in
      var running = 0
      for await address in addresses {
        if running >= Self.atOnce {
          await group.next()
        } else {
          running += 1
        }
        group.addTask {
          guard let name = await names.name(of: address, until: deadline) else { return }
          self.state.withLock { $0.names[address] = name }
        }
      }
    }
  }
}
