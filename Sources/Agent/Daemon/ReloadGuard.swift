// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring

/// Holds back a changed configuration in which an `include` lost more than half of its files with content, or a `discover` file more
/// than half of its targets, at once: an unmounted directory and one that is being rewritten look just like that. An edited
/// file is applied, and so is every requested reload.
struct ReloadGuard {
  private var guards: [ByteText: ListGuard<ByteText>] = [:]

  /// - Parameter lists: those of the configuration applied last.
  init(_ lists: [ConfigList]) { take(lists) }

  /// - Parameter isOrdered: the reload was requested by SIGHUP.
  /// - Returns: why the previous configuration is kept; empty when the new one applies.
  mutating func judge(_ lists: [ConfigList], isOrdered: Bool, at now: Timestamp) -> [String] {
    guard !isOrdered else {
      take(lists)
      return []
    }
    var judged: [ByteText: ListGuard<ByteText>] = [:]
    var objections: [String] = []
    for list in lists {
      let key = ByteText(list.pattern)
      var listGuard = guards[key] ?? Self.fresh(list)
      if case .hold(let why) = listGuard.judge(list.names, at: now) {
        objections.append("\(list.pattern.printable(maxBytes: 200)): \(why)")
        guards[key] = listGuard
      }
      judged[key] = listGuard
    }
    if objections.isEmpty { guards = judged }
    return objections
  }

  private mutating func take(_ lists: [ConfigList]) {
    guards = Dictionary(lists.map { (ByteText($0.pattern), Self.fresh($0)) }) { first, _ in first }
  }

  private static func fresh(_ list: ConfigList) -> ListGuard<ByteText> {
    ListGuard(current: list.names, of: list.what)
  }
}
