// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Maintenance windows of this agent for the apps: see Maintenance in docs/quartz.md.
package struct AppWindows: Hashable, Sendable {
  package let list: [AppWindow]
  /// Another one: the windows are others.
  package let version: String

  package init(_ list: [AppWindow]) {
    self.list = list
    var json = JSONWriter()
    Self.write(list, into: &json)
    version = String(sha256Text(json.bytes).prefix(16))
  }

  func write(into json: inout JSONWriter) {
    json.object { json in
      json.field("version", version)
      json.key("list")
      Self.write(list, into: &json)
    }
  }

  private static func write(_ list: [AppWindow], into json: inout JSONWriter) {
    json.array { json in
      for window in list {
        json.object { json in
          json.field("id", window.id.description)
          json.field("resource_id", window.resource.description)
          json.key("checks")
          json.array { json in for check in window.checks { json.string(check.description) } }
          json.field("from", window.from)
          json.field("until", window.until)
          json.field("title", window.title)
        }
      }
    }
  }
}
