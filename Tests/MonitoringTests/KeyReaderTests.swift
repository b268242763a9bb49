// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Monitoring

/// What a reader of keys keeps of the problems, and how it tells of those that many checks have from one place.
@Suite struct KeyReaderTests {
  private func at(_ line: Int, _ layer: ValueLayer = .own) -> Position {
    var position = Position(line: line, column: 1)
    position.layer = layer
    return position
  }

  /// A thousand problems are kept, and all are counted.
  @Test func problemsAreBounded() {
    var reader = KeyReader(.local)
    for line in 1...1001 {
      reader.problem(at(line), "m\(line)", hint: line == 1000 ? "h" : nil)
      if line == 999 { #expect(reader.problems.count == 999 && reader.count == 999) }
    }
    #expect(reader.problems.count == 1000 && reader.count == 1001 && KeyReader.kept == 1000)
    #expect(reader.problems.last?.message == "m1000" && reader.problems.last?.hint == "h")
    #expect(reader.problems.last?.position == at(1000) && reader.problems.first?.hint == nil)
  }

  /// What stands in a template or among defaults is told once for each place and message, a check's own always.
  @Test func whatIsNews() {
    var reader = KeyReader(.local)
    func told(_ line: Int, _ layer: ValueLayer, _ message: String) -> Bool {
      reader.isNews(at(line, layer), message)
    }
    let own = [told(1, .own, "m"), told(1, .own, "m")]
    #expect(own == [true, true])
    for layer in [ValueLayer.template, .defaults] {
      let found = [
        told(1, layer, "m"), told(1, layer, "m"), told(1, layer, "n"), told(2, layer, "m"),
        told(2, layer, "m"),
      ]
      #expect(found == [true, false, true, true, false], "\(layer)")
    }
  }

  /// The same key is called differently where it is a default of all types, of one type, and a check's.
  @Test(
    arguments: [
      ("timeout is wrong", "defaults.timeout is wrong", false),
      ("defaults.http.timeout is wrong", "defaults.timeout is wrong", false),
      ("defaults.http.timeout is wrong", "defaults.tcp.timeout is wrong", false),
      ("defaults.ping.timeout is wrong", "timeout is wrong", false),
      ("defaults.timeout is wrong", "defaults.interval is wrong", true),
      ("defaults.http.timeout is wrong", "defaults.httpx.timeout is wrong", true),
      ("timeout is wrong", "http.timeout is wrong", true),
    ])
  func namesBelowDefaults(first: String, second: String, isNews: Bool) {
    var reader = KeyReader(.local)
    let news = [reader.isNews(at(3, .defaults), first), reader.isNews(at(3, .defaults), second)]
    #expect(news == [true, isNews])
  }

  /// A thousand of them are remembered; what comes after them is told each time.
  @Test func whatIsRememberedIsBounded() {
    var reader = KeyReader(.local)
    let news = (1...999).map { reader.isNews(at($0, .template), "m") }
    #expect(!news.contains(false))
    let before = reader.isNews(at(1, .template), "m")
    let last = reader.isNews(at(1000, .template), "m")
    let after = reader.isNews(at(1, .template), "m")
    #expect(!before && last && after)
  }

  /// A problem of a shared place names the check in which it came up first.
  @Test func theCheckIsNamed() {
    var reader = KeyReader(.local)
    let place = at(4, .template)
    #expect(reader.told("m", at: place) == "m")
    reader.check = "Shop"
    #expect(reader.told("m", at: place) == "m (first in the check \"Shop\")")
    #expect(reader.told("m", at: at(4)) == "m")
    reader.problem(at(4, .defaults), "m", hint: "h")
    reader.check = "Mail"
    reader.problem(at(4, .defaults), "m", hint: "h")
    reader.problem(at(5), "n")
    #expect(reader.problems.map(\.message) == ["m (first in the check \"Shop\")", "n"])
    #expect(reader.count == 2)
  }

  /// Each key that is given goes to its place, and what is none of the keys is left.
  @Test func settingsAreRead() {
    var (settings, reader) = (ConfirmSettings(), KeyReader(.local))
    let map = GivenMap([
      ("of", Given(.list([Given(.text("a")), Given(.text("b"))]))), ("other", Given(.text("x"))),
      ("within", Given(.duration(.seconds(9)))),
    ])
    let isRead = reader.read(map, into: &settings, ["confirm"])
    #expect(isRead && settings.of == ["a", "b"] && settings.within == .seconds(9) && settings.from == 2)
    // Without a value for a key that there must be they are not whole.
    let isWhole = reader.read(GivenMap([("of", Given(.text("a")))]), into: &settings, ["confirm"])
    let isOptional = reader.read(GivenMap([("within", Given(.text("a")))]), into: &settings, ["confirm"])
    #expect(!isWhole && isOptional && settings.within == .seconds(9) && reader.problems.isEmpty)
  }

  @Test func placesAndTheirKeys() {
    let place = KeyPlace(path: ["alerts", "channels"], position: at(2)).below("0", at(3)).below("name", at(4))
    #expect(place.key == "alerts.channels[0].name" && place.position == at(4))
    #expect(CheckProblem.keyText([]) == "" && CheckProblem.keyText(["a", "12", "b"]) == "a[12].b")
  }

  /// A list is put in the place of a list, and of nothing else.
  @Test func listsAreReplaced() {
    var map = GivenMap([
      ("a", Given(.list([]), at: at(3))), ("b", Given(.text("x"))), ("c", Given(.list([Given(.flag(true))]))),
    ])
    for name in ["a", "b", "missing"] { map.replace(name, [Given(.text("1")), Given(.text("2"))]) }
    #expect(map["a"]?.texts == ["1", "2"] && map["a"]?.position == at(3) && map["b"]?.text == "x")
    #expect(map["c"]?.list?.count == 1 && map.entries.count == 3)
  }

  /// Credentials that could not be read, wherever they stand, in the order of the file.
  @Test func credentialsThatAreMissing() {
    func missing(_ name: String) -> Given {
      var given = Given(.invalid)
      given.credential = name
      return given
    }
    let map = GivenMap([
      ("a", missing("1")), ("b", Given(.text("x"))),
      ("c", Given(.list([Given(.text("y")), missing("2"), Given(.map(GivenMap([("d", missing("3"))])))]))),
      ("e", Given(.map(GivenMap([("f", missing("4"))])))),
    ])
    #expect(map.unreadCredentials() == ["1", "2", "3", "4"])
    #expect(map["c"]?.unreadCredentials() == ["2", "3"] && map["b"]?.unreadCredentials() == [])
  }

  /// A URL of a page has no login, query or fragment; that of a runbook no login. Messages show none of them.
  @Test(
    arguments: [
      ("https://a.example/", true, true, ""), ("https://a.example", true, true, ""),
      ("http://a.example:81/b", true, true, ""),
      ("https://a.example/?a=1", false, true, "https://a.example/?<redacted>"),
      ("https://a.example/#b", false, true, "https://a.example/#<redacted>"),
      ("https://u:p@a.example/", false, false, "https://<redacted>@a.example/"),
      ("https://u:p/w?x#@a.example/?b", false, false, "https://<redacted>@a.example/?<redacted>"),
      ("ftp://a.example/", false, false, "ftp://a.example/"), ("a.example", false, false, "a.example"),
    ])
  func linksAndRunbooks(text: String, isLink: Bool, isRunbook: Bool, shown: String) {
    for (codec, isTaken, words) in [
      (Codec<String>.link, isLink, "k must be an http or https URL without login, query and fragment"),
      (Codec<String>.runbook, isRunbook, "runbook must be an http or https URL without login"),
    ] {
      for isSecret in [false, true] {
        var reader = KeyReader(.local)
        let given = Given(.text(text), isSecret: isSecret)
        let found = codec.read(given, KeyPlace(path: ["k"], position: at(7)), &reader)
        #expect(found == (isTaken ? text : nil))
        let shown = isSecret ? "<redacted>" : "\"\(shown)\""
        #expect(reader.problems.map(\.message) == (isTaken ? [] : ["\(words), found \(shown)"]))
        #expect(reader.problems.allSatisfy { $0.position == at(7) && $0.hint != nil })
      }
    }
  }

  @Test func numbersOfTheirOwn() {
    var reader = KeyReader(.local)
    let place = KeyPlace(path: ["k"], position: at(1))
    let codec = Codec<Int?>.automatic(1...9)
    let (auto, seven) = (
      codec.read(Given(.text("auto")), place, &reader), codec.read(Given(.integer(7)), place, &reader)
    )
    // Given and without a number, given, and not given.
    #expect(auto.map { $0 ?? -1 } == -1 && seven.map { $0 ?? -1 } == 7)
    let neither = codec.read(Given(.text("many")), place, &reader)
    #expect(neither.map { $0 ?? -1 } == nil)
    #expect(codec.text(nil) == "auto" && codec.text(7) == "7")
    let ports = [65_535, 65_536].map { Codec<UInt16>.port.read(Given(.integer($0)), place, &reader) }
    #expect(ports == [65_535, nil])
    let list = Codec<[Duration]>.list(Codec<Duration>.duration(.zero ... .seconds(9)))
    let given = Given(.list([Given(.duration(.seconds(2))), Given(.invalid), Given(.duration(.seconds(1)))]))
    let (read, other) = (list.read(given, place, &reader), list.read(Given(.text("2s")), place, &reader))
    #expect(read == [.seconds(2), .seconds(1)] && other == nil)
    #expect(list.text([.seconds(2), .milliseconds(500)]) == "[2s, 500ms]" && list.text([]) == "[]")
  }
}
