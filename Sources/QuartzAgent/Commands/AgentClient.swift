// SPDX-License-Identifier: MIT

import AgentConfig
import Curl
import Monitoring
import StatusServer

/// Asks a running agent over its status server.
struct AgentClient {
  let address: ListenAddress
  /// Shown where the agent listens on TCP and the request changes something.
  var token: Redacted?

  /// The answer's text, which ends with a line end. Throws what to print when nobody answers or the answer is no.
  func ask(_ path: String, method: String = "GET") async throws -> String {
    let report = try await withCurlEngine { engine in try await engine.perform(request(path, method)) }
    if let problem = report.failure {
      let isSilent = problem.kind == .timeout
      let words =
        if case .unix = address, !isSilent { "nobody listens on the socket" } else { problem.message }
      throw failure(
        "no agent answers at \(address): \(words)",
        hint: isSilent
          ? "something is running there and does not answer: look at its log"
          : "is it running with this configuration? start it with: quartz-agent run",
        status: ExitStatus.unknown)
    }
    guard report.header("server") == "quartz-agent" else {
      throw failure(
        "something else than an agent answers at \(address) (status \(report.statusCode ?? 0))",
        hint: "see who listens there, or give this agent another status.listen", status: ExitStatus.unknown)
    }
    let text = String(decoding: report.body, as: UTF8.self)
    guard report.statusCode == 200 else {
      let words = (try? JSONValue.parse(report.body))?["error"]?["message"]?.string ?? text
      throw failure(
        "the agent says no (\(report.statusCode ?? 0)): \(words.split(separator: "\n").first ?? "")",
        status: ExitStatus.unknown)
    }
    return text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
  }

  private func request(_ path: String, _ method: String) -> TransferRequest {
    let goal = TransferRequest.Goal.body(limit: 64 << 20)
    var headers: [HeaderField] = []
    if let token { headers.append(HeaderField("Authorization", "Bearer \(token.reveal())")) }
    switch address {
    case .unix(let socket):
      return TransferRequest(
        url: "http://localhost" + path, plan: .unixSocket(socket), timeout: .seconds(60), goal: goal,
        method: method, headers: headers)
    case .tcp(let host, let port):
      return TransferRequest(
        url: "http://\(Endpoint(host: host, port: port))" + path, plan: .address(host, port: port),
        timeout: .seconds(60), goal: goal, method: method, headers: headers)
    }
  }
}
