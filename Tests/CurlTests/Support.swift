// SPDX-License-Identifier: MIT

import Basics
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
    url: "\(scheme)://good.test:\(port)\(path)", plan: .address(SocketAddress(.v4(0x7f00_0001), port: port)),
    timeout: timeout,
    goal: goal)
}

extension SocketAddress {
  init(_ literal: String, _ port: UInt16) throws {
    self.init(try #require(IPAddress(literal)), port: port)
  }
}

/// One engine, one transfer.
func transfer(_ request: TransferRequest, trust: TrustStore = TrustStore()) async throws -> TransferReport {
  try await withCurlEngine(trust: trust) { try await $0.perform(request) }
}

extension TransferReport {
  var text: String { String(decoding: body, as: UTF8.self) }
}

/// Runs the body on the thread of a loop, where the engine's parts live.
func onLoop<Value: Sendable>(
  _ body: @escaping @Sendable (LoopThread) throws -> Value
) async throws -> Value {
  let loop = try EventLoop("test")
  let outcome = await withCheckedContinuation {
    (reply: CheckedContinuation<Result<Value, any Error>, Never>) in
    loop.admit { thread in
      reply.resume(returning: Result { try body(thread) })
      return Visitor()
    }
  }
  await loop.shutdown()
  return try outcome.get()
}

/// Leaves as soon as it is asked what it wants.
private final class Visitor: LoopGuest {
  var watched: Int { 0 }
  var isIdle: Bool { true }
  func ready(_ key: UInt64, _ events: UInt32, at now: Instant) {}
  func turn() -> LoopWish { .leave }
  func end() {}
}
