// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A request to `/probe`, in the form of blackbox_exporter.
package struct ProbeQuestion: Sendable {
  /// Empty: it is missing.
  package var target: String
  package var module: String
  /// The Host header and the name in TLS, instead of the target's own.
  package var hostname: String?
  /// The scrape's timeout in seconds, by its header. `nil` without the header.
  package var scrapeTimeout: Double?
  /// Words about the probe besides its metrics.
  package var isDebug: Bool
  /// Address of the client. `nil` over a socket.
  package var asker: IPAddress?

  package init(
    target: String, module: String, hostname: String? = nil, scrapeTimeout: Double? = nil,
    isDebug: Bool = false, asker: IPAddress? = nil
  ) {
    (self.target, self.module, self.hostname) = (target, module, hostname)
    (self.scrapeTimeout, self.isDebug, self.asker) = (scrapeTimeout, isDebug, asker)
  }
}

package enum ProbeAnswer: Sendable {
  /// In Prometheus' text format.
  case metrics(String)
  /// For a person.
  case log(String)
  /// The question is wrong.
  case refused(String)
  /// The agent failed.
  case broken(String)
  /// As many probes as may be are under way.
  case busy
}

/// Probes for authorised clients.
package protocol ProbeTaking: Sendable {
  /// Probes at once, at most.
  var limit: Int { get }
  /// A line each, the last probe first.
  var last: [String] { get }
  /// The modules in force as YAML, without secrets.
  var config: String { get }
  func probe(_ question: ProbeQuestion) async -> ProbeAnswer
  /// Reads the modules again.
  ///
  /// - Returns: why the old modules stay; `nil` when the new ones are loaded.
  func reload() async -> String?
}

/// `/probe?target=&module=`, `/probe/last`, and blackbox_exporter's `/config` and `/-/reload`, for clients that show the
/// token or ask from one of the addresses; its `/-/healthy` without authorization, like `/livez`.
package struct ProbeDoor: Sendable {
  let desk: any ProbeTaking
  private let token: Redacted?
  private let allowed: [CIDR]

  package init(desk: any ProbeTaking, token: Redacted?, allowed: [CIDR]) {
    (self.desk, self.token, self.allowed) = (desk, token, allowed)
  }

  /// `nil` for any other request.
  func reply(to request: StatusRequest, hosts: AllowedHosts) async -> Reply? {
    guard request.isProbe else { return nil }
    if request.path == StatusRequest.exporterReload { return await reload(request, hosts) }
    guard request.isReading, !request.hasBody else {
      return Self.method("only GET and HEAD are possible here", "GET, HEAD")
    }
    if request.path == StatusRequest.exporterHealth { return Self.text("Healthy", to: request) }
    if let refusal = refusal(of: request, hosts) { return refusal }
    if request.path == StatusRequest.exporterConfig { return Self.text(desk.config, to: request) }
    guard request.target.utf8.count <= Self.longest, let path = RequestPath(request.target) else {
      return Reply(400, text: "the address is malformed or too long\n")
    }
    var reply: Reply
    if path.segments == ["probe", "last"] {
      reply = Reply(200, text: desk.last.map { $0 + "\n" }.joined())
    } else {
      reply = await answer(path, request)
    }
    reply.omitsBody = request.method == .head
    return reply
  }

  private static func method(_ words: String, _ allowed: String) -> Reply {
    var reply = Reply(405, text: words + "\n")
    reply.allow = allowed
    return reply
  }

  private static func text(_ text: String, to request: StatusRequest) -> Reply {
    var reply = Reply(200, text: text)
    reply.omitsBody = request.method == .head
    return reply
  }

  private func reload(_ request: StatusRequest, _ hosts: AllowedHosts) async -> Reply {
    guard request.method == .post, !request.hasBody else {
      return Self.method("This endpoint requires a POST request.", "POST")
    }
    if let refusal = refusal(of: request, hosts) { return refusal }
    guard let problem = await desk.reload() else { return Reply(200, text: "") }
    return Reply(500, text: "failed to reload config: \(problem)\n")
  }

  /// Bytes of an address: a target of 2,048 bytes may be escaped, and has others beside it.
  private static let longest = 8000

  /// Why the client is refused. `nil` where it may ask.
  private func refusal(of request: StatusRequest, _ hosts: AllowedHosts) -> Reply? {
    let shows = token.map { Credential(request.authorization)?.matches($0) ?? false } ?? false
    if shows { return nil }
    // Behind a proxy all clients have its address.
    let isNear = request.remote.map { remote in allowed.contains { $0.contains(remote) } } ?? false
    guard isNear, !request.isForwarded else {
      let way = isNear ? "without a proxy" : "from an address of probe.allow"
      var reply = Reply(401, text: "send probe.token as Authorization: Bearer, or ask \(way)\n")
      reply.challenge = .basic
      return reply
    }
    // A page that is open in a browser over there has no token, but asks from there.
    guard hosts.contains(request.host) else {
      return Reply(421, text: "this host name is not served here; add it to status.hosts\n")
    }
    guard request.fetchSite.map({ ["none", "same-origin"].contains($0) }) ?? true else {
      return Reply(403, text: "a page of another site may not ask\n")
    }
    return nil
  }

  private func answer(_ path: RequestPath, _ request: StatusRequest) async -> Reply {
    var timeout: Double?
    if let text = request.scrapeTimeout, !text.isEmpty {
      guard let number = Double(text), number.isFinite else {
        return Reply(500, text: "Failed to parse timeout from Prometheus header\n")
      }
      timeout = number
    }
    let module = path["module"] ?? ""
    let hostname = path["hostname"] ?? ""
    let question = ProbeQuestion(
      target: path["target"] ?? "", module: module.isEmpty ? "http_2xx" : module,
      hostname: hostname.isEmpty ? nil : hostname, scrapeTimeout: timeout, isDebug: path["debug"] == "true",
      asker: request.remote)
    switch await desk.probe(question) {
    case .metrics(let text): return Reply(200, .plainMetrics, Array(text.utf8))
    case .log(let text): return Reply(200, text: text)
    case .refused(let words): return Reply(400, text: words + "\n")
    case .broken(let words): return Reply(503, text: words + "\n")
    case .busy: return Reply(503, text: "too many probes are under way\n")
    }
  }
}
