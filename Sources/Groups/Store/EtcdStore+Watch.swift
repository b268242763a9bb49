// SPDX-License-Identifier: MIT

import Basics

extension EtcdStore {
  package func watch(
    after revision: Int64, _ tell: @escaping @Sendable ([StoreChange]) -> Void
  ) async throws(CancellationError) -> WatchEnd {
    let span = KeySpan(from: Array(keys.head.utf8), to: EtcdKeys.end(of: keys.members))
    let end = await client.watch(span, after: revision) { events in
      let changes = changes(events)
      if !changes.isEmpty { tell(changes) }
    }
    if Task.isCancelled { throw CancellationError() }
    return end
  }

  func changes(_ events: [EtcdEvent]) -> [StoreChange] {
    events.compactMap { change($0.pair, isGone: $0.isGone) }
  }

  private func change(_ pair: EtcdPair, isGone: Bool) -> StoreChange? {
    if let name = keys.name(of: pair.key) {
      return isGone ? .gone(name: name, revision: pair.changed) : .card(entry(pair, name))
    }
    if keys.isBelowMembers(pair.key) {
      return .stray(added: isGone ? -1 : pair.created == pair.changed ? 1 : 0, revision: pair.changed)
    }
    guard pair.key == Array(keys.head.utf8) else { return nil }
    if isGone { return .noHead(revision: pair.changed) }
    guard let head = pair.value.flatMap({ ListHead(json: $0, revision: pair.changed) }) else {
      return .strangeHead(revision: pair.changed)
    }
    return .head(head, revision: pair.changed)
  }
}
