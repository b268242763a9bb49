// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Requests to one origin, each of which may carry a key.
///
/// A request for another origin, or over plain http to anything but this machine, is not sent: the key in it belongs
/// to the configured origin alone. An answer beyond 4 MiB is no answer.
package struct OriginExchange: HTTPExchanging {
  package static let bodyLimit = 4 << 20

  private let origin: HTTPURL.Origin
  private let outbound: Outbound
  private let rules: OutboundRules

  /// - Parameters:
  ///   - base: its origin is the only one a request may go to.
  ///   - own: endpoints that untrusted checks may not reach; the origin is added to them.
  package init(to base: HTTPURL, over outbound: Outbound, own: OwnPlaces? = nil) {
    (origin, self.outbound, rules) = (base.origin, outbound, .secret(own: own))
  }

  package func exchange(_ request: APIRequest) async throws(CancellationError) -> APIReply {
    guard request.url.origin == origin else {
      return .failure("the request is for another origin than configured")
    }
    switch try await outbound.ask(transfer(request), rules) {
    case .failure(let failure): return .failure(failure.words)
    case .success(var answer):
      // A refusal is quoted to the operator, and some servers quote the key in it.
      if !(200...299).contains(answer.status) { answer.body = masking(answer.body, secretsOf: request) }
      return .response(answer)
    }
  }

  private func transfer(_ request: APIRequest) -> TransferRequest {
    var transfer = TransferRequest(
      url: request.url.text, timeout: request.timeout, goal: .body(limit: Self.bodyLimit),
      method: request.method.rawValue, headers: request.headers)
    if request.method != .get { transfer.body = request.body }
    transfer.connectTimeout = .seconds(10)
    transfer.origin = WorkOrigin(.delivery)
    return transfer
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
