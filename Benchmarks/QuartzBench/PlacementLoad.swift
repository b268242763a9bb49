// SPDX-License-Identifier: MIT

import Basics
import Checks
import Groups

/// Who has what in a great group: the first placement, one that comes, one that goes, and what a check takes of memory.
struct PlacementLoad {
  private let checks: Int
  private let members: Int

  init(_ arguments: Arguments) throws {
    checks = try arguments.number("checks")
    members = try arguments.number("members")
  }

  static func list(_ count: Int) -> [Placement.GroupCheck] {
    (0..<UInt64(count)).map { number in
      let mixed = (number &+ 1) &* 0x9e37_79b9_7f4a_7c15
      return Placement.GroupCheck(UniqueID(high: mixed, low: mixed ^ number), .api)
    }
  }

  private func view(_ names: some Sequence<Int>) -> GroupView {
    GroupView(
      StoreReading(
        cluster: 1, revision: 5, members: names.map { .init(name: "m\($0)", card: MemberCard(), revision: 5) }
      ))
  }

  func run() throws -> String {
    let list = Self.list(checks)
    var placement = Placement(own: "m0")
    placement.replace(list)
    let first = milliseconds { placement.follow(view(0..<members)) }
    let memory = try bytes(list)
    var times: (join: [Double], leave: [Double]) = ([], [])
    for number in 0..<9 {
      times.join.append(milliseconds { placement.follow(view(0..<members + 1)) })
      times.leave.append(milliseconds { placement.follow(view((0..<members + 1).filter { $0 != number })) })
      placement.follow(view(0..<members))
    }
    let medians = (times.join.sorted()[4], times.leave.sorted()[4])
    withExtendedLifetime(list) {}
    return """
      {"first_ms": \(first), "join_ms": \(medians.0), "leave_ms": \(medians.1), \
      "bytes_per_check": \(Double(memory) / Double(checks))}
      """
  }

  /// Of ten placements, after one that brought the code into memory.
  private func bytes(_ list: [Placement.GroupCheck]) throws -> Int {
    let before = Self.heldBytes()
    let placements = (0..<10).map { _ in
      var placement = Placement(own: "m0")
      placement.replace(list)
      placement.follow(view(0..<min(members, 3)))
      return placement
    }
    defer { withExtendedLifetime(placements) {} }
    return (Self.heldBytes() - before) / 10
  }

  private func milliseconds(_ work: () -> Void) -> Double {
    let start = Usage.now()
    work()
    let cost = Cost(probes: 0, ok: 0, since: start)
    return (cost.user + cost.system) * 1000
  }

  /// Without what the allocator keeps of memory that was free again.
  static func heldBytes() -> Int {
    releaseFreeMemory()
    return residentBytes()
  }
}
