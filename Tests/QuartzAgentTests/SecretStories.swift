// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Synchronization
import TestSupport
import Testing

/// S-28: secrets with unique marks, everything the agent does with them, and then a search in everything it left behind.
@Suite struct SecretStories {
  /// One secret: where it is configured, and the mark it holds.
  private struct Mark {
    var place: String
    var text: String
  }

  private static let marks: [Mark] = [
    "api_key", "header", "basic_password", "bearer", "digest_password", "client_secret", "access_token",
    "body",
    "query", "proxy_password", "send_step", "env_header", "api_header", "api_query",
  ].map { Mark(place: $0, text: "Qz7\($0.split(separator: "_").joined())9fK2") }

  private static func mark(_ place: String) -> String { marks.first { $0.place == place }?.text ?? "" }

  /// The mark as it stands, and as programs write such things down.
  private static func forms(of text: String) -> [String] {
    let bytes = Array(text.utf8)
    let hex = bytes.map { String($0, radix: 16) }.joined()
    let percent = bytes.map { "%" + String($0, radix: 16) }.joined()
    // In Base64 a text looks different at each of three offsets; the outer digits depend on its neighbours.
    let base64 = (0..<3).map { offset in
      String(
        Data([UInt8](repeating: 0x20, count: offset) + bytes).base64EncodedString().dropFirst(4).dropLast(4))
    }
    return [text, hex, hex.uppercased(), percent, percent.uppercased()] + base64
  }

  /// Every byte a server was sent.
  fileprivate final class Ear: Sendable {
    private let heard = Mutex<[UInt8]>([])
    var bytes: [UInt8] { heard.withLock(\.self) }

    func listen(_ connection: LoopbackConnection, answer: String) {
      note(connection.read(until: "\r\n\r\n"))
      connection.write(answer)
    }

    func note(_ text: String) { heard.withLock { $0 += Array(text.utf8) } }
  }

  private func yaml(_ folder: URL, web: UInt16, token: UInt16, wrong: UInt16, api: UInt16) -> String {
    """
    agent: {name: test, state_dir: \(folder.path)/state}
    spool: {size: 16MiB}
    status: {listen: "127.0.0.1:0"}
    egress: {allow: ["127.0.0.1/32:\(web)"]}
    quartz:
      url: http://127.0.0.1:\(api)/v1
      api_key: "${file:secrets/api_key}"
      checks: {pull: true, every: 1m, cache_credentials: false}
      deliver: {every: 1s, messages: true}
    defaults: {interval: 1s, timeout: 1s, retries: 0}
    checks:
      - {name: Header, type: http, url: "http://127.0.0.1:\(web)/redirect?q=${file:secrets/query}", post: true,
         headers: {X-Secret: "${file:secrets/header}", X-Env: "${env:SECRET_HEADER}"}}
      - {name: Basic, type: http, url: "http://127.0.0.1:\(web)/", auth: {basic: {username: u, password: "${file:secrets/basic_password}"}}}
      - {name: Bearer, type: http, url: "http://127.0.0.1:\(web)/redirect", post: true, auth: {bearer: "${file:secrets/bearer}"}}
      - {name: Digest, type: http, url: "http://127.0.0.1:\(web)/", auth: {digest: {username: u, password: "${file:secrets/digest_password}"}}}
      - {name: Token, type: http, url: "http://127.0.0.1:\(web)/redirect", post: true,
         auth: {oauth2: {token_url: "http://127.0.0.1:\(token)/", client_id: c, client_secret: "${file:secrets/client_secret}"}}}
      - {name: Body, type: http, url: "http://127.0.0.1:\(web)/redirect", method: POST, post: true, body: "${file:secrets/body}"}
      - {name: Proxy, type: http, url: "http://127.0.0.1:\(web)/", proxy: "http://u:${file:secrets/proxy_password}@127.0.0.1:\(wrong)"}
      - {name: Dialog, type: tcp, host: 127.0.0.1, port: \(web), post: true,
         dialog: [{send: "${file:secrets/send_step}"}, {expect: "never"}]}
      - {name: Refused, type: http, url: "http://127.0.0.1:1/?q=${file:secrets/query}", post: true}
    """
  }

