// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Sends requests to etcd's JSON gateway, and hands its answers back as they came.
struct EtcdTransport: Sendable {
  let outbound: Outbound
  let tls: TLSOptions

  static let bodyLimit = 8 << 20

  /// - Parameter stream: told the body as it comes. `nil` when it is wanted in the answer.
  func send(
    _ path: String, _ body: [UInt8], token: Redacted?, to base: HTTPURL, timeout: Duration,
    stream: (@Sendable ([UInt8]) -> Bool)?
  ) async throws(CancellationError) -> Result<OutboundAnswer, OutboundFailure> {
    var request = TransferRequest(
      url: base.appending(path, query: nil).text, timeout: timeout, goal: .body(limit: Self.bodyLimit),
      method: "POST", headers: headers(token))
    request.body = body
    request.connectTimeout = EtcdClient.patience / 2
    (request.tls, request.stream) = (tls, stream)
    request.origin = WorkOrigin(.group)
    return try await outbound.ask(request, .secret())
  }

  private func headers(_ token: Redacted?) -> [HeaderField] {
    var headers = [
      HeaderField("Content-Type", "application/json"),
      // A watch at a member without a leader would say nothing for ever.
      HeaderField("Grpc-Metadata-hasleader", "true"),
    ]
    if let token { headers.append(HeaderField("Authorization", token)) }
    return headers
  }
}

extension EtcdFailure {
  /// - Parameter place: name of the endpoint in messages.
  init(_ failure: OutboundFailure, at place: String) {
    self.init(failure.kind == .handshake ? .handshake : .unreachable, "\(place): \(failure.message)")
    timedOut = failure.isTimeout
  }
}
