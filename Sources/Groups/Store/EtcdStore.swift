// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A group's keys in an etcd.
package struct EtcdStore: GroupStore {
  let client: EtcdClient
  let keys: EtcdKeys
  /// This member's.
  let name: String

  package init(client: EtcdClient, keys: EtcdKeys, name: String) {
    (self.client, self.keys, self.name) = (client, keys, name)
  }

  package func ask(_ request: StoreRequest) async throws(CancellationError) -> StoreAnswer {
    switch request {
    case .grant(let seconds): try await grant(seconds)
    case .claim(let lease, let card, let revision): try await claim(lease, card, replacing: revision)
    case .read: try await read()
    case .keepAlive(let lease): try await keepAlive(lease)
    case .put(let lease, let card): try await put(lease, card)
    case .revoke(let lease): try await revoke(lease)
    }
  }

  private func grant(_ seconds: Int64) async throws(CancellationError) -> StoreAnswer {
    let body = EtcdBody.object { $0.field("TTL", String(seconds)) }
    switch try await client.call("v3/lease/grant", body) {
    case .failure(let failure): return .trouble(failure.trouble)
    case .success(let json):
      guard let lease = json.etcdNumber("ID"), lease != 0 else { return garbled("a lease") }
      return .granted(lease: lease)
    }
  }

  private func garbled(_ what: String) -> StoreAnswer {
    .trouble(StoreTrouble(.garbled, "etcd's answer is not understood as \(what)"))
  }

  private func claim(
    _ lease: Int64, _ card: MemberCard, replacing revision: Int64?
  ) async throws(CancellationError) -> StoreAnswer {
    let key = keys.member(name)
    let body = EtcdBody.object { json in
      EtcdBody.compare(&json, key, revision.map { .changed($0) } ?? .created(0))
      json.key("success")
      json.array { json in json.object { EtcdBody.put(&$0, key, card.json, lease: lease) } }
      json.key("failure")
      json.array { json in
        json.object { json in
          json.key("request_range")
          json.object { EtcdBody.range(&$0, Array(key.utf8)) }
        }
      }
    }
    switch try await client.call("v3/kv/txn", body) {
    case .failure(let failure): return failure.isMissing ? .dead : .trouble(failure.trouble)
    case .success(let json):
      guard let header = EtcdHeader(json) else { return garbled("a claim") }
      if json["succeeded"]?.bool == true { return .claimed(revision: header.revision) }
      guard let row = json["responses"]?[0]?["response_range"],
        let range = EtcdRange(row, header: header)
      else { return garbled("a claim") }
      // Gone again meanwhile: the next claim finds it free.
      guard let pair = range.pairs.first else { return .lost }
      return .occupied(entry(pair, name))
    }
  }

  func entry(_ pair: EtcdPair, _ name: String) -> StoreReading.Entry {
    StoreReading.Entry(
      name: name, card: pair.value.flatMap { MemberCard(json: $0) }, revision: pair.changed)
  }

  private func read() async throws(CancellationError) -> StoreAnswer {
    // One range from the list's head to the last card: one revision for both.
    let body = EtcdBody.object {
      EtcdBody.range(&$0, Array(keys.head.utf8), end: EtcdKeys.end(of: keys.members))
    }
    switch try await client.call("v3/kv/range", body) {
    case .failure(let failure): return .trouble(failure.trouble)
    case .success(let json):
      guard let range = EtcdRange(json) else { return garbled("a range") }
      var reading = StoreReading(cluster: range.header.cluster, revision: range.header.revision, members: [])
      for pair in range.pairs {
        if let name = keys.name(of: pair.key) {
          reading.members.append(entry(pair, name))
        } else if pair.key == Array(keys.head.utf8) {
          reading.head = pair.value.flatMap { ListHead(json: $0, revision: pair.changed) }
        }
      }
      return .read(reading)
    }
  }

  private func keepAlive(_ lease: Int64) async throws(CancellationError) -> StoreAnswer {
    let body = EtcdBody.object { $0.field("ID", String(lease)) }
    switch try await client.call("v3/lease/keepalive", body) {
    case .failure(let failure): return failure.isMissing ? .dead : .trouble(failure.trouble)
    case .success(let json):
      // A stream's first message, wrapped as such.
      guard let result = json["result"] else {
        let failure = EtcdFailure(status: 0, json["error"], at: "etcd")
        return failure.isMissing ? .dead : .trouble(failure.trouble)
      }
      // What is zero is left out: a lease without time is dead.
      guard let ttl = result.etcdNumber("TTL") else { return garbled("a renewal") }
      return ttl > 0 ? try await audit() : .dead
    }
  }

  private func audit() async throws(CancellationError) -> StoreAnswer {
    let body = EtcdBody.object { json in
      EtcdBody.range(&json, Array(keys.members.utf8), end: EtcdKeys.end(of: keys.members))
      json.field("sort_order", "DESCEND")
      json.field("sort_target", "MOD")
      json.field("limit", "1")
      json.field("keys_only", true)
    }
    switch try await client.call("v3/kv/range", body) {
    case .failure(let failure): return .trouble(failure.trouble)
    case .success(let json):
      guard let range = EtcdRange(json) else { return garbled("a range") }
      return .alive(
        StoreAudit(
          cluster: range.header.cluster, revision: range.header.revision, members: range.count,
          newest: range.pairs.first?.changed ?? 0))
    }
  }

  private func put(_ lease: Int64, _ card: MemberCard) async throws(CancellationError) -> StoreAnswer {
    let key = keys.member(name)
    let body = EtcdBody.object { json in
      EtcdBody.compare(&json, key, .lease(lease))
      json.key("success")
      json.array { json in json.object { EtcdBody.put(&$0, key, card.json, lease: lease) } }
    }
    switch try await client.call("v3/kv/txn", body) {
    case .failure(let failure): return failure.isMissing ? .lost : .trouble(failure.trouble)
    case .success(let json):
      guard let header = EtcdHeader(json) else { return garbled("a put") }
      return json["succeeded"]?.bool == true ? .put(revision: header.revision) : .lost
    }
  }

  private func revoke(_ lease: Int64) async throws(CancellationError) -> StoreAnswer {
    let body = EtcdBody.object { $0.field("ID", String(lease)) }
    switch try await client.call("v3/lease/revoke", body) {
    case .failure(let failure): return failure.isMissing ? .revoked : .trouble(failure.trouble)
    case .success: return .revoked
    }
  }
}