  @Test("S-28: no secret in any output, file, argument or wrong host")
  func noSecretGetsOut() async throws {
    let backend = FakeQuartz()
    backend.setKeys([Self.mark("api_key")])
    let (web, tokens, wrong) = (Ear(), Ear(), Ear())
    try await withTemporaryDirectory { folder in
      try writeSecrets(in: folder)
      try await withLoopbackServer(script: {
        wrong.listen($0, answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }) {
        wrongServer in
        // The answer gives everything back that came, as careless pages do.
        let elsewhere = "http://127.0.0.1:\(wrongServer.port)/"
        try await withLoopbackServer(script: { Self.echo($0, web, redirect: elsewhere) }) { webServer in
          try await withLoopbackServer(script: { Self.issue($0, tokens) }) { tokenServer in
            backend.checks = [Self.apiCheck(webServer.port)]
            try await withFakeQuartz(backend) { port in
              try yaml(
                folder, web: webServer.port, token: tokenServer.port, wrong: wrongServer.port, api: port
              ).write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
              let seen = try await live(folder, backend)
              try search(seen, folder, wrong: wrong.bytes, backend)
              try expectWitnesses(web, tokens, wrong, backend)
            }
          }
        }
      }
    }
  }

  /// Two lives, the first ended by kill -9; every surface read, every command run.
  private func live(_ folder: URL, _ backend: FakeQuartz) async throws -> [(place: String, bytes: [UInt8])] {
    let environment = ["SECRET_HEADER": Self.mark("env_header")]
    var seen: [(place: String, bytes: [UInt8])] = []
    for signal in [SIGKILL, SIGTERM] {
      let process = try AgentProcess(["run", "--log-level", "trace"], in: folder, environment: environment)
      let rows = backend.ids.count
      try await process.wait(for: "results at the backend") { backend.ids.count >= rows + 6 }
      let arguments = FileManager.default.contents(atPath: "/proc/\(process.identifier)/cmdline") ?? Data()
      seen.append(("process arguments", [UInt8](arguments)))
      if let page = Self.page(in: process.stderr) {
        for path in [
          "", "api/v1/summary?full=1", "api/v1/checks", "metrics", "api/v1/status.txt", "api/v1/report",
        ] {
          let fetched = try await agentTool("/usr/bin/curl", "-sS", page + path, in: folder)
          seen.append((path.isEmpty ? "page" : path, Array(fetched.utf8)))
          #expect(fetched.count > 100, "\(path) is empty")
        }
      } else {
        Issue.record("the page is not named in the log")
      }
      process.send(signal)
      let outcome = try await process.finish()
      seen.append(("log", Array(outcome.stderr.utf8)))
    }
    for command in [
      ["validate", "--print"], ["once", "--explain", "--format", "table"], ["once", "--format", "json"],
      ["once", "--format", "junit"], ["spool", "export"], ["doctor"],
    ] {
      let process = try AgentProcess(command, in: folder, environment: environment)
      let outcome = try await process.finish()
      seen.append((command.joined(separator: " "), Array((outcome.stdout + outcome.stderr).utf8)))
    }
    return seen
  }

  private func search(
    _ seen: [(place: String, bytes: [UInt8])], _ folder: URL, wrong: [UInt8], _ backend: FakeQuartz
  ) throws {
    var places = seen + [("what the wrong host received", wrong)]
    for row in backend.rows { places.append(("a row at the backend", Array("\(row)".utf8))) }
    let state = folder.appending(path: "state")
    let files = try #require(FileManager.default.enumerator(at: state, includingPropertiesForKeys: nil))
    for case let file as URL in files {
      if let data = FileManager.default.contents(atPath: file.path) {
        places.append((file.lastPathComponent, [UInt8](data)))
      }
    }
    #expect(places.count > 20)
    var hits: [String] = []
    for (place, bytes) in places {
      for mark in Self.marks {
        for form in Self.forms(of: mark.text) where form.utf8.count >= 8 && holds(bytes, Array(form.utf8)) {
          // A proxy is sent its own password, and nobody else's.
          if place == "what the wrong host received", mark.place == "proxy_password" { continue }
          // The list kept for a start without the API holds whole urls, or nothing could be probed then; mode 0600.
          if place == "checks.json", mark.place == "api_query" { continue }
          hits.append("\(mark.place) in \(place) as \(form)")
        }
      }
    }
    #expect(hits == [])
    print("S-28: \(hits.count) hits of \(Self.marks.count) marks in \(places.count) places")
  }

  /// The secrets were used: a search that finds nothing proves nothing otherwise.
  private func expectWitnesses(_ web: Ear, _ tokens: Ear, _ wrong: Ear, _ backend: FakeQuartz) throws {
    let bytes = web.bytes
    for place in ["header", "bearer", "access_token", "body", "query", "send_step", "env_header"] {
      #expect(holds(bytes, Array(Self.mark(place).utf8)), "\(place) never went out")
    }
    #expect(!wrong.bytes.isEmpty && !tokens.bytes.isEmpty)
    #expect(backend.ids.count >= 6)
  }

  /// Redirects to another origin where the path says so; whatever came is in the body.
  private static func echo(_ connection: LoopbackConnection, _ ear: Ear, redirect: String) {
    let request = connection.read(until: "\r\n\r\n")
    let body = request.contains("POST") ? String(decoding: connection.read(), as: UTF8.self) : ""
    ear.listen(connection, said: request + body, redirect: request.contains("/redirect") ? redirect : nil)
  }

  private static func issue(_ connection: LoopbackConnection, _ ear: Ear) {
    let token = "{\"access_token\":\"\(mark("access_token"))\",\"token_type\":\"Bearer\",\"expires_in\":60}"
    ear.listen(
      connection,
      answer:
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(token.utf8.count)\r\nConnection: close\r\n\r\n\(token)"
    )
  }

  private static func apiCheck(_ port: UInt16) -> FakeCheck {
    FakeCheck(
      id: "11111111-1111-4111-8111-111111111111",
      members: """
        "check_type":"http","url":"http://127.0.0.1:\(port)/?q=\(mark("api_query"))","check_interval_seconds":10,\
        "timeout_seconds":5,"headers":{"X-Api":"\(mark("api_header"))"}
        """)
  }

  private func writeSecrets(in folder: URL) throws {
    let secrets = folder.appending(path: "secrets")
    try FileManager.default.createDirectory(at: secrets, withIntermediateDirectories: true)
    for mark in Self.marks {
      let file = secrets.appending(path: mark.place)
      try mark.text.write(to: file, atomically: true, encoding: .utf8)
      #expect(chmod(file.path, 0o600) == 0)
    }
  }

  private static func page(in log: String) -> String? {
    guard let start = log.range(of: "status page: ") else { return nil }
    return String(log[start.upperBound...].prefix { !$0.isWhitespace })
  }

  private func holds(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
    Data(bytes).range(of: Data(needle)) != nil
  }

  /// Runs another program to its end and returns what it printed.
  private func agentTool(_ program: String, _ arguments: String..., in folder: URL) async throws -> String {
    let process = Process()
    let file = folder.appending(path: "tool-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = try FileHandle(forWritingTo: file)
    try process.run()
    while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    return try String(contentsOf: file, encoding: .utf8)
  }
}

extension SecretStories.Ear {
  fileprivate func listen(_ connection: LoopbackConnection, said: String, redirect: String?) {
    note(said)
    let head =
      redirect.map { "HTTP/1.1 302 Found\r\nLocation: \($0)\r\n" } ?? "HTTP/1.1 500 Internal Server Error\r\n"
    connection.write("\(head)Content-Length: \(said.utf8.count)\r\nConnection: close\r\n\r\n\(said)")
  }
}
