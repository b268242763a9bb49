// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import TestSupport
import Testing

/// Damaged files: whatever the bytes, the answer is settings or problems, each with a place in the file.
struct ConfigFuzzTests {
  static let pieces = [
    "- ", "? ", ": ", "{", "}", "[", "]", ",", "#", " #", "&a ", "*a ", "!x ", "|\n", ">-\n", "'", "\"", "\n",
    "\t", "\0",
    "\u{feff}", "---\n", "...\n", "%YAML 1.1\n", "@", "`", "\\x", "${", "${env:REGION}", "${file:key}", "~",
    "null", "\r",
    "\u{85}", "\u{2028}", "<<: ", "\u{10ffff}",
  ].map { Array($0.utf8) }

  @Test(arguments: 1...8)
  func damageIsSurvived(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for config in goodConfigs {
      for _ in 0..<25 {
        var bytes = Array(config.text.utf8)
        for _ in 0..<Int.random(in: 1...6, using: &generator) { damage(&bytes, &generator) }
        check(bytes)
      }
    }
  }

  private func damage(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    let place = Int.random(in: 0...bytes.count, using: &generator)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...20, using: &generator)))
    case 1 where place < bytes.count: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
    case 2:
      let from = Int.random(in: 0...bytes.count, using: &generator)
      bytes.insert(contentsOf: bytes[from..<min(bytes.count, from + 30)], at: place)
    case 3: bytes.removeSubrange(place...)
    default: bytes.insert(contentsOf: Self.pieces.randomElement(using: &generator) ?? [], at: place)
    }
  }

  private func check(_ bytes: [UInt8]) {
    let lines =
      bytes.count { $0 == UInt8(ascii: "\n") } + bytes.count { $0 == UInt8(ascii: "\r") || $0 >= 0x80 } + 1
    do throws(ConfigErrors) {
      let loaded = try ConfigLoader.parse(bytes: bytes, file: "agent.yaml", sources: .test)
      #expect(!loaded.settings.checks.isEmpty || loaded.settings.quartz?.checks.pull == true)
    } catch {
      #expect(!error.problems.isEmpty)
      for problem in error.problems {
        #expect((0...lines).contains(problem.line) && !problem.message.isEmpty, "\(problem)")
      }
    }
  }
}
