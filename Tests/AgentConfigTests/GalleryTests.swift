// SPDX-License-Identifier: MIT

import AgentConfig
import Foundation
import Testing

/// The gallery of wrong configurations: every file with exactly the messages a person gets to see.
struct GalleryTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Gallery")

  static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
  }()

  @Test func isThere() {
    #expect(Self.names.count >= 60)
  }

  @Test(arguments: names)
  func saysExactly(name: String) throws {
    let bytes = try Data(contentsOf: Self.folder.appending(path: "\(name).yaml"))
    let expected = try String(contentsOf: Self.folder.appending(path: "\(name).expected"), encoding: .utf8)
    let errors = try #require(throws: ConfigErrors.self) {
      try ConfigLoader.parse(bytes: [UInt8](bytes), file: "\(name).yaml", sources: .test)
    }
    #expect(errors.description + "\n" == expected)
    // The secret of every test source: no message may hold it.
    #expect(!errors.description.contains("hunter2"))
    #expect(!errors.warnings.map(\.description).joined().contains("hunter2"))
  }
}
