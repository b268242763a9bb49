// SPDX-License-Identifier: MIT

import Basics

/// A member's request to its store. Each is one answer; only the member itself repeats one.
package enum StoreRequest: Hashable, Sendable {
  /// A lease for so many seconds.
  case grant(seconds: Int64)
  /// Puts the card under the member's name if there is none, or in place of the one of this revision.
  case claim(lease: Int64, card: MemberCard, replacing: Int64?)
  /// Everybody's cards and the head of the list; not from a member of the store that is behind.
  case read
  /// Renews the lease, and counts the cards: what a watch that has died would not tell.
  ///
  /// - Parameter known: nothing is counted where the store has not changed since; `nil`: it is in any case.
  case keepAlive(lease: Int64, known: StorePosition? = nil)
  /// Another card under the member's name, as long as this lease holds it.
  case put(lease: Int64, card: MemberCard)
  case revoke(lease: Int64)
}

package enum StoreAnswer: Hashable, Sendable {
  case granted(lease: Int64)
  case claimed(revision: Int64)
  /// Another agent's record is there.
  case occupied(StoreReading.Entry)
  case read(StoreReading)
  case alive(StoreAudit)
  /// The lease lives, and the store has not changed since everything in it was known.
  case idle(StoreMark)
  /// The lease has ended, or was never there.
  case dead
  case put(revision: Int64)
  /// Another lease holds the name, or none.
  case lost
  case revoked
  case trouble(StoreTrouble)
}

/// All that the store has of the group at one revision.
package struct StoreReading: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var name: String
    /// `nil` for a key that is no record, or is bound to no lease: it would be a member for ever.
    package var card: MemberCard?
    /// Of its last change.
    package var revision: Int64

    package init(name: String, card: MemberCard?, revision: Int64) {
      (self.name, self.card, self.revision) = (name, card, revision)
    }
  }

  package var cluster: UInt64
  package var revision: Int64
  package var mark: StoreMark { StoreMark(cluster: cluster, revision: revision) }
  package var members: [Entry]
  /// `nil` where there is no list, or none that is understood.
  package var head: ListHead?
  /// Of the key of the list's head, whatever it says; 0: there is none.
  package var headRevision: Int64 = 0
  /// Keys below `m/` that no agent could have: they count where all are counted.
  package var strays = 0

  package init(cluster: UInt64, revision: Int64, members: [Entry], head: ListHead? = nil) {
    (self.cluster, self.revision, self.members, self.head) = (cluster, revision, members, head)
    headRevision = head?.revision ?? 0
  }
}

/// The state that a complete watch leads to.
package struct StoreAudit: Hashable, Sendable {
  package var cluster: UInt64
  /// Of the store.
  package var revision: Int64
  package var mark: StoreMark { StoreMark(cluster: cluster, revision: revision) }
  package var members: Int
  /// Of the card that changed last.
  package var newest: Int64

  package init(cluster: UInt64, revision: Int64, members: Int, newest: Int64) {
    (self.cluster, self.revision, self.members, self.newest) = (cluster, revision, members, newest)
  }
}

/// One change of what is watched.
package enum StoreChange: Hashable, Sendable {
  case card(StoreReading.Entry)
  case gone(name: String, revision: Int64)
  /// A key below `m/` that no agent could have.
  case stray(added: Int, revision: Int64)
  case head(ListHead, revision: Int64)
  /// The value of its key is not understood.
  case strangeHead(revision: Int64)
  case noHead(revision: Int64)

  /// The member that it is about. `nil` for none.
  var name: ByteText? {
    switch self {
    case .card(let entry): ByteText(entry.name)
    case .gone(let name, _): ByteText(name)
    case .stray, .head, .strangeHead, .noHead: nil
    }
  }

  package var revision: Int64 {
    switch self {
    case .card(let entry): entry.revision
    case .gone(_, let revision), .stray(_, let revision), .head(_, let revision),
      .strangeHead(let revision), .noHead(let revision):
      revision
    }
  }
}

/// Why a watch has ended.
package enum WatchEnd: Hashable, Sendable {
  /// Its time is over, and nothing is wrong.
  case over
  /// The revisions that were asked for are gone.
  case compacted
  /// The answer is of another store than before.
  case otherStore
  case trouble(StoreTrouble)
}

