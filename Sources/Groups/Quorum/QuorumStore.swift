// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Keys that the places exchange, all under `v/` and the check's id: each place's vote, and its questions to the
/// others.
package enum QuorumKey: Hashable, Sendable {
  /// `{check}/v/{place}`
  case vote(check: UniqueID, place: String)
  /// `{check}/ask/{place}`
  case question(check: UniqueID, place: String)
  /// `{check}/i`: who tells people.
  case incident(check: UniqueID)

  /// Behind the prefix.
  package var path: String {
    switch self {
    case .vote(let check, let place): "\(check)/v/\(place)"
    case .question(let check, let place): "\(check)/ask/\(place)"
    case .incident(let check): "\(check)/i"
    }
  }

  /// `nil` for a key that is not ours.
  package init?(path: some StringProtocol) {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
    guard let check = parts.first.flatMap({ UniqueID(String(decoding: $0, as: UTF8.self)) }) else {
      return nil
    }
    switch (parts.count, parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "") {
    case (2, "i"): self = .incident(check: check)
    case (3, let kind):
      let place = String(decoding: parts[2], as: UTF8.self)
      guard ConfirmSettings.isPlace(place) else { return nil }
      switch kind {
      case "v": self = .vote(check: check, place: place)
      case "ask": self = .question(check: check, place: place)
      default: return nil
      }
    default: return nil
    }
  }

  package var check: UniqueID {
    switch self {
    case .vote(let check, _), .question(let check, _), .incident(let check): check
    }
  }
}

/// One of them, as the store has it.
package struct QuorumEntry: Hashable, Sendable {
  package var key: QuorumKey
  /// `nil` where the key was deleted.
  package var value: [UInt8]?
  /// Of the change.
  package var revision: Int64
  /// That it lives with; 0 where it is gone.
  package var lease: Int64

  package init(_ key: QuorumKey, _ value: [UInt8]?, revision: Int64, lease: Int64) {
    (self.key, self.value, self.revision, self.lease) = (key, value, revision, lease)
  }
}

/// Some keys of a reading, or some changes.
package struct QuorumRows: Hashable, Sendable {
  package var entries: [QuorumEntry] = []
  package var strange = StrangeKeys()
  /// By how many keys there are more with them, understood or not.
  package var growth = 0
  /// Of a reading: what it is of. Of changes: of the newest; 0: nothing has changed.
  package var revision: Int64 = 0

  package init() {}
}

/// A part of a reading.
package struct QuorumPage: Hashable, Sendable {
  package var rows: QuorumRows
  /// Where the next part begins; nil: this was the last.
  package var next: [UInt8]?
  /// Of the store.
  package var cluster: UInt64

  package init(_ rows: QuorumRows, next: [UInt8]?, cluster: UInt64 = 0) {
    (self.rows, self.next, self.cluster) = (rows, next, cluster)
  }
}

/// The state that a complete watch leads to.
package struct QuorumAudit: Hashable, Sendable {
  /// Keys that there are.
  package var count: Int
  /// Revision of the one that changed last; 0: there is none.
  package var newest: Int64
  /// Of the store. `nil` where it does not say.
  package var mark: StoreMark?

  package init(count: Int, newest: Int64, mark: StoreMark? = nil) {
    (self.count, self.newest, self.mark) = (count, newest, mark)
  }
}

/// Where the places tell each other. Etcd in the agent, a store in memory in tests. Every call but the watch ends within
/// some seconds.
package protocol QuorumStore: Sendable {
  /// A part of all there is.
  ///
  /// - Parameters:
  ///   - start: what the part before says; nil: from the first key.
  ///   - revision: of the first part, for the others to be of the same; 0: the newest.
  func readQuorum(from start: [UInt8]?, at revision: Int64) async -> Result<QuorumPage, StoreTrouble>
  func audit() async -> Result<QuorumAudit, StoreTrouble>
  /// All or none, at most `quorumBatch`, each key once.
  ///
  /// - Returns: the revision of the change; nil: the lease has ended.
  func put(_ rows: [(key: QuorumKey, value: [UInt8])], lease: Int64) async -> Result<Int64?, StoreTrouble>
  /// Puts it unless a key with another lease is there. A key without a lease has no owner, and is replaced.
  ///
  /// - Returns: the revision of the key with this lease; `nil` where it has another.
  func claim(_ key: QuorumKey, _ value: [UInt8], lease: Int64) async -> Result<Int64?, StoreTrouble>
  /// All or none, at most `quorumBatch`, each as long as it is of this revision. False: something is not.
  func delete(_ rows: [(key: QuorumKey, revision: Int64)]) async -> Result<Bool, StoreTrouble>
  /// Whether the store has not changed since everything in it was known.
  func isIdle(_ position: StorePosition, _ mark: StoreMark) -> Bool
  /// Tells every change after a revision, in their order, until it ends.
  func watchQuorum(
    after revision: Int64, _ tell: @escaping @Sendable (QuorumRows) -> Void
  ) async -> WatchEnd
}

/// Keys that are written at once: an etcd takes 128 operations.
let quorumBatch = 64
