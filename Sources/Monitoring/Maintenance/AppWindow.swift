// SPDX-License-Identifier: MIT

import Basics

/// A maintenance window of this agent as the Quartz apps can show it: one time, of one resource whose checks it covers all.
package struct AppWindow: Hashable, Sendable {
  /// Begins with the agent's mark: the agent knows its own windows when it reads them back with the list of checks.
  package var id: UniqueID
  package var resource: UniqueID
  /// The resource's checks, in a fixed order.
  package var checks: [UniqueID]
  package var from: Timestamp
  package var until: Timestamp
  package var title: String

  package init(
    id: UniqueID, resource: UniqueID, checks: [UniqueID], from: Timestamp, until: Timestamp, title: String
  ) {
    (self.id, self.resource, self.checks) = (id, resource, checks)
    (self.from, self.until, self.title) = (from, until, title)
  }

  /// Windows of an agent, and names of checks in them, that are shown at most.
  package static let most = 200
  package static let mostChecks = 5000
  /// Windows that begin later are not shown yet.
  package static let ahead: Duration = .seconds(86_400)

  /// The first 48 bits of the ids of an agent's windows.
  package struct Mark: Hashable, Sendable {
    private let bits: UInt64

    package init(agent: String) {
      bits = Self.word(sha256(Array("quartz-agent windows of \(agent)".utf8)), 0) & 0xffff_ffff_ffff_0000
    }

    private static func word(_ digest: [UInt8], _ start: Int) -> UInt64 {
      digest[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }  // bounded: within 32 bytes
    }

    /// Version 8 (RFC 9562, section 5.8): the mark, then bits of SHA-256 over window, begin and resource.
    func id(_ window: MaintenanceWindow, _ from: Timestamp, _ resource: UniqueID) -> UniqueID {
      let name = window.id?.description ?? "\(window.name.utf8.count) \(window.name)"
      let digest = sha256(Array("\(name) \(from.microseconds) \(resource)".utf8))
      return UniqueID(
        high: bits | 0x8000 | Self.word(digest, 0) & 0xfff, low: Self.word(digest, 8) & ~(3 << 62) | 1 << 63)
    }

    package func isOn(_ id: UniqueID) -> Bool {
      id.high & 0xffff_ffff_ffff_0000 == bits && id.high & 0xf000 == 0x8000
    }
  }
}

extension MaintenancePlan {
  /// Windows of the file and by hand as the apps can show them: those that hold, and those that begin within a day.
  ///
  /// - Parameters:
  ///   - checks: those of the plan.
  ///   - isPosted: the receiver knows the check.
  ///   - isRunHere: whether a check is this agent's. A window by hand is about what this agent runs; one of the file, which all
  ///     members of a group have, is shown by the member that runs the resource's first check.
  package func forApps(
    _ checks: [MonitoringCheck], mark: AppWindow.Mark, now: Timestamp, isPosted: (MonitoringCheck) -> Bool,
    isRunHere: (UniqueID) -> Bool
  ) -> [AppWindow] {
    let own = windows.indices.filter { windows[$0].origin == .local }
    let times = own.compactMap { index -> (index: Int, hours: Range<Timestamp>)? in
      let window = windows[index]
      guard let hours = window.occurrence(at: now) ?? window.next(after: now),
        hours.lowerBound < now.advanced(by: AppWindow.ahead)
      else { return nil }
      return (index, hours)
    }
    guard !times.isEmpty else { return [] }
    let resources = Self.resources(checks, isPosted)
    var found: [AppWindow] = []
    for (index, hours) in times {
      let window = windows[index]
      for (resource, members) in resources {
        guard members.allSatisfy({ window.selection.contains($0) }) else { continue }
        let ids = members.map(\.id)
        guard window.id == nil ? ids.first.map(isRunHere) == true : ids.allSatisfy(isRunHere) else {
          continue
        }
        found.append(
          AppWindow(
            id: mark.id(window, hours.lowerBound, resource), resource: resource, checks: ids,
            from: hours.lowerBound, until: hours.upperBound,
            title: window.name.printable(maxBytes: CheckLimits.nameBytes)))
      }
    }
    return Self.bounded(found)
  }

  /// Enabled checks that the receiver knows, by resource.
  private static func resources(
    _ checks: [MonitoringCheck], _ isPosted: (MonitoringCheck) -> Bool
  ) -> [UniqueID: [MonitoringCheck]] {
    var resources: [UniqueID: [MonitoringCheck]] = [:]
    for check in checks where check.enabled && isPosted(check) {
      if let resource = check.resourceID { resources[resource, default: []].append(check) }
    }
    return resources.mapValues { $0.sorted { $0.id < $1.id } }
  }

  /// The earliest, as many as there is room for.
  private static func bounded(_ found: [AppWindow]) -> [AppWindow] {
    var room = AppWindow.mostChecks
    let ordered = found.sorted { ($0.from, $0.id) < ($1.from, $1.id) }.prefix(AppWindow.most)
    return Array(
      ordered.prefix { window in
        room -= window.checks.count  // bounded: it ends below zero
        return room >= 0
      })
  }
}
