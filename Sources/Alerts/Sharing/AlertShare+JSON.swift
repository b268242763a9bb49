// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Over a restart: an incident that the store has no longer was told of to its end meanwhile.
extension AlertShare {
  func write(to json: inout JSONWriter) {
    json.key("group")
    json.array { json in
      for (id, mark) in marks.sorted(by: { $0.key < $1.key }) {
        json.object { json in
          json.field("incident", id.description)
          json.field("world", String(mark.world))
          json.field("changed", mark.changed)
          json.field("told", mark.isTold)
        }
      }
    }
  }

  /// `nil` where there was no group.
  init?(_ saved: JSONValue?) {
    guard let list = saved?["group"]?.array else { return nil }
    self.init(writer: "")
    for item in list {
      if let id = item["incident"]?.uniqueID,
        let world = item["world"]?.string.flatMap({ UInt64($0) }), let changed = item["changed"]?.integer
      {
        marks[id] = Mark(world: world, changed: changed, isTold: item["told"]?.bool ?? true)
      }
    }
  }
}
