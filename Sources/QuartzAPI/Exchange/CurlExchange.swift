// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// Why a name has no addresses, in words.
package struct ResolveFailure: Error, Hashable, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}

/// Requests to one origin over libcurl, which is given an address and never a name to resolve.
///
/// A request for another origin, or over plain http to anything but this machine, is not sent: the key in it belongs
/// to the configured origin alone. Certificates are always verified, redirects are never followed, and an answer
/// beyond 4 MiB is no answer.
package struct CurlExchange: HTTPExchanging {
  /// The addresses of a host, best first.
  package typealias Resolve =
    @Sendable (_ host: String, _ port: UInt16) async -> Result<[IPAddress], ResolveFailure>

  package static let bodyLimit = 4 << 20

  private let origin: HTTPURL.Origin
  private let engine: CurlEngine
  private let resolve: Resolve
  private let userAgent: String
  private let time: TimeSource

  /// - Parameter base: its origin is the only one a request may go to.
  package init(
    to base: HTTPURL, userAgent: String, engine: CurlEngine, time: TimeSource, resolve: @escaping Resolve
  ) {
    self.origin = base.origin
    self.engine = engine
    self.userAgent = userAgent
    self.time = time
    self.resolve = resolve
  }

  package func exchange(_ request: APIRequest) async throws(CancellationError) -> APIReply {
    guard request.url.origin == origin else {
      return .failure("the request is for another origin than configured")
    }
    guard request.url.mayCarrySecrets else {
      return .failure("a key is sent over https only; use an https url")
    }
    let start = time.instant()
    let addresses: [IPAddress]
    switch await self.addresses() {
    // A resolution that was cancelled is no answer about the receiver.
    case .failure where Task.isCancelled: throw CancellationError()
    case .failure(let failure): return .failure(failure.message)
    case .success(let found): addresses = found
    }
    let left = request.timeout - start.duration(to: time.instant())
    let places = addresses.map { SocketAddress($0, port: origin.port) }
    guard left > .zero, let report = try await engine.perform(transfer(request, timeout: left), at: places)
    else {
      return .failure(
        places.isEmpty ? "\(origin.host) has no address" : "\(origin.host) did not resolve in time")
    }
    return read(report, of: request)
  }

  private func addresses() async -> Result<[IPAddress], ResolveFailure> {
    if let literal = IPAddress(origin.host) { return .success([literal]) }
    let found = await resolve(origin.host, origin.port)
    guard origin.scheme == .http, case .success(let addresses) = found else { return found }
    // Plain http is for this machine; a name that leads elsewhere does not change that.
    let local = addresses.filter(\.isLoopback)
    return local.isEmpty
      ? .failure(ResolveFailure("\(origin.host) is not this machine; use an https url")) : .success(local)
  }

  private func transfer(_ request: APIRequest, timeout: Duration) -> TransferRequest {
    var transfer = TransferRequest(
      url: request.url.text, timeout: timeout, goal: .body(limit: Self.bodyLimit),
      method: request.method.rawValue,
      headers: [HeaderField("User-Agent", userAgent)] + request.headers)
    if request.method != .get { transfer.body = request.body }
    // Over HTTP/2 libcurl 7.88 takes an early refusal of an upload for a failure, and a cut answer for a whole one.
    transfer.httpVersion = .http11
    transfer.connectTimeout = .seconds(10)
    transfer.origin = WorkOrigin(.delivery)
    return transfer
  }

  private func read(_ report: TransferReport, of request: APIRequest) -> APIReply {
    if let failure = report.failure { return .failure(failure.message) }
    guard let status = report.statusCode else { return .failure("no answer arrived") }
    // A refusal is quoted to the operator, and some servers quote the key in it.
    let body = (200...299).contains(status) ? report.body : masking(report.body, secretsOf: request)
    return .response(APIResponse(status: status, headers: report.headers, body: body))
  }
}

/// The bytes with every secret of the request replaced: header values, alone and without their scheme, and the text
/// values of a sign-in's body.
func masking(_ body: [UInt8], secretsOf request: APIRequest) -> [UInt8] {
  var secrets = request.headers.filter { $0.name.lowercased() != "accept" }.flatMap { header in
    let value = header.value.reveal()
    return [value] + value.split(separator: " ").dropFirst().map(String.init)
  }
  if request.hasSecretBody, let json = try? JSONValue.parse(request.body) {
    secrets += (json.members ?? []).compactMap(\.value.string)
  }
  // Short values would tear up ordinary words; no key is that short.
  let masked = secrets.filter { $0.utf8.count >= 6 }.sorted { $0.utf8.count > $1.utf8.count }
    .reduce(String(decoding: body, as: UTF8.self)) { $0.replacing($1, with: Redacted.mark) }
  return Array(masked.utf8)
}
