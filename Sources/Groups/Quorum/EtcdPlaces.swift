// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A member of any place, with its addresses.
package struct PlaceMember: Hashable, Sendable {
  package var name: String
  /// Where its status server is; `nil` when it says nothing of it.
  package var url: String?

  package init(_ name: String, url: String?) { (self.name, self.url) = (name, url) }

  /// Members of a place that are asked.
  package static let most = 32
}

/// Members in the places of this store.
package struct EtcdPlaces: Sendable {
  private let client: EtcdClient
  private let prefix: String

  package init(client: EtcdClient, prefix: String) { (self.client, self.prefix) = (client, prefix) }

  /// By name; nil: it cannot be told now.
  package func members(of place: String) async -> [PlaceMember]? {
    let keys = EtcdKeys(prefix: prefix, group: place)
    let body = EtcdBody.object { json in
      EtcdBody.range(&json, Array(keys.members.utf8), end: EtcdKeys.end(of: keys.members))
      json.field("limit", String(PlaceMember.most))
    }
    guard case .success(let json)? = try? await client.call("v3/kv/range", body), let range = EtcdRange(json)
    else { return nil }
    return range.pairs.prefix(PlaceMember.most).compactMap { pair in
      guard let name = keys.name(of: pair.key), let card = pair.value.flatMap({ MemberCard(json: $0) }) else {
        return nil
      }
      return PlaceMember(name, url: card.url)
    }
  }
}
