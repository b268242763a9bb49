// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import AgentConfig

/// Values of the public page at their borders, and the rules over several keys of `status`.
struct PublicLimitsTests {
  private func text(_ keys: String) -> String {
    "status:\n  public:\n    listen: 127.0.0.1:9898\n    checks: [Shop front]\n    \(keys)\n" + oneCheck
  }

  /// What a page is where nothing is said of it: nothing that gives something away.
  @Test func theUsualPage() {
    let face = PublicSettings()
    #expect(face.title == "Status" && face.hideTargets && !face.maintenanceNames)
    #expect(face.announce == .seconds(604_800) && face.language == .english)
    #expect(face.color == nil && face.darkColor == nil && face.logo == nil && face.footer == nil)
    #expect(face.groups.isEmpty && face.checks.isEmpty && face.pages.isEmpty && face.links.isEmpty)
  }

  /// Lower case letters, digits and dashes.
  @Test(arguments: [
    ("a", true), ("z", true), ("0", true), ("9", true), ("-", true), ("`", false), ("{", false),
    ("/", false), (":", false), ("A", false), ("Z", false), ("_", false), (".", false), ("ä", false),
    ("", false), (String(repeating: "p", count: 40), true), (String(repeating: "p", count: 41), false),
  ])
  func namesOfPages(name: String, isTaken: Bool) {
    let found = problems(text("pages: [{name: \"\(name)\", title: T, checks: [Shop front]}]"))
    let message = "must be 1 to 40 lower case letters, digits and dashes, found "
    #expect(found.isEmpty == isTaken)
    #expect(isTaken || found.count == 1 && found[0].contains(message))
  }

