// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Votes and questions between the places, in an etcd: keys under `{prefix}v/`, for all groups with this prefix.
package struct EtcdQuorum: QuorumStore {
  let client: EtcdClient
  let root: String

  package init(client: EtcdClient, prefix: String) { (self.client, root) = (client, prefix + "v/") }

  private var span: KeySpan { KeySpan(below: root) }

  package func readQuorum(from start: [UInt8]?, at revision: Int64) async -> Result<QuorumPage, StoreTrouble>
  {
    await client.page(span, from: start, at: revision).map { page($0, at: revision) }
  }

  func page(_ page: EtcdPage, at revision: Int64) -> QuorumPage {
    var rows = QuorumRows()
    for pair in page.pairs { take(EtcdEvent(pair), into: &rows) }
    (rows.growth, rows.revision) = (page.pairs.count, revision > 0 ? revision : page.header.revision)
    return QuorumPage(rows, next: page.next, cluster: page.header.cluster)
  }

  package func isIdle(_ position: StorePosition, _ mark: StoreMark) -> Bool { client.isIdle(position, mark) }

  package func watchQuorum(
    after revision: Int64, _ tell: @escaping @Sendable (QuorumRows) -> Void
  ) async -> WatchEnd {
    await client.watch(span, after: revision) { tell(rows($0)) }
  }

  func rows(_ events: [EtcdEvent]) -> QuorumRows {
    var rows = QuorumRows()
    for event in events {
      take(event, into: &rows)
      rows.revision = max(rows.revision, event.pair.changed)
      if event.isGone { rows.growth -= 1 }  // bounded: as many as are in memory
      if !event.isGone, event.pair.created == event.pair.changed { rows.growth += 1 }  // bounded: likewise
    }
    return rows
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
      guard let mark = StoreMark(json), let count = json.etcdNumber("count"),
        (0...Int64(Int32.max)).contains(count),
        let newest = (json["kvs"]?[0] ?? .null).etcdNumber("mod_revision")
      else { return nil }
      return QuorumAudit(count: Int(count), newest: newest, mark: mark)  // bounded: 31 bits
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
    return await client.result("v3/kv/txn", body, missing: .some(nil)) { StoreMark($0).map(\.revision) }
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
      guard let header = StoreMark(json) else { return nil }
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
      StoreMark(json).map { _ in json["succeeded"]?.bool ?? false }
    }
  }

  /// One key, as a reading or a watch has it. A key that no agent writes is counted and passed over.
  private func take(_ event: EtcdEvent, into rows: inout QuorumRows) {
    let pair = event.pair
    guard pair.key.starts(with: root.utf8),
      let path = String(validating: pair.key.dropFirst(root.utf8.count), as: UTF8.self),
      let key = QuorumKey(path: path), event.isGone || pair.value != nil
    else {
      if !event.isGone { rows.strange.add(pair.name) }
      return
    }
    rows.entries.append(
      QuorumEntry(
        key, event.isGone ? nil : pair.value, revision: pair.changed, lease: event.isGone ? 0 : pair.lease))
  }
}
