// SPDX-License-Identifier: MIT

import AgentConfig
import Foundation
import Testing

/// The tables of keys in the documentation are those that the declarations make.
struct KeyDocsTests {
  private static let pages = ["configuration.md", "checks.md", "places.md"]

  /// A page with the table that belongs behind each comment, and the names of its tables.
  private func renewed(_ page: String) -> (text: String, names: [String]) {
    var names: [String] = []
    var lines: [String] = []
    var rest = page.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = rest.popFirst() {
      lines.append(String(line))
      guard line.hasPrefix("<!-- keys: "), line.hasSuffix(" -->") else { continue }
      let name = String(line.dropFirst(11).dropLast(4))
      names.append(name)
      rest = rest.drop { $0.isEmpty || $0.hasPrefix("|") }
      lines += ["", KeyDocs.tables[name] ?? "There is no table \(name).\n"]
    }
    return (lines.joined(separator: "\n"), names)
  }

  /// Each table stands in the pages as it is generated. With `QUARTZ_WRITE_DOCS=1` the pages are written again.
  @Test func tablesAreGenerated() throws {
    var names: [String] = []
    for name in Self.pages {
      let url = DocumentationTests.docs.appending(path: name)
      let page = try String(contentsOf: url, encoding: .utf8)
      let new = renewed(page)
      names += new.names
      if ProcessInfo.processInfo.environment["QUARTZ_WRITE_DOCS"] == "1" {
        try new.text.write(to: url, atomically: true, encoding: .utf8)
      } else {
        #expect(
          new.text == page, "\(name) is not as the keys say; run this test once with QUARTZ_WRITE_DOCS=1")
      }
    }
    #expect(names.sorted() == KeyDocs.tables.keys.sorted())
  }

  /// A key in a map has the map's name in front, on the pages and in the manual, which name the same keys.
  @Test func keysInMaps() {
    let manual = Dictionary(uniqueKeysWithValues: KeyDocs.sections.map { ($0.name, $0.rows.map(\.name)) })
    let group = manual["group"] ?? []
    #expect(group.contains("name") && group.contains("store.etcd") && !group.contains("etcd"))
    #expect(manual["http conditions"]?.allSatisfy { $0.hasPrefix("expect.") } == true)
    for (name, keys) in manual {
      let table = KeyDocs.tables[name.replacing(" check", with: "")] ?? ""
      let named = table.split(separator: "\n").dropFirst(2).map { String($0.split(separator: "`")[1]) }
      #expect(keys == named, "\(name)")
    }
  }
}
