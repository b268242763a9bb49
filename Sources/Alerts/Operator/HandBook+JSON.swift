// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension HandBook {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("version", 1)
      json.key("mutes")
      json.array { json in for order in mutes { order.write(to: &json) } }
      json.key("maintenance")
      json.array { json in for order in windows { order.write(to: &json) } }
      json.key("audit")
      json.array { json in for entry in audit { entry.write(to: &json) } }
    }
  }

  /// Nothing of a file that is not ours, whole or in parts; nil: it is none.
  package static func read(_ bytes: [UInt8]) -> HandBook? {
    guard let json = try? JSONValue.parse(bytes), json["version"]?.integer == 1 else { return nil }
    var book = HandBook()
    book.mutes = (json["mutes"]?.array ?? []).prefix(limit).compactMap(Order.init)
    book.windows = (json["maintenance"]?.array ?? []).prefix(limit).compactMap(Order.init)
    book.audit = (json["audit"]?.array ?? []).suffix(kept).compactMap(Entry.init)
    return book
  }
}

extension HandBook.Order {
  /// Fields that the file and the API have alike.
  package func writeFields(to json: inout JSONWriter) {
    json.field("id", id.description)
    json.field("target", target.text)
    json.field("from", from)
    json.field("until", until)
    json.fieldIfPresent("why", why)
    json.fieldIfPresent("by", by)
  }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      writeFields(to: &json)
      if skip { json.field("skip", true) }
      guard !checks.isEmpty else { return }
      json.key("checks")
      json.array { json in for check in checks.sorted() { json.string(check.description) } }
    }
  }

  fileprivate init?(_ json: JSONValue) {
    guard let id = json["id"]?.uniqueID,
      let target = json["target"]?.string.flatMap({ OperatorTarget(kept: $0) }),
      let from = json["from"]?.timestamp,
      let until = json["until"]?.timestamp, from < until
    else { return nil }
    self.init(
      id: id, target: target, from: from, until: until,
      why: json["why"]?.string?.printable(maxBytes: 200), by: json["by"]?.string?.printable(maxBytes: 80),
      skip: json["skip"]?.bool ?? false,
      checks: Set((json["checks"]?.array ?? []).prefix(100).compactMap(\.uniqueID)))
  }
}

extension HandBook.Entry {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("at", at)
      json.field("act", act)
      json.field("subject", subject)
      json.fieldIfPresent("until", until)
      json.fieldIfPresent("by", by)
      json.fieldIfPresent("why", why)
    }
  }

  fileprivate init?(_ json: JSONValue) {
    guard let at = json["at"]?.timestamp, let act = json["act"]?.string,
      let subject = json["subject"]?.string
    else { return nil }
    self.init(
      at: at, act: act.printable(maxBytes: 40), subject: subject.printable(maxBytes: CheckLimits.nameBytes),
      until: json["until"]?.timestamp,
      by: json["by"]?.string?.printable(maxBytes: AppAlerts.Acknowledgement.wordBytes),
      why: json["why"]?.string?.printable(maxBytes: 200))
  }
}
