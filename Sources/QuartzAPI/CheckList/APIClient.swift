// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Reads the list of checks, and that of maintenance windows.
package struct APIClient: Sendable {
  private let base: HTTPURL
  private let keys: KeyRing
  private let wire: Wire
  private let limit: Int

  /// - Parameter limit: `limits.remote_checks`; a list that says it is far longer is not read.
  package init(base: HTTPURL, keys: KeyRing, over wire: Wire, limit: Int = MappingRules().limit) {
    self.limit = limit
    self.base = base
    self.keys = keys
    self.wire = wire
  }

  package enum PullResult: Hashable, Sendable {
    case snapshot(CheckSnapshot)
    /// The old list stays: why, and how long the server asks to be left alone.
    case unchanged(Notice, wait: Duration?)
  }

  /// All enabled checks the key can see, in one consistent picture.
  ///
  /// A short walk whose pages do not fit together is repeated once. Whatever else goes wrong leaves the old list as it is.
  package func pullChecks() async throws(CancellationError) -> PullResult {
    var failure = PullFailure("the list changed while it was read", isWorthRepeating: true)
    for _ in 0..<2 where failure.isWorthRepeating {
      switch try await walk(WireCheck.self) {
      case .success(let walk):
        return .snapshot(CheckSnapshot(checks: walk.rows, isCut: walk.isCut))
      case .failure(let found): failure = found
      }
    }
    return .unchanged(failure.notice, wait: failure.wait)
  }

  /// All maintenance windows the key can see; by the same rules.
  package func pullWindows() async throws(CancellationError) -> Result<[WireWindow], PullFailure> {
    try await walk(WireWindow.self).map(\.rows)
  }

  private func walk<Row: ListRow>(
    _: Row.Type
  ) async throws(CancellationError) -> Result<ListWalk<Row>, PullFailure> {
    var walk = ListWalk<Row>(limit: limit)
    var step = walk.first
    while true {
      switch step {
      case .done: return .success(walk)
      case .inconsistent(let why):
        return .failure(
          PullFailure(
            "the list of \(Row.plural) is not consistent: \(why)", hint: "it is read again at the next pull",
            isWorthRepeating: walk.page <= ListLimits.repeated))
      case .fetch(let page):
        switch try await fetch(Row.self, page: page) {
        case .failure(let failure): return .failure(failure)
        case .success(let body):
          do throws(WireCheckError) { step = try walk.add(body) } catch {
            return .failure(PullFailure("the list of \(Row.plural) is refused: \(error)"))
          }
        }
      }
    }
  }

  private func fetch<Row: ListRow>(
    _: Row.Type, page: Int
  ) async throws(CancellationError) -> Result<JSONValue, PullFailure> {
    // The default order repeats and loses rows.
    let query = "\(Row.filter)page=\(page)&per_page=\(ListLimits.perPage)&sort_by=id&sort_order=asc"
    try await wire.admitted(.pull)
    let request = APIRequest(
      .get, base.appending(Row.route, query: query),
      headers: [
        HeaderField("X-API-Key", keys.key),
        HeaderField("Accept", "application/json"),
      ])
    switch try await wire.exchange.exchange(request) {
    case .failure(let why):
      return .failure(PullFailure("cannot reach the quartz api: \(why.printable(maxBytes: 160))"))
    case .response(let response):
      await wire.observe(response)
      if response.status == 401 { _ = await keys.renew() }
      guard response.status == 200 else { return .failure(refused(response)) }
      guard let body = response.json else {
        return .failure(
          PullFailure(
            "the quartz api answered 200, but not with JSON",
            hint: "something between here and there answers in its place (captive portal, proxy)"))
      }
      return .success(body)
    }
  }

  private func refused(_ response: OutboundAnswer) -> PullFailure {
    let refusal = Refusal(response, dialect: .quartz, now: wire.wall())
    var failure: PullFailure
    switch response.status {
    case 300...399:
      failure = PullFailure(
        "the quartz api answered with a redirect (\(response.status)), which is never followed with a key",
        hint: "set quartz.url to the final address")
    case 401, 403:
      let words = DeliveryDialect.quartz.unauthorized(refusal, for: .checks)
      failure = PullFailure(words.what, hint: words.hint)
    case 404, 405:
      failure = PullFailure(
        "there is no such list at quartz.url: \(refusal.words)",
        hint: "quartz.url ends with /functions/v1/public-api/v1, or what your project uses instead")
    case 429: failure = PullFailure("the quartz api asks for fewer requests (429)")
    default: failure = PullFailure("the quartz api has trouble: \(refusal.words)")
    }
    failure.wait = refusal.wait
    return failure
  }
}

/// The API's list at one time.
package struct CheckSnapshot: Hashable, Sendable {
  package var checks: [WireCheck]
  /// There are more than the agent reads.
  package var isCut: Bool
  package var windows: [WireWindow]

  package init(checks: [WireCheck], isCut: Bool = false, windows: [WireWindow] = []) {
    self.checks = checks
    self.isCut = isCut
    self.windows = windows
  }
}

/// Why the list stays as it was.
package struct PullFailure: Error, Hashable, Sendable {
  package var notice: Notice
  /// How long the server asks to be left alone.
  var wait: Duration?
  /// The pages did not fit together, and another walk may find them whole.
  var isWorthRepeating: Bool

  init(_ what: String, hint: String? = nil, isWorthRepeating: Bool = false) {
    notice = .warning(.checkList, what, hint: hint)
    self.isWorthRepeating = isWorthRepeating
  }
}
