// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// An agent that the receiver finds not well: this one, or one that shares its key or its group. See Fleet in docs/quartz.md.
package struct FleetTrouble: Hashable, Sendable {
  package var name: String
  package var isSelf: Bool
  package var isSilent: Bool
  /// The troubles of the agent, in the receiver's words.
  package var words: String

  package init(name: String, isSelf: Bool = false, isSilent: Bool = false, words: String) {
    (self.name, self.isSelf, self.isSilent, self.words) = (name, isSelf, isSilent, words)
  }

  /// Agents that are read of an answer, and bytes of a name and of words.
  static let most = 20
  static let maxName = 100
  static let maxWords = 500

  /// `nil` for another document.
  init?(_ json: JSONValue) {
    guard let name = json["name"]?.string?.printable(maxBytes: Self.maxName), !name.isEmpty,
      let words = json["words"]?.string?.printable(maxBytes: Self.maxWords), !words.isEmpty
    else { return nil }
    let troubles = json["troubles"]?.array?.compactMap(\.string) ?? []
    self.init(
      name: name, isSelf: json["is_self"]?.bool ?? false, isSilent: troubles.contains { $0 == "silent" },
      words: words)
  }

  package var notice: Notice {
    guard isSelf else {
      return .warning(
        .fleet, "agent \(name) is \(isSilent ? "down" : "degraded") in the Quartz apps: \(words)",
        hint: "look at it there: quartz-agent status")
    }
    return .warning(.fleet, "this agent is degraded in the Quartz apps: \(words)")
  }
}
