// SPDX-License-Identifier: MIT

import Basics

/// The call of a plugin: its options as getopt reads them. Options without a use are left, with the reason. For one
/// check.
final class NagiosCall {
  let plugin: NagiosPlugin
  /// Of the host that is checked.
  let address: String
  /// Runs under the plugin that swaps success and failure.
  private(set) var isNegated = false
  private var options: [(flag: String, value: String)] = []
  private var plain: [String] = []
  private var used: Set<String> = []  // own text
  /// Options that no key takes, why, and what the check becomes without them.
  private var left: [(words: String, change: ImportNote.Change)] = []
  /// Differences between the check and its source.
  private(set) var notes: [ImportNote] = []

  /// `nil` where no check does what the program does.
  init?(_ words: [String], address: String) {
    var words = words[...]
    self.address = address
    if Self.base(words.first) == "negate" {
      words.removeFirst()
      isNegated = true
    }
    guard let name = Self.base(words.popFirst()), let plugin = NagiosPlugin.all[name] else { return nil }
    self.plugin = plugin
    read(words)
  }

  private static func base(_ word: String?) -> String? {
    word.map { word in word.split(separator: "/").last.map(String.init) ?? word }
  }

  // MARK: Options

  private func read(_ words: ArraySlice<String>) {
    var rest = words
    while let word = rest.popFirst() {
      if word == "--" {
        plain += rest
        return
      }
      if word.hasPrefix("--") {
        long(word.dropFirst(2), &rest)
      } else if word.hasPrefix("-"), word != "-" {
        short(word.dropFirst(), &rest)
      } else if !word.isEmpty {
        plain.append(word)
      }
    }
  }

  private func short(_ letters: Substring, _ rest: inout ArraySlice<String>) {
    var letters = letters
    while let letter = letters.popFirst() {
      switch plugin.arity(of: letter) {
      case nil:
        leave(String(letter), "is no option of the plugin")
        return
      case .flag?: options.append((String(letter), ""))
      case .optional?:
        options.append((String(letter), String(letters)))
        return
      case .value?:
        options.append((String(letter), letters.isEmpty ? rest.popFirst() ?? "" : String(letters)))
        return
      }
    }
  }

  private func long(_ word: Substring, _ rest: inout ArraySlice<String>) {
    let name = String(word.prefix { $0 != "=" })
    let given = word.dropFirst(name.count + 1)
    guard let flag = plugin.flag(named: name) else {
      leave(name, "is no option of the plugin")
      return
    }
    switch plugin.arity(ofFlag: flag) {
    case .flag: options.append((flag, ""))
    case .optional: options.append((flag, String(given)))
    case .value: options.append((flag, word.contains("=") ? String(given) : rest.popFirst() ?? ""))
    }
  }

  /// Whether it is the last of the two options.
  func isLast(_ flag: String, of other: String) -> Bool {
    options.last { $0.flag == flag || $0.flag == other }?.flag == flag
  }

  /// Takes an option; the last one counts.
  func option(_ flag: String) -> String? {
    used.insert(flag)
    return options.last { $0.flag == flag }?.value
  }

  func all(_ flag: String) -> [String] {
    used.insert(flag)
    return options.filter { $0.flag == flag }.map(\.value)
  }

  func has(_ flag: String) -> Bool { option(flag) != nil }

  /// Whether a flag stands before the last one of another: some change only what comes behind them.
  func has(_ flag: String, before other: String) -> Bool {
    used.insert(flag)
    guard let place = options.lastIndex(where: { $0.flag == other }) else { return false }
    return options[..<place].contains { $0.flag == flag }
  }

