// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension MonitoringCheck {
  /// The check of a target on the command line. Without a word about it there is one attempt: who asks waits for the
  /// answer.
  ///
  /// - Parameters:
  ///   - keys: further keys of the check in the form of the file, such as `timeout: 5s, expect: {status: 204}`. They are
  ///     read by the walk that reads the file, references to secrets included.
  ///   - shortcuts: keys as options of their own.
  ///   - number: behind the name, where another target has it already.
  /// - Throws: what is wrong, for a usage error.
  package init(
    adHoc target: String, number: Int? = nil, keys: String?, shortcuts: AdHocShortcuts = AdHocShortcuts(),
    sources: ConfigSources
  ) throws(AdHocTargetError) {
    let given = try GivenMap(adHoc: target, number: number)
    let short = try shortcuts.keys(of: given["type"]?.text.flatMap { CheckType(word: $0) }, target)
    guard keys != nil || !short.isEmpty else {
      do throws(InvalidCheck) {
        var definition = CheckDefinition(given)
        definition.plan.retries = 0
        try self.init(definition, patterns: sources.patterns)
      } catch {
        throw AdHocTargetError(error.problems.map { ($0.message, $0.hint) }, of: target)
      }
      return
    }
    let all = AdHocKeys(given.adHocKeys, shortcuts: short, with: keys.map { String(bare($0)) })
    do throws(ConfigErrors) {
      let settings = try ConfigLoader.parse(text: all.text, file: "--with", sources: sources).settings
      guard settings.checks.count == 1 else {
        throw ConfigErrors(problems: [
          ConfigProblem(
            file: "--with", message: "--with closes the map it stands in", hint: "one map of a check's keys")
        ])
      }
      self = shortcuts.typed(settings.checks[0])
    } catch {
      throw AdHocTargetError(
        error.problems.map { ($0.message, $0.hint ?? (all.isOfShortcut($0) ? shortcuts.hint : nil)) },
        of: target)
    }
  }
}

/// The keys without the braces of a map, if they have them.
private func bare(_ keys: String) -> Substring {
  let text = keys[...]
  guard let first = text.firstIndex(where: { !$0.isWhitespace }), text[first] == "{",
    let last = text.lastIndex(where: { !$0.isWhitespace }), text[last] == "}", last > first
  else { return text }
  return text[text.index(after: first)..<last]
}

extension AdHocTargetError {
  /// All problems in one message; the hint is the first one's.
  fileprivate init(_ problems: [(message: String, hint: String?)], of target: String) {
    let shown = withoutLogin(target).prefix { $0 != "?" && $0 != "#" }.description.printable(maxBytes: 300)
    self.init(
      message: "\(shown): \(problems.map(\.message).joined(separator: "; "))",
      hint: problems.count == 1 ? problems[0].hint : problems.compactMap(\.hint).first)
  }
}

extension CheckDefinition {
  /// The keys of a check that a target gives; nothing is judged.
  package init(adHoc target: String) throws(AdHocTargetError) { self.init(try GivenMap(adHoc: target)) }

  fileprivate init(_ given: GivenMap) {
    var reader = KeyReader(.local)
    self.init(given, &reader)
  }
}

/// A double-quoted scalar, all ASCII.
///
/// - Parameter resolves: `${env:NAME}` and `${file:path}` in it are references; otherwise nothing is.
func flowScalar(_ text: String, resolves: Bool = false) -> String {
  var quoted = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": quoted += "\\\(scalar)"
    // What YAML takes for a line's end or no character at all is among them.
    case _ where scalar.value < 0x20 || scalar.value > 0x7e:
      quoted += "\\U" + Base16.text(scalar.value, width: 8)
    default: quoted.unicodeScalars.append(scalar)
    }
  }
  if resolves { return quoted + "\"" }
  return quoted.split(separator: "${", omittingEmptySubsequences: false).joined(separator: "$${") + "\""
}