  /// Addresses of the page itself are no names; those that only look alike are.
  @Test(arguments: ["badge", "hb", "livez", "logo", "widget"]) func takenNames(name: String) {
    func told(_ name: String) -> [String] {
      problems(text("pages: [{name: \(name), title: T, checks: [Shop front]}]"))
    }
    #expect(
      told(name) == [
        "agent.yaml:5:14: status.public.pages[0].name must not be \"\(name)\": the public page has that address"
          + "\n  hint: choose another name"
      ])
    #expect(told(name + "s") == [])
  }

  @Test(
    arguments: [
      ("#09afAF", "#09afaf"), ("#000000", "#000000"), ("#ffffff", "#ffffff"), ("#12345g", nil),
      ("#12345G", nil), ("#12345/", nil), ("#12345:", nil), ("#12345@", nil), ("#12345`", nil),
      ("#12345", nil), ("#1234567", nil), ("0123456", nil), ("", nil),
    ])
  func colors(color: String, read: String?) throws {
    for key in ["color", "color_dark"] {
      let given = text("\(key): \"\(color)\"")
      guard let read else {
        let found = problems(given)
        #expect(found.count == 1)
        #expect(found[0].contains("status.public.\(key) must be a colour as #rrggbb, found "))
        continue
      }
      let face = try settings(given).status.publicFace
      #expect((key == "color" ? face?.color : face?.darkColor) == read)
    }
  }

  @Test func linksAndPagesAreBounded() throws {
    func links(_ count: Int) -> String {
      let all = Array(repeating: "{title: T, url: \"https://a.example/?q#f\"}", count: count)
      return text("links: [\(all.joined(separator: ", "))]")
    }
    #expect(try settings(links(10)).status.publicFace?.links.count == 10)
    #expect(
      problems(links(11)) == ["agent.yaml:5:5: status.public.links may list at most 10 links, found 11"])
    func pages(_ count: Int) -> String {
      let all = (1...count).map { "{name: p\($0), title: T, checks: [Shop front]}" }
      return text("pages: [\(all.joined(separator: ", "))]")
    }
    #expect(try settings(pages(20)).status.publicFace?.pages.count == 20)
    #expect(
      problems(pages(21)) == ["agent.yaml:5:5: status.public.pages may list at most 20 pages, found 21"])
  }

  @Test func aFooterIsBounded() throws {
    func footer(_ text: String) -> String { self.text("footer: \"\(text)\"") }
    let longest = String(repeating: "ä", count: 250)
    #expect(try settings(footer(longest)).status.publicFace?.footer == longest)
    #expect(
      problems(footer(longest + "a")) == [
        "agent.yaml:5:5: status.public.footer must be at most 500 bytes, found 501"
      ])
    #expect(
      problems(footer("a\\nb")) == [
        "agent.yaml:5:5: status.public.footer contains a line break or another control character"
      ])
  }

  /// Names that go into every result have a hundred bytes.
  @Test(arguments: ["name", "region"]) func namesOfTheAgent(key: String) throws {
    func agent(_ value: String) -> String { "agent: {\(key): \"\(value)\"}\n" + oneCheck }
    let longest = String(repeating: "ä", count: 50)
    let read = try settings(agent(longest)).agent
    #expect((key == "name" ? read.name : read.region) == longest)
    #expect(
      problems(agent(longest + "a")) == [
        "agent.yaml:1:9: agent.\(key) must be at most 100 bytes, found 101"
      ])
    #expect(problems(agent(" \\t ")) == ["agent.yaml:1:9: agent.\(key) is empty"])
    #expect(problems(agent("a\\u0007")) == ["agent.yaml:1:9: agent.\(key) contains a control character"])
  }

  /// Tags that become labels: eight, each once.
  @Test func labelsAreBounded() {
    func labels(_ names: [String]) -> [String] {
      problems("metrics: {labels: [\(names.joined(separator: ", "))]}\n" + oneCheck)
    }
    let names = (1...9).map { "t\($0)" }
    #expect(labels(Array(names.prefix(8))) == [])
    #expect(
      labels(names) == ["agent.yaml:1:11: metrics.labels has 9 entries, at most 8 are allowed"])
    #expect(
      labels(["t1", "t2", "t3", "t2"]) == ["agent.yaml:1:32: metrics.labels names \"t2\" twice"])
  }

  /// Methods are words in capitals; what a tunnel is for is none.
  @Test(arguments: [
    ("GET", true), ("AZ", true), ("CONNECT", false), ("get", false), ("GE@", false), ("GE[", false),
    ("", false), ("G1", false),
  ])
  func methods(method: String, isTaken: Bool) {
    let found = problems("egress: {methods: [\"\(method)\"]}\n" + oneCheck)
    #expect(found.isEmpty == isTaken)
    #expect(isTaken || found[0].contains("egress.methods[0] must be an HTTP method in capitals, found "))
  }

  /// The private page and the public one do not share an address; where the kernel chooses, they cannot.
  @Test func addressesDiffer() {
    func both(_ own: String, _ open: String) -> [String] {
      problems(
        "status:\n  listen: \(own)\n  public: {listen: \(open), checks: [Shop front]}\n" + oneCheck)
    }
    let same = [
      "agent.yaml:3:12: status.public.listen is status.listen: what is private would be there too"
        + "\n  hint: give it another port"
    ]
    #expect(both("127.0.0.1:9797", "127.0.0.1:9797") == same)
    #expect(both("127.0.0.1:9797", "127.0.0.1:9798") == [])
    #expect(both("127.0.0.1:0", "127.0.0.1:0") == [])
  }

  /// Where nothing else is said the status is read over a socket beside what is kept.
  @Test func socketsOfTheStatus() throws {
    let dir = "agent: {state_dir: /s}\n"
    let socket = ListenAddress.unix(path: "/s/agent.sock")
    let bare = try settings(dir + oneCheck).status
    #expect(bare.listen == socket && bare.socket == nil)
    let open = try settings(dir + "status: {listen: 127.0.0.1:1}\n" + oneCheck).status
    #expect(open.listen == .tcp(host: "127.0.0.1", port: 1) && open.socket == socket)
    let closed = try settings(dir + "status: {listen: 127.0.0.1:1, socket: off}\n" + oneCheck).status
    #expect(closed.socket == nil)
    let own = try settings(dir + "status: {listen: 127.0.0.1:1, socket: \"unix:/r/a\"}\n" + oneCheck).status
    #expect(own.socket == .unix(path: "/r/a"))
    let off = try settings(dir + "status: {listen: off}\n" + oneCheck).status
    #expect(off.listen == nil && off.socket == nil)
    // The longest path that a socket can have, with /agent.sock behind it.
    for (bytes, fits) in [(96, true), (97, false)] {
      let long = "/" + String(repeating: "s", count: bytes - 1)
      let given = "agent: {state_dir: \(long)}\nstatus: {listen: 127.0.0.1:1}\n" + oneCheck
      #expect(try (settings(given).status.socket != nil) == fits)
      let alone = problems("agent: {state_dir: \(long)}\n" + oneCheck)
      #expect(alone.isEmpty == fits)
      #expect(fits || alone[0].contains("would be a socket path of 108 bytes, at most 107 are possible"))
    }
  }

  /// Files of a page come with no page in between: paths are put in one form.
  @Test(arguments: [
    ("/etc/./q//a", "/etc/q/a"), ("./a", "a"), (".", "."), ("", "."), ("/", "/"), ("a/../b/", "a/../b"),
    ("/./", "/"), ("..", ".."),
  ])
  func pathsInOneForm(path: String, form: String) { #expect(normalised(path) == form) }
}
