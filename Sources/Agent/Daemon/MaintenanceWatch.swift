// SPDX-License-Identifier: MIT

import Basics
import Logging
import Monitoring

/// Tells the log when a maintenance window begins and when it ends; one that holds at the start is told as well.
actor MaintenanceWatch {
  private struct Active: Hashable {
    var name: String
    var origin: CheckOrigin
    var from: Timestamp
    var until: Timestamp
    var checks: Int
    var skip: Bool

    /// The same time of the same window, whatever else was changed meanwhile.
    func isSame(_ other: Active) -> Bool {
      name == other.name && origin == other.origin && from == other.from
    }
  }

  private let plan: @Sendable () -> MaintenancePlan
  private let log: Logger
  private let time: TimeSource
  private let pace: Duration
  private var active: [Active] = []

  static let every: Duration = .seconds(5)

  init(
    every pace: Duration = MaintenanceWatch.every, log: Logger, time: TimeSource,
    plan: @escaping @Sendable () -> MaintenancePlan
  ) {
    (self.plan, self.log, self.time, self.pace) = (plan, log, time, pace)
  }

  func run() async {
    repeat { look() } while (try? await time.sleep(for: pace)) != nil
  }

  func look() {
    let (plan, now) = (plan(), time.wall())
    let found = plan.windows.enumerated().compactMap { index, window in
      window.occurrence(at: now).map { hours in
        Active(
          name: window.name, origin: window.origin, from: hours.lowerBound, until: hours.upperBound,
          checks: plan.counts[index], skip: window.skip)
      }
    }
    for window in active where !found.contains(where: window.isSame) {
      log.notice("maintenance ends", metadata: ["window": "\(window.name)", "checks": "\(window.checks)"])
    }
    for window in found where !active.contains(where: window.isSame) {
      log.notice(
        "maintenance begins",
        metadata: [
          "window": "\(window.name)", "until": "\(window.until)", "checks": "\(window.checks)",
          "probing": window.skip ? "no" : "yes",
        ])
    }
    active = found
  }
}
