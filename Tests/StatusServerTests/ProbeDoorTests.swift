// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization
import Testing

@testable import Status
@testable import StatusServer

/// Answers as it is told, and keeps what it was asked.
private final class Probes: ProbeTaking {
  let limit: Int
  let asked = Mutex<[ProbeQuestion]>([])
  let answer = Mutex(ProbeAnswer.metrics("probe_success 1\n"))
  let isHeld = Mutex(false)
  let last = ["two", "one"]
  let config = "modules:\n"
  let reloads = Mutex<[String?]>([])

  init(limit: Int = 4) { self.limit = limit }

  func reload() async -> String? { reloads.withLock { $0.isEmpty ? nil : $0.removeFirst() } }

  func probe(_ question: ProbeQuestion) async -> ProbeAnswer {
    asked.withLock { $0.append(question) }
    while isHeld.withLock(\.self) { try? await Task.sleep(for: .milliseconds(5)) }
    return answer.withLock(\.self)
  }
}

/// `/probe`: who may ask, and what is made of a question.
@Suite struct ProbeDoorTests {
  private static let token = "0123456789abcdef"

  private func serve(
    allow: [String] = ["127.0.0.1/32"], token: String? = nil, limit: Int = 4,
    _ body: @escaping @Sendable (ListenAddress, Probes) async throws -> Void
  ) async throws {
    let probes = Probes(limit: limit)
    let door = ProbeDoor(
      desk: probes, token: token.map { Redacted($0) }, allowed: allow.compactMap { CIDR($0) })
    var source = try sampleSource()
    // What may be read is another matter.
    source.access.readToken = Redacted("fedcba9876543210")
    try await withServer(source, probes: door) { try await body($0, probes) }
  }

  private func ask(
    _ address: ListenAddress, _ query: String, method: String = "GET", headers: String = "",
    host: String = "localhost"
  ) async throws -> RawResponse {
    try await exchange(
      address, "\(method) \(query) HTTP/1.1\r\nHost: \(host)\r\n\(headers)Connection: close\r\n\r\n")
  }

  /// From an address of the list nothing is shown; from others nothing helps but the token.
  @Test func whoMayAsk() async throws {
    try await serve { address, probes in
      let answer = try await ask(address, "/probe?target=a.example&module=m")
      #expect(answer.status == 200 && answer.body == "probe_success 1\n")
      #expect(answer.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
      #expect(try await ask(address, "/probe/last").body == "two\none\n")
      #expect(try await ask(address, "/").status == 401)
    }
    try await serve(allow: ["192.0.2.0/24"], token: Self.token) { address, probes in
      let path = "/probe?target=a.example"
      for headers in [
        "", "Authorization: Bearer 0123456789abcdeg\r\n", "Authorization: Bearer\r\n",
        "Authorization: Bearer fedcba9876543210\r\n", "X-Forwarded-For: 192.0.2.1\r\n",
        "Forwarded: for=192.0.2.1\r\n",
      ] {
        let answer = try await ask(address, path, headers: headers)
        #expect(answer.status == 401 && answer.header("www-authenticate") != nil, "\(headers)")
        #expect(try await ask(address, "/probe/last", headers: headers).status == 401, "\(headers)")
      }
      #expect(probes.asked.withLock(\.count) == 0)
      // Whatever name it is asked by.
      let shown = "Authorization: Bearer \(Self.token)\r\n"
      #expect(try await ask(address, path, headers: shown, host: "agent.example").status == 200)
      #expect(try await ask(address, path, headers: shown + "Sec-Fetch-Site: cross-site\r\n").status == 200)
    }
    try await serve(allow: []) { address, _ in
      let answer = try await ask(address, "/probe?target=a")
      #expect(answer.status == 401)
    }
  }

  /// A page in a browser of a machine that may ask has no leave of its own.
  @Test func aPageOfAnotherSiteMayNot() async throws {
    try await serve { address, probes in
      #expect(try await ask(address, "/probe?target=a", host: "evil.example").status == 421)
      for site in ["cross-site", "same-site"] {
        let answer = try await ask(address, "/probe?target=a", headers: "Sec-Fetch-Site: \(site)\r\n")
        #expect(answer.status == 403, "\(site)")
      }
      #expect(probes.asked.withLock(\.count) == 0)
      #expect(try await ask(address, "/probe?target=a", headers: "Sec-Fetch-Site: none\r\n").status == 200)
    }
  }

