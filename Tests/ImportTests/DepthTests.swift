// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// How deep values may lie in one another.
@Suite struct DepthTests {
  private func isTooDeep(_ format: ImportFormat, _ text: String, _ words: String) -> Bool {
    do throws(ImportProblem) {
      _ = try Importer.read(format, [ImportFile(name: "f", bytes: Array(text.utf8))])
      return false
    } catch { return error.message.contains(words) }
  }

  /// The deepest that is read, and one level more, in each way of writing that nests.
  @Test(
    arguments: [
      (.cloudprober, "", "a{", "}", 63, "nested too deep"),
      (.cloudprober, "", "a<", ">", 63, "nested too deep"),
      (.cloudprober, "a: ", "[", "]", 64, "nested too deep"),
      (.telegraf, "a = ", "[", "]", 64, "nested deeper than 64 levels"),
      (.telegraf, "a", ".a", "", 63, "nested deeper than 64 levels"),
      (.checkly, "", "[", "]", 64, "nested deeper than 64"),
    ] as [(ImportFormat, String, String, String, Int, String)])
  func theDeepestIsRead(
    format: ImportFormat, head: String, open: String, close: String, most: Int, words: String
  ) {
    func text(_ count: Int) -> String {
      head + String(repeating: open, count: count) + String(repeating: close, count: count)
    }
    let end = close.isEmpty ? " = 1\n" : "\n"
    #expect(!isTooDeep(format, text(most) + end, words))
    #expect(isTooDeep(format, text(most + 1) + end, words))
  }

  /// Parts of Smokeping lie in 64 others at most.
  @Test func partsOfSmokeping() {
    func text(_ count: Int) -> String {
      "*** Targets ***\n" + (1...count).map { String(repeating: "+", count: $0) + " a\n" }.joined()
    }
    #expect(!isTooDeep(.smokeping, text(64), "a part that has nothing above it"))
    #expect(isTooDeep(.smokeping, text(65), "f: line 66: a part that has nothing above it"))
  }
}
