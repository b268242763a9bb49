// SPDX-License-Identifier: MIT

import Basics

/// Limits on imported files.
enum ForeignLimits {
  /// Bytes of a file, and of its texts with aliases expanded.
  static let bytes = 16 * 1024 * 1024
  /// Values of a file, aliases expanded.
  static let values = 200_000
  /// Values of a file in JSON, which repeats nothing.
  static let plainValues = 1_000_000
  static let depth = 64
  /// Checks of an import.
  static let checks = 10_000
  /// Directives (`%TAG`) of a YAML file: libyaml compares each with all before it.
  static let directives = 100
  /// Values of a Nagios object, labels of a target group, rules of a scrape job.
  static let each = 500
  /// Bytes of a Nagios command line, and of a label after relabelling.
  static let words = 2048
  /// Templates of Nagios above one another.
  static let templates = 64
  /// Looks of Nagios objects into their templates; ten thousand checks of four templates take a third of it.
  static let lookups = 5_000_000
  /// Bytes of the place of a value: file, line and keys.
  static let place = 400
}

/// Size of a part of a file that several checks share: each of them gets a copy.
struct ForeignWeight {
  /// Limits on all copies of an import.
  static let most = ForeignWeight(values: 500_000, bytes: 32 * 1024 * 1024)

  var values = 0
  var bytes = 0

  init(values: Int = 0, bytes: Int = 0) { (self.values, self.bytes) = (values, bytes) }

  init(_ node: ForeignNode) {
    values = 1
    switch node.content {
    case .scalar(let text, _): bytes = text.utf8.count
    case .list(let items): for item in items { add(ForeignWeight(item)) }
    case .map(let entries):
      for entry in entries {
        add(ForeignWeight(entry.value))
        bytes += entry.name.utf8.count
      }
    }
  }

  mutating func add(_ other: ForeignWeight) {
    values += other.values
    bytes += other.bytes
  }

  func times(_ count: Int) -> ForeignWeight { ForeignWeight(values: values * count, bytes: bytes * count) }

  var isTooMuch: Bool { values > Self.most.values || bytes > Self.most.bytes }
}
