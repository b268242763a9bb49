// SPDX-License-Identifier: MIT

import Testing

@testable import Basics

/// How wide each character is, and what marks and escapes add.
@Suite struct DisplayColumnsTests {
  /// The runs of wide and of unassigned characters from U+1100 on as another reader of Unicode 14 counts them: how many,
  /// how many characters they hold, and the checksum of their first and last ones, four bytes each, lowest first.
  @Test func theTableIsThatOfUnicode() {
    var bytes: [UInt8] = []
    for range in wideScalars {
      for bound in [range.lowerBound, range.upperBound] {
        for shift: UInt32 in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: bound >> shift)) }
      }
    }
    #expect(wideScalars.count == 547 && wideScalars.reduce(0) { $0 + $1.count } == 946_493)
    #expect(CRC32C.checksum(bytes) == 0x9465_6dee)
  }

  /// Each run is found from its first to its last, and what is beside it is none.
  @Test func everyRunIsFound() {
    for range in wideScalars {
      for (value, isWide) in [
        (range.lowerBound - 1, false), (range.lowerBound, true), (range.upperBound, true),
        (range.upperBound + 1, false),
      ] {
        guard let scalar = Unicode.Scalar(value) else { continue }
        if scalar.isWide != isWide { Issue.record("U+\(String(value, radix: 16))") }
      }
    }
  }

  @Test(
    arguments: [
      ("\u{2ff}", 1), ("\u{300}", 0), ("\u{488}", 0), ("\u{200b}", 0), ("\u{378}", 1), ("\u{10ff}", 1),
      ("\u{1100}", 2), ("\u{115f}", 2), ("\u{1160}", 0), ("\u{11ff}", 0), ("\u{1200}", 1), ("\u{d7a3}", 2),
      ("\u{d7b0}", 0), ("\u{d7fb}", 0), ("\u{d7fc}", 2), ("\u{ff01}", 2), ("\u{ff60}", 2), ("\u{ff61}", 1),
      // The emoji's form of what is narrow is wide; of what is wide, or of nothing, it is no more.
      ("❤", 1), ("❤\u{fe0f}", 2), ("🚀\u{fe0f}", 2), ("\u{fe0f}", 0), ("❤\u{301}\u{fe0f}", 1),
      ("❤\u{fe0e}", 1), ("❤\u{fe0f}❤\u{fe0f}", 4),
    ])
  func oneAfterAnother(text: String, columns: Int) { #expect(text.columns == columns) }

  /// An escape ends with its first m, and takes no room; without one, letters m do.
  @Test(
    arguments: [
      ("mm", 2), ("\u{1b}[31mmm\u{1b}[0m", 2), ("a\u{1b}[1;31mb", 2), ("\u{1b}[31", 0), ("m\u{1b}[0mm", 2),
    ])
  func coloursTakeNoRoom(text: String, columns: Int) { #expect(text.visibleColumns == columns) }

  @Test(
    arguments: [
      ("abcd", 4, "abcd"), ("abcd", 3, "ab…"), ("日本", 4, "日本"), ("日本", 3, "日…"), ("日本", 2, "…"),
      ("日本", 1, "…"), ("日本", 0, ""), ("日本", -1, ""), ("", 0, ""), ("e\u{301}", 0, ""),
      ("\u{301}", 0, "\u{301}"),
    ])
  func cuts(text: String, columns: Int, cut: String) { #expect(text.cut(columns: columns) == cut) }

  /// Cells of both sides, cells that are empty, and rows that end early, to the last blank.
  @Test func aTableToTheLastBlank() {
    let table = TextTable(
      columns: [.fixed("A", 3), .fixed("B", 4, right: true), .fixed("C", 3)],
      rows: [["x", "", "z"], ["", "1"], ["abcd", "12345", "z"], ["abc", "1234", "xyz"], []], width: 40)
    let lines = [
      "A       B  C", "x          z", "        1", "ab…  123…  z", "abc  1234  xyz", "",
    ]
    #expect(table.lines == lines && table.text == lines.joined(separator: "\n") + "\n")
  }

  /// Of two columns the one with the larger share keeps more; a share of none is one of one.
  @Test func columnsShareTheRoom() {
    func widths(_ shares: (Int, Int), _ width: Int) -> [Int] {
      let text = String(repeating: "x", count: 40)
      let table = TextTable(
        columns: [
          .flexible("A", least: 4, share: shares.0), .flexible("B", least: 4, share: shares.1),
        ],
        rows: [[.init(text), .init(text)]], width: width)
      return table.lines[1].split(separator: " ").map(\.columns)
    }
    #expect(widths((1, 1), 82) == [40, 40] && widths((1, 1), 32) == [15, 15])
    #expect(widths((1, 2), 32) == [10, 20] && widths((2, 1), 32) == [20, 10])
    #expect(widths((0, 1), 32) == widths((1, 1), 32))
    #expect(widths((1, 9), 18) == [4, 12] && widths((1, 1), 10) == [4, 4] && widths((1, 1), 6) == [2, 2])
  }

  /// What is worth least leaves first, the first of two that are worth the same; the rest never leaves.
  @Test func whatLeavesFirst() {
    func titles(_ width: Int) -> String {
      let table = TextTable(
        columns: [
          .fixed("A", 4, worth: 2), .fixed("B", 4, worth: 1), .fixed("C", 4, worth: 1), .fixed("D", 4),
        ],
        rows: [], width: width)
      return table.lines[0].replacing(" ", with: "")
    }
    #expect([22, 21, 16, 15, 10, 9, 4].map(titles) == ["ABCD", "ACD", "ACD", "AD", "AD", "D", "D"])
  }
}
