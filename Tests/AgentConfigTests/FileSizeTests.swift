// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import AgentConfig

/// The greatest file of a configuration.
@Suite struct FileSizeTests {
  /// A file of exactly the greatest size is read, and a longer one refused.
  @Test(arguments: [(-1, true), (0, true), (1, false)]) func theGreatestFile(more: Int, isRead: Bool)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let file = folder.appending(path: "agent.yaml")
      let size = ConfigText.maxSize + more
      try Data(count: size).write(to: file)
      do throws(ConfigErrors) {
        let bytes = try ConfigFiles.disk.read(file.path)
        #expect(isRead && bytes.count == size)
      } catch {
        #expect(!isRead && error.problems.map(\.message) == [ConfigText.tooLarge])
      }
    }
    #expect(ConfigText.maxSize == 16 << 20)
  }
}
