// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Logging
import Synchronization
import TestSupport
import Testing

@testable import QuartzAgent

/// What programs that start the agent read of it: a plugin's answer, and lines of the log.
@Suite struct PluginAnswerTests {
  /// `once --format nagios`, however it is written; of any other command the words are text.
  @Test(
    arguments: [
      (["once", "--format", "nagios"], true), (["once", "--format=nagios", "x"], true),
      (["-c", "once", "--format", "nagios"], true), (["once", "--format", "json"], false),
      (["once", "nagios", "--format"], false), (["status", "--format", "nagios"], false),
      (["--format", "nagios", "once"], true), (["once"], false), ([], false),
    ] as [([String], Bool)])
  func whereItIsExpected(arguments: [String], isExpected: Bool) {
    #expect(PluginAnswer.isExpected(by: arguments) == isExpected)
  }

  private struct Other: Error {}

  /// One line, unknown, with the first detail; nothing in it begins figures.
  @Test func theLine() {
    let failure = CommandFailure("it has 2 problems", status: 78, details: ["a:1: x | y\n  hint", "b"])
    #expect(PluginAnswer.line(for: failure, words: "") == "UNKNOWN - it has 2 problems: a:1: x ¦ y")
    #expect(PluginAnswer.line(for: CommandFailure("no", status: 3), words: "z") == "UNKNOWN - no")
    #expect(PluginAnswer.line(for: Other(), words: "wrong\nusage") == "UNKNOWN - wrong usage")
  }

  /// The guidelines' words.
  @Test func wordsOfTheStates() {
    #expect(
      [0, 1, 2, 3, 4, 70].map { NagiosText.word($0) }
        == ["OK", "WARNING", "CRITICAL", "UNKNOWN", "UNKNOWN", "UNKNOWN"])
  }

  /// By syslog(3).
  @Test func priorities() {
    let levels: [Logger.Level] = [.trace, .debug, .info, .notice, .warning, .error, .critical]
    #expect(levels.map(Journal.priority) == ["<7>", "<7>", "<6>", "<5>", "<4>", "<3>", "<2>"])
  }

  /// Device and inode of the stream that systemd opened; any other one is not the journal.
  @Test func theJournal() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    var facts = stat()
    try #require(fstat(ends[1], &facts) == 0)
    let (device, inode) = (UInt64(facts.st_dev), UInt64(facts.st_ino))
    for (words, isJournal) in [
      ("\(device):\(inode)", true), ("\(device):\(inode + 1)", false), ("\(device + 1):\(inode)", false),
      ("\(inode)", false), ("\(device):\(inode):0", false), ("a:b", false), ("", false),
    ] {
      #expect(
        Journal.isStandardError(["JOURNAL_STREAM": words], descriptor: ends[1]) == isJournal, "\(words)")
    }
    #expect(!Journal.isStandardError([:], descriptor: ends[1]))
    #expect(!Journal.isStandardError(["JOURNAL_STREAM": "\(device):\(inode)"], descriptor: -1))
  }

  private func lines(_ format: LogFormat, _ log: (LogSink) -> Void) -> [String] {
    let kept = Mutex<[String]>([])
    let sink = LogSink(format: format, time: FakeClock().time) { line in kept.withLock { $0.append(line) } }
    log(sink)
    sink.drain()
    return kept.withLock { $0 }
  }

  /// Fields in the order of their names; a value with blanks or quotes can be told from the next field.
  @Test func aLineOfText() {
    let found = lines(.text) { sink in
      sink.log(.error, "check", "down", ["why": "a \"b\"", "check": "Shop front", "n": "1", "q": "x\"y"])
    }
    #expect(
      found == [
        #"2026-01-04T02:00:00.000Z ERROR check: down check="Shop front" n=1 q="x'y" why="a 'b'""#
      ])
    let long = lines(.text) { $0.log(.info, "check", String(repeating: "a", count: 5000), [:]) }
    #expect(long.first.map { $0.utf8.count } ?? 0 <= 2048 && long.count == 1)
  }

  @Test func aLineOfJSON() {
    let found = lines(.json) { $0.log(.warning, "agent", "slow", ["b": "2", "a": "x\ny"]) }
    #expect(
      found == [
        #"{"time":"2026-01-04T02:00:00.000Z","level":"warning","logger":"agent","message":"slow","#
          + #""metadata":{"a":"x\\u{a}y","b":"2"}}"#
      ])
  }
}
