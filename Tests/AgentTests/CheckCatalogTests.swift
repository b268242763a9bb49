// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization
import Testing

@testable import Agent

/// The one list of checks, for those that follow it.
@Suite struct CheckCatalogTests {
  /// The scheduler tells missed slots while a new list is applied, and whoever hears of them asks for a name.
  @Test func whoeverIsToldOfAChangeMayAskTheCatalog() throws {
    let check = try tcpCheck("One")
    let catalog = CheckCatalog(file: [])
    let names = Mutex<[String?]>([])
    catalog.observe { checks in
      for check in checks { names.withLock { $0.append(catalog[check.id]?.name) } }
    }
    catalog.replace(file: [check])
    #expect(names.withLock { $0 } == ["One"])
  }
}
