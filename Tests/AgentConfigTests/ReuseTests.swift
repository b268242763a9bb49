// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing
import YAML

@testable import AgentConfig

/// `defaults`, `templates`, `groups` and `hosts`: what a check has from elsewhere, and what wins.
struct ReuseTests {
  private func load(_ text: String, _ included: [String: String] = [:]) throws(ConfigErrors) -> Settings {
    var sources = ConfigSources.test
    sources.files = ConfigFiles(
      expand: { _ in included.keys.sorted() }, read: { path in Array((included[path] ?? "").utf8) })
    return try ConfigLoader.parse(text: text, file: "agent.yaml", sources: sources).settings
  }

  private func check(_ settings: Settings, _ name: String) throws -> MonitoringCheck {
    try #require(settings.checks.first { $0.name == name })
  }

  /// One value in every place it may come from; each place is taken away in turn, the nearest first.
  @Test func theNearerPlaceWins() throws {
    let places = [
      ("check", "7s"), ("later template", "6s"), ("what it extends", "5s"), ("earlier template", "4s"),
      ("group, type", "3s"), ("group", "2500ms"), ("file, type", "2s"), ("file", "1500ms"),
      ("main file, type", "1s"), ("main file", "500ms"),
    ]
    for gone in 0...places.count {
      func timeout(_ place: Int) -> String { place < gone ? "" : "timeout: \(places[place].1)" }
      let main = """
        include: [b.yaml]
        defaults: {retries: 2, \(timeout(9)), tcp: {retry_delay: 3s, \(timeout(8))}}
        """.replacing(", ,", with: ",").replacing(", }", with: "}")
      let included = """
        defaults: {retries: 2, \(timeout(7)), tcp: {retry_delay: 3s, \(timeout(6))}}
        templates:
          early: {retries: 2, \(timeout(3))}
          base: {retries: 2, \(timeout(2))}
          late: {extends: base, \(timeout(1))}
        groups:
          - name: G
            defaults: {retries: 2, \(timeout(5)), tcp: {retry_delay: 3s, \(timeout(4))}}
            checks:
              - {name: A, type: tcp, host: a, port: 1, extends: [early, late], \(timeout(0))}
        """.replacing(", ,", with: ",").replacing(", }", with: "}")
      let settings = try load(main, ["b.yaml": included])
      let expected = gone == places.count ? "10s" : places[gone].1
      #expect(try check(settings, "A").timeout.text == expected, "without the first \(gone)")
      #expect(try check(settings, "A").plan.retries == 2)
    }
  }

  @Test func mapsArePutTogetherAndTagsAddUp() throws {
    let settings = try load(
      """
      defaults: {tags: [all], http: {headers: {accept: text/plain, X-A: "1"}}}
      templates:
        web: {type: http, tags: [web, all], expect: {status: [204], body: {contains: ok}}, auth: {bearer: "${env:TOKEN}"}}
      groups:
        - name: Shop
          tags: [shop]
          checks:
            - name: A
              url: https://a.example/
              extends: web
              tags: [own]
              headers: {Accept: "*/*"}
              expect: {body: {not_contains: error}}
              auth: {basic: {username: u, password: "${env:TOKEN}"}}
      """)
    let check = try check(settings, "A")
    #expect(check.plan.tags == ["own", "web", "all", "shop", "group:Shop"])
    guard case .http(let http) = check.kind else { throw Unexpected() }
    #expect(http.headers.map(\.name) == ["Accept", "X-A"])
    #expect(http.expect.bodyContains == ["ok"] && http.expect.bodyNotContains == ["error"])
    guard case .basic? = http.auth else { throw Unexpected() }
  }

  /// `null` takes a key away that any further place gives, also below a key and for one header.
  @Test func nullTakesAwayWhatIsInherited() throws {
    let settings = try load(
      """
      defaults: {tags: [all], timeout: 3s, http: {expect: {certificate: {warn: 21d}, status: [204]}, headers: {x-a: "1"}}}
      templates:
        old: {expect: {certificate: null}}
        web: {type: http, extends: old, retries: 4, hosts: [a, b], body_file: b, method: POST, expect: {certificate: {fail: 3d}}}
      groups:
        - name: Shop
          defaults: {timeout: null}
          checks:
            - {name: A, type: http, url: "http://a/", extends: old, headers: {X-A: null, X-B: "2"}, tags: null}
            - {name: B, url: "https://b/", extends: web, hosts: null, body_file: null, method: null, retries: null, expect: null}
            - {name: C, type: http, url: "https://c/", expect: {certificate: {fail: null}, status: null, json: {$.error: null}}}
            - {name: D, type: http, url: "https://d/", extends: old, expect: {certificate: {warn: 9d}}}
      """)
    func http(_ name: String) throws -> HTTPSettings {
      guard case .http(let http) = try check(settings, name).kind else { throw Unexpected() }
      return http
    }
    let (a, b, c, d) = (try http("A"), try http("B"), try http("C"), try http("D"))
    #expect(a.expect.certificateDays == Thresholds() && a.expect.status == [204...204])
    #expect(a.headers.map(\.name) == ["X-B"])
    #expect(try check(settings, "A").plan.tags == [] && check(settings, "A").timeout == .seconds(10))
    #expect(b.expect.certificateDays == Thresholds() && b.method == "GET" && b.body == nil)
    #expect(try check(settings, "B").plan.retries != 4)
    #expect(c.expect.certificateDays.warn == .seconds(21 * 86_400) && c.expect.status == [200...299])
    #expect(d.expect.certificateDays.warn == .seconds(9 * 86_400))
  }

