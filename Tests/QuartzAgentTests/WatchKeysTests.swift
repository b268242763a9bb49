// SPDX-License-Identifier: MIT

import Basics
import Status
import StatusServer
import Testing
@testable import QuartzAgent

/// Keys of `status --watch`.
@Suite struct WatchKeysTests {
  /// The effect of each key, and the state after all.
  private func press(_ text: String, _ keys: inout WatchKeys) -> [WatchKeys.Effect] {
    text.utf8.map { keys.take($0) }
  }

  @Test func sGoesThroughAllOrders() {
    var keys = WatchKeys()
    let orders = (0..<6).map { _ -> ListOrder? in
      #expect(press("s", &keys) == [.ask])
      return keys.sort
    }
    #expect(orders == [.state, .name, .latency, .uptime, nil, .state])
  }

  /// From a choice of the command line, which is none of the steps, it goes to all.
  @Test func fGoesThroughTheStates() {
    var keys = WatchKeys(states: [.maintenance])
    let states = (0..<5).map { _ -> [ListFilter.State] in
      #expect(press("f", &keys) == [.ask])
      return keys.states
    }
    #expect(states == [[], [.down], [.down, .degraded], [.unknown], []])
  }

  /// While a text is typed, letters are letters; Enter looks for it, Escape leaves all as it was.
  @Test func finding() {
    var keys = WatchKeys(sort: .name, tags: ["team:shop"])
    #expect(press("/qs", &keys) == [.redraw, .redraw, .redraw])
    #expect(keys.line == "find: qs▏" && keys.sort == .name)
    #expect(press("ü\u{7f}\u{8}", &keys) == [.redraw, .redraw, .redraw, .redraw] && keys.line == "find: q▏")
    #expect(press("\r", &keys) == [.ask] && keys.text == "q")
    #expect(keys.query == ["tag=team%3Ashop", "sort=name", "q=q"])
    #expect(keys.line == "q quit · s sort: name · f show: all · / find: q · c clear")
    #expect(press("/x\u{1b}", &keys) == [.redraw, .redraw, .redraw] && keys.text == "q")
    #expect(press("/abc\u{15}d\n", &keys).last == .ask && keys.text == "d")
    #expect(press("c", &keys) == [.ask] && keys.text == "" && keys.query == ["tag=team%3Ashop", "sort=name"])
  }

  @Test(arguments: ["q", "\u{4}"]) func ends(key: String) {
    var keys = WatchKeys()
    #expect(press(key, &keys) == [.quit])
  }

  /// Arrows and other keys mean nothing; what is typed is bounded and shows no control character.
  @Test func othersDoNothing() {
    var keys = WatchKeys()
    #expect(press("\u{1b}[A\u{1b}OPxQ \r", &keys).allSatisfy { $0 == .none } && keys == WatchKeys())
    _ = press("/" + String(repeating: "a", count: 500) + "\r", &keys)
    #expect(keys.text == String(repeating: "a", count: 100))
  }

  /// On the last line of the screen, with the others above it; cut where there is no room.
  @Test func theLastLine() {
    let frame = WatchFrame(lines: ["a", "b", "c"], foot: "0123456789", width: 8, height: 3)
    #expect(frame.escapes.hasPrefix("\u{1b}[Ha\u{1b}[K\r\n… and"))
    #expect(frame.escapes.hasSuffix("\u{1b}[3;1H012345…\u{1b}[K"))
    let alone = WatchFrame(lines: ["a"], foot: "keys", width: 8, height: 1)
    #expect(alone.escapes == WatchFrame(lines: ["a"], width: 8, height: 1).escapes)
  }
}
