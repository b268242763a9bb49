// SPDX-License-Identifier: MIT

import Synchronization

// What a test sets up and looks at.
extension FakeQuartz {
  package var checks: [FakeCheck] {
    get { state.withLock { $0.checks } }
    set { state.withLock { $0.checks = newValue } }
  }

  package var windows: [FakeWindow] {
    get { state.withLock { $0.windows } }
    set { state.withLock { $0.windows = newValue } }
  }

  /// Statuses of resources that were written, in order.
  package var resourceUpdates: [FakeResourceUpdate] { state.withLock { $0.resourceUpdates } }

  /// Which resources the database knows; all of them at first.
  package func setKnownResources(_ knows: @escaping @Sendable (String) -> Bool) {
    state.withLock { $0.knowsResource = knows }
  }

  /// `agent` of the last batch.
  package var lastAgent: FakeJSON? { state.withLock { $0.lastAgent } }

  /// What the next uploads meet, in order; after that all is well.
  package func meet(_ faults: FakeFault...) { state.withLock { $0.faults += faults } }

  /// Uploads are answered without end.
  package func holdUploads() { state.withLock { $0.holdsUploads = true } }

  package func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

  package func setKeys(_ keys: Set<String>) { state.withLock { $0.keys = keys } }

  /// Whether the backend has the ingest route.
  package func setIngest(_ hasIngest: Bool) { state.withLock { $0.hasIngest = hasIngest } }

  package func setMayWrite(_ mayWrite: Bool) { state.withLock { $0.mayWrite = mayWrite } }

  /// More rows in a request are a 413.
  package func setMaxRows(_ rows: Int) { state.withLock { $0.maxRows = rows } }

  package func setLimits(enforced: Bool) { state.withLock { $0.enforcesLimits = enforced } }

  /// Seconds that a sign-in lasts.
  package func setTokenLife(_ seconds: Int64) { state.withLock { $0.tokenLife = seconds } }

  /// Which check ids the database knows; all of them at first.
  package func setKnownChecks(_ accepts: @escaping @Sendable (String) -> Bool) {
    state.withLock { $0.acceptsCheck = accepts }
  }

  /// Whose results are refused without a word on which of the rows is to blame; none at first.
  package func setRefusedChecks(_ refuses: @escaping @Sendable (String) -> Bool) {
    state.withLock { $0.refusesCheck = refuses }
  }

  /// Every result stored, in order.
  package var rows: [FakeRow] { state.withLock { state in state.order.compactMap { state.rows[$0] } } }

  package var ids: Set<String> { state.withLock { Set($0.order) } }

  /// Rows sent although they were there already, and ignored.
  package var resent: Int { state.withLock { $0.duplicates } }

  package var requests: [FakeSeen] { state.withLock { $0.requests } }

  package var signIns: Int { state.withLock { $0.signIns } }

  /// Requests refused with 429.
  package var limited: Int { state.withLock { $0.limited } }

  /// The most requests in any window of so many seconds.
  package func worst(seconds: Int64) -> Int {
    let instants = requests.map(\.at)
    var worst = 0
    var first = 0
    for (index, at) in instants.enumerated() {
      while instants[first] <= at - seconds * 1_000_000 { first += 1 }
      worst = max(worst, index - first + 1)
    }
    return worst
  }
}
