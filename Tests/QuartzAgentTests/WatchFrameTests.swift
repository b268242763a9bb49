// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import QuartzAgent

/// What `status --watch` writes for one picture.
@Suite struct WatchFrameTests {
  /// What is left on a screen of a terminal that had something on it, by the escapes that are used.
  private func screen(_ frame: WatchFrame, over old: [String]) -> [String] {
    var rows = old
    var row = 0
    let drawn = frame.escapes.replacing("\u{1b}[H", with: "")
    for piece in drawn.split(separator: "\r\n", omittingEmptySubsequences: false) {
      if piece == "\u{1b}[J" {
        rows.removeSubrange(min(row, rows.count)...)
        break
      }
      let text = piece.replacing("\r", with: "")
      while rows.count <= row { rows.append("") }
      let kept = text.replacing("\u{1b}[K", with: "")
      rows[row] = text.hasSuffix("\u{1b}[K") ? kept : kept + rows[row].dropFirst(kept.columns)
      row += 1
    }
    return rows
  }

  /// Nothing of the picture before is left, also where a line is as wide as the screen.
  @Test func thePictureBeforeIsGone() {
    let old = Array(repeating: String(repeating: "x", count: 10), count: 5)
    let frame = WatchFrame(note: nil, lines: ["abc", "0123456789", "d"], width: 10, height: 5)
    #expect(screen(frame, over: old) == ["abc", "0123456789", "d"])
    #expect(frame.escapes.hasPrefix("\u{1b}[H") && !frame.escapes.contains("9\u{1b}[K"))
  }

  /// The screen never scrolls: what has no room is counted.
  @Test(arguments: [(3, 2), (2, 3), (1, 4)]) func theScreenNeverScrolls(_ height: Int, _ left: Int) {
    let frame = WatchFrame(note: nil, lines: ["a", "b", "c", "d"], width: 20, height: height)
    let rows = screen(frame, over: [])
    #expect(rows.count == height && rows.last == "… and \(left) more lines")
    #expect(frame.escapes.unicodeScalars.count { $0 == "\n" } == height - 1)
    let whole = WatchFrame(note: nil, lines: ["a", "b", "c", "d"], width: 20, height: 4)
    #expect(screen(whole, over: []) == ["a", "b", "c", "d"])
  }

  /// Trouble stands above, in lines as wide as the screen.
  @Test func troubleStandsAbove() {
    let frame = WatchFrame(note: "no agent answers", lines: ["a"], width: 10, height: 9)
    #expect(screen(frame, over: []) == ["no agent", "  answers", "a"])
  }
}
