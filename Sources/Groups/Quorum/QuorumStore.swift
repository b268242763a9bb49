// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What the places tell each other, all under `v/` and the check's id: what each found, and who wants the others to look.
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

  /// Nil: nothing of ours.
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
  /// Nil: it is gone.
  package var value: [UInt8]?
  /// Of the change.
  package var revision: Int64

  package init(_ key: QuorumKey, _ value: [UInt8]?, revision: Int64) {
    (self.key, self.value, self.revision) = (key, value, revision)
  }
}

/// Where the places tell each other. Etcd in the agent, a store in memory in tests. Every call ends within some seconds.
package protocol QuorumStore: Sendable {
  /// A lease for so many seconds; what is put with it goes with it.
  func grant(seconds: Int64) async -> Result<Int64, StoreTrouble>
  /// False: it has ended.
  func keepAlive(_ lease: Int64) async -> Result<Bool, StoreTrouble>
  /// All there is, and the revision it is of.
  func readQuorum() async -> Result<(entries: [QuorumEntry], revision: Int64), StoreTrouble>
  /// The revision of the change.
  func put(_ key: QuorumKey, _ value: [UInt8], lease: Int64) async -> Result<Int64, StoreTrouble>
  /// Puts it unless something is there. False: something is.
  func create(_ key: QuorumKey, _ value: [UInt8], lease: Int64) async -> Result<Bool, StoreTrouble>
  func delete(_ key: QuorumKey) async -> Result<Void, StoreTrouble>
  /// Tells every change after a revision until it ends; then everything is to be read anew.
  func watchQuorum(
    after revision: Int64, _ tell: @escaping @Sendable ([QuorumEntry]) -> Void
  ) async -> StoreTrouble?
}
