// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics
import Monitoring

/// A tag as it is called: by itself, or as `mute` and `depends_on` name it, `tag:shop`.
func tagReadings(_ word: String) -> [String] {
  word.hasPrefix("tag:") ? [word, String(word.dropFirst(4))] : [word]
}

extension AgentClient {
  /// Judges `--tag` by the checks of the running agent, as `once` does by those of the configuration.
  ///
  /// - Throws: a usage error where no check has any of the tags. Of several, one without a check is a warning.
  func requireTags(_ tags: [String]) async throws {
    var unknown: [String] = []
    for tag in tags {
      let items = tagReadings(tag).map { "&tag=\(percentEncoded($0))" }.joined()
      let answer = try JSONValue.parse(try await ask("/api/v1/checks?limit=1\(items)").utf8)
      if answer["meta"]?["total"]?.integer == 0 { unknown.append(tag) }
    }
    let problems = unknown.map {
      "no check of the running agent has the tag \"\($0.printable(maxBytes: 100))\""
    }
    if let first = problems.first, unknown.count == tags.count {
      throw failure(
        first, hint: "a tag is written as in the file, such as team:shop",
        status: ExitCode.validationFailure.rawValue)
    }
    for problem in problems { printError("quartz-agent: warning: \(problem)") }
  }
}

/// `--tag`: the checks that have one of some tags.
struct TagChoice {
  private let wanted: Set<ByteText>

  /// - Parameter checks: all that are known.
  /// - Throws: a usage error where no check has any of the tags. Of several, one without a check is a warning.
  init(_ tags: [String], in checks: [MonitoringCheck]) throws {
    wanted = Set(tags.flatMap(tagReadings).map { ByteText($0) })
    let known = Set(checks.flatMap(\.plan.tags).map { ByteText($0) })
    let names = known.map(\.text).sorted()
    let unknown = tags.filter { !tagReadings($0).contains { known.contains(ByteText($0)) } }
    let problems = unknown.map {
      "no check of the configuration has the tag \"\($0.printable(maxBytes: 100))\""
    }
    guard unknown.count < tags.count || tags.isEmpty else {
      throw failure(
        problems.first ?? "", hint: unknown.first.map { Self.hint($0, names) },
        status: ExitCode.validationFailure.rawValue)
    }
    for (tag, problem) in zip(unknown, problems) {
      printError("quartz-agent: warning: \(problem); \(Self.hint(tag, names))")
    }
  }

  /// Those with one of the tags; disabled ones only where they were named.
  func chosen(_ checks: [MonitoringCheck], named: Bool) throws -> [MonitoringCheck] {
    let tagged = checks.filter { $0.plan.tags.contains { wanted.contains(ByteText($0)) } }
    let chosen = named ? tagged : tagged.filter(\.enabled)
    if !chosen.isEmpty { return chosen }
    let names = wanted.map(\.text).sorted().map { "\"\($0.printable(maxBytes: 100))\"" }
    let tags = names.joined(separator: " or ")
    if let disabled = tagged.first {
      throw failure(
        "every check with the tag \(tags) is disabled",
        hint: "one that is named runs all the same: quartz-agent once \(shellWord(disabled.name))",
        status: ExitCode.validationFailure.rawValue)
    }
    throw failure(
      "none of the checks named has the tag \(tags)", hint: "leave the names out, or --tag",
      status: ExitCode.validationFailure.rawValue)
  }

  private static func hint(_ tag: String, _ known: [String]) -> String {
    if let similar = nearest(to: tag, among: known) { return "did you mean \"\(similar)\"?" }
    if known.isEmpty { return "no check has any; tags are given as 'tags: [team:shop]'" }
    let some = known.prefix(8).joined(separator: ", ").printable(maxBytes: 300)
    return "tags there are: \(some)" + (known.count > 8 ? " and \(known.count - 8) more" : "")
  }
}
