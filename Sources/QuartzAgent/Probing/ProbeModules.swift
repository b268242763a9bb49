// SPDX-License-Identifier: MIT

import Basics
import Checks
import Import

/// The modules of a file, each looked through once.
struct ProbeModules: Sendable {
  struct Entry: Sendable {
    var module: BlackboxModule
    var rules: ProbeRules
    /// What of it would not hold; nil: all of it does.
    var shortcoming: String?
  }

  private var entries: [ByteText: Entry] = [:]

  /// No modules at all.
  init() {}

  /// - Throws: `UnreadableFile` or `ImportProblem`: why there are none.
  init(file: String) throws {
    for module in try BlackboxModule.read(try readWhole(file, limit: 1 << 20)) {
      entries[ByteText(module.name)] = Entry(module)
    }
  }

  subscript(name: String) -> Entry? { entries[ByteText(name)] }

  /// The modules that would not hold, and why.
  var shortcomings: [String] {
    entries.values.compactMap { entry in
      entry.shortcoming.map { "\(entry.module.name.printable(maxBytes: 100)): \($0)" }
    }.sorted()
  }

  /// What is wrong with a file, for people.
  static func words(for error: any Error) -> String {
    (error as? ImportProblem)?.message ?? (error as? UnreadableFile)?.words ?? "\(error)"
  }
}

extension ProbeModules.Entry {
  init(_ module: BlackboxModule) {
    self.module = module
    rules = .none
    var words = module.shortcomings.prefix(5).joined(separator: "; ")
    do throws(Pattern.Invalid) {
      rules = try ProbeRules(module.rules)
    } catch { words = "a pattern is none: \(error.description)" }
    let known: [BlackboxModule.Prober] = [.http, .tcp, .dns, .icmp]
    if !(module.prober.map { known.contains($0) } ?? false) { words = "its prober is not known here" }
    shortcoming = words.isEmpty ? nil : words
  }
}
