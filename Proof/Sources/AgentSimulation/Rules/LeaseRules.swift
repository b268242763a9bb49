// SPDX-License-Identifier: MIT

import Basics

/// Whether a member knows what it cannot know. Pure.
struct LeaseRules {
  let ttl: Duration

  /// - Parameters:
  ///   - proof: when the last request left that the store answered as it does to who has a lease.
  ///   - isAlone: what it believes, having had time to think.
  func judge(_ name: String, proof: Instant, isAlone: Bool, now: Instant) -> Violation.Found? {
    let silence = proof.duration(to: now)
    guard !isAlone, silence > ttl + .milliseconds(700) else { return nil }
    return (.lease, "\(name) has had no proof of its lease for \(silence), and says nothing of it")
  }
}
