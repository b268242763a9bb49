// SPDX-License-Identifier: MIT

import Basics
import Checks
import Import

/// The modules of a file, each judged once as the checks it makes.
package struct ProbeModules: Sendable {
  struct Entry: Sendable {
    var module: BlackboxModule
    var rules = ProbeRules.none
    /// The part of it that would not apply. `nil` where all of it does.
    var shortcoming: String?
  }

  private var entries: [ByteText: Entry] = [:]
  /// In the file's order.
  private let all: [BlackboxModule]
  /// Why blackbox_exporter refuses the file.
  package private(set) var faults: [String] = []

  /// No modules at all.
  init() { all = [] }

  /// - Throws: `UnreadableFile` or `ImportProblem`: why there are none.
  package init(file: String) throws {
    all = try BlackboxModule.read(try readWhole(file, limit: 1 << 20))
    var made: [Entry] = all.map { Entry(module: $0) }
    for index in made.indices { look(&made[index]) }
    for start in stride(from: 0, to: made.count, by: 20) {
      Self.judge(&made, start..<min(start + 20, made.count))
    }
    for entry in made { entries[ByteText(entry.module.name)] = entry }
  }

  subscript(name: String) -> Entry? { entries[ByteText(name)] }

  /// The modules that would not hold, and why.
  package var shortcomings: [String] {
    entries.values.compactMap { entry in
      entry.shortcoming.map { "\(entry.module.name.printable(maxBytes: 100)): \($0)" }
    }.sorted()
  }

  /// As YAML, without secrets.
  var text: String { BlackboxModule.text(of: all) }

  /// Problem of a file, for people.
  package static func words(for error: any Error) -> String {
    (error as? ImportProblem)?.message ?? (error as? UnreadableFile)?.words ?? "\(error)"
  }

  private static func joined(_ words: [String]) -> String? {
    words.isEmpty ? nil : words.prefix(5).joined(separator: "; ")
  }

  /// Checks the module by itself.
  private mutating func look(_ entry: inout Entry) {
    var faults = entry.module.faults
    do throws(Pattern.Invalid) {
      entry.rules = try ProbeRules(entry.module.rules)
      for pattern in entry.module.patterns { _ = try Pattern(pattern) }
    } catch { faults.append("a pattern is none: \(error.description)") }
    self.faults += faults.map { "\(entry.module.name.printable(maxBytes: 100)): \($0)" }
    entry.shortcoming = Self.joined(faults.isEmpty ? entry.module.shortcomings : faults)
  }

  /// Validates the checks of each module for one target of each kind, by the rules of agent.yaml. Files and secrets may be
  /// missing: they are read with each probe.
  private static func judge(_ entries: inout [Entry], _ range: Range<Int>) {
    var samples: [(index: Int, check: ImportedCheck)] = []
    for index in range where entries[index].shortcoming == nil {
      for target in entries[index].module.prober?.samples ?? [] {
        guard var check = entries[index].module.probe(of: target) else {
          entries[index].shortcoming = "it makes no check"
          continue
        }
        check.name = "sample \(samples.count)"
        samples.append((index, check))
      }
    }
    for (place, why) in ImportJudge.problems(samples.map(\.check)) where samples.indices.contains(place) {
      entries[samples[place].index].shortcoming = why
    }
  }
}

extension BlackboxModule.Prober {
  /// Targets that each module of the kind has to make checks of.
  fileprivate var samples: [String] {
    switch self {
    case .http: ["https://a.example/", "http://a.example/"]
    case .tcp: ["a.example:1"]
    case .dns, .icmp: ["192.0.2.1"]
    case .grpc, .unix, .websocket: []
    }
  }
}
