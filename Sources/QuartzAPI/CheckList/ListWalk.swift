// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Puts the pages of one walk through the list together, and says whether they are one consistent snapshot.
///
/// The list has no version and pages shift during edits, so a walk counts only if every page tells the same total and
/// exactly that many different checks were seen. A list that cannot be meant is not walked to its end: its pages come
/// out of the same hourly budget as the results.
struct ListWalk<Row: ListRow>: Sendable {
  /// The largest total that is believed.
  private let most: Int64
  private(set) var rows: [Row] = []
  private(set) var isCut = false
  private var seen: Set<UniqueID> = []
  private var total: Int64?
  private(set) var page = 1

  /// - Parameter limit: `limits.remote_checks`.
  // bounded: total is held to what is believed before; pages are at most 200
  init(limit: Int) { self.most = max(Int64(limit) * 20, ListLimits.believed) }

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
    try refuseAbsurd(total: total, pages: pages)
    let before = rows.count
    for item in items {
      let row = try Row(item)
      // The filter is the server's, and it has been wrong before.
      guard row.isWanted else { return .inconsistent("a disabled check is in the list of enabled ones") }
      if seen.insert(row.id).inserted { rows.append(row) }
    }
    if rows.count == before, Int64(before) < total {  // bounded: a count of rows in memory
      return .inconsistent("page \(page) brings no \(Row.plural) that the pages before it had not")
    }
    if page >= ListLimits.pages, pages > Int64(page) {  // bounded: it counts pages that were read
      isCut = true
      return rows.count == page * ListLimits.perPage  // bounded: it counts pages that were read
        ? .done : .inconsistent("\(Row.plural) are missing or repeated")
    }
    if Int64(page) < pages {  // bounded: it counts pages that were read
      page += 1  // bounded: it counts pages that were read
      return .fetch(page: page)
    }
    // bounded: a count of rows in memory
    return Int64(rows.count) == total ? .done : .inconsistent("\(Row.plural) are missing or repeated")
  }

  /// Before anything more is asked for.
  private func refuseAbsurd(total: Int64, pages: Int64) throws(WireCheckError) {
    guard total <= most else {
      throw WireCheckError(
        description:
          "it says that it has \(total) \(Row.plural), and more than \(most) are not believed (20 times "
          + "limits.remote_checks, at least \(ListLimits.believed))")
    }
    // bounded: total was held to what is believed before
    let full = (total + Int64(ListLimits.perPage) - 1) / Int64(ListLimits.perPage)
    // A server may give smaller pages than it is asked for, but not any.
    guard pages <= 2 * full + 1 else {  // bounded: total was held to what is believed before
      throw WireCheckError(description: "it says that \(total) \(Row.plural) take \(pages) pages")
    }
  }
}

enum ListLimits {
  static let perPage = 100
  /// 20,000 rows; more are not read, and the caller is told.
  static let pages = 200
  /// A list that says it is longer is not begun, unless `limits.remote_checks` is large.
  static let believed: Int64 = 100_000
  /// A walk of more pages that did not fit together is not repeated before the next pull.
  static let repeated = 20
}
