// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import TestSupport
import Testing

@testable import Agent
@testable import Import

/// Modules of blackbox_exporter, and the checks that `/probe` makes of them.
@Suite struct ProbeModuleTests {
  private func modules(_ yaml: String) async throws -> ProbeModules {
    try await withTemporaryDirectory { folder in
      let file = folder.appending(path: "blackbox.yml")
      try yaml.write(to: file, atomically: true, encoding: .utf8)
      return try ProbeModules(file: file.path)
    }
  }

  private func module(_ yaml: String) throws -> BlackboxModule {
    try #require(try BlackboxModule.read(Array("modules: {m: \(yaml)}".utf8)).first)
  }

  /// Each module by its name; one that would not hold says why, and the others are as they were.
  @Test func modulesOfAFile() async throws {
    let made = try await modules(
      """
      modules:
        web: {prober: http, timeout: 5s, http: {method: GET}}
        mail: {prober: tcp, tcp: {query_response: [{expect: "^220"}]}}
        names: {prober: dns, dns: {query_name: a.example, query_type: A}}
        ping: {prober: icmp}
        odd: {prober: http, http: {method: GET, no_such_key: 1}}
        bad: {prober: http, http: {fail_if_body_matches_regexp: ["("]}}
        dull: {prober: dns, dns: {query_name: a.example, valid_rcodes: []}}
      """)
    let names = ["web", "mail", "names", "ping"]
    #expect(names.allSatisfy { made[$0] != nil && made[$0]?.shortcoming == nil })
    #expect(names.map { made[$0]?.module.name } == names && made["none"] == nil)
    for name in ["odd", "bad", "dull"] { #expect(made[name]?.shortcoming != nil, "\(name)") }
    #expect(made.shortcomings.map { $0.prefix { $0 != ":" } } == ["bad", "dull", "odd"], "in order")
    #expect(made.faults.contains { $0.hasPrefix("bad: a pattern is none: ") }, "\(made.faults)")
    #expect(made.faults.allSatisfy { !$0.hasPrefix("web") && !$0.hasPrefix("mail") })
    #expect(made.text.contains("web") && made.text.contains("dull"))
    #expect(ProbeModules()["web"] == nil && ProbeModules().shortcomings.isEmpty)
  }

  /// More modules than are judged at once are judged all the same.
  @Test func manyModules() async throws {
    let lines = (0..<45).map { number in
      "  m\(number): {prober: http, http: {\(number % 20 == 19 ? "no_such_key: 1" : "method: HEAD")}}"
    }
    let made = try await modules("modules:\n" + lines.joined(separator: "\n") + "\n")
    #expect(made.shortcomings.map { $0.prefix { $0 != ":" } } == ["m19", "m39"])
    #expect(made["m44"] != nil && made["m44"]?.shortcoming == nil)
  }

  /// Files that are none, in words.
  @Test func filesThatAreNone() async throws {
    func words(_ yaml: String) async -> String? {
      do { _ = try await modules(yaml) } catch { return ProbeModules.words(for: error) }
      return nil
    }
    #expect(await words("modules: {}\n") == "has no modules")
    #expect(await words("a: 1\n") == "has no modules")
    do {
      _ = try ProbeModules(file: "/nowhere/blackbox.yml")
      Issue.record("it was read")
    } catch {
      #expect(ProbeModules.words(for: error) == "/nowhere/blackbox.yml: No such file or directory")
    }
  }

  private func check(
    _ yaml: String, _ target: String = "http://shop.example/", _ origin: CheckOrigin = .local,
    _ change: (inout Agent.ProbeWish) -> Void = { _ in }
  ) throws -> MonitoringCheck {
    var wish = Agent.ProbeWish(target: target, milliseconds: 1500)
    change(&wish)
    return try ProbeCheckMaker(origin: origin, file: "/etc/blackbox.yml").check(module(yaml), wish)
  }

  private let web = "{prober: http}"

  /// Its time is the wish's, and so is its origin; a stranger's probe that is held back waits a second at least.
  @Test func timesAndOrigins() throws {
    let own = try check(web)
    #expect(own.origin == .local && own.timeout == .milliseconds(1500) && own.name == "probe")
    #expect(own.interval == .milliseconds(1500))
    #expect(try check(web, "http://shop.example/", .api).origin == .api)
    #expect(try check(web) { $0.milliseconds = 999 }.interval == .seconds(1))
    #expect(try check(web) { $0.milliseconds = 999 }.timeout == .milliseconds(999))
    #expect(try check(web) { $0.milliseconds = 60_000 }.timeout == .seconds(60))
    #expect(try check(web).ip == .any)
    #expect(try check(web) { $0.family = 4 }.ip == .v4 && check(web) { $0.family = 6 }.ip == .v6)
  }

  /// Another name goes into the Host header, in the place of the module's own, and into TLS without its port, unless the module
  /// has a name for it.
  @Test func otherNames() throws {
    func facts(_ yaml: String, _ name: String?) throws -> [String?] {
      guard case .http(let http) = try check(yaml, "https://192.0.2.1/", .local, { $0.hostname = name }).kind
      else { return [] }
      return http.headers.filter { $0.name.lowercased() == "host" }.map { $0.value.reveal() }
        + [http.tls.serverName]
    }
    #expect(try facts(web, nil) == [nil])
    #expect(try facts(web, "shop.example") == ["shop.example", "shop.example"])
    #expect(try facts(web, "shop.example:8443") == ["shop.example:8443", "shop.example"])
    let named = "{prober: http, http: {headers: {host: own.example, X-A: b}}}"
    #expect(try facts(named, nil) == ["own.example", "own.example"])
    #expect(try facts(named, "shop.example") == ["shop.example", "shop.example"])
    let secured = "{prober: http, http: {tls_config: {server_name: tls.example}}}"
    #expect(try facts(secured, "shop.example") == ["shop.example", "tls.example"])
  }

  /// A stream has a name where it is secured.
  @Test func namesOfStreams() throws {
    func name(_ yaml: String) throws -> String? {
      guard
        case .tcp(let tcp) = try check(yaml, "192.0.2.1:993", .local, { $0.hostname = "mail.example" }).kind
      else { return "another type" }
      return tcp.tls?.serverName
    }
    #expect(try name("{prober: tcp}") == nil)
    #expect(try name("{prober: tcp, tcp: {tls: true}}") == "mail.example")
    #expect(
      try name("{prober: tcp, tcp: {tls: true, tls_config: {server_name: own.example}}}") == "own.example")
  }

