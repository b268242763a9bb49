// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Testing

/// The agent's own folder is its own.
@Suite struct StateFolderTests {
  /// Whoever may write beside the agent's files could take them away or put others there.
  @Test(arguments: [
    (0o700, true), (0o750, true), (0o755, true), (0o720, false), (0o702, false), (0o777, false),
  ])
  func aFolderThatOthersMayWriteToIsRefused(mode: Int, isFit: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(chmod(folder.path, mode_t(mode)) == 0)
    let problem = await StateFolder.prepare(folder.path)
    #expect((problem == nil) == isFit, "\(problem ?? "")")
    if !isFit { #expect(problem?.contains("chmod go-w \(folder.path)") == true) }
  }
}
