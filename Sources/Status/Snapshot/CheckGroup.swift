// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The enabled checks that bear a tag, counted. A check with several tags is in several groups, and one without any in
/// that without a name.
package struct CheckGroup: Hashable, Sendable {
  /// The tag; nil: checks without one.
  package var tag: String?
  /// As in the summary: each enabled check once.
  package var total = 0
  package var up = 0
  package var degraded = 0
  package var down = 0
  package var unknown = 0
  /// Those of the unknown ones that have no result yet.
  package var pending = 0
  package var maintenance = 0

  package init(tag: String?) { self.tag = tag }

  /// Down before degraded before up; unknown only when nothing else is known, as with resources.
  package var worst: CheckState {
    if down > 0 { return .down }
    if degraded > 0 { return .degraded }
    return up > 0 ? .up : .unknown
  }

  fileprivate mutating func add(_ check: CheckStatus) {
    total += 1
    if check.isPending, check.maintenance == nil { pending += 1 }
    guard check.maintenance == nil else {
      maintenance += 1
      return
    }
    switch check.state {
    case .up: up += 1
    case .degraded: degraded += 1
    case .down: down += 1
    case .unknown: unknown += 1
    }
  }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("tag")
      if let tag { json.string(tag) } else { json.null() }
      json.field("state", worst.rawValue)
      json.key("checks")
      json.object { json in
        json.field("total", total)
        json.field("up", up)
        json.field("down", down)
        json.field("degraded", degraded)
        json.field("unknown", unknown)
        json.field("pending", pending)
        json.field("maintenance", maintenance)
      }
    }
  }
}

extension StatusSnapshot {
  /// By tag, in the order in which the configuration first names them; checks without a tag come last.
  package var groups: [CheckGroup] {
    var groups: [CheckGroup] = []
    var places: [String: Int] = [:]  // own text: tags of the configuration, bounded in number there
    var rest = CheckGroup(tag: nil)
    for check in checks where check.enabled {
      if check.tags.isEmpty { rest.add(check) }
      for tag in check.tags {
        if places[tag] == nil {
          places[tag] = groups.count
          groups.append(CheckGroup(tag: tag))
        }
        if let place = places[tag] { groups[place].add(check) }
      }
    }
    return rest.total > 0 ? groups + [rest] : groups
  }
}
