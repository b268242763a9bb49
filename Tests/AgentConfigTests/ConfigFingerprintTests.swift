// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport
import Testing

@testable import AgentConfig

/// Changes of the files of a configuration that the watch notices.
@Suite struct ConfigFingerprintTests {
  /// Another content or mode is a change, and the same text written again is none.
  @Test func whatIsAChange() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending(path: "secret").path
      func now() -> ConfigFingerprint { ConfigFingerprint(of: ConfigOrigin(files: [path], patterns: [])) }
      func write(_ text: String, mode: mode_t) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(chmod(path, mode) == 0)
      }
      try write("one", mode: 0o600)
      let first = now()
      try write("one", mode: 0o600)
      #expect(now() == first)
      try write("one", mode: 0o660)
      #expect(now() != first)
      try write("one", mode: 0o600)
      #expect(now() == first)
      try write("two", mode: 0o600)
      #expect(now() != first)
    }
  }
}
