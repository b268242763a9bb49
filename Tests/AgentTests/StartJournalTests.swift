// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Agent

/// Which deaths put what aside.
@Suite struct StartJournalTests {
  private let list = StartInput("checks.json", sum: "a-1")
  private let shard = StartInput("windows/0000", sum: "b-2")
  private let segment = StartInput("spool/results-0000000000000001")

  /// One start that ends by a signal of its own (0: from outside), while reading or after it.
  private func die(
    _ journal: inout StartJournal, over inputs: [StartInput], reading: StartInput? = nil, signal: Int = 4,
    boot: String = "one", next: String = "one"
  ) {
    for input in inputs where !journal.isPoison(input) {
      journal.begins(input)
      journal.ended(input.name)
    }
    if let reading { journal.begins(reading) }
    // As the next start finds it.
    journal = StartJournal.read(journal.encoded()).journal
    _ = journal.begin(boot: next, signal: signal)
  }

  private func started() -> StartJournal {
    var journal = StartJournal()
    _ = journal.begin(boot: "one", signal: 0)
    return journal
  }

  /// Two deaths while an input was being read are enough, whoever ended the process.
  @Test(arguments: [0, 4, 6]) func twoDeathsWhileReading(signal: Int) {
    for input in [list, shard, segment] {
      var journal = started()
      die(&journal, over: [], reading: input, signal: signal)
      #expect(!journal.isPoison(input))
      die(&journal, over: [], reading: input, signal: signal)
      #expect(journal.isPoison(input))
      #expect(!journal.isPoison(StartInput(input.name, sum: "other")))
    }
  }

  /// The process's own fault after everything was read: the list says what is done, so it is the list; and where there
  /// is none, the history.
  @Test func twoFaultsAfterReading() {
    var journal = started()
    for _ in 0..<2 { die(&journal, over: [segment, list, shard]) }
    #expect(journal.isPoison(list) && !journal.isPoison(shard) && !journal.isPoison(segment))
    journal.putAside(list, to: "aside/checks.json-1", at: .epoch, version: "1")
    let later = Timestamp.epoch.advanced(by: .seconds(1_000_000))
    #expect(journal.refusal(of: list, version: "1", at: later) != nil)
    #expect(journal.refusal(of: list, version: "2", at: later) == nil)
    #expect(journal.refusal(of: StartInput(list.name, sum: "z"), version: "1", at: later) == nil)
    // It dies without the list as well: the list was not it, and comes back when the API sends it.
    for _ in 0..<2 { die(&journal, over: [segment, shard]) }
    #expect(journal.isPoison(shard) && journal.isPoison(StartInput("windows/0007", sum: "c")))
    #expect(journal.refusal(of: list, version: "1", at: later) == nil)
  }

  /// A list over which the agent was only killed from outside, while it read it or later, is taken again from the API
  /// ten minutes later: `kill -9` twice in a row must not end all checks for good. One fault among them, and it is not.
  @Test(arguments: [(0, 0, false), (0, 4, true), (4, 0, true)] as [(Int, Int, Bool)])
  func killsRefuseAListForAWhile(first: Int, second: Int, isForGood: Bool) {
    var journal = started()
    for signal in [first, second] { die(&journal, over: [], reading: list, signal: signal) }
    #expect(journal.isPoison(list))
    journal.putAside(list, to: "aside/checks.json-1", at: .epoch, version: "1")
    journal = StartJournal.read(journal.encoded()).journal
    // A clock that was set back since does not hold it up.
    for (seconds, isRefused) in [
      (-1, isForGood), (0, true), (599, true), (600, isForGood), (86_400, isForGood),
    ] as [(Int, Bool)] {
      let refusal = journal.refusal(of: list, version: "1", at: .epoch.advanced(by: .seconds(seconds)))
      #expect((refusal != nil) == isRefused, "\(seconds) s")
    }
  }

  /// Kills from outside once everything is read say little: six in a row, not five.
  @Test func killsFromOutside() {
    var journal = started()
    for number in 1...6 {
      die(&journal, over: [list, shard], signal: 0)
      #expect(journal.isPoison(list) == (number == 6))
    }
  }

  /// A machine that goes down has killed nobody over an input, and what was counted before is not one row with it.
  @Test func aPowerCutIsNoDeath() {
    var journal = started()
    die(&journal, over: [], reading: list)
    die(&journal, over: [], reading: list, signal: 0, next: "two")
    #expect(!journal.isPoison(list) && journal.deaths.isEmpty)
    die(&journal, over: [], reading: list, next: "two")
    #expect(!journal.isPoison(list))
  }

  /// A minute of life, or an end in order, clears what was counted; a changed content starts again.
  @Test func whatClearsTheCount() {
    var journal = started()
    die(&journal, over: [], reading: list)
    journal.settle()
    journal = StartJournal.read(journal.encoded()).journal
    #expect(journal.begin(boot: "one", signal: 0).isEmpty)
    die(&journal, over: [], reading: list)
    #expect(!journal.isPoison(list))
    die(&journal, over: [], reading: StartInput(list.name, sum: "other"))
    #expect(!journal.isPoison(list) && journal.deaths.count == 1)
  }

  /// Everything comes back; what is no journal is none; what is kept is bounded.
  @Test func theFile() {
    var journal = started()
    for number in 0..<200 {
      journal.begins(StartInput("spool/results-\(number)", sum: "\u{1}\n\""))
      journal.uses(StartInput("x\(number)"))
      journal.putAside(StartInput("y", sum: "1"), to: "aside/\(number)", at: .epoch, version: "1")
    }
    #expect(journal.reading.count <= 16 && journal.used.count <= 16 && journal.aside.count <= 64)
    let read = StartJournal.read(journal.encoded(signal: 11))
    #expect(read.journal == journal && read.signal == 11)
    let bytes = journal.encoded()
    #expect(bytes.count < 1 << 16)
    for cut in stride(from: 0, to: bytes.count - 2, by: 37) {
      #expect(StartJournal.read(Array(bytes[..<cut])).journal == StartJournal())
    }
    #expect(StartJournal.read(bytes + Array("{\"left behind\"".utf8)).journal == journal)
    journal.keepAside { $0 == "aside/199" }
    #expect(journal.aside.map(\.place) == ["aside/199"])
  }

  /// The time in the cached list is not what makes it another.
  @Test func theFingerprintOfAList() {
    func list(_ time: String, _ rest: String) -> [UInt8] {
      Array("{\"version\":1,\"from\":\"x\",\"pulled_at\":\"\(time)\",\"cut\":false,\(rest)}".utf8)
    }
    #expect(fingerprint(of: list("2026-01-01", "1")) == fingerprint(of: list("2026-01-02", "1")))
    #expect(fingerprint(of: list("2026-01-01", "1")) != fingerprint(of: list("2026-01-01", "2")))
    #expect(fingerprint(of: []) == "0-0")
  }
}