  /// Where nothing is inherited it says nothing; elsewhere, and written as nothing, it is a mistake.
  @Test func nullIsNoValue() {
    #expect(
      problems(
        "agent: {name: null}\nchecks: [{name: A, type: tcp, host: a, port: 1, timeout: null, tags: [null]}]"
      )
      .map { $0.split(separator: "\n").first ?? "" } == [
        "agent.yaml:1:9: agent.name is empty", "agent.yaml:2:71: tags[0] is empty",
      ])
    #expect(
      problems("checks: [{name: A, type: tcp, host: null, port: 1}]").first?.contains("host is missing")
        == true)
  }

  private struct Unexpected: Error {}

  /// A default that a type does not have is none for its checks; one that no type has is an error.
  @Test func defaultsGoToWhoHasTheKey() throws {
    let settings = try load(
      """
      defaults: {method_of: 1}
      checks: [{name: A, type: tcp, host: a, port: 1}]
      """.replacing("method_of: 1", with: "follow: false, http: {method: HEAD}, tcp: {port: 25}")
        .replacing(", port: 1}", with: "}, {name: B, type: http, url: \"http://b/\"}"))
    guard case .http(let http) = try check(settings, "B").kind else { throw Unexpected() }
    #expect(!http.follow && http.method == "HEAD")
    guard case .tcp(let tcp) = try check(settings, "A").kind else { throw Unexpected() }
    #expect(tcp.port == 25)
  }

  /// The id is that of a check with the same name that was written out.
  @Test func hostsMakeAsManyChecks() throws {
    let settings = try load(
      """
      checks:
        - {name: "Web ${host}", type: http, url: "https://${host}/$${host}", hosts: [a.example, "${env:REGION}.example"]}
      """)
    #expect(settings.checks.map(\.name) == ["Web a.example", "Web eu-west.example"])
    #expect(settings.checks[0].id == MonitoringCheck.derivedID(name: "Web a.example"))
    guard case .http(let http) = settings.checks[1].kind else { throw Unexpected() }
    #expect(http.url.text == "https://eu-west.example/$%7Bhost%7D" || http.url.text.contains("$"))
  }

  /// A timeout that is somebody's default gives way to a shorter interval; the check's own does not.
  @Test func aDefaultTimeoutGivesWay() throws {
    let settings = try load(
      """
      defaults: {tcp: {timeout: 20s}}
      checks: [{name: A, type: tcp, host: a, port: 1, interval: 5s}]
      """)
    #expect(try check(settings, "A").timeout == .seconds(5))
    #expect(
      problems("checks: [{name: A, type: tcp, host: a, port: 1, interval: 5s, timeout: 20s}]").count == 1)
  }

  /// A mistake is told once, where it stands, however many checks have it.
  @Test func aMistakeIsToldWhereItStands() {
    let found = problems(
      """
      templates:
        web:
          type: http
          timeout: 5 s
          expect: {header: {server: "== nginx"}}
      checks:
        - {name: A, extends: web, url: https://a.example/}
        - {name: B, extends: web, url: https://b.example/}
      """)
    #expect(found.count == 2)
    #expect(found.first?.hasPrefix("agent.yaml:4:5: timeout must be a duration") == true)
    #expect(found.last?.hasPrefix("agent.yaml:5:23: ") == true)
    #expect(found.last?.contains("(first in the check \"A\")") == true)
    #expect(found.last?.contains("is written nginx") == true)
  }

  @Test func whatLeadsNowhereOrInACircleIsTold() {
    #expect(
      problems(
        """
        templates: {a: {extends: b}, b: {extends: c}, c: {extends: [a]}}
        checks: [{name: A, type: tcp, host: a, port: 1, extends: b}]
        """
      ).first?.contains("a template extends itself: \"b\" > \"c\" > \"a\" > \"b\"") == true)
    #expect(
      problems(
        "templates: {web: {ip: \"4\"}}\nchecks: [{name: A, type: tcp, host: a, port: 1, extends: wen}]")
        == [
          "agent.yaml:2:58: extends names \"wen\", which is no template\n  hint: did you mean \"web\"?"
        ])
    let deep = (0..<40).map { "t\($0): {extends: t\($0 + 1)}" }.joined(separator: ", ")
    #expect(
      problems("templates: {\(deep)}\nchecks: [{name: A, extends: t0}]").first?.contains("more than 16 deep")
        == true)
  }

  @Test(arguments: [
    ("hosts: a", "hosts must be a list"), ("hosts: []", "hosts has 0 entries"),
    ("hosts: [a, a]", "hosts names \"a\" twice"), ("hosts: [a, [b]]", "hosts must hold names"),
    ("hosts: [a, b]", "would all be called"),
  ])
  func hostsAreJudged(keys: String, message: String) {
    let found = problems("checks: [{name: A, type: tcp, host: \"${host}\", port: 1, \(keys)}]")
    #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
  }

  @Test func hostNeedsHosts() {
    #expect(
      problems("checks: [{name: A, type: tcp, host: \"${host}\", port: 1}]").first?.contains(
        "has a ${host}, but the check has no hosts") == true)
  }

  /// A small file does not stand for endless work.
  @Test func expansionIsBounded() {
    let at = Position(line: 1, column: 1)
    func text(_ value: String) -> YAMLNode { YAMLNode(content: .scalar(value, isPlain: true), position: at) }
    func list(_ items: [YAMLNode]) -> YAMLNode { YAMLNode(content: .list(items), position: at) }
    func map(_ entries: [(String, YAMLNode)]) -> YAMLNode {
      YAMLNode(
        content: .map(entries.map { YAMLNode.Entry(key: $0.0, position: at, value: $0.1) }), position: at)
    }
    func expanded(_ file: YAMLNode, budget: Int = YAMLMerge.most) -> (count: Int, told: [String]) {
      var told: [String] = []
      var expansion = Expansion([ReuseFile(file, isMain: true)], budget: budget) {
        told.append($1); _ = ($0, $2)
      }
      let checks = expansion.checks(type: { _ in .tcp }) {
        told.append($1); _ = ($0, $2)
      }
      return (checks.count, told)
    }
    let hosts = list((0..<10_000).map { text("h\($0)") })
    let many = list((0..<12).map { map([("name", text("c\($0) ${host}")), ("hosts", hosts)]) })
    let full = expanded(map([("checks", many)]))
    #expect(full.count == 100_000 && full.told == ["there are more than 100000 checks"])
    let headers = map((0..<1000).map { ("h\($0)", text("x")) })
    let wide = list((0..<50).map { map([("name", text("c\($0)")), ("extends", text("t"))]) })
    let file = map([("templates", map([("t", map([("headers", headers)]))])), ("checks", wide)])
    #expect(expanded(file).count == 50)
    let spent = expanded(file, budget: 20_000)
    #expect(
      spent.count < 25
        && spent.told == ["templates, defaults and hosts make more of the checks than an agent can hold"])
  }

  @Test func groupsAndTemplatesHaveNamesOfTheirOwn() {
    let group = "{name: G, checks: [{name: A, type: tcp, host: a, port: 1}]}"
    let other = "{name: G, checks: [{name: B, type: tcp, host: a, port: 1}]}"
    #expect(
      problems("groups: [\(group), \(other)]").first?.contains("the group \"G\" is given twice") == true)
    #expect(
      problems("groups: [{checks: []}]\n\(oneCheck)").first?.contains("groups: name is missing") == true)
    #expect(problems("groups: [\(group)]") == [])
  }

  @Test func explanationsNameTheLayers() throws {
    let text = """
      defaults: {retries: 3, http: {timeout: 4s}}
      templates:
        web: {type: http, timeout: 3s, headers: {x-key: secret}, tags: [t]}
      groups:
        - {name: G, tags: [g], checks: [{name: "A.b ${host}", hosts: [x], extends: web, url: "http://${host}/", tags: [o]}]}
      """
    func explain(_ question: String) throws -> [String] {
      let reading = try ConfigLoader.reading(text: text, file: "agent.yaml", sources: .test)
      return (ValueExplanation(question, reading)?.values ?? []).flatMap { value in
        value.sources.map { "\(value.key)=\($0.value) \($0.label) \($0.place ?? "-")" }
      }
    }
    #expect(
      try explain("A.b x.timeout") == [
        "timeout=3s template \"web\" agent.yaml:3:30", "timeout=4s defaults, http agent.yaml:1:40",
      ])
    #expect(try explain("A.b x.url") == ["url=http://x/ the check itself agent.yaml:5:88"])
    #expect(try explain("A.b x.retries") == ["retries=3 defaults agent.yaml:1:21"])
    #expect(try explain("A.b x.follow") == ["follow=true built in -"])
    #expect(try explain("A.b x.headers").first?.hasPrefix("headers.x-key=<redacted> template") == true)
    #expect(try explain("A.b x.nonsense") == [] && explain("C") == [])
    #expect(try explain("A.b x").count >= 8)
  }
}
