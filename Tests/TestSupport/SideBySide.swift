// SPDX-License-Identifier: MIT

/// Runs the rows of a table at the same time, where each of them waits for a time-out: the table takes as long as its slowest
/// row, and not as all of them. Every row runs to its end, whatever becomes of the others; what they threw is thrown
/// together, each with its row.
///
/// - Parameter limit: rows that are under way at once.
package func sideBySide<Row: Sendable>(
  _ rows: some Sequence<Row>, atOnce limit: Int = .max,
  _ body: @escaping @Sendable (Row) async throws -> Void
) async throws {
  let rows = Array(rows)
  let failures = await withTaskGroup(of: String?.self) { group in
    func start(_ row: Row) {
      group.addTask {
        do {
          try await body(row)
          return nil
        } catch {
          return "\(row): \(error)"
        }
      }
    }
    var failures: [String] = []
    for (index, row) in rows.enumerated() {
      if index >= limit, let failure = await group.next() ?? nil { failures.append(failure) }
      start(row)
    }
    for await case let failure? in group { failures.append(failure) }
    return failures
  }
  guard failures.isEmpty else { throw RowFailures(failures: failures) }
}

/// Rows of a table whose body threw.
private struct RowFailures: Error, CustomStringConvertible {
  let failures: [String]
  var description: String { failures.joined(separator: "\n") }
}
