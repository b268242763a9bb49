// SPDX-License-Identifier: MIT

import ArgumentParser
import TestSupport
import Testing

@testable import QuartzAgent

/// A misspelt command gets the one that was meant, as it can be pasted.
@Suite struct UnknownCommandTests {
  @Test(arguments: [
    ("statsu", "did you mean 'status'? see: quartz-agent status --help"),
    ("help rnu", "did you mean 'run'? see: quartz-agent run --help"),
    ("help spool lss", "did you mean 'ls'? see: quartz-agent spool ls --help"),
    ("spool lss", "did you mean 'ls'? see: quartz-agent spool ls --help"),
    (
      "spool quarantine resubmitt",
      "did you mean 'resubmit'? see: quartz-agent spool quarantine resubmit --help"
    ),
    ("https://a.example/?a=1&b=2", "to run a check once: quartz-agent once 'https://a.example/?a=1&b=2'"),
    ("db:5432", "to run a check once: quartz-agent once db:5432"),
  ])
  func whatWasMeantIsSaid(line: String, hint: String) throws {
    let words = line.split(separator: " ").map(String.init)
    let unknown = try #require(UnknownCommand(words, of: QuartzAgentCommand.self))
    #expect(unknown.hint == hint)
    #expect(unknown.message == "there is no command \"\(words.last ?? "")\"")
  }

  /// What is near nothing gets them all; what is right, and what is not about commands, is left alone.
  @Test func theOthersAreLeftAlone() {
    #expect(
      UnknownCommand(["zzz"], of: QuartzAgentCommand.self)?.hint.contains("run, once, validate") == true)
    for line in [
      [], ["status"], ["spool", "ls", "x"], ["post", "Payments are failing"], ["--version"], ["help"],
      ["help", "once"],
      ["help", "spool", "ls"], ["help", "--version"],
      ["once", "statsu"], ["-x", "y"],
    ] {
      #expect(UnknownCommand(line, of: QuartzAgentCommand.self) == nil, "\(line)")
    }
  }

  /// The real program says it and exits as for any wrong usage; ArgumentParser does the same for options.
  @Test(arguments: [
    (["statsu"], "'status'"), (["help", "statsu"], "'status'"),
    (["once", "--timout", "5s", "tcp://a:1"], "'--timeout'"),
  ])
  func theProgramSaysIt(arguments: [String], words: String) async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await AgentProcess(arguments, in: folder).finish()
      #expect(outcome.status == 64 && outcome.stdout.isEmpty)
      #expect(outcome.stderr.lowercased().contains("did you mean \(words)"), "\(outcome.stderr)")
    }
  }
}
