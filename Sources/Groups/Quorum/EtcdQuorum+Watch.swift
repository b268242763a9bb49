// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

extension EtcdQuorum {
  package func watchQuorum(
    after revision: Int64, _ tell: @escaping @Sendable (QuorumRows) -> Void
  ) async -> WatchEnd {
    let index = client.current
    let body = EtcdBody.watch(Array(root.utf8), end: EtcdKeys.end(of: root), after: revision)
    guard let token = try? await client.token(at: index) else { return .over }
    guard case .success(let shown) = token else {
      client.leave(index)
      return .trouble(StoreTrouble(.unauthenticated, "the watch of the places has no token"))
    }
    let lines = WatchLines(
      "the places' watch", read: { read($0) }, tell: { if $0.revision > 0 { tell($0) } })
    let result = try? await client.transfer(
      "v3/watch", body, token: shown, at: index, timeout: EtcdClient.watchLength
    ) { lines.take($0) }
    if let end = lines.end { return end }
    switch result {
    case nil: return .over
    case .failure(let failure):
      // It was as long as it may be.
      if lines.hasBegun, failure.timedOut { return .over }
      client.leave(index)
      return .trouble(failure.trouble)
    case .success:
      client.leave(index)
      return .trouble(StoreTrouble(.unreachable, "\(client.place(index)) has ended the watch"))
    }
  }

  /// One line of a watch.
  func read(_ line: [UInt8]) -> WatchLine<QuorumRows> {
    guard let json = try? JSONValue.parse(line, maxDepth: StoreBounds.depth), let result = json["result"]
    else { return .end(.trouble(StoreTrouble(.garbled, "a line of the places' watch is not understood"))) }
    guard result["canceled"]?.bool != true else {
      guard result.etcdNumber("compact_revision") ?? 0 <= 0 else { return .end(.compacted) }
      return .end(.trouble(StoreTrouble(.refused, "etcd has ended the places' watch")))
    }
    var rows = QuorumRows()
    for event in result["events"]?.array ?? [] {
      guard let row = event["kv"], let changed = row.etcdNumber("mod_revision"), changed > 0 else {
        return .end(.trouble(StoreTrouble(.garbled, "an event of the places' watch is not understood")))
      }
      let isGone = event["type"]?.string == "DELETE"
      take(row, isGone: isGone, into: &rows)
      rows.revision = max(rows.revision, changed)
      if isGone { rows.growth -= 1 }  // bounded: as many as are in memory
      if !isGone, row.etcdNumber("create_revision") == changed { rows.growth += 1 }  // bounded: likewise
    }
    return .changes(rows)
  }
}