/// Why the store does not do what it is asked, and what a person can do about it.
package struct StoreTrouble: Error, Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// No endpoint answers.
    case unreachable
    /// It answers, but one of the two does not take the other's certificate, or it speaks no TLS.
    case handshake
    /// It answers that too few of its members are there.
    case noQuorum
    /// It does not take our name and password, or wants some.
    case unauthenticated
    /// Our role does not have the prefix.
    case denied
    /// Its quota is used up: it takes no more writes.
    case noSpace
    /// The answer cannot be understood.
    case garbled
    /// Anything else it refuses.
    case refused
  }

  package var kind: Kind
  /// One line, without secrets.
  package var words: String

  package init(_ kind: Kind, _ words: String) { (self.kind, self.words) = (kind, words) }

  package var hint: String {
    switch kind {
    case .unreachable:
      "look whether etcd runs and this machine may reach it; the agent continues with its last known state"
    case .handshake:
      "group.store.tls: ca_file must have signed etcd's certificate, and etcd may ask for client_certificate and client_key"
    case .noQuorum:
      "most of etcd's members must run: etcdctl endpoint status --cluster; the agent continues with its last known state"
    case .unauthenticated: "compare group.store.user and password with: etcdctl user get"
    case .denied: "give the user's role the prefix, see docs/groups.md: etcdctl role grant-permission"
    case .noSpace: "etcd's quota is used up: etcdctl compact, defrag, then alarm disarm"
    case .garbled: "look whether group.store.etcd names an etcd of version 3.4 or newer"
    case .refused: "look at etcd's own log"
    }
  }
}

extension GroupStore {
  package var root: String? { nil }
}

/// Where a member's words go. Etcd in the agent, a store in memory in tests.
package protocol GroupStore: Sendable {
  /// Prefix of all keys of the group. `nil` where it has none.
  var root: String? { get }

  /// The answer to one request, within some seconds.
  func ask(_ request: StoreRequest) async throws(CancellationError) -> StoreAnswer

  /// Tells every change after a revision, in their order, until it ends.
  func watch(
    after revision: Int64, _ tell: @escaping @Sendable ([StoreChange]) -> Void
  ) async throws(CancellationError) -> WatchEnd

  /// Parts of the list of checks; nil: some of it is not there (any more), or cannot be understood.
  func readList(_ head: ListHead) async throws(CancellationError) -> Result<[[UInt8]], StoreTrouble>

  /// Publishes a list in place of the one with this revision of its head (0: there is none).
  ///
  /// - Returns: false where another member was first.
  func publishList(_ head: ListHead, _ parts: [[UInt8]], replacing revision: Int64)
    async throws(CancellationError) -> Result<Bool, StoreTrouble>
}

/// Value of `c/head`: the list's version, its number of parts, and how to know that it is whole.
package struct ListHead: Hashable, Sendable {
  package var version: Int64
  package var parts: Int
  /// Over all parts, in their order.
  package var sha256: String
  /// Of the key; not written.
  package var revision: Int64 = 0

  package static let mostParts = 4096

  package init(version: Int64, parts: Int, sha256: String, revision: Int64 = 0) {
    (self.version, self.parts, self.sha256, self.revision) = (version, parts, sha256, revision)
  }

  package init?(json bytes: [UInt8], revision: Int64) {
    guard bytes.count <= 1024, let json = try? JSONValue.parse(bytes, maxDepth: StoreBounds.depth),
      let version = json["version"]?.integer, (1...Int64(1) << 53).contains(version),
      let parts = json["n"]?.integer, (0...Int64(Self.mostParts)).contains(parts),
      let digest = json["sha256"]?.string, digest.utf8.count == 64
    else { return nil }
    // bounded: at most some thousands
    self.init(version: version, parts: Int(parts), sha256: digest, revision: revision)
  }

  package var json: [UInt8] {
    var json = JSONWriter(reserving: 128)
    json.object { json in
      json.field("version", version)
      json.field("n", parts)
      json.field("sha256", sha256)
    }
    return json.bytes
  }
}
