// SPDX-License-Identifier: MIT

import Basics

extension EtcdClient {
  /// One request, and what its answer says.
  ///
  /// - Parameters:
  ///   - missing: what it means that there is no such lease; nil: a refusal.
  ///   - read: nil: the answer is not understood.
  func result<Value>(
    _ path: String, _ body: [UInt8], missing: Value? = nil, _ read: (JSONValue) -> Value?
  ) async -> Result<Value, StoreTrouble> {
    guard let answer = try? await call(path, body) else {
      return .failure(StoreTrouble(.unreachable, "stopped"))
    }
    switch answer {
    case .success(let json):
      if let missing, let error = json["error"], EtcdFailure(status: 0, error, at: "etcd").isMissing {
        return .success(missing)
      }
      return read(json).map { .success($0) }
        ?? .failure(StoreTrouble(.garbled, "etcd's answer to \(path) is not understood"))
    case .failure(let failure):
      if failure.isMissing, let missing { return .success(missing) }
      return .failure(failure.trouble)
    }
  }
}
