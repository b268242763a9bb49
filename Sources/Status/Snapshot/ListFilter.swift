// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Filter of the list: all checks, or those that are in one of some states, have one of some tags, and contain a text
/// in their name, target or tags.
package struct ListFilter: Hashable, Sendable {
  /// A state, or what a check is instead of being in one.
  package enum State: String, CaseIterable, Sendable {
    case up, degraded, down
    /// Pending ones too, as in the counts.
    case unknown
    case pending, stale
    /// In no state of those above, as in the counts.
    case maintenance
    /// Not enabled, and in nothing else.
    case off

    func matches(_ check: CheckStatus) -> Bool {
      guard check.enabled else { return self == .off }
      switch self {
      case .off: return false
      case .maintenance: return check.maintenance != nil
      case .stale: return check.stale
      case .pending: return check.isPending && check.maintenance == nil
      case .up, .degraded, .down, .unknown:
        return check.maintenance == nil && check.state.rawValue == rawValue
      }
    }
  }

  /// Empty: all.
  package var states: [State] = []
  /// Empty: all.
  package var tags: [String] = []
  package var text = ""

  package init() {}

  /// With this state beside the others, or without it where it was among them.
  func toggling(_ state: State) -> ListFilter {
    var filter = self
    if states.contains(state) { filter.states.removeAll { $0 == state } } else { filter.states.append(state) }
    return filter
  }

  /// With this tag beside the others, or without it where it was among them.
  func toggling(tag: String) -> ListFilter {
    var filter = self
    if tags.contains(tag) { filter.tags.removeAll { $0 == tag } } else { filter.tags.append(tag) }
    return filter
  }

  package func matches(_ check: CheckStatus) -> Bool {
    if !states.isEmpty, !states.contains(where: { $0.matches(check) }) { return false }
    if !tags.isEmpty, !tags.contains(where: { tag in check.tags.contains { $0 == tag } }) { return false }
    if text.isEmpty { return true }
    let wanted = searchForm(text)
    return searchForm(check.name).contains(wanted) || searchForm(check.target).contains(wanted)
      || check.tags.contains { searchForm($0).contains(wanted) }
  }
}
