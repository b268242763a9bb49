// SPDX-License-Identifier: MIT

import Basics

// What those ask who do things that a group does once.
extension GroupRunner {
  /// Members of the group with their addresses, as many as are asked. `nil` where the group is not known yet.
  package var members: [PlaceMember]? {
    look { member in
      member.view.map { view in
        view.names.prefix(PlaceMember.most).map { PlaceMember($0, url: view.members[ByteText($0)]?.card.url) }
      }
    }
  }

  /// Without the store for longer than a lease.
  package var isAlone: Bool { look { $0.alone != nil } }

  /// Names of the members that have other checks, or other rules for them.
  package var apart: Set<String> {
    look { member in
      Set(
        (member.view?.members ?? [:]).compactMap { name, other in
          other.card.pools.agrees(with: member.card.pools) ? nil : name.text
        })
    }
  }
}
