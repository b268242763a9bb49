// SPDX-License-Identifier: MIT

import Curl
import Foundation
import TestSupport
import Testing

/// A request to a server on loopback. The URL names `good.test`: nothing may ever look it up.
func request(
  _ port: UInt16, _ path: String = "/", scheme: String = "http",
  goal: TransferRequest.Goal = .body(limit: 65_536),
  timeout: Duration = .seconds(10)
) -> TransferRequest {
  TransferRequest(
    url: "\(scheme)://good.test:\(port)\(path)", plan: .address("127.0.0.1", port: port), timeout: timeout,
    goal: goal)
}

/// One engine, one transfer.
func transfer(_ request: TransferRequest, trust: TrustStore = TrustStore()) async throws -> TransferReport {
  try await withCurlEngine(trust: trust) { try await $0.perform(request) }
}

extension TransferReport {
  var text: String { String(decoding: body, as: UTF8.self) }
}

/// Descriptors this process has open.
func openDescriptors() throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
