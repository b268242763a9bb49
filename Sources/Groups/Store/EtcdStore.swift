// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// A group's keys in an etcd.
package struct EtcdStore: GroupStore {
  let client: EtcdClient
  let keys: EtcdKeys
  /// This member's.
  let name: String
  private let audits = AuditPace()

  package init(client: EtcdClient, keys: EtcdKeys, name: String) {
    (self.client, self.keys, self.name) = (client, keys, name)
  }

  package var root: String? { keys.root }

  package func ask(_ request: StoreRequest) async throws(CancellationError) -> StoreAnswer {
    switch request {
    case .grant(let seconds): try await grant(seconds)
    case .claim(let lease, let card, let revision): try await claim(lease, card, replacing: revision)
    case .read: try await read()
    case .keepAlive(let lease, let known): try await keepAlive(lease, known)
    case .put(let lease, let card): try await put(lease, card)
    case .revoke(let lease): try await revoke(lease)
    }
  }

  private func grant(_ seconds: Int64) async throws(CancellationError) -> StoreAnswer {
    let body = EtcdBody.object { $0.field("TTL", String(seconds)) }
    switch try await client.call("v3/lease/grant", body) {
    case .failure(let failure): return .trouble(failure.trouble)
    case .success(let json): return granted(json)
    }
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
    case .success(let json): return claimed(json)
    }
  }

  private func read() async throws(CancellationError) -> StoreAnswer {
    // One range from the list's head to the last card: one revision for both.
    let body = EtcdBody.object {
      EtcdBody.range(&$0, Array(keys.head.utf8), end: EtcdKeys.end(of: keys.members))
    }
    switch try await client.call("v3/kv/range", body, patience: EtcdClient.longPatience) {
    case .failure(let failure): return .trouble(failure.trouble)
    case .success(let json): return reading(json)
    }
  }

  private func keepAlive(
    _ lease: Int64, _ known: StorePosition?
  ) async throws(CancellationError) -> StoreAnswer {
    let body = EtcdBody.object { $0.field("ID", String(lease)) }
    switch try await client.call("v3/lease/keepalive", body) {
    case .failure(let failure): return failure.isMissing ? .dead : .trouble(failure.trouble)
    case .success(let json):
      if let answer = renewed(json) { return answer }
      // The revision is of before the renewal, at the member that was asked.
      if let known, let mark = json["result"].flatMap({ StoreMark($0) }), client.isIdle(known, mark) {
        return .idle(mark)
      }
      return try await audit()
    }
  }

  private func audit() async throws(CancellationError) -> StoreAnswer {
    let isWhole = audits.isWholeDue
    let body = EtcdBody.object { json in
      EtcdBody.range(&json, Array(keys.members.utf8), end: EtcdKeys.end(of: keys.members))
      guard isWhole else { return json.field("count_only", true) }
      json.field("sort_order", "DESCEND")
      json.field("sort_target", "MOD")
      json.field("limit", "1")
      json.field("keys_only", true)
    }
    switch try await client.call("v3/kv/range", body) {
    case .failure(let failure): return .trouble(failure.trouble)
    case .success(let json):
      let answer = audited(json)
      if case .alive(let audit) = answer { audits.found(audit.members) }
      return answer
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
    case .success(let json): return putDone(json)
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

/// How closely a group is looked at with each proof of the lease. Etcd reads and sorts all cards to tell the newest, which
/// in a group of a thousand is most of what it does: there most looks only count the cards.
private final class AuditPace: Sendable {
  private let state = Mutex((members: 0, looks: 0))

  var isWholeDue: Bool {
    state.withLock { state in
      state.looks &+= 1
      return state.members <= 50 || state.looks % 16 == 0
    }
  }

  func found(_ members: Int) { state.withLock { $0.members = members } }
}
