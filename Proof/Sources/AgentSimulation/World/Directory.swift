// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Basics

/// A source of targets, which gives lists, other ones, and sometimes none.
///
/// No lock: the simulator has one thread.
final class Directory: @unchecked Sendable {
  enum Mood: CaseIterable {
    case well, failing, silent
    /// It says that there is none.
    case empty
  }

  private let clock: WorldClock
  private var dice: Dice
  private(set) var targets: Set<String>
  var mood = Mood.well

  init(_ clock: WorldClock, seed: UInt64) {
    self.clock = clock
    dice = Dice(seed, "directory")
    targets = Set((0..<6).map { "host-\($0).example:443" })
  }

  func edit() {
    let host = "host-\(Int.random(in: 0..<12, using: &dice)).example:443"
    if dice.chance(5) {
      targets = [host]
    } else if targets.count > 1, targets.remove(host) != nil {
      return
    } else {
      targets.insert(host)
    }
  }

  func answer(to life: Life) async throws(CancellationError) -> DiscoveryFinding {
    let finding: DiscoveryFinding? = await life.answer { answer in
      let (mood, takes) = (mood, dice.time(.milliseconds(5) ... .milliseconds(300)))
      clock.after(mood == .silent ? .seconds(8) : takes) { answer(self.finding(mood)) }
    }
    guard let finding else { throw CancellationError() }
    return finding
  }

  private func finding(_ mood: Mood) -> DiscoveryFinding {
    switch mood {
    case .well: .list(Self.list(targets))
    case .empty: .list(Self.list([]))
    case .failing: .failed("cmdb.example:443 answered 500, not 200")
    case .silent: .failed("cmdb.example:443: no answer in time")
    }
  }

  private static func list(_ addresses: Set<String>) -> TargetList {
    TargetList(
      targets: addresses.sorted().map { address in
        TargetList.Target(address: address, host: String(address.dropLast(4)), port: 443)
      })
  }
}
