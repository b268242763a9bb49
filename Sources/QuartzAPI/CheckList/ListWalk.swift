// SPDX-License-Identifier: MIT

import Monitoring

/// Puts the pages of one walk through the list together, and says whether they are one consistent snapshot.
///
/// The list has no version and pages shift while somebody edits, so a walk counts only if every page tells the same
/// total and exactly that many different checks were seen.
struct ListWalk<Row: ListRow>: Sendable {
  private(set) var rows: [Row] = []
  private(set) var isCut = false
  private var seen: Set<UniqueID> = []
  private var total: Int64?
  private var page = 1

  enum Step: Hashable, Sendable {
    case fetch(page: Int)
    case done
    /// Pages that do not fit together: worth one more walk.
    case inconsistent(String)
  }

  var first: Step { .fetch(page: 1) }

  mutating func add(_ body: JSONValue) throws(WireCheckError) -> Step {
    guard body["success"]?.bool == true, let items = body["data"]?.array, let meta = body["meta"],
      let total = meta["total"]?.integer, let pages = meta["total_pages"]?.integer, total >= 0, pages >= 0
    else { throw WireCheckError(description: "the answer is not a page of \(Row.plural)") }
    if let known = self.total, known != total {
      return .inconsistent("the number of \(Row.plural) changed meanwhile")
    }
    self.total = total
    for item in items {
      let row = try Row(item)
      // The filter is the server's, and it has been wrong before.
      guard row.isWanted else { return .inconsistent("a disabled check is in the list of enabled ones") }
      if seen.insert(row.id).inserted { rows.append(row) }
    }
    if page >= ListLimits.pages, pages > Int64(page) {
      isCut = true
      return rows.count == page * ListLimits.perPage
        ? .done : .inconsistent("\(Row.plural) are missing or repeated")
    }
    if Int64(page) < pages {
      page += 1
      return .fetch(page: page)
    }
    return Int64(rows.count) == total ? .done : .inconsistent("\(Row.plural) are missing or repeated")
  }
}

enum ListLimits {
  static let perPage = 100
  /// 20,000 rows; more are not read, and the caller is told.
  static let pages = 200
}
