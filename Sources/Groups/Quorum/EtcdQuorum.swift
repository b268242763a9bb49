// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Synchronization

/// What the places tell each other, in an etcd: keys under `{prefix}v/`, for all groups with this prefix.
package struct EtcdQuorum: QuorumStore {
  let client: EtcdClient
  let root: String

  package init(client: EtcdClient, prefix: String) { (self.client, root) = (client, prefix + "v/") }

  package func grant(seconds: Int64) async -> Result<Int64, StoreTrouble> {
    await call("v3/lease/grant", EtcdBody.object { $0.field("TTL", String(seconds)) }) { json in
      json.etcdNumber("ID").flatMap { $0 == 0 ? nil : $0 }
    }
  }

  package func keepAlive(_ lease: Int64) async -> Result<Bool, StoreTrouble> {
    let body = EtcdBody.object { $0.field("ID", String(lease)) }
    return await call("v3/lease/keepalive", body, missing: false) { json in
      // What is zero is left out: a lease without time is dead.
      json["result"].flatMap { $0.etcdNumber("TTL") }.map { $0 > 0 }
    }
  }

  package func revoke(_ lease: Int64) async {
    _ = await call("v3/lease/revoke", EtcdBody.object { $0.field("ID", String(lease)) }) { _ in true }
  }

  package func readQuorum() async -> Result<(entries: [QuorumEntry], revision: Int64), StoreTrouble> {
    let body = EtcdBody.object { EtcdBody.range(&$0, Array(root.utf8), end: EtcdKeys.end(of: root)) }
    return await call("v3/kv/range", body) { json in
      guard let range = EtcdRange(json) else { return nil }
      return (range.pairs.compactMap { entry($0, isGone: false) }, range.header.revision)
    }
  }

  package func put(_ key: QuorumKey, _ value: [UInt8], lease: Int64) async -> Result<Int64, StoreTrouble> {
    let body = EtcdBody.object { json in
      json.field("key", Base64.text((root + key.path).utf8))
      json.field("value", Base64.text(value))
      json.field("lease", String(lease))
    }
    return await call("v3/kv/put", body) { EtcdHeader($0)?.revision }
  }

  package func create(_ key: QuorumKey, _ value: [UInt8], lease: Int64) async -> Result<Bool, StoreTrouble> {
    let name = root + key.path
    let body = EtcdBody.object { json in
      EtcdBody.compare(&json, name, .created(0))
      json.key("success")
      json.array { json in json.object { EtcdBody.put(&$0, name, value, lease: lease) } }
    }
    return await call("v3/kv/txn", body) { json in
      // What is false is left out.
      EtcdHeader(json).map { _ in json["succeeded"]?.bool ?? false }
    }
  }

  package func delete(_ key: QuorumKey) async -> Result<Void, StoreTrouble> {
    let body = EtcdBody.object { EtcdBody.range(&$0, Array((root + key.path).utf8)) }
    return await call("v3/kv/deleterange", body) { _ in () }
  }

  /// - Parameter missing: what it means that there is no such lease; nil: a refusal.
  private func call<Value>(
    _ path: String, _ body: [UInt8], missing: Value? = nil, _ read: (JSONValue) -> Value?
  ) async -> Result<Value, StoreTrouble> {
    guard let answer = try? await client.call(path, body) else {
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

  /// Nil: nothing of ours.
  func entry(_ pair: EtcdPair, isGone: Bool) -> QuorumEntry? {
    guard pair.key.starts(with: root.utf8),
      let path = String(validating: pair.key.dropFirst(root.utf8.count), as: UTF8.self),
      let key = QuorumKey(path: path)
    else { return nil }
    return QuorumEntry(key, isGone ? nil : pair.value ?? [], revision: pair.changed)
  }
}

// A watch is one answer that does not end: a JSON object a line.
extension EtcdQuorum {
  package func watchQuorum(
    after revision: Int64, _ tell: @escaping @Sendable ([QuorumEntry]) -> Void
  ) async -> StoreTrouble? {
    let index = client.current
    let body = EtcdBody.object { json in
      json.key("create_request")
      json.object { json in
        EtcdBody.range(&json, Array(root.utf8), end: EtcdKeys.end(of: root))
        json.field("start_revision", String(revision.bounded(plus: 1)))
      }
    }
    guard let token = try? await client.token(at: index) else { return nil }
    guard case .success(let shown) = token else {
      client.leave(index)
      return StoreTrouble(.unauthenticated, "the watch of the places has no token")
    }
    let lines = QuorumLines(self, tell)
    let result = try? await client.transfer(
      "v3/watch", body, token: shown, at: index, timeout: EtcdClient.watchLength
    ) { lines.take($0) }
    switch result {
    // It was as long as it may be; what has come meanwhile is read anew.
    case nil,
      .failure where lines.hasBegun:
      return lines.trouble
    case .failure(let failure):
      client.leave(index)
      return failure.trouble
    case .success:
      client.leave(index)
      return lines.trouble ?? StoreTrouble(.unreachable, "\(client.place(index)) has ended the watch")
    }
  }

  /// Nil: the watch is over, or not understood.
  fileprivate func read(_ line: [UInt8]) -> [QuorumEntry]? {
    guard let json = try? JSONValue.parse(line, maxDepth: StoreBounds.depth), let result = json["result"],
      result["canceled"]?.bool != true
    else { return nil }
    var entries: [QuorumEntry] = []
    for event in result["events"]?.array ?? [] {
      guard let row = event["kv"], let pair = EtcdPair(row) else { return nil }
      if let entry = entry(pair, isGone: event["type"]?.string == "DELETE") { entries.append(entry) }
    }
    return entries
  }
}

/// Puts the pieces of a watch's body together to lines, on the engine's thread.
private final class QuorumLines: Sendable {
  /// Bytes of a line.
  private static let most = 4 << 20

  private let store: EtcdQuorum
  private let tell: @Sendable ([QuorumEntry]) -> Void
  private let state = Mutex(State())

  private struct State {
    var rest: [UInt8] = []
    var hasBegun = false
    var trouble: StoreTrouble?
  }

  init(_ store: EtcdQuorum, _ tell: @escaping @Sendable ([QuorumEntry]) -> Void) {
    (self.store, self.tell) = (store, tell)
  }

  var hasBegun: Bool { state.withLock { $0.hasBegun } }
  var trouble: StoreTrouble? { state.withLock { $0.trouble } }

  /// - Returns: false: the watch is over.
  func take(_ bytes: [UInt8]) -> Bool {
    let lines = state.withLock { state -> [[UInt8]] in
      state.rest += bytes
      var parts = state.rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      // What has no end yet.
      state.rest = parts.popLast().map { Array($0) } ?? []
      if state.rest.count > Self.most {
        state.trouble = StoreTrouble(.garbled, "a line of the places' watch is longer than 4 MiB")
      }
      return parts.filter { !$0.isEmpty }.map { Array($0) }
    }
    for line in lines {
      guard let entries = store.read(line) else {
        state.withLock {
          $0.trouble = $0.trouble ?? StoreTrouble(.refused, "etcd has ended the places' watch")
        }
        return false
      }
      state.withLock { $0.hasBegun = true }
      if !entries.isEmpty { tell(entries) }
    }
    return trouble == nil
  }
}
