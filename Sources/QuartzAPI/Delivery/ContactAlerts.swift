// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Alerts of the apps as an answer has them, and acknowledgements as a request does: see Acknowledgements in docs/quartz.md.
extension AppAlerts {
  /// Alerts that are read of an answer: those that are acknowledged, and those that are not.
  static let maxOpen = 400
  static let maxClosed = 200
  /// Bytes of a name.
  static let maxName = 60

  /// `nil` for another document. Members that are not understood are ignored.
  init?(_ json: JSONValue) {
    guard let version = json["version"]?.integer, let list = json["open"]?.array else { return nil }
    self.init(version: version)
    isCut = json["more"]?.bool ?? false
    for item in list.prefix(Self.maxOpen) {
      guard let key = Key(item) else { continue }
      open[key] = Alert(since: item.time("since"), acknowledged: Acknowledgement(item))
    }
    for item in json["closed_by_hand"]?.array?.prefix(Self.maxClosed) ?? [] {
      guard let key = Key(item), let at = item.time("at") else { continue }
      closed[key] = Acknowledgement(at: at).at
    }
  }
}

extension AppAlerts.Key {
  fileprivate init?(_ json: JSONValue) {
    guard let check = json["check_id"]?.uniqueID,
      let kind = json["kind"]?.string.flatMap(AlertSubject.init),
      [.availability, .performance, .certificate].contains(kind)
    else { return nil }
    self.init(check, kind)
  }
}

extension AppAlerts.Acknowledgement {
  fileprivate init?(_ json: JSONValue) {
    guard let at = json.time("acknowledged_at") else { return nil }
    func name(_ member: String) -> String? {
      let text = json[member]?.string?.printable(maxBytes: AppAlerts.maxName)
      return text?.isEmpty == true ? nil : text
    }
    self.init(at: at, by: name("acknowledged_by"), agent: name("acknowledged_agent"))
  }
}

extension AppAck {
  func write(into json: inout JSONWriter) {
    json.object { json in
      json.field("check_id", key.check.description)
      json.field("kind", key.kind.rawValue)
      json.field("at", at)
      json.field("by", by)
      json.fieldIfPresent("why", why)
    }
  }
}

extension JSONValue {
  /// `nil` where it is none.
  fileprivate func time(_ name: String) -> Timestamp? {
    self[name]?.timestamp
  }
}