  /// The exporter's other paths; health needs no leave, as there.
  @Test func theExportersOtherPaths() async throws {
    try await serve { address, probes in
      probes.reloads.withLock { $0 = [nil, "no such file"] }
      let healthy = try await ask(address, "/-/healthy")
      #expect(healthy.status == 200 && healthy.body == "Healthy")
      let config = try await ask(address, "/config")
      #expect(config.status == 200 && config.body == "modules:\n")
      let done = try await ask(address, "/-/reload", method: "POST")
      #expect(done.status == 200 && done.body.isEmpty)
      let refused = try await ask(address, "/-/reload", method: "POST")
      #expect(refused.status == 500 && refused.body == "failed to reload config: no such file\n")
      let read = try await ask(address, "/-/reload")
      #expect(read.status == 405 && read.body == "This endpoint requires a POST request.\n")
      let other = try await ask(address, "/-/ready")
      #expect(other.status == 401)
    }
    try await serve(allow: ["192.0.2.0/24"], token: Self.token) { address, probes in
      probes.reloads.withLock { $0 = ["nobody may"] }
      let (config, reload) = (
        try await ask(address, "/config"), try await ask(address, "/-/reload", method: "POST")
      )
      #expect(config.status == 401 && reload.status == 401)
      #expect(probes.reloads.withLock(\.count) == 1)
      let healthy = try await ask(address, "/-/healthy")
      #expect(healthy.status == 200)
    }
    try await withServer(try sampleSource()) { address in
      for path in ["/-/healthy", "/config"] {
        let answer = try await ask(address, path)
        #expect(answer.status == 404, "\(path)")
      }
    }
  }

  /// As the exporter reads them: the first of a name, its default, its words.
  @Test func questionsAreReadAsTheExporterReadsThem() async throws {
    try await serve { address, probes in
      _ = try await ask(
        address,
        "/probe?module=m&target=https%3A%2F%2Fa.example%2F%3Fb%3Dc&target=other&debug=true&hostname=h",
        headers: "X-Prometheus-Scrape-Timeout-Seconds: 7.5\r\n")
      guard let question = probes.asked.withLock(\.last) else {
        Issue.record("nobody was asked")
        return
      }
      #expect(question.module == "m" && question.target == "https://a.example/?b=c")
      #expect(question.hostname == "h" && question.isDebug && question.scrapeTimeout == 7.5)
      _ = try await ask(address, "/probe?debug=1")
      guard let bare = probes.asked.withLock(\.last) else { return }
      #expect(bare.module == "http_2xx" && bare.target.isEmpty && bare.hostname == nil && !bare.isDebug)
      for (answer, status) in [
        (ProbeAnswer.refused("Target parameter is missing"), 400), (.broken("no file"), 503), (.busy, 503),
        (.log("Logs"), 200),
      ] {
        probes.answer.withLock { $0 = answer }
        #expect(try await ask(address, "/probe?target=a").status == status)
      }
    }
  }

  @Test(arguments: [
    ("POST", "/probe?target=a", "", 405), ("PUT", "/probe", "", 405), ("POST", "/probe/last", "", 405),
    ("GET", "/probe?target=%zz", "", 400), ("GET", "/probe?target=%ff", "", 400),
    ("GET", "/probe?target=" + String(repeating: "a", count: 8000), "", 400),
    ("GET", "/probe?target=a", "X-Prometheus-Scrape-Timeout-Seconds: soon\r\n", 500),
    ("GET", "/probe?target=a", "X-Prometheus-Scrape-Timeout-Seconds: nan\r\n", 500),
    ("GET", "/probe?target=a", "X-Prometheus-Scrape-Timeout-Seconds: inf\r\n", 500),
  ])
  func whatIsNoQuestion(method: String, target: String, headers: String, status: Int) async throws {
    try await serve { address, probes in
      let answer = try await ask(address, target, method: method, headers: headers)
      #expect(answer.status == status)
      #expect(probes.asked.withLock(\.count) == 0)
    }
  }

  @Test func headHasNoBody() async throws {
    try await serve { address, _ in
      let answer = try await ask(address, "/probe?target=a", method: "HEAD")
      #expect(answer.status == 200 && answer.body.isEmpty && answer.header("content-length") == "16")
    }
  }

  /// What only begins like it is an address like any other.
  @Test func neighboursAreNot() async throws {
    try await serve { address, _ in
      for path in ["/probes?target=a", "/probe/", "/probe/last/", "/Probe?target=a"] {
        let answer = try await ask(address, path)
        #expect(answer.status == 401, "\(path)")
      }
    }
    try await withServer(try sampleSource()) { address in
      let answer = try await ask(address, "/probe?target=a")
      #expect(answer.status == 404)
    }
  }

  /// Who waits for a probe takes nobody's place: more than the server has without them may wait.
  @Test func whoWaitsStarvesNobody() async throws {
    let many = LocalStatusServer.maxConnections + 20
    try await serve(limit: many) { address, probes in
      probes.isHeld.withLock { $0 = true }
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<many {
          group.addTask { try await ask(address, "/probe?target=a").status }
        }
        while probes.asked.withLock(\.count) < many { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try await ask(address, "/livez").status == 200)
        #expect(
          try await ask(address, "/", headers: "Authorization: Bearer fedcba9876543210\r\n").status == 200)
        probes.isHeld.withLock { $0 = false }
        for try await status in group { #expect(status == 200) }
      }
    }
  }
}
