// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// The parts that all sources share: patterns, spans, statuses, names, rules, links and notes.
@Suite struct ImportPartsTests {
  @Test(arguments: [
    ("*", "", true), ("a*c", "abc", true), ("a*c", "ac", true), ("a*c", "ab", false), ("*b*", "abc", true),
    ("a**", "a", true),
    ("a*b*c", "aXbYbc", true), ("a*b*c", "aXcYb", false), ("", "", true), ("", "a", false), ("a", "", false),
    ("a", "ab", false),
    ("ab", "a", false), ("*", "abc", true), ("*a", "ba", true), ("*a", "ab", false),
  ])
  func globs(pattern: String, text: String, isMatch: Bool) {
    #expect(
      Glob.matches(pattern, text) == isMatch && Glob.matches(pattern, text, hasQuestions: false) == isMatch)
  }

  @Test func questionsOfGlobs() {
    #expect(
      Glob.matches("a?c", "abc") && !Glob.matches("a?c", "ac") && !Glob.matches("?", "")
        && Glob.matches("*?", "a"))
    #expect(
      !Glob.matches("a?c", "abc", hasQuestions: false) && Glob.matches("a?c", "a?c", hasQuestions: false))
  }

  @Test func bytesInAText() {
    func place(_ part: String, _ text: String) -> [Int]? {
      text.range(of: part).map { range in
        [range.lowerBound, range.upperBound].map { text.utf8.distance(from: text.startIndex, to: $0) }
      }
    }
    #expect(
      place("abd", "abcabd") == [3, 6] && place("aab", "aaab") == [1, 4] && place("a", "a") == [0, 1])
    #expect(
      place("", "a") == nil && place("ab", "a") == nil && place("b", "a") == nil && place("bc", "ab") == nil)
  }

  @Test(
    arguments: [
      ("1000000ns", 1), ("1ns", 1), ("1500us", 2), ("2000µs", 2), ("7ms", 7), ("1s", 1000), ("2m", 120_000),
      ("1h", 3_600_000),
      ("1d", 86_400_000), ("1w", 604_800_000), ("1y", 31_536_000_000), ("1h30m5s", 5_405_000), (".5s", 500),
      ("0s", 0),
      ("101y", 3_185_136_000_000), ("102y", nil), ("5", nil), ("5x", nil), ("s", nil), ("", nil),
      ("-1s", nil), ("1.2.3s", nil),
      ("1S", nil), (String(repeating: "0", count: 39) + "s", 0),
      (String(repeating: "0", count: 40) + "s", nil),
    ] as [(String, Int?)])
  func spans(text: String, milliseconds: Int?) { #expect(ForeignDuration.milliseconds(text) == milliseconds) }

  @Test(arguments: [
    (0, "0ms"), (1, "1ms"), (1500, "1500ms"), (1000, "1s"), (90_000, "90s"), (60_000, "1m"),
    (5_400_000, "90m"),
    (3_600_000, "1h"), (129_600_000, "36h"), (86_400_000, "1d"), (864_000_000, "10d"),
  ])
  func spansAsWritten(milliseconds: Int, text: String) { #expect(ForeignDuration.text(milliseconds) == text) }

  @Test func statuses() {
    func words(_ set: StatusSet) -> [String?] {
      if case .list(let items) = set.value { items.map(\.word) } else { [set.value.word] }
    }
    #expect(words(StatusSet()) == ["any"] && words(StatusSet(200...299)) == ["200-299"])
    var set = StatusSet(200...204)
    #expect(set.keep { $0 != 202 } && words(set) == ["200-201", "203-204"])
    #expect(!set.keep { $0 == 202 } && words(set) == ["200-201", "203-204"])
    #expect(set.keep { $0 > 200 && $0 < 204 } && words(set) == ["201", "203"])
    var all = StatusSet()
    #expect(all.keep { $0 == 100 || $0 > 597 } && words(all) == ["100", "598-599"])
  }

  @Test func freeNames() {
    var names = FreeNames(taken: ["b"])
    let given = ["a", "a", "a", "a (2)", "b", "", "  x   y ", "x y"]
    #expect(
      given.map { names.take($0) } == [
        "a", "a (2)", "a (3)", "a (2) (2)", "b (2)", "unnamed", "x y", "x y (2)",
      ])
  }

  @Test func rules() {
    var book = RuleBook()
    book.add(1, to: "c", after: nil, recoveries: 1)
    book.add(3, to: "c", after: 2, recoveries: 1)
    book.add(4, to: "c", after: nil, recoveries: 2)
    book.add(5, to: "d", after: nil, recoveries: 1)
    book.add(2, to: "c", after: nil, recoveries: 1)
    let rules = book.rules()
    #expect(rules.map(\.name) == ["c", "c after 2", "c until 2", "d"])
    #expect(rules.map(\.selected) == [[1, 2], [3], [4], [5]])
    #expect(rules.map { $0["threshold"]?.word } == [nil, "2", nil, nil])
    #expect(rules.map { $0["recoveries"]?.word } == [nil, nil, "2", nil])
    #expect(rules.allSatisfy { $0["type"]?.word == "consecutive_failures" })
  }

  private func check(_ name: String, _ key: Int, _ parents: [Int] = [], isOff: Bool = false) -> ImportedCheck
  {
    var check = ImportedCheck(name: name, type: "ping")
    (check.key, check.parents) = (key, parents)
    if isOff { check["enabled"] = .plain("false") }
    return check
  }

  private func masters(_ check: ImportedCheck) -> [String] {
    if case .list(let names)? = check["depends_on"] { names.compactMap(\.word) } else { [] }
  }

  @Test func dependencies() {
    let gone = "changed: depends_on: a check that it depends on is not here, or off"
    let made = ImportedCheck.linked([
      check("a", 1), check("b", 2, [1]), check("c", 3, [9]), check("off", 4, isOff: true),
      check("d", 5, [4, 2, 2, 5]),
      check("tag:x", 6), check("e", 7, [6, 1]),
    ])
    #expect(made.map(masters) == [[], ["a"], [], [], ["b"], [], ["a"]])
    #expect(made.map { $0.notes.map(\.line) } == [[], [], [gone], [], [gone], [], [gone]])
  }

  /// Checks in a circle, and those that depend on one of them, keep what is outside it.
  @Test func circles() {
    let words = "changed: depends_on: dependencies that lead in a circle are left out"
    let made = ImportedCheck.linked([
      check("a", 1, [2]), check("b", 2, [1]), check("c", 3, [1]), check("d", 4), check("e", 5, [4, 3]),
      check("f", 6, [4]),
    ])
    #expect(made.map(masters) == [[], [], [], [], ["d"], ["d"]])
    #expect(made.map { $0.notes.map(\.line) } == [[words], [words], [words], [], [words], []])
  }

  @Test func parentsAreCounted() {
    for (count, notes) in [(64, 0), (65, 1), (70, 1)] {
      let made = ImportedCheck.linked(
        (1...count).map { check("c\($0)", $0) } + [check("last", 100, Array(1...count))])
      #expect(masters(made[count]).count == 64 && made[count].notes.count == notes)
    }
  }

  @Test func linksByHostAndService() {
    let links = CheckLinks()
    links.enter(check("a", 1), host: "h", service: nil)
    links.enter(check("b", 2), host: "h", service: "s")
    links.enter(check("c", 3), host: "g", service: "s")
    #expect(links.key(host: "h", service: nil) == 1 && links.key(host: "h", service: "s") == 2)
    #expect(links.key(host: "g", service: nil) == nil && links.key(host: "g", service: "s") == 3)
    #expect(links.keys(ofHost: "h") == [1, 2] && links.keys(ofHost: "x") == [])
    links.depend(1, on: [2])
    links.depend(1, on: [3])
    links.depend(2, on: Array(10..<90))
    links.depend(2, on: [99])
    for why in ["w", "w", "v"] { links.note(1, .laxer, "p", why) }
    links.note(3, .laxer, "p", "w")
    var checks = [check("a", 1), check("b", 2), check("c", 3)]
    links.finish(&checks)
    #expect(checks.map(\.parents) == [[2, 3], [1] + Array(10..<80), []])
    #expect(checks.map { $0.notes.map(\.line) } == [["laxer: p: w", "laxer: p: v"], [], ["laxer: p: w"]])
  }

  /// More than three notes of one key and reason are one line.
  @Test func foldedNotes() {
    func notes(_ count: Int, _ change: ImportNote.Change? = nil) -> [ImportNote] {
      (0..<count).map { ImportNote(place: "f:\($0 + 1): a[\($0)].b[x].c", why: "w", change: change) }
    }
    #expect(ImportNote.folded(notes(3)) == notes(3).map(\.line))
    #expect(ImportNote.folded(notes(4)) == ["not carried: f:1: a[0].b[x].c: w (a.b.c: 4 times)"])
    #expect(
      ImportNote.folded(notes(5, .laxer) + notes(1)) == [
        "laxer: f:1: a[0].b[x].c: w (a.b.c: 5 times)", "not carried: f:1: a[0].b[x].c: w",
      ])
    #expect(ImportNote.folded(notes(2), most: 1) == ["not carried: f:1: a[0].b[x].c: w (a.b.c: 2 times)"])
    let others = ["x", "y", "z", "x"].map { ImportNote(place: "f:1: k", why: $0) }
    #expect(ImportNote.folded(others).count == 3)
    let same = (0..<2).map { _ in ImportNote(place: "k", why: "w") }
    #expect(ImportNote.folded(same) == ["not carried: k: w (k: 2 times)"])
  }

  /// A contact's channel is named by how it is notified; reminders are of a minute to a week.
  @Test func mailContacts() {
    let mail = MailContacts(program: "P", sender: "p@localhost")
    let ledger = Ledger()
    func add(_ recovers: Bool, _ reminds: Bool) -> String {
      let way = MailContacts.Way(contact: "ann", recovers: recovers, reminds: reminds)
      let made = mail.made(way, to: "a@a.example")
      #expect(made["recovered"]?.word == "\(recovers)" && made["updates"]?.word == "\(reminds)")
      #expect(
        ["server", "tls", "from"].map { made["mail.\($0)"]?.word } == ["localhost:25", "none", "p@localhost"])
      mail.keep(made, way)
      #expect(mail.channel(way) == made.name)
      return made.name
    }
    mail.finish(ledger, interval: "i")
    #expect(ledger.sections.isEmpty && !mail.isUsed("ann"))
    let names = [add(true, true), add(true, false), add(false, true), add(false, false)]
    #expect(
      names == ["ann", "ann once", "ann without recovery", "ann without recovery once"] && mail.isUsed("ann"))
    var checks = [check("a", 1), check("b", 2), check("c", 3)]
    mail.notify(names[0], of: &checks[0], fails: true, warns: true)
    mail.notify(names[1], of: &checks[1], fails: false, warns: true)
    mail.notify(names[0], of: &checks[2], fails: true, warns: false)
    for (index, seconds) in [30.0, 90, 700_000].enumerated() {
      mail.remind(of: &checks[index], seconds: seconds, "i")
    }
    #expect(
      checks.map { $0.notes.map(\.line) } == [
        ["changed: i: 30s is made 1m, the least there is"], [],
        ["changed: i: 700000s is made 7d, the most there is"],
      ])
    mail.finish(ledger, interval: "i")
    #expect(ledger.sections.reminders == [1: 60_000, 2: 90_000, 3: 604_800_000])
    #expect(ledger.sections.remind == 60_000 && ledger.sections.channels.map(\.name) == names)
    #expect(ledger.sections.rules.map(\.name) == ["ann", "ann warnings", "ann once warnings"])
    #expect(ledger.sections.rules.map(\.selected) == [[1, 3], [1], [2]])
    #expect(ledger.sections.rules.map { $0["state"]?.word } == [nil, "degraded", "degraded"])
    let remind = "changed: i: all channels remind as often: 1m"
    #expect(
      ledger.sections.channels.map { $0.notes.map(\.line).contains(remind) } == [true, false, true, false])
  }

  @Test(arguments: ["response_time", "rtt", "loss", "certificate"]) func limitsThatWarn(key: String) {
    var check = check("a", 1)
    #expect(!MailContacts.warns(check))
    check["expect.\(key).fail"] = .plain("1")
    #expect(!MailContacts.warns(check))
    check["expect.\(key).warn"] = .plain("1")
    #expect(MailContacts.warns(check))
  }

  @Test func valuesOfAFile() throws {
    for (text, flag) in [
      ("true", true), ("Yes", true), ("ON", true), ("1", true), ("false", false), ("no", false),
      ("off", false), ("0", false),
      ("2", nil), ("", nil), ("t", nil),
    ] as [(String, Bool?)] { #expect(ForeignNode(text: text).flag == flag) }
    let node = try ForeignNode.yaml(Array("a: ~\nb: [1, 2]\nc: 5\nd: null\ne: 'null'\n".utf8))[0]
    #expect(
      ["a", "b", "c", "d", "e"].map { node[$0]?.all.map(\.text) } == [[], ["1", "2"], ["5"], [], ["null"]])
    #expect(["a", "b", "c", "d", "e"].map { node[$0]?.isNull } == [true, false, false, true, false])
    #expect(node.without("b").entries?.map(\.name) == ["a", "c", "d", "e"] && node["c"]?.number == 5)
  }
}
