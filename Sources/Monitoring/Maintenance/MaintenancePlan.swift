// SPDX-License-Identifier: MIT

import Basics

/// The windows of the file and of the API, joined with the checks they are for.
///
/// A value: made again when checks or windows change, asked for every slot. Windows are asked for their hours only
/// when one of the check's own may have begun, so a check without windows costs one look-up.
package struct MaintenancePlan: Sendable {
  package let windows: [MaintenanceWindow]
  /// Positions in `windows`; only checks that have some.
  private let ofCheck: [UniqueID: [Int]]
  /// How many checks each window is for.
  package let counts: [Int]

  package static let none = MaintenancePlan([], checks: [])

  package init(_ windows: [MaintenanceWindow], checks: [MonitoringCheck]) {
    self.windows = windows
    var ofCheck: [UniqueID: [Int]] = [:]
    var counts = windows.map { _ in 0 }
    if !windows.isEmpty {
      for check in checks where check.enabled {
        let own = windows.indices.filter { windows[$0].selection.contains(check) }
        if !own.isEmpty { ofCheck[check.id] = own }
        for index in own { counts[index] += 1 }
      }
    }
    self.ofCheck = ofCheck
    self.counts = counts
  }

  /// The windows of a check that hold at any time of this stretch, ends included.
  package func active(
    _ checkID: UniqueID, from: Timestamp, through to: Timestamp
  ) -> [MaintenanceWindow] {
    guard let own = ofCheck[checkID] else { return [] }
    return own.filter { windows[$0].overlaps(from, through: to) }.map { windows[$0] }
  }

  /// The windows that a check is in some time, as positions in `windows`.
  package func windows(of checkID: UniqueID) -> [Int] { ofCheck[checkID] ?? [] }

  package func active(_ checkID: UniqueID, at instant: Timestamp) -> [MaintenanceWindow] {
    active(checkID, from: instant, through: instant)
  }

  /// When the windows of a check that hold now end; `nil` when none holds.
  package func ends(_ checkID: UniqueID, at instant: Timestamp) -> Timestamp? {
    active(checkID, at: instant).compactMap { $0.occurrence(at: instant)?.upperBound }.max()
  }

  /// Marks the result of a run that touched a window: the work may have begun, or not been over yet, while it tried. No
  /// other place decides it, for the schedule, runs by hand, `once` and what another process hands over.
  package func stamp(_ result: inout CheckResult, endedAt end: Timestamp) {
    result.maintenance = touches(result.checkID, result.scheduledAt, end)
  }

  package func stamp(_ record: inout DeliveryRecord, endedAt end: Timestamp) {
    if touches(record.checkID, record.scheduledAt, end) {
      record.flags.insert(.maintenance)
    } else {
      record.flags.remove(.maintenance)
    }
  }

  private func touches(_ checkID: UniqueID, _ slot: Timestamp, _ end: Timestamp) -> Bool {
    !active(checkID, from: slot, through: max(slot, end)).isEmpty
  }

  /// Whether a check is not to be probed at this instant.
  package func skips(_ checkID: UniqueID, at instant: Timestamp) -> Bool {
    guard let own = ofCheck[checkID] else { return false }
    return own.contains { windows[$0].skip && windows[$0].occurrence(at: instant) != nil }
  }
}
