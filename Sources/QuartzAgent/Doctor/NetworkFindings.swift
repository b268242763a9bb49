// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Basics
import Monitoring
import Network
import QuartzAPI

/// Findings that need a request: the name servers, and the API.
struct NetworkFindings {
  let engine: ProbeEngine

  /// Each name server of the system by itself: one that is silent costs every probe seconds while the others answer.
  func resolvers() async -> [Notice] {
    let text = await onThread {
      readFile("/etc/resolv.conf", limit: 1 << 16).map { String(decoding: $0, as: UTF8.self) }
    }
    guard let text else {
      return [
        .critical("resolver", "/etc/resolv.conf cannot be read", hint: "without it no name resolves")
      ]
    }
    return await resolvers(ResolverConfiguration(parsing: text))
  }

  /// Of a file without a server those of this machine are asked, and one of them is enough (resolv.conf(5)).
  func resolvers(_ configuration: ResolverConfiguration) async -> [Notice] {
    let servers = configuration.servers
    var findings: [Notice] = []
    for server in servers { findings.append(await resolver(server, of: servers.count)) }
    guard configuration.namesNone else { return findings }
    let answering = findings.filter { $0.severity < .critical }
    guard answering.isEmpty else { return answering }
    return [
      .critical(
        "resolver", "/etc/resolv.conf names no server, and none on this machine answers",
        hint: "add a line such as nameserver 192.0.2.53")
    ]
  }

  private func resolver(_ server: SocketAddress, of count: Int) async -> Notice {
    var definition = CheckDefinition()
    definition.name = "resolver \(server)"
    definition.type = "dns"
    definition.server = server.description
    definition.queryName = "."
    definition.queryType = "NS"
    definition.timeout = .seconds(3)
    definition.retries = 0
    definition.expect.rcodes = DNSSettings.responseCodes
    guard let check = try? MonitoringCheck(definition), let result = try? await engine.runNow(check, .none)
    else {
      return .warning("resolver", "\(server) could not be asked")
    }
    let taken = result.responseTime.map { "\(Int($0.milliseconds.rounded(.up))) ms" } ?? "no time"
    if let dns = result.dns {
      guard dns.rcode == "NOERROR" else {
        return .warning(
          "resolver", "\(server) answered \(dns.rcode) when asked for the root's name servers",
          hint: "name another server in /etc/resolv.conf, or allow this machine in its access list")
      }
      return .fine("resolver", "\(server) answered in \(taken)")
    }
    let words = result.message ?? result.reason.rawValue
    let hint =
      count == 1
      ? "no name will resolve; see /etc/resolv.conf"
      : "every name then waits for the next server; take it out of /etc/resolv.conf"
    return .critical("resolver", words, hint: hint)
  }

  /// The key, and this machine's clock against the API's.
  func api(_ quartz: QuartzSettings) async -> [Notice] {
    let exchange = OriginExchange(to: quartz.url, over: engine.outbound)
    let request = APIRequest(
      .get, quartz.url.appending("monitoring-checks", query: "limit=1&is_enabled=true"),
      headers: [HeaderField("X-API-Key", quartz.apiKey)], timeout: .seconds(15))
    let before = engine.time.wall()
    guard let reply = try? await exchange.exchange(request) else { return [] }
    switch reply {
    case .failure(let words):
      return [.critical("api", words, hint: "results wait in the spool until the API can be reached")]
    case .response(let response):
      return [answer(response)] + skew(response, between: before, and: engine.time.wall())
    }
  }

  private func answer(_ response: OutboundAnswer) -> Notice {
    switch response.status {
    case 200 where response.json?["success"]?.bool == true:
      return .fine("api", "reachable, and the key is accepted")
    case 200:
      return .critical(
        "api", "answered 200, but not as the Quartz API does",
        hint: "a proxy or captive portal may answer in its place; see quartz.url")
    case 401, 403:
      return .critical(
        "api", "the key is refused with \(response.status)",
        hint: "see quartz.api_key, and the key's rights in Quartz")
    case 404:
      return .critical(
        "api", "answered 404", hint: "quartz.url must end in the version, such as …/public-api/v1")
    case 429:
      return .warning("api", "the rate limit is reached (429)", hint: "another agent may use the same key")
    default: return .warning("api", "answered \(response.status)", hint: "see the API's own status")
    }
  }

  private func skew(_ response: OutboundAnswer, between before: Timestamp, and after: Timestamp) -> [Notice] {
    guard let text = response.header("date"), let date = HTTPDate.parse(text) else { return [] }
    // Their date is cut to the second, and was made some time between our two.
    let ahead = date.duration(to: before).seconds - 1
    let behind = after.duration(to: date).seconds
    let off = max(ahead, behind)
    let word = ahead > behind ? "ahead of" : "behind"
    guard off > 2 else { return [.fine("clock skew", "within 2 s of the API's")] }
    let shown = "this machine is \(Int(off.rounded())) s \(word) the API's Date"
    let hint = "results are stamped by this clock; let chrony or systemd-timesyncd set it"
    return [off > 60 ? .critical("clock skew", shown, hint: hint) : .warning("clock skew", shown, hint: hint)]
  }
}
