// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// How values are written into agent.yaml.
@Suite struct AgentValueTests {
  /// What stands in the file and what in files beside it, in order.
  private func parts(_ value: AgentValue) -> [String] {
    switch value {
    case .secret(let secret, _): ["file of \(secret.reveal().utf8.count) bytes"]
    case .joined(let parts): parts.flatMap { self.parts($0) }
    default: ["\(value.word ?? "?")"]
    }
  }

  /// A file behind a reference has 4 KiB at most, and line ends at its end do not count: they stand beside the reference.
  @Test func aLongSecret() {
    func written(_ text: String) -> [String] { parts(.secretText(text, as: "body")) }
    #expect(written("hunter2") == ["file of 7 bytes"])
    #expect(written(String(repeating: "x", count: 1000)) == ["file of 1000 bytes"])
    #expect(written(String(repeating: "x", count: 1001)) == ["file of 1000 bytes", "file of 1 bytes"])
    #expect(written("\r\nab\n") == ["\r\n", "file of 2 bytes", "\n"])
    #expect(written(String(repeating: "€", count: 1000)) == ["file of 3000 bytes"])
    #expect(written("\n") == ["\n"])
  }
}
