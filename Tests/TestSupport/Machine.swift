// SPDX-License-Identifier: MIT

import Glibc

/// What this machine has that not every machine has. A test that needs it says so by one of these conditions, and is
/// skipped by that name where it is missing.
package enum Machine {
  /// ::1 takes connections. Not so on a kernel without IPv6, and in many containers.
  package static let hasIPv6: Bool = {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return (try? bindLoopback(descriptor, ipv6: true)) != nil
  }()

  /// The reason beside `.enabled(if: Machine.hasIPv6, ...)`; scripts/test and CI know it by this text.
  package static let noIPv6 = "no IPv6 here"

  /// How often a test repeats what goes wrong only now and then by itself. Where every access to memory is looked at, once
  /// is enough, and everything takes thirty times as long: scripts/prove-memory says so by `QUARTZ_TEST_ROUNDS=few`.
  package static func rounds(_ count: Int) -> Int { hasFewRounds ? min(count, 10) : count }

  package static let hasFewRounds = getenv("QUARTZ_TEST_ROUNDS").map { String(cString: $0) == "few" } ?? false

  /// The arguments of a test that need no IPv6, and the others where there is IPv6.
  package static func withIPv6<Argument>(_ others: [Argument], and needed: [Argument]) -> [Argument] {
    hasIPv6 ? others + needed : others
  }
}