  /// What makes no check, in words for the client; a target has 2,048 bytes at most and no control characters.
  @Test func refusals() throws {
    func words(_ target: String, _ yaml: String = "{prober: http}") -> String? {
      do { _ = try check(yaml, target) } catch { return (error as? ProbeCheckMaker.Refusal)?.words }
      return nil
    }
    let none = "the module m makes no probe of this target"
    let stem = "http://shop.example/"
    let longest = stem + String(repeating: "a", count: 2048 - stem.utf8.count)
    #expect(words(longest) == nil && words(longest + "a") == none)
    #expect(words("http://shop.example/\u{7}") == none && words("a", "{prober: websocket}") == none)
    #expect(words("ftp://shop.example/")?.hasPrefix("the module m and this target: ") == true)
    let login = words(
      "https://ann:secret@shop.example/", "{prober: http, http: {tls_config: {insecure_skip_verify: true}}}")
    #expect(
      login
        == "the module m and this target: tls.verify false would send the credentials to anyone who answers; set tls.ca_file to the authority that signed the certificate"
    )
  }

  private func imported(_ name: String, url: String) -> ImportedCheck {
    var check = ImportedCheck(name: name, type: "http")
    check["url"] = .text(url)
    return check
  }

  /// The judge names the check that a problem is of, by its place; a value that the source has elsewhere may be anything.
  @Test func placesOfProblems() {
    let (fine, bad) = (imported("Fine", url: "http://a.example/"), imported("Bad", url: "ftp://a.example/"))
    #expect(ImportJudge.problems([fine]).isEmpty)
    for (checks, places) in [
      ([bad], [0]), ([fine, bad], [1]), ([bad, fine], [0]), ([fine, bad, fine, bad], [1, 3]),
      ([fine, fine, bad], [2]),
    ] as [([ImportedCheck], [Int])] {
      let named = checks.enumerated().map { place, check in
        var check = check
        check.name += " \(place)"
        return check
      }
      let found = ImportJudge.problems(named)
      #expect(
        found.keys.sorted() == places && found.values.allSatisfy { $0.contains("url") || $0.contains("ftp") })
    }
    var elsewhere = imported("Else", url: "")
    elsewhere["url"] = .reference("${env:URL}")
    #expect(ImportJudge.problems([elsewhere]).isEmpty, "it may be a URL")
    elsewhere["interval"] = .plain("never")
    #expect(ImportJudge.problems([elsewhere]).keys.sorted() == [0])
    #expect(ImportJudge.loaded([fine], ImportedSections())?.map(\.name) == ["Fine"])
    #expect(ImportJudge.loaded([bad], ImportedSections()) == nil)
  }
}
