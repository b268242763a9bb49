// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics
import Monitoring

/// Completion of words that the configuration names: checks, tags, channels. Of a wrong configuration
/// it offers the part that can be read, and prints no error: the shell is in the middle of a line.
enum NameCompletion {
  /// Checks of the configuration by name; by id where no name begins as the word does.
  static let checks = offering { settings, prefix in
    let names = settings.checks.map(\.name)
    let begun = names.contains { $0.hasPrefix(prefix) }
    return begun ? names : settings.checks.map(\.id.description)
  }

  /// Targets of a mute or a maintenance window: a check, a tag, everything.
  static let targets = offering { settings, _ in
    settings.checks.map(\.name) + tags(of: settings).map { "tag:\($0)" } + ["all"]
  }

  static let tags = offering { settings, _ in tags(of: settings) }

  static let channels = offering { settings, _ in settings.alerts?.channels.map(\.name) ?? [] }

  private static func tags(of settings: Settings) -> [String] { settings.checks.flatMap(\.plan.tags) }

  private static func offering(
    _ names: @escaping @Sendable (Settings, _ prefix: String) -> [String]
  ) -> CompletionKind {
    .custom { words, _, prefix in
      (readable(words).map { names($0, prefix) } ?? [])
        .filter { $0.hasPrefix(prefix) }.withoutRepetitions { ByteText($0) }
    }
  }

  /// The configuration that the line names, or the default one.
  private static func readable(_ words: [String]) -> Settings? {
    guard let path = ConfigOptions.existing(named(words)) else { return nil }
    do {
      return try loadForAsking(path)
    } catch {
      return error.readable
    }
  }

  private static func named(_ words: [String]) -> String? {
    for (index, word) in words.enumerated().reversed() {
      if word.hasPrefix("--config=") { return String(word.dropFirst("--config=".count)) }
      if word == "-c" || word == "--config", index + 1 < words.count { return words[index + 1] }
    }
    return nil
  }
}
