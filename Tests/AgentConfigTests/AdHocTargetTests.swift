// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// Targets on the command line.
struct AdHocTargetTests {
  @Test(arguments: [
    ("https://example.com", "https://example.com/", "https://example.com"),
    ("HTTP://Example.com:8080/a?token=x", "http://example.com:8080/a", "HTTP://Example.com:8080/a"),
    ("tcp://db:5432", "db:5432", "tcp://db:5432"), ("tcp://[::1]:22/", "[::1]:22", "tcp://[::1]:22/"),
    ("tls://host:8443", "host:8443", "tls://host:8443"), ("tls://host", "host:443", "tls://host"),
    ("tls://[2001:db8::1]", "[2001:db8::1]:443", "tls://[2001:db8::1]"),
    ("ping://host", "host", "ping://host"), ("ping://[::1]", "::1", "ping://[::1]"),
    ("ping://::1", "::1", "ping://::1"),
    ("dns://1.1.1.1/example.com?type=AAAA", "1.1.1.1:53/example.com AAAA", "dns://1.1.1.1/example.com AAAA"),
    (
      "dns://ns1.example:5353/example.com", "ns1.example:5353/example.com A",
      "dns://ns1.example:5353/example.com"
    ),
    ("dns:///localhost?type=a", "system/localhost A", "dns:///localhost A"),
    ("dns://[2001:db8::53]:53/.?type=NS", "[2001:db8::53]:53/. NS", "dns://[2001:db8::53]:53/. NS"),
  ])
  func reads(target: String, probed: String, name: String) throws {
    let check = try MonitoringCheck(CheckDefinition(adHoc: target))
    #expect(check.target == probed && check.name == name && check.origin == .local)
  }

  /// A target whose name another one has, has its number behind it, and a question its type before that.
  @Test(arguments: [
    ("https://example.com/?a=1", 2, "https://example.com/ (2)"), ("ping://host", 3, "ping://host (3)"),
    ("dns:///example.com", 2, "dns:///example.com (2)"),
    ("dns:///example.com?type=aaaa", 12, "dns:///example.com AAAA (12)"),
  ])
  func numbersAreBehindTheName(target: String, number: Int, name: String) throws {
    for keys in [nil, "timeout: 5s"] {
      let check = try MonitoringCheck(adHoc: target, number: number, keys: keys, sources: .test)
      #expect(check.name == name)
    }
  }

  /// Options of a target, and keys behind `--with`, make the check that the file would.
  /// A name may have 200 bytes, a target ten times as many.
  @Test(arguments: [nil, "timeout: 5s"]) func aLongTargetHasAShorterName(keys: String?) throws {
    let target = "http://192.0.2.1/" + String(repeating: "a", count: 250)
    let check = try MonitoringCheck(adHoc: target, keys: keys, sources: .test)
    #expect(check.name.utf8.count <= 200 && check.name.hasSuffix("a…"))
    #expect(check.target == target)
    let host = Array(repeating: String(repeating: "b", count: 60), count: 4).joined(separator: ".")
    #expect(try MonitoringCheck(adHoc: "ping://\(host)", keys: keys, sources: .test).target.contains(host))
    let question = try MonitoringCheck(adHoc: "dns:///\(host)?type=AAAA", keys: keys, sources: .test)
    #expect(question.name.utf8.count <= 200)
  }

  @Test(arguments: [
    (
      "tcp://mail:25?dialog=smtp&starttls=smtp", nil,
      "{type: tcp, host: mail, port: 25, dialog: smtp, starttls: smtp}"
    ),
    ("tcp://mail:465?tls=true", nil, "{type: tcp, host: mail, port: 465, tls: true}"),
    ("tls://mail?starttls=smtp", nil, "{type: tls, host: mail, starttls: smtp}"),
    ("ping://a?count=2&method=tcp&port=80", nil, "{type: ping, host: a, count: 2, method: tcp, port: 80}"),
    (
      "dns://192.0.2.1/a?type=TXT&class=CH&dnssec=true&transport=tcp", nil,
      "{type: dns, server: 192.0.2.1, transport: tcp, query: {name: a, type: TXT, class: CH, dnssec: true}}"
    ),
    (
      "https://a.example/?q=${x}", "timeout: 5s, expect: {status: 204, body: {matches: 'a}'}}",
      "{type: http, url: 'https://a.example/?q=$${x}', timeout: 5s, expect: {status: 204, body: {matches: 'a}'}}}"
    ),
    (
      "https://a.example/", "{auth: {bearer: '${env:TOKEN}'}, ip: 6}",
      "{type: http, url: 'https://a.example/', auth: {bearer: '${env:TOKEN}'}, ip: 6}"
    ),
    (
      "dns:///a?type=MX", "query: {recursion: false}",
      "{type: dns, query: {name: a, type: MX, recursion: false}}"
    ),
    ("dns:///a", "{timeout: 5s, query: {}}", "{type: dns, query: {name: a}, timeout: 5s}"),
    ("tcp://a:1?tls=true", "tls: {verify: false}", "{type: tcp, host: a, port: 1, tls: {verify: false}}"),
    ("tls://mail:25", "starttls: smtp", "{type: tls, host: mail, port: 25, starttls: smtp}"),
  ])
  func optionsAreKeys(target: String, keys: String?, same: String) throws {
    let check = try MonitoringCheck(adHoc: target, keys: keys, sources: .test)
    let file =
      "defaults: {retries: 0}\nchecks: [\(same.dropLast()), name: \"\(check.name)\", id: \(check.id)}]"
    let settings = try ConfigLoader.parse(text: file, file: "agent.yaml", sources: .test).settings
    #expect(check == settings.checks[0])
  }

