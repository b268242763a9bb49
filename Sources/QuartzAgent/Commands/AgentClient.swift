// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import ArgumentParser
import Basics
import Curl
import Glibc
import Monitoring
import StatusServer

/// Asks a running agent over its status server.
struct AgentClient {
  let address: ListenAddress
  /// Shown where the agent listens on TCP: the one that may do something, else the one that may read.
  var token: Redacted?
  /// How long an answer may take.
  var patience: Duration = .seconds(60)
  /// Socket for commands of the agent that is meant, where another may listen on the address: its mark is compared.
  /// `nil` for an address that was given by hand, or without such a socket.
  private(set) var meant: ListenAddress?

  init(address: ListenAddress, token: Redacted? = nil) {
    self.address = address
    self.token = token
  }

  /// - Parameter place: the path of a socket, also as `unix:PATH`, or address:port, or localhost:port.
  init(place: String) throws {
    if place.hasPrefix("unix:"), place.utf8.count > 5 {
      self.init(address: .unix(path: String(place.dropFirst(5))))
      return
    }
    if place.contains("/") {
      self.init(address: .unix(path: place))
      return
    }
    let found = place.printable(maxBytes: 80)
    guard let endpoint = Endpoint(place, defaultPort: nil) else {
      throw failure(
        "--socket must be the path of a socket or address:port, found \(found)",
        status: ExitCode.validationFailure.rawValue)
    }
    let address = ListenAddress.tcp(host: endpoint.host, port: endpoint.port).reachable
    guard case .tcp(let host, _) = address, IPAddress(host) != nil else {
      throw failure(
        "--socket must name an address or localhost, found \(found)",
        hint: "such as 127.0.0.1:\(endpoint.port)",
        status: ExitCode.validationFailure.rawValue)
    }
    self.init(address: address)
  }

  /// Of an agent with this configuration, over its socket where this user may open it; `nil` when it has no status server.
  /// An answer over TCP counts only if it is that agent's.
  init?(_ settings: StatusSettings) {
    if let socket = settings.socket, case .unix(let path) = socket, access(path, W_OK) == 0 {
      self.init(address: socket)
      return
    }
    guard let address = settings.listen else { return nil }
    self.init(
      address: address.reachable, token: address.isSocket ? nil : settings.runNowToken ?? settings.readToken)
    meant = address.isSocket ? nil : settings.socket
  }

  /// The answer's text, which ends with a line end. Throws a `CommandFailure` when the agent does not answer or refuses.
  func ask(_ path: String, method: String = "GET") async throws -> String {
    try text(of: try await exchange(path, method), mayBeAbsent: false) ?? ""
  }

  /// Result of the agent's check of its store, and whether the store is sound.
  func checkStore() async throws -> (text: String, isSound: Bool) {
    let report = try await exchange("/api/v1/spool/check", "GET")
    let text = try text(of: report, mayBeAbsent: false) ?? ""
    switch report.header(SpoolAnswer.soundHeader) {
    case "yes": return (text, true)
    case "no": return (text, false)
    default:
      throw failure(
        "the agent at \(address) does not say whether its store is sound: it is of another version",
        hint: "restart it with the version of this command", status: ExitStatus.unknown)
    }
  }

  /// Posts a body. `nil` where no agent listens there.
  func hand(_ body: [UInt8], to path: String) async throws -> String? {
    guard try await stranger() == nil else { return nil }
    return try text(of: try await exchange(path, "POST", body: body), mayBeAbsent: true)
  }

  /// Whether the agent that is meant listens there, without a doubt: on its socket, or with its mark.
  func isThere() async throws -> Bool {
    guard address.isSocket || AgentMark.of(meant) != nil, try await stranger() == nil else { return false }
    let report = try await send("/livez", "GET")
    return report.statusCode == 200 && report.header("server") == "quartz-agent"
  }

  /// Why the agent that answers is another one than is meant. `nil` where it is not, or nothing answers.
  private func stranger() async throws -> CommandFailure? {
    guard let meant, let mark = AgentMark.of(meant) else { return nil }
    let report = try await send("/livez", "GET")
    guard report.failure == nil, report.header("server") == "quartz-agent",
      report.header(AgentMark.header) != mark
    else { return nil }
    let isGone = access(meant.path, F_OK) != 0 && [ENOENT, ENOTDIR].contains(errno)
    return CommandFailure(
      "another agent answers at \(address): the one of this configuration has the socket \(meant), "
        + (isGone ? "which is not there" : "which this user may not open"),
      hint:
        "start it with: quartz-agent run, and give each agent its own status.listen; restart an agent of an earlier version",
      status: ExitStatus.unknown)
  }

  private func exchange(_ path: String, _ method: String, body: [UInt8]? = nil) async throws -> TransferReport
  {
    if let stranger = try await stranger() { throw stranger }
    return try await send(path, method, body: body)
  }

  private func send(_ path: String, _ method: String, body: [UInt8]? = nil) async throws -> TransferReport {
    try await withCurlEngine { engine in
      var request = request(path, method)
      request.body = body
      return try await engine.perform(request)
    }
  }

  private func text(of report: TransferReport, mayBeAbsent: Bool) throws(CommandFailure) -> String? {
    if let problem = report.failure {
      if case .unix = address, [EACCES, EPERM].map({ .local(.system(errno: $0)) }).contains(problem.kind) {
        throw CommandFailure(
          "this user may not open \(address): whether an agent answers there cannot be told",
          hint: "ask as root or as the agent's user, or join its group", status: ExitStatus.unknown)
      }
      if mayBeAbsent, problem.kind != .timeout { return nil }
      let isSilent = problem.kind == .timeout
      let words =
        if case .unix = address, !isSilent { "nothing listens on the socket" } else { problem.message }
      throw CommandFailure(
        "no agent answers at \(address): \(words)",
        hint: isSilent
          ? "something is running there and has not answered for \(patience.text): look at its log, and whether it is stopped"
          : "is it running with this configuration? start it with: quartz-agent run",
        status: ExitStatus.unknown)
    }
    guard report.header("server") == "quartz-agent" else {
      throw CommandFailure(
        "something else than an agent answers at \(address) (status \(report.statusCode ?? 0))",
        hint: "see who listens there, or give this agent another status.listen", status: ExitStatus.unknown)
    }
    let text = String(decoding: report.body, as: UTF8.self)
    guard report.statusCode == 200 else {
      let words = (try? JSONValue.parse(report.body))?["error"]?["message"]?.string ?? text
      throw CommandFailure(
        "the agent refused (\(report.statusCode ?? 0)): \(words.split(separator: "\n").first ?? "")",
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
        url: "http://localhost" + path, plan: .unixSocket(socket), timeout: patience, goal: goal,
        method: method, headers: headers)
    case .tcp(let host, let port):
      return TransferRequest(
        url: "http://\(address)" + path,
        plan: IPAddress(host).map { .address(SocketAddress($0, port: port)) },
        timeout: patience, goal: goal, method: method, headers: headers)
    }
  }
}

extension ListenAddress {
  /// Empty for a TCP address.
  fileprivate var path: String { if case .unix(let path) = self { path } else { "" } }
}
