// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Status

/// The group, and which of its checks run here.
struct GroupPart: AgentPart {
  let desk: GroupDesk
  let catalog: CheckCatalog
  /// `nil` where this agent pulls no list.
  let puller: CheckListPuller?

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    [{ await desk.run(catalog, puller) }]
  }

  var notices: [Notice] { desk.notices }
  func contribute(to snapshot: inout StatusSnapshot) { snapshot.group = desk.status }
}
