// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// The one way by which the agent speaks for itself: to receivers of results and notifications, etcd, members of the
/// group, and sources of targets.
///
/// A name is resolved within the request's time, its addresses are held against the rules, and those that are permitted
/// are tried in turn until one accepts a connection. Certificates are always verified and redirects are never followed.
package struct Outbound: Sendable {
  /// Addresses of one host tried at most.
  static let mostAddresses = 4
  /// For a name.
  private static let patience: Duration = .seconds(10)

  private let engine: CurlEngine
  private let resolver: any HostResolving
  private let userAgent: String
  package let time: TimeSource

  package init(engine: CurlEngine, resolver: any HostResolving, userAgent: String, time: TimeSource) {
    (self.engine, self.resolver) = (engine, resolver)
    (self.userAgent, self.time) = (userAgent, time)
  }

  /// Sends a request over HTTP/1.1.
  ///
  /// - Parameters:
  ///   - request: its timeout is over everything, the name included. The plan and the version are not looked at.
  ///   - headers: further ones, by the addresses that may be dialled.
  /// - Throws: the caller's own cancellation, which is no word on the receiver.
  package func ask(
    _ request: TransferRequest, _ rules: OutboundRules,
    headers: @Sendable ([IPAddress]) -> [HeaderField] = { _ in [] }
  ) async throws(CancellationError) -> Result<OutboundAnswer, OutboundFailure> {
    guard let url = try? HTTPURL(request.url) else {
      return .failure(OutboundFailure(.forbidden, "the url cannot be read"))
    }
    if let refusal = rules.refusal(of: url) { return .failure(refusal) }
    let start = time.instant()
    let isPlain = url.scheme == .http
    switch try await addresses(of: url.endpoint, rules, isPlain: isPlain, within: request.timeout) {
    case .failure(let failure): return .failure(failure)
    case .success(let addresses):
      var request = request
      request.headers += headers(addresses.map(\.address))
      request.timeout -= start.duration(to: time.instant())
      return try await send(request, to: url, at: addresses)
    }
  }

  /// The permitted addresses of an endpoint, best first, for a conversation that dials them itself: mail.
  package func connect(
    to endpoint: Endpoint, _ rules: OutboundRules, within limit: Duration
  ) async throws(CancellationError) -> Result<[SocketAddress], OutboundFailure> {
    try await addresses(of: endpoint, rules, isPlain: false, within: limit)
  }

  private func addresses(
    of endpoint: Endpoint, _ rules: OutboundRules, isPlain: Bool, within limit: Duration
  ) async throws(CancellationError) -> Result<[SocketAddress], OutboundFailure> {
    let found: [IPAddress]
    if let literal = IPAddress(endpoint.host) {
      found = [literal]
    } else {
      let deadline = time.instant() + min(limit, Self.patience)
      let host = try await resolver.resolve(endpoint.host, ip: .any, deadline: deadline)
      if let failure = host.failure {
        let words = "\(endpoint.host) cannot be resolved: \(failure.reason.rawValue)"
        return .failure(OutboundFailure(.unresolved, words))
      }
      found = host.addresses
      rules.note(found)
    }
    return rules.permitted(found, of: endpoint, isPlain: isPlain).map { addresses in
      addresses.prefix(Self.mostAddresses).map { SocketAddress($0, port: endpoint.port) }
    }
  }

  private func send(
    _ request: TransferRequest, to url: HTTPURL, at addresses: [SocketAddress]
  ) async throws(CancellationError) -> Result<OutboundAnswer, OutboundFailure> {
    let host = url.endpoint.host
    guard request.timeout > .zero else {
      var failure = OutboundFailure(.unresolved, "\(host) did not resolve in time")
      failure.isTimeout = true
      return .failure(failure)
    }
    var request = request
    request.headers.insert(HeaderField("User-Agent", userAgent), at: 0)
    // Over HTTP/2 libcurl 7.88 takes an early refusal of an upload for a failure, and a cut answer for a whole one.
    request.httpVersion = .http11
    guard let report = try await perform(request, at: addresses) else {
      return .failure(OutboundFailure(.unresolved, "\(host) has no address"))
    }
    let answer = OutboundAnswer(report)
    if let failure = report.failure {
      return .failure(OutboundFailure(failure, at: url.endpoint, answer))
    }
    guard let answer else { return .failure(OutboundFailure(.broken, "no answer came", at: url.endpoint)) }
    return .success(answer.hiding(credentialsOf: request))
  }

  /// Makes one request at one address after the other until a connection stands. Beyond it the server may have acted,
  /// so its answer, or its silence, is the request's.
  ///
  /// Each address has a share of the time that is left to take a connection: a silent one leaves room for the next.
  ///
  /// - Returns: `nil` when there is no address.
  private func perform(
    _ request: TransferRequest, at addresses: [SocketAddress]
  ) async throws(CancellationError) -> TransferReport? {
    var left = request.timeout
    var last: TransferReport?
    for (index, address) in addresses.enumerated() {
      guard left > .zero else { break }
      var request = request
      request.plan = .address(address)
      request.timeout = left
      // bounded: 1 to 4
      let share = Duration.microseconds(max(1, left.microseconds / Int64(addresses.count - index)))
      request.connectTimeout = min(request.connectTimeout ?? share, share)
      let report = try await engine.perform(request)
      last = report
      guard let failure = report.failure, failure.phase == .connect else { break }
      left -= report.times.ended - report.times.held
    }
    return last
  }
}
