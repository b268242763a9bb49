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

  /// Whether this member makes the group's incidents and notifies about them.
  package var notifies: Bool { look(\.notifies) }

  /// Name of the member that does.
  package var notifier: String? { look(\.notifier) }

  /// Some member has other checks or other rules for them.
  package var isApart: Bool { look { !$0.apart.isEmpty } }

  /// Names of those of them that have alerts.
  package var apart: Set<ByteText> {
    look { Set($0.apart.filter(\.value.card.alerts).map(\.key)) }
  }
}
