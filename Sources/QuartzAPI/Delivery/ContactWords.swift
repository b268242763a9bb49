// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Optional members of the answer to a batch: see Wire in docs/quartz.md.
package struct ContactWords: Hashable, Sendable {
  /// A run that a person asked for in the apps.
  package struct Ask: Hashable, Sendable {
    package var id: UniqueID
    package var check: UniqueID
    /// How long the ask stays open, 1 s to 10 min.
    package var expires: Duration

    package init(id: UniqueID, check: UniqueID, expires: Duration) {
      (self.id, self.check, self.expires) = (id, check, expires)
    }
  }

  /// How often it wants to hear of the agent; `nil`: it does not say.
  package var contact: Duration?
  /// Open asks of checks in the key's scope, those that this agent took before included.
  package var asks: [Ask] = []
  /// Another number: the list of checks, or what belongs to it, has changed.
  package var listVersion: Int64?
  /// The receiver's clock; `nil`: it does not say.
  package var now: Timestamp?
  /// Whether the receiver makes alerts of the apps. False for one that does not know them.
  package var makesAlerts = false
  /// Version of this agent's maintenance windows that the receiver has, empty for none; `nil`: the key may show none in the apps.
  package var windowsVersion: String?
  /// Agents that are not well, as the apps show them.
  package var fleet: [FleetTrouble] = []
  /// Alerts of the apps; `nil`: as they were.
  package var alerts: AppAlerts?

  /// Seconds between two contacts.
  static let contacts: ClosedRange<Int64> = 5...60
  static let maxAsks = 50

  package init() {}

  /// - Parameter data: the answer's `data`. Members that are not understood are ignored: no results depend on them.
  init(_ data: JSONValue) {
    contact = data["contact_s"]?.integer.map {
      .seconds(min(max($0, Self.contacts.lowerBound), Self.contacts.upperBound))
    }
    listVersion = data["list"]?["version"]?.integer
    now = data["now"]?.timestamp
    windowsVersion = data["windows"]?.members.map { _ in
      data["windows"]?["version"]?.string?.printable(maxBytes: 64) ?? ""
    }
    fleet = data["fleet"]?.array?.prefix(FleetTrouble.most).compactMap(FleetTrouble.init) ?? []
    alerts = data["alerts"].flatMap(AppAlerts.init)
    makesAlerts = data["apps"]?.string == "on" || alerts != nil
    for item in data["asks"]?.array?.prefix(Self.maxAsks) ?? [] {
      guard let id = item["id"]?.uniqueID,
        let check = item["check_id"]?.uniqueID
      else { continue }
      let seconds = min(max(item["expires_s"]?.integer ?? 60, 1), 600)
      asks.append(Ask(id: id, check: check, expires: .seconds(seconds)))
    }
  }
}

/// The agent's part of a contact, beside its report of a batch.
package struct ContactSaying: Hashable, Sendable {
  /// Versions that it has of the list of checks, and of the alerts of the apps.
  package var list: Int64?
  package var alerts: Int64?
  /// Acknowledgements that the receiver has not shown yet.
  package var acks: [AppAck] = []
  /// Maintenance windows of this agent, all of them; `nil`: the receiver has them.
  package var windows: AppWindows?

  package init() {}

  func write(into json: inout JSONWriter) {
    if list != nil || alerts != nil {
      json.key("have")
      json.object { json in
        json.fieldIfPresent("list", list)
        json.fieldIfPresent("alerts", alerts)
      }
    }
    if !acks.isEmpty {
      json.key("acks")
      json.array { json in for ack in acks.prefix(AppAck.most) { ack.write(into: &json) } }
    }
    if let windows {
      json.key("windows")
      windows.write(into: &json)
    }
  }
}

/// Where those words go, and what the agent says in turn.
package struct ContactDesk: Sendable {
  /// The members that the agent reports to understand: `asks`, `list`, `acks`, `windows`, `fleet`.
  package var can: [String]  // own text: words of our own
  package var heard: @Sendable (ContactWords) -> Void
  /// Asked for each batch.
  package var say: @Sendable () -> ContactSaying = { ContactSaying() }
  /// The ask that a result answers.
  package var ask: @Sendable (DeliveryRecord) -> UniqueID?

  package init(
    can: [String],  // own text
    heard: @escaping @Sendable (ContactWords) -> Void,
    ask: @escaping @Sendable (DeliveryRecord) -> UniqueID?
  ) {
    (self.can, self.heard, self.ask) = (can, heard, ask)
  }
}
