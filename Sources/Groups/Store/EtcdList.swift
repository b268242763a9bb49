// SPDX-License-Identifier: MIT

import Basics

// The list of checks in the store: parts under its version, which nobody reads before the head names them.
extension EtcdStore {
  /// Parts in one answer: at most 1.4 MB of it.
  private static let batch = 16

  package func readList(_ head: ListHead) async throws(CancellationError) -> Result<[[UInt8]], StoreTrouble> {
    var parts: [[UInt8]] = []
    while parts.count < head.parts {
      let body = EtcdBody.object { json in
        EtcdBody.range(
          &json, Array(keys.part(head.version, parts.count).utf8),
          end: Array(keys.part(head.version, head.parts).utf8))
        json.field("limit", String(Self.batch))
      }
      switch try await client.call("v3/kv/range", body) {
      case .failure(let failure): return .failure(failure.trouble)
      case .success(let json):
        guard let range = EtcdRange(json) else { return .failure(unclear("a range")) }
        let values = range.pairs.compactMap(\.value)
        guard !values.isEmpty, values.count == range.pairs.count else { return .failure(unclear("the list")) }
        parts += values
      }
    }
    guard parts.count == head.parts, isSame(sha256Text(parts.flatMap(\.self)), head.sha256) else {
      return .failure(unclear("the list: its parts are not those of its head"))
    }
    return .success(parts)
  }

  private func isSame(_ left: String, _ right: String) -> Bool { ByteText(left) == ByteText(right) }

  private func unclear(_ what: String) -> StoreTrouble {
    StoreTrouble(.garbled, "etcd's answer is not understood as \(what)")
  }

  package func publishList(
    _ head: ListHead, _ parts: [[UInt8]], replacing revision: Int64
  ) async throws(CancellationError) -> Result<Bool, StoreTrouble> {
    for (number, part) in parts.enumerated() {
      let body = EtcdBody.object { json in
        json.field("key", Base64.text(keys.part(head.version, number).utf8))
        json.field("value", Base64.text(part))
      }
      if case .failure(let failure) = try await client.call("v3/kv/put", body) {
        return .failure(failure.trouble)
      }
    }
    let body = EtcdBody.object { json in
      EtcdBody.compare(&json, keys.head, revision == 0 ? .created(0) : .changed(revision))
      json.key("success")
      json.array { json in json.object { EtcdBody.put(&$0, keys.head, head.json, tellsPrevious: true) } }
    }
    var before: ListHead?
    switch try await client.call("v3/kv/txn", body) {
    case .failure(let failure): return .failure(failure.trouble)
    case .success(let json):
      guard json["succeeded"]?.bool == true else { return .success(false) }
      let row = json["responses"]?[0]?["response_put"]?["prev_kv"]
      before = row.flatMap { EtcdPair($0) }?.value.flatMap { ListHead(json: $0, revision: 0) }
    }
    // The version before stays: somebody may be reading it. What cannot be taken away now is taken away with the next.
    guard let before, before.version < head.version else { return .success(true) }
    let old = EtcdBody.object { json in
      EtcdBody.range(
        &json, Array(keys.allParts.utf8), end: Array(keys.parts(before: before.version).utf8))
    }
    _ = try await client.call("v3/kv/deleterange", old)
    return .success(true)
  }
}
