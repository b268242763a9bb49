// SPDX-License-Identifier: MIT

import Basics

/// One item of `dependencies`: the checks that it is for, and what they depend on.
package struct DependencyRule: Hashable, Sendable {
  /// Names or ids.
  package var checks: [String] = []
  package var tags: [String] = []
  /// Names, ids, or `tag:` and a tag.
  package var dependsOn: [String] = []

  package init() {}

  /// Rules of a configuration.
  package static let limit = 256
  /// Entries of each of a rule's lists, and of a check's `depends_on`.
  package static let entries = 64

  /// The tag that a word of `depends_on` names; `nil` when it names a check.
  package static func tag(in word: String) -> String? {
    word.hasPrefix("tag:") ? String(word.dropFirst(4)) : nil
  }

  func selects(_ check: MonitoringCheck, tags own: [String]) -> Bool {
    checks.contains(check.name) || tags.contains { own.contains($0) }
      || checks.contains { UniqueID($0) == check.id }
  }
}

extension DependencyRule {
  static let keys: [Key<DependencyRule>] = [
    Key(\.checks, "checks", .texts, "Names or ids of the checks it applies to"),
    Key(\.tags, "tags", .texts, "Checks with any of these tags, too"),
    Key(\.dependsOn, "depends_on", .texts, "Their dependencies: names or ids of checks, or `tag:` and a tag")
      .required,
  ]

  private static let list = KeyList(keys)

  package init(_ map: GivenMap, _ reader: inout KeyReader) {
    self.init()
    reader.fill(&self, map, Self.list)
  }
}

extension KeyTable {
  /// An item of the section `dependencies`.
  package static let dependency = KeyTable(
    keys: DependencyRule.keys.map { $0.facts(defaults: [DependencyRule()]) })
}

extension KeyPrinter {
  package mutating func dependencies(_ rules: [DependencyRule]) {
    guard !rules.isEmpty else { return }
    map("dependencies") { printer in
      for (index, rule) in rules.enumerated() {
        printer.item(String(index)) { printer in
          for key in DependencyRule.keys { key.print(rule, &printer) }
        }
      }
    }
  }
}
