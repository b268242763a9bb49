// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct TextTableTests {
  private func table(_ width: Int, color: Bool = false) -> TextTable {
    TextTable(
      columns: [
        .fixed("STATE", 6), .flexible("NAME", least: 8), .fixed("TIME", 6, right: true, worth: 2),
        .flexible("DETAIL", least: 10, share: 2, worth: 1),
      ],
      rows: [
        [.init("UP", color: "32"), "Shop front", "12 ms", "200"],
        [.init("DOWN", color: "31"), "日本語の名前はここにあります", "-", "connection refused by the other side"],
        ["UP", "e\u{301}\u{301}te\u{301} \u{1b}[2Jx\n", "1 ms", "é 👩‍💻 ❤️ \u{202e}y"],
        ["?"],
      ], width: width, color: color)
  }

  /// Every row is one line, no line is wider than the terminal, and none ends with a blank.
  @Test(arguments: 20...130) func everyLineFits(_ width: Int) {
    let lines = table(width).lines
    #expect(lines.count == 5)
    for line in lines {
      #expect(line.columns <= width && !line.hasSuffix(" "), "\(line)")
      #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e }, "\(line)")
    }
    #expect(lines[2].hasPrefix("DOWN    日本"))
  }

  /// With room for all of it nothing is cut; with less the longest is cut first, then what is worth least leaves.
  @Test func whatHasNoRoomIsCutAndThenLeaves() {
    let wide = table(130).lines
    #expect(wide[0] == "STATE   NAME                            TIME  DETAIL")
    #expect(wide[1] == "UP      Shop front                     12 ms  200")
    #expect(wide[2] == "DOWN    日本語の名前はここにあります       -  connection refused by the other side")
    #expect(wide[4] == "?")
    let narrow = table(60).lines
    #expect(narrow[1] == "UP      Shop front       12 ms  200")
    #expect(narrow[2].contains("…") && narrow[2].hasSuffix("…") && narrow[2].columns > 56)
    // Gaps and the least widths: 6 + 8 + 6 + 10 + 6.
    #expect(table(36).lines[0].contains("DETAIL") && table(36).lines[0].contains("TIME"))
    #expect(!table(35).lines[0].contains("DETAIL") && table(35).lines[0].contains("TIME"))
    #expect(!table(23).lines[0].contains("TIME"))
    #expect(table(9).lines.allSatisfy { $0.columns <= 9 })
  }

  /// Colour only adds to the text, and a cut within it leaves it closed.
  @Test(arguments: [20, 40, 130]) func colourOnlyAdds(_ width: Int) {
    let plain = table(width).lines
    let painted = table(width, color: true).lines
    #expect(painted[1].hasPrefix("\u{1b}[32mUP\u{1b}[0m"))
    for (bare, line) in zip(plain, painted) { #expect(line.visibleColumns == bare.columns) }
    var cell = TextTable.Cell("abc", color: "31")
    cell.append("defgh", color: nil)
    let cut = TextTable(columns: [.fixed("T", 3)], rows: [[cell], ["abc"]], width: 3, color: true).lines
    #expect(cut == ["T", "\u{1b}[31mab…\u{1b}[0m", "abc"])
  }

  /// As `wcwidth(3)` where terminals agree, else the most that one of them takes.
  @Test(
    arguments: [
      ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("한국", 4), ("\u{1112}\u{1161}\u{11ab}", 2), ("ﾊﾝ", 2),
      ("ＡＢ", 4), ("🚀", 2), ("🇫🇷", 2), ("❤️", 2), ("1️⃣", 2), ("✕●…", 3), ("नि", 2), ("", 0), ("𠮷", 2), ("⚡", 2),
    ])
  func columnsOfText(_ text: String, _ columns: Int) { #expect(text.columns == columns) }

  /// A wide character that would reach over the edge leaves.
  @Test func aCutNeverSplitsACharacter() {
    #expect("日本語".cut(columns: 6) == "日本語")
    #expect("日本語".cut(columns: 5) == "日本…")
    #expect("日本語".cut(columns: 4) == "日…")
    #expect("e\u{301}e\u{301}e\u{301}".cut(columns: 2) == "e\u{301}…")
    #expect("abc".cut(columns: 1) == "…" && "abc".cut(columns: 0) == "")
  }

  /// Lines break at blanks; a word that no line holds breaks where it must, if it may.
  @Test func textIsFolded() {
    let text = "a bb ccc dddd"
    #expect(text.folded(width: 8, hanging: 2) == ["a bb ccc", "  dddd"])
    #expect(text.folded(width: 13) == [text])
    #expect("x abcdefghijkl y".folded(width: 6, hanging: 2) == ["x", "  abcdefghijkl", "  y"])
    let broken = "x abcdefghijkl y".folded(width: 6, hanging: 2, breaksWords: true)
    #expect(broken == ["x", "  abcd", "  efgh", "  ijkl", "  y"])
    #expect("\u{1b}[31mab cd\u{1b}[0m ef".folded(width: 5).map(\.visibleColumns) == [5, 4])
    #expect("日本語 日本語".folded(width: 7, hanging: 1) == ["日本語", " 日本語"])
    for width in 1...20 {
      #expect(
        String(repeating: "日", count: 40).folded(width: width, hanging: 4, breaksWords: true).joined()
          .replacing(" ", with: "").count == 40)
    }
  }

  /// The middle leaves first; texts that would look alike then begin where they differ.
  @Test func cutsKeepDifferentTextsApart() {
    #expect(distinctCuts(["abcdefghij", "short"], columns: 7) == ["ab…ghij", "short"])
    #expect(
      distinctCuts(
        ["https://shop.example/a/very/long/path/1/status", "https://shop.example/a/very/long/path/2/status"],
        columns: 16) == ["https:/…1/status", "https:/…2/status"])
    #expect(
      distinctCuts(
        ["https://shop.example/path/1/status/today", "https://shop.example/path/2/status/today"], columns: 16)
        == ["…1/status/today", "…2/status/today"])
    #expect(
      distinctCuts(["https://a.example/x/0123456789", "https://a.example/x/012345678"], columns: 16)
        == ["https:/…23456789", "https:/…12345678"])
    // One that is the other's beginning, and two that are the same.
    #expect(distinctCuts(["aaaaaaaaaaaa", "aaaaaaaaaaaaa"], columns: 5) == ["…", "…a"])
    #expect(distinctCuts(["0123456789", "0123456789"], columns: 6) == ["01…789", "01…789"])
    #expect(distinctCuts(["日本語の名前", "日本語は名前"], columns: 8) == ["…の名前", "…は名前"])
    #expect(distinctCuts(["abc", "abd"], columns: 2) == ["…c", "…d"])
  }

  /// Groups within groups, texts that begin alike behind where they differ, and ones that are another's cut.
  @Test(arguments: [8, 13, 24, 40]) func cutsAreDifferentWheneverTextsAre(_ width: Int) {
    let long = String(repeating: "x", count: 60)
    var texts = ["1", "2"].flatMap { a in
      ["1", "2"].flatMap { b in ["1", "2"].map { c in "https://shop/\(a)/\(long)/\(b)/\(long)/\(c)/\(long)" }
      }
    }
    texts += (0..<60).map { String(repeating: "a", count: 50 + $0) }
    texts += distinctCuts(texts, columns: width)
    let cuts = distinctCuts(texts, columns: width)
    #expect(cuts.allSatisfy { $0.columns <= width })
    #expect(Set(cuts).count == Set(texts).count)
    // What is whole stays as it is, and equal texts have equal cuts.
    for (text, cut) in zip(texts, cuts) where text.columns <= width { #expect(cut == text) }
    #expect(distinctCuts(texts + texts, columns: width) == cuts + cuts)
  }

  @Test(arguments: 12...60) func aColumnThatKeepsApartDoes(_ width: Int) {
    let column = TextTable.Column.names("TARGET", least: 10)
    let targets = (10..<40).map { "https://shop.example/api/v1/\($0)/orders/status/of/today" }
    let lines = TextTable(
      columns: [column], rows: targets.map { [.init($0, color: "32")] }, width: width, color: true
    ).lines
    #expect(Set(lines).count == 31 && lines.allSatisfy { $0.visibleColumns <= width })
  }
}
