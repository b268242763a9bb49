// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport
import Testing

/// What README and docs show of a terminal is what the commands print there: each block of `console` is given to a shell in a
/// terminal, and compared. With `QUARTZ_WRITE_DOCS=1` the pages are written again.
@Suite struct SampleStories {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// A block: where it begins in the page's lines, its commands, and what each printed.
  private struct Block {
    var range: Range<Int>
    var parts: [(command: String, output: [String])]

    /// Times and sizes are another machine's.
    var isMeasured: Bool {
      parts.contains { $0.command.contains(" once ") || $0.command.contains(" status ") }
    }
  }

  private func blocks(of lines: [String]) -> [Block] {
    var blocks: [Block] = []
    var start: Int?
    for (index, line) in lines.enumerated() {
      if line == "```console" { start = index + 1 }
      guard line == "```", let begin = start else { continue }
      var parts: [(command: String, output: [String])] = []
      for line in lines[begin..<index] {
        if line.hasPrefix("$ ") {
          parts.append((String(line.dropFirst(2)), []))
        } else if !parts.isEmpty {
          parts[parts.count - 1].output.append(line)
        }
      }
      blocks.append(Block(range: begin..<index, parts: parts))
      start = nil
    }
    return blocks
  }

  /// The block of that sort that stands last before a line.
  private func file(_ isMeant: (String) -> Bool, before line: Int, in lines: [String]) -> String? {
    let text = lines[..<line].joined(separator: "\n")
    return text.components(separatedBy: "```yaml\n").dropFirst()
      .compactMap { $0.components(separatedBy: "\n```").first.map { $0 + "\n" } }.last(where: isMeant)
  }

  /// Ports that stand in the pages, and those of this run, which are as wide, and of no other page.
  private func ports(of page: Int) -> [(shown: String, here: String)] {
    var free = (9700 + 100 * page..<9800 + 100 * page).filter { port in
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(UInt16(port).bigEndian)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
    }.filter { $0 != 9797 }
    return ["9797", "5432"].map { ($0, String(free.removeFirst())) }
  }

  /// What is the same whichever machine measured it.
  private func still(_ line: String) -> String {
    line.replacing(/X-Agent-Mark: [0-9a-f]+/, with: "X-Agent-Mark: #").replacing(
      /[0-9]+(\.[0-9]+)?( (µs|ms|B|KiB|MiB)\b|s\b)?/, with: "#"
    ).replacing(
      /[▁▂▃▄▅▆▇█▉▊▋▌▍▎▏]+/, with: "█"
    )
    .replacing(/\ +/, with: " ").replacing(/\ $/, with: "")
  }

  /// In a terminal of 150 columns, without colours; a line of its own stands before what each command prints.
  private func run(_ commands: [String], in folder: URL) async throws -> [[String]] {
    let mark = "-- next command --"
    let script =
      "stty cols 150\nshopt -s expand_aliases\n" + commands.map { "\($0)\necho '\(mark)'\n" }.joined()
    try script.write(to: folder.appending(path: "session.sh"), atomically: true, encoding: .utf8)
    let outcome = try await runTool(
      "/usr/bin/script", ["-qec", "env NO_COLOR=1 bash session.sh", "/dev/null"], debianPackage: "bsdutils",
      in: folder)
    let parts = outcome.output.replacing("\r\n", with: "\n").components(separatedBy: mark + "\n")
    #expect(parts.count == commands.count + 1, "\(outcome.output)")
    return parts.prefix(commands.count).map { part in
      var lines = part.components(separatedBy: "\n")
      if lines.last == "" { lines.removeLast() }
      // What stood there while it ran was wiped away.
      return lines.map { line in
        (line.components(separatedBy: "\r\u{1B}[K").last ?? "").replacing(/\ +$/, with: "")
      }
    }
  }

  @Test(.timeLimit(.minutes(3))) func whatIsShownIsPrinted() async throws {
    let pages = ["README.md", "docs/getting-started.md", "docs/configuration.md"]
    try await sideBySide(pages.enumerated()) {
      try await prints($0.element, ports: ports(of: $0.offset))
    }
  }

  private func prints(_ page: String, ports: [(shown: String, here: String)]) async throws {
    let url = Self.repository.appending(path: page)
    var lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
    func here(_ text: String) -> String { ports.reduce(text) { $0.replacing($1.shown, with: $1.here) } }
    func shown(_ text: String) -> String { ports.reduce(text) { $0.replacing($1.here, with: $1.shown) } }
    let isWriting = ProcessInfo.processInfo.environment["QUARTZ_WRITE_DOCS"] == "1"
    try await withTemporaryDirectory { folder in
      let build = folder.appending(path: ".build/release")
      try FileManager.default.createDirectory(at: build, withIntermediateDirectories: true)
      for name in [build.appending(path: "quartz-agent"), folder.appending(path: "quartz-agent")] {
        try FileManager.default.createSymbolicLink(at: name, withDestinationURL: AgentProcess.binary)
      }
      let example = try String(
        contentsOf: Self.repository.appending(path: "agent.yaml.example"), encoding: .utf8)
      try here(example).write(
        to: folder.appending(path: "agent.yaml.example"), atomically: true, encoding: .utf8)
      let daemon =
        page != "docs/configuration.md"
        ? try AgentProcess(["run", "-c", "agent.yaml.example"], in: folder) : nil
      if let daemon {
        try await eventually("three checks are up", daemon) {
          try await agent("status", "-c", "agent.yaml.example", in: folder).stdout
            .components(separatedBy: "● UP").count == 4
        }
      }
      let blocks = blocks(of: lines)
      #expect(blocks.count >= 2)
      // From the end, so that places stay as they are.
      var renewed: [(Range<Int>, [String])] = []
      for block in blocks {
        if daemon == nil {
          for (name, isMeant) in [
            ("agent.yaml", { !$0.hasPrefix("cases:") }), ("cases.yaml", { $0.hasPrefix("cases:") }),
          ] as [(String, (String) -> Bool)] {
            let text = file(isMeant, before: block.range.lowerBound, in: lines) ?? ""
            try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
          }
        }
        let alias =
          page == "README.md" ? ["alias quartz-agent=.build/release/quartz-agent"] : ["PATH=$PWD:$PATH"]
        let outputs = try await run(alias + block.parts.map { here($0.command) }, in: folder).dropFirst()
        var text: [String] = []
        for (part, output) in zip(block.parts, outputs) {
          let output = output.map(shown)
          text += ["$ " + part.command] + output
          guard !isWriting else { continue }
          let isMeasured = block.isMeasured
          #expect(
            output.map { isMeasured ? still($0) : $0 } == part.output.map { isMeasured ? still($0) : $0 },
            "\(part.command) of \(page); run this test once with QUARTZ_WRITE_DOCS=1")
        }
        renewed.append((block.range, text))
      }
      if isWriting {
        for (range, text) in renewed.reversed() { lines.replaceSubrange(range, with: text) }
        try lines.joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8)
      }
      daemon?.send(SIGTERM)
      if let daemon { #expect(try await daemon.finish().status == 0) }
    }
  }
}
