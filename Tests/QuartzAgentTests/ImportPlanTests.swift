// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Basics
import Foundation
import Glibc
import Import
import Monitoring
import TestSupport
import Testing

@testable import QuartzAgent

/// The document that an import makes: its head, the summary on the terminal, the report and the files beside it.
@Suite struct ImportPlanTests {
  private func document(_ endpoints: [String], _ more: String = "", output: String? = nil) throws
    -> ImportDocument
  {
    let text =
      "\(more)endpoints:\n" + endpoints.map { "- {\($0), conditions: [\"[CONNECTED] == true\"]}\n" }.joined()
    return ImportDocument(
      try Importer.read(.gatus, [ImportFile(name: "f", bytes: Array(text.utf8))]), output: output)
  }

  private static let plain = "name: a, url: \"tcp://a.example:1\""
  private static let secret = "name: a, url: \"https://a.example/\", headers: {X-API-Key: s3cr3t}"
  private static let check = """
    checks:

      - name: a
        type: tcp
        host: a.example
        port: 1
        interval: 1m
        timeout: 10s
        retries: 0

    """

  /// The head names the variables that the file needs, where it needs any and they are no files.
  @Test func heads() throws {
    let first = "# Made by quartz-agent import gatus. Read the settings in comments.\n"
    #expect(try document([Self.plain]).text == first + Self.check)
    #expect(try document([Self.plain], output: "b/agent.yaml").text == first + Self.check)
    let named = try document([Self.secret])
    #expect(
      named.text.hasPrefix("\(first)# Set before the start: QUARTZ_A_X_API_KEY\nchecks:\n"), "\(named.text)")
    let files = try document([Self.secret], output: "b/agent.yaml")
    #expect(files.text.hasPrefix("\(first)checks:\n"))
    #expect(
      files.text.contains("X-API-Key: \"${file:agent.yaml.secrets/quartz_a_x_api_key}\"\n"), "\(files.text)")
    let odd = try document([Self.plain], "x-odd: 1\n")
    #expect(
      odd.text == first
        + "# not carried: f:1: x-odd: Gatus does not read the key; what an alias takes from it counts where the alias is\n"
        + Self.check)
  }

  @Test func summaries() throws {
    let plain = try document([Self.plain])
    let counts = "quartz-agent: gatus: 1 check; 3 values: 3 carried, 0 listed with the reason"
    #expect(plain.summary(report: nil) == [counts] && plain.summary(report: "r.txt") == [counts])
    #expect(plain.isWhole && plain.report == [] && plain.reasons == [])
    let secret = try document([Self.secret])
    let values = "quartz-agent: gatus: 1 check; 4 values: 4 carried, 0 listed with the reason"
    #expect(
      secret.summary(report: nil) == [
        values, "quartz-agent: secrets: 1, expected in the environment; the comment at the top names them",
      ])
    #expect(
      try document([Self.secret], output: "b/agent.yaml").summary(report: nil) == [
        values, "quartz-agent: secrets: 1, in agent.yaml.secrets/, for the agent's user alone",
      ])
  }

  /// Changes of one kind stand together, with the names of three checks; a check is named once.
  @Test func changesByReason() throws {
    let resolver = ", client: {dns-resolver: \"tcp://192.0.2.53:53\"}"
    let ssh = "name: s, url: \"ssh://a.example\", ssh: {username: u, password: p}"
    func made(_ count: Int) throws -> ImportDocument {
      try document((0..<count).map { "name: n\($0), url: \"http://a.example:1\"\(resolver)" } + [ssh])
    }
    let words = "  changed: it is asked over UDP first: \"n0\", \"n1\", \"n2\""
    let login = "  laxer: the greeting is read, and there is no login: \"s\""
    #expect(
      try made(3).summary(report: "r.txt") == [
        "quartz-agent: gatus: 4 checks; 17 values: 15 carried, 2 listed with the reason",
        "quartz-agent: not the same as in the source: 1 laxer, 3 changed; see the comments", words, login,
        "quartz-agent: each of them, with its place: r.txt",
      ])
    #expect(try made(4).summary(report: nil)[2...] == ["\(words) and 1 more", login])
    #expect(try made(5).summary(report: nil)[2...] == ["\(words) and 2 more", login])
    #expect(
      try made(1).report == [
        "\"n0\": changed: client.dns-resolver: it is asked over UDP first",
        "\"s\": laxer: f:3: endpoints[1].ssh.username: the greeting is read, and there is no login",
        "\"s\": laxer: f:3: endpoints[1].ssh.password: the greeting is read, and there is no login",
      ])
    #expect(try made(0).isWhole == false)
  }

  /// What is left out comes first, then what has changed, then the rest: forty lines, the last of which counts the others.
  @Test(arguments: [(36, 0), (37, 0), (38, 2), (39, 3), (100, 64)])
  func fortyLines(leftOut: Int, more: Int) throws {
    let made = try document((0..<leftOut).map { "name: n\($0), url: \"udp://a.example:1\"" })
    let lines = made.summary(report: nil)
    #expect(lines[1] == "quartz-agent: \(leftOut) left out, because nothing here means the same")
    #expect(
      lines[2].hasPrefix("  left out: \"n0\" (f:2: endpoints[0].name, 3 values): no check here speaks udp"))
    #expect(lines.count == (more > 0 ? 39 : leftOut + 2))
    #expect((lines.last == "  and \(more) more") == (more > 0))
    #expect(!made.isWhole && made.checks.isEmpty && made.text.hasSuffix("\nchecks: []\n"))
  }

  /// A check that sends a login verifies the certificate, as the judge asks for; other checks stay as they are.
  @Test func unverifiedLogins() throws {
    let login = try document(["name: a, url: \"https://u:p@a.example/\", client: {insecure: true}"])
    #expect(login.checks.map { $0["tls.verify"]?.word } == ["true"] && login.leftOut == [] && !login.isWhole)
    let why = "tls.verify false would send the credentials to anyone who answers"
    let lines = login.checks.flatMap(\.notes).map(\.line)
    let line = "stricter: tls.verify: the certificate is verified here: \(why)"
    #expect(lines.count == 1 && lines[0].hasPrefix(line), "\(lines)")
    let plain = try document(["name: a, url: \"https://a.example/\", client: {insecure: true}"])
    #expect(plain.checks.map { $0["tls.verify"]?.word } == ["false"] && plain.isWhole)
  }

  /// Verified is by the authority that the source names.
  @Test func unverifiedLoginsWithAnAuthority() throws {
    let text =
      "[[inputs.http_response]]\nurls = ['https://a.example/']\nusername = 'u'\npassword = 'p'\n"
      + "tls_ca = '/etc/ca.pem'\ninsecure_skip_verify = true\n"
    let file = ImportFile(name: "f", bytes: Array(text.utf8))
    let made = ImportDocument(try Importer.read(.telegraf, [file]), output: nil)
    let check = try #require(made.checks.first)
    #expect(check["tls.verify"]?.word == "true" && check["tls.ca_file"]?.word == "/etc/ca.pem")
    #expect(check.notes.filter { $0.place == "tls.ca_file" } == [])
    #expect(check.notes.filter { $0.place == "tls.verify" }.map(\.change) == [.stricter])
  }

  @Test func alsoOthers() throws {
    let more =
      "maintenance: {start: \"23:00\", duration: 1h}\nalerting: {slack: {webhook-url: \"https://h.example/\"}, "
      + "ntfy: {topic: t}}\n"
    let alerts = ", alerts: [{type: slack}, {type: ntfy}, {type: ntfy, failure-threshold: 5}]"
    let made = try document([Self.plain + alerts], more)
    #expect(made.summary(report: nil)[1] == "quartz-agent: also 2 channels, 3 rules, 1 maintenance window")
  }

  /// The file and each secret are for the owner alone; a folder of secrets that is there is kept.
  @Test func filesBesideIt() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending(path: "agent.yaml").path
      let made = try document([Self.secret], output: path)
      for _ in 0..<2 {
        try made.write(to: path)
        let secret = "\(path).secrets/quartz_a_x_api_key"
        #expect(try String(contentsOfFile: secret, encoding: .utf8) == "s3cr3t")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == made.text)
        #expect(mode(path) == 0o600 && mode(secret) == 0o600 && mode("\(path).secrets") == 0o700)
      }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
          "agent.yaml", "agent.yaml.secrets",
        ])
      let plain = folder.appending(path: "plain.yaml").path
      try document([Self.plain], output: plain).write(to: plain)
      #expect(access("\(plain).secrets", F_OK) != 0)
      let gone = folder.appending(path: "gone/agent.yaml").path
      for endpoint in [Self.secret, Self.plain] {
        do throws(UnreadableFile) {
          try document(endpoint, gone).write(to: gone)
          Issue.record("it was written")
        } catch {
          let name = endpoint == Self.secret ? "\(gone).secrets" : gone
          #expect(error.words == "\(name): No such file or directory")
        }
      }
    }
  }

  private func document(_ endpoint: String, _ output: String) throws(UnreadableFile) -> ImportDocument {
    do { return try document([endpoint], output: output) } catch {
      throw UnreadableFile(output, "no document")
    }
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private func result(_ verdict: Verdict, code: Int? = nil) throws -> CheckResult {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.url) = ("n", "http", "https://shop.test/")
    let at = Timestamp(seconds: 1_767_571_200)
    var result = CheckResult(
      id: UniqueID(high: 1, low: 1), check: try MonitoringCheck(definition), trigger: .manual,
      scheduledAt: at,
      startedAt: at, late: .zero, verdict: verdict)
    result.statusCode = code
    return result
  }

  /// The exporter's page says its verdict; a page of another status, or none, says nothing.
  @Test func verdictsOfTwoMonitors() throws {
    let (up, down) = (
      try result(.ok), try result(Verdict(.connectRefused, phase: .connect, message: "refused"))
    )
    let fails = Verdict(.body, phase: .assertion, message: "no match")
    let at = "\(up.startedAt)"
    #expect(ImportDiff.finding(up, old: try result(.ok, code: 200)) == .same)
    #expect(ImportDiff.finding(down, old: try result(fails, code: 200)) == .same)
    #expect(
      ImportDiff.finding(up, old: try result(fails, code: 200))
        == .differs("\(at) blackbox_exporter down, quartz-agent up"))
    #expect(
      ImportDiff.finding(down, old: try result(.ok, code: 200))
        == .differs("\(at) blackbox_exporter up, quartz-agent down: connect_refused: refused"))
    #expect(
      ImportDiff.finding(up, old: try result(fails, code: 500))
        == .unknown("blackbox_exporter was not to be asked: no match"))
    #expect(ImportDiff.finding(up, old: down) == .unknown("blackbox_exporter was not to be asked: refused"))
  }
}
