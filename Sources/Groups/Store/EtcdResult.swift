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

  /// Part of all keys of a span.
  ///
  /// - Parameters:
  ///   - start: where the part before ended; `nil` for the first part.
  ///   - revision: of the first part, for the others to be of the same; 0: the newest.
  func page(
    _ span: KeySpan, from start: [UInt8]?, at revision: Int64
  ) async -> Result<EtcdPage, StoreTrouble> {
    let start = start ?? span.start
    var answer: Result<EtcdPage, StoreTrouble> = .failure(StoreTrouble(.garbled, "nothing was read"))
    // Values that no agent writes may be so long that a page is more than an answer may be.
    for limit in [1000, 100, 10, 1] {
      let body = EtcdBody.object { json in
        EtcdBody.range(&json, start, end: span.end)
        json.field("limit", String(limit))
        if revision > 0 { json.field("revision", String(revision)) }
      }
      answer = await result("v3/kv/range", body) { EtcdPage($0, after: start) }
      guard case .failure(let trouble) = answer, trouble.kind == .garbled || trouble.kind == .unreachable
      else { break }
    }
    return answer
  }
}
