// SPDX-License-Identifier: MIT

import Basics

/// Modules in the values of the exporter's Helm chart, which are merged into those that the chart has itself.
enum ChartModules {
  /// The chart's own `http_2xx`.
  static let usual = map([
    ("prober", scalar("http")), ("timeout", scalar("5s")),
    (
      "http",
      map([
        ("valid_http_versions", list(["HTTP/1.1", "HTTP/2.0"])), ("follow_redirects", scalar("true")),
        ("preferred_ip_protocol", scalar("ip4")),
      ])
    ),
  ])

  /// - Parameter isFile: the modules are of a file of the exporter, into which nothing is merged.
  static func entries(_ modules: ForeignNode?, isFile: Bool) -> [(name: String, value: ForeignNode)] {
    (modules?.entries ?? []).map { entry in
      let isOverlaid = !isFile && entry.name == ProbeWish.usual
      return (entry.name, isOverlaid ? usual.overlaid(with: entry.value) : entry.value)
    }
  }

  /// Names of modules that are defined in different ways; the chart's own one is replaced by any other.
  static func unlike(_ modules: [BlackboxModule]) -> Set<ByteText> {
    var texts: [ByteText: String] = [:]
    var found: Set<ByteText> = []
    for module in modules where module.node.line > 0 {
      let text = ForeignText.text(module.node)
      if let known = texts.updateValue(text, forKey: ByteText(module.name)), known != text {
        found.insert(ByteText(module.name))
      }
    }
    return found
  }

  private static func scalar(_ text: String) -> ForeignNode {
    ForeignNode(content: .scalar(text, isPlain: true), line: 0)
  }

  private static func list(_ items: [String]) -> ForeignNode {
    ForeignNode(content: .list(items.map(scalar)), line: 0)
  }

  private static func map(_ entries: [(name: String, value: ForeignNode)]) -> ForeignNode {
    ForeignNode(content: .map(entries), line: 0)
  }
}

extension ForeignNode {
  /// Maps with the entries of both; of other values the second.
  fileprivate func overlaid(with other: ForeignNode) -> ForeignNode {
    guard case .map(var entries) = content, case .map(let more) = other.content else { return other }
    for entry in more {
      if let place = entries.firstIndex(where: { $0.name == entry.name }) {
        entries[place].value = entries[place].value.overlaid(with: entry.value)
      } else if entries.count < ForeignLimits.each {
        entries.append(entry)
      }
    }
    var made = other
    made.content = .map(entries)
    return made
  }
}
