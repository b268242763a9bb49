// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

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

  /// Keys of one answer.
  private static let page = 400

  package func readIncidents() async -> Result<IncidentReading, StoreTrouble> {
    var reading: IncidentReading?
    var start = Array(root.utf8)
    for _ in 0..<(2 * IncidentEntry.most / Self.page) {
      let at = reading?.revision
      let body = EtcdBody.object { json in
        EtcdBody.range(&json, start, end: EtcdKeys.end(of: root))
        json.field("limit", String(Self.page))
        if let at { json.field("revision", String(at)) }
      }
      let range: EtcdRange
      switch await client.result("v3/kv/range", body, { EtcdRange($0) }) {
      case .failure(let trouble): return .failure(trouble)
      case .success(let found): range = found
      }
      var whole =
        reading
        ?? IncidentReading(
          world: range.header.cluster, revision: range.header.revision, entries: [])
      whole.entries += range.pairs.compactMap { entry($0, isGone: false) }
      reading = whole
      guard range.pairs.count >= Self.page, let last = range.pairs.last?.key, last.starts(with: root.utf8),
        last.count >= start.count, whole.entries.count < IncidentEntry.most
      else { return .success(whole) }
      start = last + [0]
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
      EtcdHeader(json).map { json["succeeded"]?.bool == true ? .some($0.revision) : .none }
    }
  }

  private func key(_ change: IncidentChange) -> String { root + change.check.description }

  /// `nil` for a key that is not ours.
  func entry(_ pair: EtcdPair, isGone: Bool) -> IncidentEntry? {
    guard pair.key.starts(with: root.utf8),
      let check = UniqueID(String(decoding: pair.key.dropFirst(root.utf8.count), as: UTF8.self))
    else { return nil }
    return IncidentEntry(
      check, isGone ? nil : pair.value ?? [], created: pair.created, changed: pair.changed)
  }
}

extension EtcdIncidents {
  package func watchIncidents(
    after revision: Int64, _ tell: @escaping @Sendable ([IncidentEntry]) -> Void
  ) async -> StoreTrouble? {
    let index = client.current
    let body = EtcdBody.watch(Array(root.utf8), end: EtcdKeys.end(of: root), after: revision)
    guard let token = try? await client.token(at: index) else { return nil }
    guard case .success(let shown) = token else {
      client.leave(index)
      return StoreTrouble(.unauthenticated, "the watch of \(root) has no token")
    }
    let lines = WatchLines("a watch", read: { read($0) }, tell: { if !$0.isEmpty { tell($0) } })
    let result = try? await client.transfer(
      "v3/watch", body, token: shown, at: index, timeout: EtcdClient.watchLength
    ) { lines.take($0) }
    var trouble: StoreTrouble?
    if case .trouble(let told) = lines.end { trouble = told }
    switch result {
    // It was as long as it may be; what has come meanwhile is read anew.
    case nil,
      .failure where lines.hasBegun:
      return trouble
    case .failure(let failure):
      client.leave(index)
      return failure.trouble
    case .success:
      client.leave(index)
      return trouble ?? StoreTrouble(.unreachable, "\(client.place(index)) has ended the watch")
    }
  }

  /// One line of a watch.
  func read(_ line: [UInt8]) -> WatchLine<[IncidentEntry]> {
    entries(line).map { .changes($0) } ?? .end(.trouble(StoreTrouble(.refused, "etcd has ended a watch")))
  }

  /// `nil` where the watch is over, or not understood.
  private func entries(_ line: [UInt8]) -> [IncidentEntry]? {
    guard let json = try? JSONValue.parse(line, maxDepth: StoreBounds.depth), let result = json["result"],
      result["canceled"]?.bool != true
    else { return nil }
    var entries: [IncidentEntry] = []
    for event in result["events"]?.array ?? [] {
      guard let row = event["kv"], let pair = EtcdPair(row) else { return nil }
      if let entry = entry(pair, isGone: event["type"]?.string == "DELETE") { entries.append(entry) }
    }
    return entries
  }
}
