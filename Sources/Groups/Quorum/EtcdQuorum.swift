// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Votes and questions between the places, in an etcd: keys under `{prefix}v/`, for all groups with this prefix.
package struct EtcdQuorum: QuorumStore {
  let client: EtcdClient
  let root: String

  package init(client: EtcdClient, prefix: String) { (self.client, root) = (client, prefix + "v/") }

  package func grant(seconds: Int64) async -> Result<Int64, StoreTrouble> {
    await client.result("v3/lease/grant", EtcdBody.object { $0.field("TTL", String(seconds)) }) { json in
      json.etcdNumber("ID").flatMap { $0 == 0 ? nil : $0 }
    }
  }

  package func keepAlive(_ lease: Int64) async -> Result<Bool, StoreTrouble> {
    let body = EtcdBody.object { $0.field("ID", String(lease)) }
    return await client.result("v3/lease/keepalive", body, missing: false) { json in
      // What is zero is left out: a lease without time is dead.
      json["result"].flatMap { $0.etcdNumber("TTL") }.map { $0 > 0 }
    }
  }

  package func revoke(_ lease: Int64) async {
    _ = await client.result("v3/lease/revoke", EtcdBody.object { $0.field("ID", String(lease)) }) { _ in true
    }
  }

  package func readQuorum(from start: [UInt8]?, at revision: Int64) async -> Result<QuorumPage, StoreTrouble>
  {
    var answer: Result<QuorumPage, StoreTrouble> = .failure(StoreTrouble(.garbled, "nothing was read"))
    // Values that nobody else writes may be so long that a page is more than an answer may be.
    for limit in [1000, 100, 10, 1] {
      answer = await page(from: start ?? Array(root.utf8), limit: limit, at: revision)
      guard case .failure(let trouble) = answer, trouble.kind == .garbled || trouble.kind == .unreachable
      else { break }
    }
    return answer
  }

  private func page(
    from start: [UInt8], limit: Int, at revision: Int64
  ) async -> Result<QuorumPage, StoreTrouble> {
    let body = EtcdBody.object { json in
      EtcdBody.range(&json, start, end: EtcdKeys.end(of: root))
      json.field("limit", String(limit))
      if revision > 0 { json.field("revision", String(revision)) }
    }
    return await client.result("v3/kv/range", body) { page($0, after: start, at: revision) }
  }

  func page(_ json: JSONValue, after start: [UInt8], at revision: Int64) -> QuorumPage? {
    guard let header = EtcdHeader(json) else { return nil }
    let pairs = json["kvs"]?.array ?? []
    var rows = QuorumRows()
    for row in pairs { take(row, isGone: false, into: &rows) }
    (rows.growth, rows.revision) = (pairs.count, revision > 0 ? revision : header.revision)
    guard json["more"]?.bool == true else { return QuorumPage(rows, next: nil) }
    // A store that says that there is more says where, and comes to an end.
    guard let last = pairs.last?.etcdBytes("key", limit: EtcdTransport.bodyLimit),
      !last.lexicographicallyPrecedes(start), !last.isEmpty
    else { return nil }
    return QuorumPage(rows, next: last + [0])
  }

  package func audit() async -> Result<QuorumAudit, StoreTrouble> {
    let body = EtcdBody.object { json in
      EtcdBody.range(&json, Array(root.utf8), end: EtcdKeys.end(of: root))
      json.field("sort_order", "DESCEND")
      json.field("sort_target", "MOD")
      json.field("limit", "1")
      json.field("keys_only", true)
    }
    return await client.result("v3/kv/range", body) { json in
      guard EtcdHeader(json) != nil, let count = json.etcdNumber("count"),
        (0...Int64(Int32.max)).contains(count),
        let newest = (json["kvs"]?[0] ?? .null).etcdNumber("mod_revision")
      else { return nil }
      return QuorumAudit(count: Int(count), newest: newest)  // bounded: 31 bits
    }
  }

  package func put(
    _ rows: [(key: QuorumKey, value: [UInt8])], lease: Int64
  ) async -> Result<Int64?, StoreTrouble> {
    let body = EtcdBody.object { json in
      json.key("success")
      json.array { json in
        for row in rows {
          json.object { EtcdBody.put(&$0, root + row.key.path, row.value, lease: lease) }
        }
      }
    }
    return await client.result("v3/kv/txn", body, missing: .some(nil)) { EtcdHeader($0).map(\.revision) }
  }

  package func claim(
    _ key: QuorumKey, _ value: [UInt8], lease: Int64
  ) async -> Result<Int64?, StoreTrouble> {
    let name = root + key.path
    let body = EtcdBody.object { json in
      // What is not there has no lease either.
      EtcdBody.compare(&json, name, .lease(0))
      json.key("success")
      json.array { json in json.object { EtcdBody.put(&$0, name, value, lease: lease) } }
      json.key("failure")
      json.array { json in
        json.object { json in
          json.key("request_range")
          json.object { EtcdBody.range(&$0, Array(name.utf8)) }
        }
      }
    }
    return await client.result("v3/kv/txn", body) { json in
      guard let header = EtcdHeader(json) else { return nil }
      // What is false is left out.
      if json["succeeded"]?.bool == true { return header.revision }
      let row = json["responses"]?[0]?["response_range"]?["kvs"]?[0] ?? .null
      guard let holder = row.etcdNumber("lease"), let revision = row.etcdNumber("mod_revision") else {
        return nil
      }
      return .some(holder == lease ? revision : nil)
    }
  }

  package func delete(_ rows: [(key: QuorumKey, revision: Int64)]) async -> Result<Bool, StoreTrouble> {
    let body = EtcdBody.object { json in
      json.key("compare")
      json.array { json in
        for row in rows {
          EtcdBody.condition(&json, root + row.key.path, .changed(row.revision))
        }
      }
      json.key("success")
      json.array { json in
        for row in rows {
          json.object { json in
            json.key("request_delete_range")
            json.object { EtcdBody.range(&$0, Array((root + row.key.path).utf8)) }
          }
        }
      }
    }
    return await client.result("v3/kv/txn", body) { json in
      EtcdHeader(json).map { _ in json["succeeded"]?.bool ?? false }
    }
  }

  /// One key, as a reading or a watch has it. A key that no agent writes is counted and passed over.
  func take(_ row: JSONValue, isGone: Bool, into rows: inout QuorumRows) {
    guard let pair = EtcdPair(row), pair.key.starts(with: root.utf8),
      let path = String(validating: pair.key.dropFirst(root.utf8.count), as: UTF8.self),
      let key = QuorumKey(path: path), isGone || pair.value != nil
    else {
      if !isGone { rows.strange.add(Self.name(of: row)) }
      return
    }
    rows.entries.append(
      QuorumEntry(
        key, isGone ? nil : pair.value, revision: pair.changed, lease: isGone ? 0 : pair.lease))
  }

  private static func name(of row: JSONValue) -> String {
    let bytes = row["key"]?.string.flatMap { Base64.bytes($0, limit: EtcdTransport.bodyLimit) } ?? []
    return String(decoding: bytes.prefix(200), as: UTF8.self)
  }
}
