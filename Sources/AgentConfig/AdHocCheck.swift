// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension MonitoringCheck {
  /// The check of a target on the command line.
  ///
  /// - Parameters:
  ///   - keys: further keys of the check in the form of the file, such as `timeout: 5s, expect: {status: 204}`. They are
  ///     read by the walk that reads the file, references to secrets included.
  /// - Throws: what is wrong, for a usage error.
  package init(
    adHoc target: String, keys: String?, sources: ConfigSources
  ) throws(AdHocTargetError) {
    let given = try GivenMap(adHoc: target)
    guard let keys else {
      do throws(InvalidCheck) {
        try self.init(CheckDefinition(given), patterns: sources.patterns)
      } catch {
        throw AdHocTargetError(error.problems.map { ($0.message, $0.hint) }, of: target)
      }
      return
    }
    let text = "checks: [{\(given.flow), \(bare(keys))}]\n"
    do throws(ConfigErrors) {
      let settings = try ConfigLoader.parse(text: text, file: "--with", sources: sources).settings
      guard settings.checks.count == 1 else {
        throw ConfigErrors(problems: [
          ConfigProblem(
            file: "--with", message: "--with closes the map it stands in", hint: "one map of a check's keys")
        ])
      }
      self = settings.checks[0]
    } catch {
      throw AdHocTargetError(error.problems.map { ($0.message, $0.hint) }, of: target)
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
    let shown = target.prefix { $0 != "?" && $0 != "#" }.description.printable(maxBytes: 300)
    self.init(
      message: "\(shown): \(problems.map(\.message).joined(separator: "; "))",
      hint: problems.count == 1 ? problems[0].hint : problems.compactMap(\.hint).first)
  }
}

extension CheckDefinition {
  /// What a target gives to the keys of a check; nothing is judged.
  package init(adHoc target: String) throws(AdHocTargetError) { self.init(try GivenMap(adHoc: target)) }

  fileprivate init(_ given: GivenMap) {
    var reader = KeyReader(.local)
    self.init(given, &reader)
  }
}

extension GivenMap {
  /// As the inside of a flow map.
  fileprivate var flow: String {
    entries.map { name, given in
      switch given.value {
      case .map(let map): "\(name): {\(map.flow)}"
      case .text(let text): "\(name): \(flowScalar(text))"
      default: "\(name): \(given.flag.map(\.description) ?? given.integer.map(\.description) ?? "")"
      }
    }.joined(separator: ", ")
  }
}

/// A double-quoted scalar in which nothing is a reference.
private func flowScalar(_ text: String) -> String {
  var quoted = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": quoted += "\\\(scalar)"
    case _ where scalar.value < 0x20 || scalar.value == 0x7f:
      quoted += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
    default: quoted.unicodeScalars.append(scalar)
    }
  }
  return quoted.split(separator: "${", omittingEmptySubsequences: false).joined(separator: "$${") + "\""
}
