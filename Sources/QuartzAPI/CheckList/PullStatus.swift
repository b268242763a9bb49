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
  package var skipped: [Notice] = []
  package var warnings: [Notice] = []
  package var filtered = 0
  package var isCut = false
  /// Maintenance windows in force.
  package var windows = 0
  /// Windows that are not kept, each with the reason.
  package var windowProblems: [String] = []
  /// Why the windows are not the API's latest.
  package var windowTrouble: Notice?
  /// Checks refused because the list names too many places.
  package var refusedDestinations = 0
  /// Why the last pull changed nothing.
  package var trouble: Notice?
  /// Why the last list was not applied.
  package var held: String?
  /// Why the list on disk was not used.
  package var cacheProblem: String?

  package init() {}

  /// The list looks like one that scans.
  package var beyondReach: Notice? {
    refusedDestinations == 0
      ? nil
      : .critical(
        .reach,
        "the API's list asks this agent to go to more places than it may: "
          + "\(counted(refusedDestinations, "check is", "checks are")) refused",
        hint: "a list that scans looks like this; if it is intended, raise limits.destinations; "
          + "of new destinations, 50 may join in an hour")
  }

  /// One for each fact that is not as it should be, the most important first; `shown` names at most so many checks.
  package func notices(shown: Int = 20) -> [Notice] {
    var notices = [beyondReach].compactMap(\.self)
    let isOld = "the check list is not the API's latest"
    if let held { notices.append(.critical(.checkList, "\(isOld): \(held)")) }
    if let trouble { notices.append(.warning(.checkList, "\(isOld): \(trouble.what)", hint: trouble.hint)) }
    if isFromDisk {
      let since = lastSuccess.map { " of \($0.rfc3339)" } ?? ""
      let why = trouble == nil && held == nil ? "; the API has not answered yet" : ""
      notices.append(.warning(.checkList, "the checks are those of the list on disk\(since)\(why)"))
    }
    if let windowTrouble {
      notices.append(
        .warning(
          .windows, "the maintenance windows are not the API's latest: \(windowTrouble.what)",
          hint: windowTrouble.hint))
    }
    if isCut {
      notices.append(
        .warning(
          .checkList, "the API lists more checks than this agent reads (20,000)",
          hint: "give each agent its share with quartz.checks.only"))
    }
    notices += skipped.prefix(shown).map {
      .warning($0.place, "\($0.place.text) of the API is not run: \($0.what)")
    }
    if skipped.count > shown {
      notices.append(
        .warning(
          .checkList,
          "\(counted(skipped.count - shown, "more check of the API is", "more checks of the API are")) not run: see the log"
        ))
    }
    notices += windowProblems.prefix(shown).map {
      .warning(.windows, "a maintenance window of the API is not kept: \($0)")
    }
    if let cacheProblem { notices.append(.warning(.checkList, "the check list on disk: \(cacheProblem)")) }
    return notices
  }
}
