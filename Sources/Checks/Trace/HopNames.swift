// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Gives addresses the names that reverse DNS has for them.
package protocol HopNaming: Sendable {
  /// `nil` for none, or none in time.
  func name(of address: IPAddress, until deadline: Instant) async -> String?
}

extension SystemResolver: HopNaming {
  /// Asks the machine's own name servers only.
  package func name(of address: IPAddress, until deadline: Instant) async -> String? {
    guard let name = DNSName(address.reverseName) else { return nil }
    let question = DNSQuestion(name: name, type: .ptr)
    let reply = try? await ask(question, recursion: true, over: .udp, phase: .dns, until: deadline)
    guard case .message(let message) = reply?.content, message.rcode == .noError else { return nil }
    for record in message.answers where record.type == .ptr {
      guard case .name(let host) = record.value, host != .root else { continue }
      return String(host.description.dropLast()).printable(maxBytes: 255)
    }
    return nil
  }
}

extension IPAddress {
  /// Where its name is: in-addr.arpa (RFC 1035 3.5), or ip6.arpa (RFC 3596 2.5).
  var reverseName: String {
    switch self {
    case .v4: bytes.reversed().map { String($0) }.joined(separator: ".") + ".in-addr.arpa"
    case .v6:
      bytes.reversed().flatMap { [String($0 & 15, radix: 16), String($0 >> 4, radix: 16)] }
        .joined(separator: ".") + ".ip6.arpa"
    }
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