  /// A whole number, at its option.
  func number(_ flag: String, _ range: ClosedRange<Int>) -> Int? {
    guard let text = option(flag) else { return nil }
    if let number = Int(text), range.contains(number) { return number }
    leave(flag, "is no whole number of \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  /// The next word that is no option.
  func word() -> String? { plain.isEmpty ? nil : plain.removeFirst() }

  /// An option without what may follow it, which may be a secret.
  private func bare(_ flag: String) -> String {
    let name = flag.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    return flag.count == 1 ? "-\(name)" : "--\(name.prefix(40))"
  }

  func leave(_ flag: String, _ why: String, _ change: ImportNote.Change = .changed) {
    left.append(("\(bare(flag)) \(why)", change))
  }

  func note(_ place: String, _ why: String, _ change: ImportNote.Change? = nil) {
    notes.append(ImportNote(place: place, why: why, change: change))
  }

  /// The leftover values as one note, with the first change that there is.
  var leftOver: (why: String, change: ImportNote.Change)? {
    guard !left.isEmpty else { return nil }
    let change = ImportNote.Change.allCases.first { change in left.contains { $0.change == change } }
    return (left.map(\.words).joined(separator: "; "), change ?? .changed)
  }

  // MARK: The check

  var host: String { option("H") ?? word() ?? address }

  /// Milliseconds.
  var timeout: Int {
    let text = option("t")?.prefix { $0 != ":" } ?? ""
    guard let seconds = Double(text), seconds > 0, seconds < 100_000 else { return 10_000 }
    return Int(seconds * 1000)
  }

  /// `nil` where the plugin lacks what a check needs.
  func check() -> ImportedCheck? {
    guard var check = plugin.make(self) else { return nil }
    if has("4") { check["ip"] = .text("4") }
    if has("6") { check["ip"] = .text("6") }
    if isNegated { check["negate"] = .plain("true") }
    _ = timeout
    var seen = used.union(plugin.harmless.map(String.init)).union(plugin.harmlessLong)
    for option in options where seen.insert(option.flag).inserted {
      leave(
        option.flag,
        plugin.why[option.flag] ?? NagiosPlugin.whyCommon[option.flag] ?? "has no counterpart",
        plugin.laxer.contains(option.flag) ? .laxer : .changed)
    }
    for _ in plain { left.append(("a word without an option has no counterpart", .changed)) }
    check.notes += notes
    return check
  }

  /// `-w` and `-c` in seconds, as limits on the response time.
  func thresholds(_ check: inout ImportedCheck) {
    let (warn, fail) = (longest("w"), longest("c"))
    if let warn {
      if let fail, fail < warn {
        note("expect.response_time.warn", "-w is above -c, so it has no effect")
      } else {
        check["expect.response_time.warn"] = .duration(warn)
      }
    }
    if let fail { check["expect.response_time.fail"] = .duration(fail) }
  }

  /// Milliseconds; `nil` where the limit is none, or cannot be reached.
  private func longest(_ flag: String) -> Int? {
    guard let text = option(flag) else { return nil }
    let limit =
      text.hasPrefix("0:") ? text.dropFirst(2) : text.hasPrefix(":") ? text.dropFirst() : text[...]
    guard let seconds = Double(limit), seconds > 0, seconds.isFinite else {
      leave(flag, "is no longest time")
      return nil
    }
    // What takes longer than the timeout fails anyway.
    guard seconds * 1000 < Double(min(timeout, 60_000)) else { return nil }
    return max(1, Int((seconds * 1000).rounded()))
  }

  /// Certificates are not verified unless the plugin is told to.
  func withoutVerification(_ check: inout ImportedCheck) {
    let key = "tls.verify"
    if has("K") || has("J") || plugin.sendsCredentials(check) {
      note(
        key,
        "the plugin does not verify the certificate; the check does, because it sends credentials", .stricter)
    } else {
      check[key] = .plain("false")
    }
  }

  /// Days left of a certificate, `21` or `21,5`: a warning, and a failure below the second. A second number above the first
  /// makes each warning a failure.
  func certificate(_ days: String, _ check: inout ImportedCheck, at flag: String) {
    let numbers = days.split(separator: ",").map { Int($0.trimmed) }
    guard let warn = numbers.first.flatMap(\.self), (0...3650).contains(warn),
      let fail = numbers.count > 1 ? numbers[1] : 0, (0...3650).contains(fail)
    else {
      leave(flag, "is no number of days")
      return
    }
    check["expect.certificate.warn"] = .plain("\(warn)d")
    check["expect.certificate.fail"] = .plain("\(min(warn, fail))d")
  }
}
