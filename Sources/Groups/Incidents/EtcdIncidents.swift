// SPDX-License-Identifier: MIT

import Basics

/// The group's data by check in an etcd: its open incidents under `{prefix}{group}/open/`, the last states of its
/// checks under `state/`; both behind the members' keys and so in no reading and no watch of theirs.
package struct EtcdIncidents: IncidentStore {
  package enum Folder: String, Sendable { case open, state }

  let client: EtcdClient
  let root: String

  package init(client: EtcdClient, prefix: String, group: String, _ folder: Folder = .open) {
    self.client = client
    root = EtcdKeys(prefix: prefix, group: group).root + folder.rawValue + "/"
  }

  private var span: KeySpan { KeySpan(below: root) }

  /// Parts of a reading; one of more has no end.
  private static let mostPages = 4096

  package func readIncidents() async -> Result<IncidentReading, StoreTrouble> {
    var reading: IncidentReading?
    var start: [UInt8]?
    for _ in 0..<Self.mostPages {
      let page: EtcdPage
      switch await client.page(span, from: start, at: reading?.revision ?? 0) {
      case .failure(let trouble): return .failure(trouble)
      case .success(let found): page = found
      }
      var whole =
        reading
        ?? IncidentReading(world: page.header.cluster, revision: page.header.revision, entries: [])
      for pair in page.pairs { take(EtcdEvent(pair), into: &whole.entries, &whole.strange) }
      reading = whole
      guard let next = page.next, whole.entries.count < IncidentEntry.most else { return .success(whole) }
      start = next
    }
    return .failure(StoreTrouble(.garbled, "there are more keys below \(root) than a group has checks"))
  }

  package func write(_ changes: [IncidentChange]) async -> Result<Int64?, StoreTrouble> {
    let body = EtcdBody.object { json in
      json.key("compare")
      json.array { json in
        for change in changes {
          EtcdBody.condition(
            &json, key(change), change.replacing == 0 ? .created(0) : .changed(change.replacing))
        }
      }
      json.key("success")
      json.array { json in
        for change in changes {
          json.object { json in
            if let value = change.value { return EtcdBody.put(&json, key(change), value) }
            json.key("request_delete_range")
            json.object { EtcdBody.range(&$0, Array(key(change).utf8)) }
          }
        }
      }
    }
    return await client.result("v3/kv/txn", body) { json in
      // What is false is left out.
      StoreMark(json).map { json["succeeded"]?.bool == true ? .some($0.revision) : .none }
    }
  }

  private func key(_ change: IncidentChange) -> String { root + change.check.description }

  package func isIdle(_ position: StorePosition, _ mark: StoreMark) -> Bool { client.isIdle(position, mark) }

  package func watchIncidents(
    after revision: Int64, _ tell: @escaping @Sendable ([IncidentEntry]) -> Void
  ) async -> WatchEnd {
    await client.watch(span, after: revision) { events in
      let entries = entries(events)
      if !entries.isEmpty { tell(entries) }
    }
  }

  func entries(_ events: [EtcdEvent]) -> [IncidentEntry] {
    var (entries, strange) = ([IncidentEntry](), StrangeKeys())
    for event in events { take(event, into: &entries, &strange) }
    return entries
  }

  /// One key, as a reading or the watch has it. A key that no agent writes is counted and passed over.
  func take(_ event: EtcdEvent, into entries: inout [IncidentEntry], _ strange: inout StrangeKeys) {
    let pair = event.pair
    guard pair.key.starts(with: root.utf8),
      let check = UniqueID(String(decoding: pair.key.dropFirst(root.utf8.count), as: UTF8.self))
    else {
      if !event.isGone { strange.add(pair.name) }
      return
    }
    entries.append(
      IncidentEntry(
        check, event.isGone ? nil : pair.value ?? [], created: pair.created, changed: pair.changed))
  }
}
