// SPDX-License-Identifier: MIT

import Basics

/// Labels of a target, by their names; an empty label is none.
struct TargetLabels: Equatable {
  private(set) var all: [(name: String, value: String)] = []

  init(_ labels: [(name: String, value: String)]) {
    for label in labels { self[label.name] = label.value }
  }

  subscript(name: String) -> String? {
    get { all.last { $0.name == name }?.value }
    set {
      let index = all.firstIndex { $0.name == name }
      guard let newValue, !newValue.isEmpty else {
        if let index { all.remove(at: index) }
        return
      }
      if let index { all[index].value = newValue } else { all.append((name, newValue)) }
    }
  }

  static func == (left: TargetLabels, right: TargetLabels) -> Bool {
    left.all.count == right.all.count
      && left.all.allSatisfy { label in right[label.name].map { $0 == label.value } ?? false }
  }
}

/// A rule of `relabel_configs`, with every action that Prometheus has.
struct RelabelRule {
  enum Action: String {
    case replace, keep, drop, hashmod, labelmap, labeldrop, labelkeep, lowercase, uppercase, keepequal,
      dropequal
  }

  /// Outcome of a target.
  enum Outcome: Equatable { case kept, dropped, tooLong, tooMuchWork }

  private var action = Action.replace
  private var sources: [String] = []
  private var separator = ";"
  private var target = ""
  private var replacement = "$1"
  private var modulus: UInt64 = 0
  private let pattern: GoPattern
  /// The pattern is the usual one, which matches everything.
  private let matchesAll: Bool

  /// A rule that copies, as the operator writes them.
  init(copies source: String?, to target: String, replacement: String = "$1") {
    (sources, self.target, self.replacement) = (source.map { [$0] } ?? [], target, replacement)
    (pattern, matchesAll) = (.everything, true)
  }

  /// It matches every text, and looks at these labels only.
  func copies(onlyOf names: Set<ByteText>) -> Bool {
    action == .replace && matchesAll && Self.isLabel(target)
      && sources.allSatisfy { names.contains(ByteText($0)) }
  }

  /// Labels that the rule looks at.
  var looksAt: [String] { sources }
  /// The label that the rule sets, a template.
  var sets: String { target }

  /// `nil`: Prometheus refuses the rule, or its pattern is not worked out here.
  init?(_ section: Section) {
    // The operator's objects write the names together.
    func node(_ name: String, _ other: String) -> ForeignNode? { section[name] ?? section[other] }
    let usual = "(.*)"
    let text = section["regex"]?.text ?? usual
    let word = section["action"]?.text?.lowercased() ?? Action.replace.rawValue
    guard let action = Action(rawValue: word), let pattern = GoPattern(text) else { return nil }
    (self.action, self.pattern, matchesAll) = (action, pattern, text == usual)
    sources = node("source_labels", "sourceLabels")?.all.compactMap(\.text) ?? []
    separator = section.node["separator"]?.text ?? separator
    target = node("target_label", "targetLabel")?.text ?? ""
    replacement = section.node["replacement"]?.text ?? replacement
    modulus = section["modulus"]?.text.flatMap(UInt64.init) ?? 0
    let known = [
      "source_labels", "sourceLabels", "separator", "target_label", "targetLabel", "regex", "modulus",
      "replacement", "action",
    ]
    guard section.node.entries?.allSatisfy({ known.contains($0.name) }) == true, sources.count <= 32,
      isWhole
    else { return nil }
  }

  /// Has what its action needs.
  private var isWhole: Bool {
    switch action {
    case .hashmod: modulus > 0 && Self.isLabel(target)
    case .lowercase, .uppercase, .keepequal, .dropequal: Self.isLabel(target)
    case .replace: !target.isEmpty
    default: true
    }
  }

  private static func isLabel(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.unicodeScalars.allSatisfy { GoPatternParser.word.contains($0.value) }
  }

  func apply(_ labels: inout TargetLabels, _ budget: inout GoPattern.Budget) -> Outcome {
    let value = sources.map { labels[$0] ?? "" }.joined(separator: separator)
    // Eight labels of a source may be joined, and doubled again by the next rule.
    guard value.utf8.count <= ForeignLimits.words else { return .tooLong }
    budget.steps -= labels.all.count
    switch action {
    case .keep, .drop:
      return (match(value, &budget) != nil) == (action == .keep) ? outcome(budget) : .dropped
    case .keepequal: return value == labels[target] ?? "" ? .kept : .dropped
    case .dropequal: return value == labels[target] ?? "" ? .dropped : .kept
    case .lowercase: labels[target] = Self.mapped(value, \.lowercaseMapping)
    case .uppercase: labels[target] = Self.mapped(value, \.uppercaseMapping)
    case .hashmod:
      let hash = md5(Array(value.utf8))[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      labels[target] = String(hash % modulus)
    case .replace: return replace(&labels, value, &budget)
    case .labelmap, .labeldrop, .labelkeep: return rename(&labels, &budget)
    }
    return .kept
  }

  /// Letter by letter, as Go does it: what would become several stays.
  private static func mapped(
    _ text: String, _ mapping: KeyPath<Unicode.Scalar.Properties, String>
  ) -> String {
    var made = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let other = scalar.properties[keyPath: mapping].unicodeScalars
      made.append(other.count == 1 ? other.first ?? scalar : scalar)
    }
    return String(made)
  }

  private func outcome(_ budget: GoPattern.Budget) -> Outcome { budget.isSpent ? .tooMuchWork : .kept }

  private func match(_ value: String, _ budget: inout GoPattern.Budget) -> [Substring?]? {
    if matchesAll, !value.utf8.contains(0x0a) { return [value[...], value[...]] }
    return pattern.match(value, &budget)
  }

  /// Not more than a label may have.
  private func expand(_ template: String, _ found: [Substring?]) -> String? {
    let signs = template.utf8.count { $0 == UInt8(ascii: "$") }
    let longest = found.lazy.map { $0?.utf8.count ?? 0 }.max() ?? 0
    guard template.utf8.count + signs * longest <= ForeignLimits.words else { return nil }
    return pattern.expand(template, found)
  }

  private func replace(
    _ labels: inout TargetLabels, _ value: String, _ budget: inout GoPattern.Budget
  ) -> Outcome {
    guard let found = match(value, &budget) else { return outcome(budget) }
    guard let name = expand(target, found), let made = expand(replacement, found) else { return .tooLong }
    // A label that came to nothing is taken away.
    if Self.isLabel(name) { labels[name] = made }
    return outcome(budget)
  }

  private func rename(_ labels: inout TargetLabels, _ budget: inout GoPattern.Budget) -> Outcome {
    for label in labels.all.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
      let found = match(label.name, &budget)
      budget.steps -= labels.all.count
      switch action {
      case .labelmap:
        guard let found else { continue }
        guard let name = expand(replacement, found) else { return .tooLong }
        labels[name] = label.value
      case .labeldrop: if found != nil { labels[label.name] = nil }
      default: if found == nil { labels[label.name] = nil }
      }
      guard labels.all.count <= ForeignLimits.each else { return .tooLong }
    }
    return outcome(budget)
  }
}
