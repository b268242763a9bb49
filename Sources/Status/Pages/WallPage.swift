// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// A display on a wall: the state of all checks, or of some, in letters for a reader at five metres. Nothing on it can be
/// pressed.
package struct WallPage {
  /// With the checks of the filter alone.
  let snapshot: StatusSnapshot

  /// Checks with a tile.
  static let tiles = 12
  /// Up to so many have larger letters.
  private static let few = 4

  package init(snapshot: StatusSnapshot, filter: ListFilter) {
    var shown = snapshot
    shown.checks = snapshot.checks.filter(filter.matches)
    self.snapshot = shown
  }

  package func render(nonce: String) -> Markup {
    Layout.page(
      title: DashboardPage.title(snapshot), snapshot: snapshot, nonce: nonce, live: .wall,
      snapshot.checks.isEmpty
        ? "<section class=\"headline\"><h1>No check to show</h1></section>"
        : "\(HeroSection(snapshot).render())\(failing())\(counts())")
  }

  /// Worst first, in each state the longest first.
  private func failing() -> Markup {
    let places = snapshot.checks.indices.filter { Self.fails(snapshot.checks[$0]) }.sorted { one, other in
      let (left, right) = (snapshot.checks[one], snapshot.checks[other])
      if left.state != right.state { return left.state == .down }
      let (since, otherSince) = (left.stateBegan ?? snapshot.now, right.stateBegan ?? snapshot.now)
      return since != otherSince ? since < otherSince : one < other
    }
    guard !places.isEmpty else { return "" }
    let more: Markup =
      places.count > Self.tiles
      ? "<p class=\"rest\">and \(StatusFormat.grouped(places.count - Self.tiles)) more</p>" : ""
    let size = places.count > Self.few ? "many" : "few"
    return """
      <ul class="tiles \(size)">\(Markup(places.prefix(Self.tiles).map { tile(snapshot.checks[$0]) }))</ul>\(more)

      """
  }

  private static func fails(_ check: CheckStatus) -> Bool {
    check.enabled && check.maintenance == nil && [.down, .degraded].contains(check.state)
  }

  private func tile(_ check: CheckStatus) -> Markup {
    let age: Markup =
      check.stateBegan.map { "<span class=\"for\">\(Layout.ago($0, now: snapshot.now))</span>" } ?? ""
    let known: Markup = check.acknowledgedBy.map { "<span class=\"known\">✓ \(Layout.name($0))</span>" } ?? ""
    let why = check.last.map { $0.message ?? $0.reason.rawValue } ?? ""
    return """
      <li class="\(check.state.rawValue)"><b>\(Layout.name(check.name))</b>\
      <span class="line">\(Layout.state(check))\(age)\(known)</span><small>\(why)</small></li>
      """
  }

  private func counts() -> Markup {
    let summary = snapshot.summary
    let counts: [(state: CheckState, count: Int)] = [
      (.down, summary.down), (.degraded, summary.degraded), (.unknown, summary.unknown), (.up, summary.up),
    ]
    let words: [Markup] = counts.map { state, count in
      """
      <span><i class="mark \(count > 0 ? state.rawValue : "")" aria-hidden="true">\(state.mark)</i> \
      <b class="num">\(StatusFormat.grouped(count))</b> \(state.rawValue)</span>
      """
    }
    return "<p class=\"wall-counts\">\(Markup(words))</p>\n"
  }
}

extension Layout {
  /// Letters follow the screen: a fortieth of its smaller side is 27 px on one of 1920 by 1080, which on 55 inches is read at five
  /// metres.
  static let wallStyle: Markup = """
    .wall{overflow-x:hidden}.wall .wrap{max-width:none;padding-left:3vmin;padding-right:3vmin}
    .wall .top .wrap,.wall .top .dim,.wall .brand{font-size:max(1rem,2.6vmin)}.wall .top .from{display:none}
    .wall main.wrap{gap:2.4vmin;padding-top:2.4vmin}
    .wall .headline{padding:1.8vmin 3vmin}.wall .headline h1{font-size:max(2rem,7vmin)}.wall .headline p{font-size:max(1rem,3vmin)}
    .wall .headline .pie{width:13vmin;height:13vmin}
    .tiles{list-style:none;margin:0;padding:0;display:grid;gap:2vmin;grid-template-columns:repeat(auto-fill,minmax(min(100%,max(16rem,40vmin)),1fr))}
    .tiles li{background:var(--card);border:1px solid var(--line);border-left:1.2vmin solid var(--degraded);border-radius:1.2vmin;padding:1.6vmin 2vmin;min-width:0}
    .tiles li.down{border-left-color:var(--down);background:var(--bad)}
    .tiles b{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;overflow-wrap:anywhere;line-height:1.2;font-size:max(1.125rem,4vmin)}
    .tiles .line{display:flex;flex-wrap:wrap;gap:0 2vmin;align-items:baseline;font-size:max(1rem,2.8vmin)}.tiles .state{font-size:inherit}
    .tiles .state i{width:auto}.tiles time{font-size:inherit}
    .tiles small{display:block;font-size:max(.875rem,2.6vmin);line-height:1.3;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
    .tiles.many li{padding:1.1vmin 2vmin}.tiles.many b{font-size:max(1.125rem,3.4vmin);line-height:1.15;-webkit-line-clamp:1}\
    .tiles.many{grid-template-columns:repeat(auto-fill,minmax(min(100%,max(15rem,34vmin)),1fr))}.tiles.many .line{flex-wrap:nowrap;white-space:nowrap;overflow:hidden}
    .tiles.many .known{overflow:hidden;text-overflow:ellipsis}
    .tiles.few{grid-template-columns:repeat(auto-fill,minmax(min(100%,max(18rem,80vmin)),1fr))}.tiles.few b{font-size:max(1.25rem,6vmin)}.tiles.few small{white-space:normal;overflow-wrap:anywhere}
    .rest,.wall-counts{font-size:max(1rem,3.2vmin);margin:0}.wall-counts{display:flex;flex-wrap:wrap;gap:1vmin 5vmin}.wall-counts i{font-style:normal}
    @media(orientation:landscape) and (min-height:40rem){.wall{height:100vh;display:flex;flex-direction:column}
    .wall main.wrap{flex:1;min-height:0;width:100%;box-sizing:border-box;display:flex;flex-direction:column}.wall main.wrap>*{flex:none}
    .wall main.wrap>.tiles{flex:0 1 auto;min-height:0;grid-auto-rows:minmax(0,1fr);overflow:hidden}.tiles li{overflow:hidden}}
    .night{filter:brightness(.55)}
    """
}
