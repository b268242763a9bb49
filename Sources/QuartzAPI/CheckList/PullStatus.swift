// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// How the list from the API stands.
package struct PullStatus: Hashable, Sendable {
  /// When the list in force was read.
  package var lastSuccess: Timestamp?
  /// It is the one from the disk; the API has not confirmed it since the start.
  package var isFromDisk = false
  package var running = 0
  package var skipped: [SkippedCheck] = []
  package var warnings: [CheckWarning] = []
  package var filtered = 0
  package var isCut = false
  /// Maintenance windows in force.
  package var windows = 0
  /// Windows that are not kept, each with the reason.
  package var windowProblems: [String] = []
  /// Why the windows are not the API's latest.
  package var windowTrouble: PullTrouble?
  /// Checks refused because the list names too many places.
  package var refusedDestinations = 0
  /// Why the last pull changed nothing.
  package var trouble: PullTrouble?
  /// Why the last list was not applied.
  package var held: String?
  /// Why the list on disk was not used, or not written.
  package var cacheProblem: String?

  package init() {}

  /// One for each fact that is not as it should be, the most important first; `shown` names at most so many checks.
  package func notices(shown: Int = 20) -> [LinkNotice] {
    var notices: [LinkNotice] = []
    if refusedDestinations > 0 {
      notices.append(
        LinkNotice(
          message: "the API's list asks this agent to go to more places than it may: \(refusedDestinations) "
            + "checks are refused",
          hint: "a list that scans looks like this; if it is meant, raise limits.destinations", isAlarm: true)
      )
    }
    if let held {
      notices.append(LinkNotice(message: "the check list is not the API's latest: \(held)", isAlarm: true))
    }
    if let trouble {
      notices.append(
        LinkNotice(message: "the check list is not the API's latest: \(trouble.message)", hint: trouble.hint))
    }
    if isFromDisk {
      let since = lastSuccess.map { " of \($0.rfc3339)" } ?? ""
      let why = trouble == nil && held == nil ? "; the API has not answered yet" : ""
      notices.append(LinkNotice(message: "the checks are those of the list on disk\(since)\(why)"))
    }
    if let windowTrouble {
      notices.append(
        LinkNotice(
          message: "the maintenance windows are not the API's latest: \(windowTrouble.message)",
          hint: windowTrouble.hint))
    }
    if isCut {
      notices.append(
        LinkNotice(
          message: "the API lists more checks than this agent reads (20,000)",
          hint: "give each agent its share with quartz.checks.only"))
    }
    notices += skipped.prefix(shown).map {
      LinkNotice(message: "\($0.name) (\($0.type)) of the API is not run: \($0.reason)")
    }
    if skipped.count > shown {
      notices.append(
        LinkNotice(message: "\(skipped.count - shown) more checks of the API are not run: see the log"))
    }
    notices += windowProblems.prefix(shown).map {
      LinkNotice(message: "a maintenance window of the API is not kept: \($0)")
    }
    if let cacheProblem { notices.append(LinkNotice(message: "the check list on disk: \(cacheProblem)")) }
    return notices
  }
}
