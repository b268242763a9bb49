// SPDX-License-Identifier: MIT

import Basics

/// A member's record in the store, under `m/` and its name.
package struct MemberCard: Hashable, Sendable {
  /// Of the process: a new one with each start.
  package var boot = UniqueID(high: 0, low: 0)
  /// Of the state directory, which only one process has at a time: who comes with the same is the same agent again.
  package var home = UniqueID(high: 0, low: 0)
  package var version = ""
  /// 0: it is leaving, and takes nothing.
  package var weight = 1
  /// Where its status server is; never dialled for a probe.
  package var url: String?
  /// The revision of the newest view that it has put into effect; 0: none yet.
  package var applied: Int64 = 0
  /// It goes on with checks of others until these put a card that is newer than this revision; 0: it does not. See
  /// `GroupMember.Held.after`.
  package var waits: Int64 = 0
  /// Its wall clock when this was written, milliseconds since 1970.
  package var clock: Int64 = 0
  /// It may pull the list of checks from the API.
  package var pulls = false
  /// Its configuration has a section `alerts`.
  package var alerts = true
  /// Digests of its copy of the API's list and of the checks of its file that it shares: only members that agree divide
  /// them.
  package var pools = Pools()

  /// Two digests, one for each source of checks; empty: it has no such checks.
  package struct Pools: Hashable, Sendable {
    package var api = ""
    package var file = ""
    /// Checks of the group that it takes no part in, in order: its own judgement refuses them, or it is too old to know
    /// what they are. `StoreBounds.without` at most.
    package var without: [UniqueID] = []

    package init(api: String = "", file: String = "", without: [UniqueID] = []) {
      (self.api, self.file, self.without) = (api, file, without)
    }

    /// Whether both mean the same by the list and the file.
    func agrees(with other: Self) -> Bool { api == other.api && file == other.file }

    subscript(pool: Pool) -> String {
      switch pool {
      case .api: api
      case .file: file
      }
    }
  }

  package init() {}

  /// Whether who has what is the same with the other one, and it is of the same process.
  func isPlaced(like other: MemberCard) -> Bool {
    boot == other.boot && weight == other.weight && pools == other.pools
  }
}

/// Where a group's check is from.
package enum Pool: UInt8, CaseIterable, Hashable, Sendable {
  case api, file
}

extension MemberCard {
  package var json: [UInt8] {
    var json = JSONWriter(reserving: 320)
    write(to: &json)
    return json.bytes
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("boot", boot.description)
      json.field("home", home.description)
      json.field("version", version)
      json.field("weight", weight)
      json.fieldIfPresent("url", url)
      json.field("applied", applied)
      if waits > 0 { json.field("waits", waits) }
      json.field("clock_ms", clock)
      json.field("pulls", pulls)
      if !alerts { json.field("alerts", alerts) }
      json.field("pool_api", pools.api)
      json.field("pool_file", pools.file)
      guard !pools.without.isEmpty else { return }
      json.key("without")
      json.array { json in for check in pools.without { json.string(check.description) } }
    }
  }

  /// `nil` for bytes that are no record. Fields beside it are other versions' and mean nothing here.
  package init?(json bytes: [UInt8]) {
    guard bytes.count <= StoreBounds.card,
      let json = try? JSONValue.parse(bytes, maxDepth: StoreBounds.depth)
    else { return nil }
    self.init(json)
  }

  init?(_ json: JSONValue) {
    guard let boot = json["boot"]?.uniqueID,
      let weight = json["weight"]?.integer, (0...Int64(StoreBounds.weight)).contains(weight),
      let applied = json["applied"]?.integer, applied >= 0
    else { return nil }
    self.boot = boot
    home = json["home"]?.uniqueID ?? boot
    version = (json["version"]?.string ?? "").printable(maxBytes: 40)
    self.weight = Int(weight)  // bounded: at most a thousand
    url = json["url"]?.string.map { $0.printable(maxBytes: 200) }
    self.applied = applied
    waits = max(0, json["waits"]?.integer ?? 0)
    clock = json["clock_ms"]?.integer ?? 0
    pulls = json["pulls"]?.bool ?? false
    alerts = json["alerts"]?.bool ?? true
    pools = Pools(
      api: (json["pool_api"]?.string ?? "").printable(maxBytes: 80),
      file: (json["pool_file"]?.string ?? "").printable(maxBytes: 80),
      without: (json["without"]?.array ?? []).prefix(StoreBounds.without).compactMap {
        $0.uniqueID
      })
  }
}

/// Limits on data of a store: everything in it is untrusted.
package enum StoreBounds {
  /// Bytes of a member's card.
  package static let card = 4096
  /// Bytes of any value.
  package static let value = 65_536
  /// Arrays and objects inside one another.
  package static let depth = 32
  package static let weight = 1000
  /// Members that are looked at.
  package static let members = 2000
  /// Checks that a card names as not its own.
  package static let without = 32
  /// Bytes of a member's name.
  package static let name = 100
}