  @Test(arguments: [
    ("timeot: 5s", "https://a.example/: unknown key \"timeot\""),
    (
      "timeout: 5, retries: x",
      "https://a.example/: timeout needs a unit, found \"5\"; retries must be a whole number, found \"x\""
    ),
    ("headers: {A: b, A: c}", "https://a.example/: key \"A\" is given twice in one map"),
    ("url: https://b.example/", "https://a.example/: key \"url\" is given twice in one map"),
    (
      "ip: 4}, {name: B, type: http, url: 'https://b.example/'",
      "https://a.example/: --with closes the map it stands in"
    ),
  ])
  func wrongKeysAreNamed(keys: String, message: String) {
    do throws(AdHocTargetError) {
      _ = try MonitoringCheck(adHoc: "https://a.example/?secret", keys: keys, sources: .test)
      Issue.record("accepted \(keys)")
    } catch {
      #expect(error.message == message)
    }
  }

  @Test(arguments: [
    ("Shop front", "\"Shop front\" is neither the name of a check nor a target"),
    ("example.com", "\"example.com\" is neither the name of a check nor a target"),
    ("htps://example.com/?key=x", "\"htps://example.com/\" has the unknown scheme \"htps\""),
    ("htps://example.com/#token", "\"htps://example.com/\" has the unknown scheme \"htps\""),
    ("ftp://example.com", "\"ftp://example.com\" has the unknown scheme \"ftp\""),
    ("tcp://db", "\"tcp://db\" has no port"), ("tcp://db:0", "\"tcp://db:0\" is no host and port"),
    ("tcp://", "\"tcp://\" is no host and port"),
    ("tcp://db:5432/path", "\"/path\" has no place in this target"),
    ("tls://host?x", "\"x\" is no option of a tls target"),
    ("ping://host:80", "\"ping://host:80\" has a port; a ping has none"),
    ("dns://example.com", "\"dns://example.com\" names no server and no question"),
    ("dns://1.1.1.1/", "\"dns://1.1.1.1/\" asks for no name"),
    ("dns://1.1.1.1/a?klass=CH", "\"klass=CH\" is no option of a dns target"),
    ("dns://1.1.1.1/a?type=A&type=MX", "\"type=MX\" is no option of a dns target"),
  ])
  func refuses(target: String, message: String) {
    do throws(AdHocTargetError) {
      _ = try CheckDefinition(adHoc: target)
      Issue.record("accepted \(target)")
    } catch {
      #expect(error.message == message)
      #expect(error.hint?.isEmpty == false)
    }
  }

  @Test func aPasswordInATargetIsNotRepeated() throws {
    let error = try #require(throws: AdHocTargetError.self) {
      try MonitoringCheck(adHoc: "https://user:hunter2@example.com/p", keys: nil, sources: .test)
    }
    #expect(
      error.message == "https://<redacted>@example.com/p: url must not contain user info; use auth instead")
  }

  /// What is wrong with a value is the judge's to say, in the words of the file's keys.
  @Test(arguments: [
    ("https://user:pass@example.com", "url must not contain user info; use auth instead"),
    ("tcp://a..b:1", "host must be a name or an address, found \"a..b\", with an empty or overlong label"),
    ("dns://1.1.1.1/a?type=ANY", "query.type must be one of"),
  ])
  func valuesAreJudged(target: String, message: String) throws {
    let definition = try CheckDefinition(adHoc: target)
    let error = try #require(throws: InvalidCheck.self) { try MonitoringCheck(definition) }
    #expect(error.problems.count == 1 && error.problems[0].message.hasPrefix(message))
  }
}
