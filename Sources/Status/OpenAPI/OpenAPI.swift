// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The API's description (OpenAPI 3.1), which is served and stands in docs/openapi.json.
package enum OpenAPI {
  /// Results on one page at most.
  package static let spoolPage = 5000

  /// Two blanks an indent are the file's; the bytes are the same in both places.
  package static let document: [UInt8] = {
    var json = JSONWriter(reserving: 32 << 10)
    json.object { json in
      json.field("openapi", "3.1.0")
      json.key("info")
      json.object { json in
        json.field("title", "quartz-agent")
        json.field("version", "1")
        json.field("description", "Status of the agent's checks. docs/status.md explains the terms.")
        json.key("license")
        json.object { json in
          json.field("name", "MIT")
          json.field("identifier", "MIT")
        }
      }
      json.key("servers")
      json.array { json in json.object { $0.field("url", "/") } }
      json.key("paths")
      writePaths(to: &json)
      json.key("components")
      writeComponents(to: &json)
    }
    return json.bytes
  }()

  private static func writePaths(to json: inout JSONWriter) {
    var order: [String] = []
    for operation in operations where !order.contains(operation.path) { order.append(operation.path) }
    json.object { json in
      for path in order {
        json.key(dynamic: path)
        json.object { json in
          for operation in operations where operation.path == path {
            json.key(dynamic: operation.method)
            operation.write(to: &json)
          }
        }
      }
    }
  }

  private static func writeComponents(to json: inout JSONWriter) {
    json.object { json in
      json.key("securitySchemes")
      json.object { json in
        json.key("token")
        json.object { json in
          json.field("type", "http")
          json.field("scheme", "bearer")
          json.field("description", "status.run_now_token; reading needs status.read_token where that is set")
        }
      }
      json.key("schemas")
      json.object { json in
        for (name, schema) in schemas {
          json.key(dynamic: name)
          schema.write(to: &json)
        }
      }
    }
  }
}
