// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Foundation
import Glibc
import TestSupport
import Testing

@testable import QuartzAgent

/// The manual and the completions in deploy/ are what the program prints, and others can read them.
@Suite struct ManualTests {
  private static let deploy = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "deploy")

  private static var files: [(path: String, text: String)] {
    let names: [(CompletionsCommand.Shell, String)] = [
      (.bash, "quartz-agent"), (.zsh, "_quartz-agent"), (.fish, "quartz-agent.fish"),
    ]
    return ManualPages.all().map { ("man/\($0.name)", $0.text) }
      + names.map { ("completions/\($1)", CompletionsCommand.script(for: $0)) }
  }

  /// With `QUARTZ_WRITE_DOCS=1` they are written again.
  @Test func deployHasThem() throws {
    #expect(ManualPages.all().count > 10)
    let isWriting = ProcessInfo.processInfo.environment["QUARTZ_WRITE_DOCS"] == "1"
    for (path, text) in Self.files {
      let url = Self.deploy.appending(path: path)
      if isWriting {
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
      }
      let found = try? String(contentsOf: url, encoding: .utf8)
      #expect(found == text, "deploy/\(path): run this test once with QUARTZ_WRITE_DOCS=1")
    }
    for folder in ["man", "completions"] {
      let there = try FileManager.default.contentsOfDirectory(
        atPath: Self.deploy.appending(path: folder).path)
      #expect(there.count == Self.files.count { $0.path.hasPrefix(folder + "/") }, "\(there)")
    }
  }

  /// mandoc finds nothing to complain about, and man shows the words.
  @Test func thePagesAreRight() async throws {
    try await withTemporaryDirectory { folder in
      for page in ManualPages.all() {
        try page.text.write(to: folder.appending(path: page.name), atomically: true, encoding: .utf8)
        let lint = try await runTool(
          "/usr/bin/mandoc", ["-Tlint", "-Wwarning", page.name], debianPackage: "mandoc", in: folder)
        #expect(lint.status == 0 && lint.output.isEmpty, "\(lint.output)")
      }
      let shown = try await runTool(
        "/usr/bin/mandoc", ["-Tascii", "quartz-agent-once.1"], debianPackage: "mandoc", in: folder
      ).output.replacing(/.\u{8}/, with: "").replacing(/\s+/, with: " ")
      for words in [
        "quartz-agent-once - run checks now", "-H, --header header", "'Name: value'",
        "with what was found until then",
      ] {
        #expect(shown.contains(words), "\(words) in \(shown)")
      }
      let keys = try await runTool(
        "/usr/bin/mandoc", ["-Tascii", "agent.yaml.5"], debianPackage: "mandoc", in: folder
      ).output.replacing(/.\u{8}/, with: "")
      #expect(keys.contains("failure_threshold (1 to 100)") && keys.contains("Default: none."), "\(keys)")
    }
  }

  /// Each command lists its exit codes.
  @Test func exitCodesAreListed() {
    for page in ManualPages.all() where page.name.hasSuffix(".1") {
      #expect(page.text.contains("Exit code"), "\(page.name)")
    }
  }

  /// Commands to be copied are lines of their own, as they are written.
  @Test func commandsOfADescriptionAreCode() throws {
    var page = ManualText(title: "a", section: 1)
    page.section("B")
    page.text("Words\nof it.\n\n  one \\\n    --two\n  three\n\nMore.")
    #expect(
      page.text.hasSuffix(
        ".SH \"B\"\nWords of it.\n.PP\n.RS 4\n.nf\none \\e\n  \\-\\-two\nthree\n.fi\n.RE\n.PP\nMore.\n"))
    for command in [ImportCommand.helpMessage(columns: 80), CompareCommand.helpMessage(columns: 80)] {
      #expect(command.contains(" \\\n"), "\(command)")
    }
  }

  /// A real bash completes commands, options and their words.
  @Test(arguments: [
    (["stat"], "status"), (["once", "--expl"], "--explain"), (["once", "--format", "nag"], "nagios"),
    (["spool", "exp"], "export"),
  ])
  func bashCompletes(words: [String], expected: String) async throws {
    #expect(try await offered(words) == [expected])
  }

  /// What a real bash, with the program in its path, offers at the end of a line.
  private func offered(_ words: [String], files: [String: String] = [:]) async throws -> [String] {
    try await withTemporaryDirectory { folder in
      for (name, text) in files.merging(
        ["script": CompletionsCommand.script(for: .bash)], uniquingKeysWith: { $1 })
      {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
      }
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: "quartz-agent"), withDestinationURL: AgentProcess.binary)
      let line = (["quartz-agent"] + words).joined(separator: " ")
      let script = """
        PATH=$PWD:$PATH
        source ./script
        COMP_LINE='\(line)' COMP_POINT=\(line.utf8.count) COMP_CWORD=\(words.count)
        COMP_WORDS=(quartz-agent \(words.map { "'\($0)'" }.joined(separator: " ")))
        name=$(complete -p quartz-agent | sed -E 's/.*-F ([^ ]+).*/\\1/')
        "$name" quartz-agent '\(words.last ?? "")' '\(words.dropLast().last ?? "quartz-agent")'
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      let outcome = try await runTool("/bin/bash", ["-c", script], debianPackage: "bash", in: folder)
      return outcome.output.split(separator: "\n").map {
        $0.trimmingCharacters(in: .whitespaces).replacing("\\ ", with: " ")
      }
    }
  }

  /// A real bash asks the program for what the configuration names.
  @Test(
    arguments: [
      (["once", "-c", "agent.yaml", "s"], ["shop", "shop login"]),
      (
        ["once", "-c", "agent.yaml", "01890a5d-ac96-774b-bcce-b302099a8051"],
        ["01890a5d-ac96-774b-bcce-b302099a8051"]
      ),
      (["once", "-c", "agent.yaml", "--tag", ""], ["web", "slow"]),
      (["mute", "-c", "agent.yaml", ""], ["shop", "shop login", "mail", "tag:web", "tag:slow", "all"]),
      (["alert", "test", "-c", "agent.yaml", "o"], ["ops"]),
      (["alert", "explain", "--config=agent.yaml", "m"], ["mail"]),
      (["once", "-c", "missing.yaml", "s"], []), (["once", "-c", "wrong.yaml", "s"], []),
    ] as [([String], [String])])
  func bashCompletesNames(words: [String], expected: [String]) async throws {
    let config = """
      checks:
        - {name: shop, type: http, url: "https://shop.example", tags: [web, slow]}
        - {name: shop login, type: http, url: "https://shop.example/login", tags: [web]}
        - {name: mail, type: tcp, host: mail.example, port: 25, id: 01890a5d-ac96-774b-bcce-b302099a8051}
      alerts:
        channels: [{name: ops, webhook: "https://hook.example"}, {name: night, webhook: "https://hook.example/n"}]
        rules: [{name: down, type: consecutive_failures, threshold: 1, severity: high}]
      """
    let files = ["agent.yaml": config, "wrong.yaml": "checks: [{"]
    #expect(try await offered(words, files: files) == expected)
  }

  /// A real zsh takes its own for a completion of the program.
  @Test func zshLoadsIt() async throws {
    try await withTemporaryDirectory { folder in
      try CompletionsCommand.script(for: .zsh).write(
        to: folder.appending(path: "_quartz-agent"), atomically: true, encoding: .utf8)
      let script =
        "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; autoload +X _quartz-agent && print -- ${_comps[quartz-agent]}"
      let outcome = try await runTool("/usr/bin/zsh", ["-fc", script], debianPackage: "zsh", in: folder)
      #expect(outcome.status == 0 && outcome.output == "_quartz-agent\n", "\(outcome.output)")
    }
  }

  /// What stands in the manual runs as it stands there, but for the hosts, which are this machine's.
  @Test func theExamplesRun() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        let place = "127.0.0.1:\(server.port)"
        func local(_ text: String) -> String {
          text.replacing("https://shop.example", with: "http://\(place)").replacing(
            "db.example:5432", with: place
          )
          .replacing("host: db.example\n    port: 5432", with: "host: 127.0.0.1\n    port: \(server.port)")
        }
        let owned = ManualExamples.file.replacing("name: shop", with: "name: shop\n  state_dir: .")
        try local(owned).write(
          to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
          at: folder.appending(path: "quartz-agent"), withDestinationURL: AgentProcess.binary)
        let daemon = try AgentProcess(["run", "-c", "agent.yaml"], in: folder)
        let rows = ManualExamples.all.filter { $0.key != "run" }.flatMap { name, examples in
          examples.map { (isOnce: name == "once", example: $0.command, command: local($0.command)) }
        }
        func asks(_ command: String) -> Bool {
          ["status", "report", "spool", "doctor"].contains { command.hasPrefix("quartz-agent \($0)") }
        }
        // Those that measure something wait most of their time; those that ask the daemon come when it has results.
        try await sideBySide(rows.filter { !asks($0.example) }, atOnce: 3) {
          try await Self.runs($0.example, as: $0.command, isOnce: $0.isOnce, in: folder)
        }
        let client = AgentClient(address: .unix(path: "\(folder.path)/agent.sock"))
        // Its first runs are within 30 s.
        try await eventually("a result", within: .seconds(60), daemon) {
          guard let text = try? await client.ask("/api/v1/summary?full=1") else { return false }
          let list = try JSONValue.parse(text.utf8)["data"]?["list"]?.array ?? []
          return list.contains { $0["last"] != nil }
        }
        for row in rows where asks(row.example) {
          try await Self.runs(row.example, as: row.command, isOnce: false, in: folder)
        }
        let run = try #require(ManualExamples.all["run"]?.first?.command)
        #expect(run == "quartz-agent run -c agent.yaml", "the daemon above is this example")
        daemon.send(SIGTERM)
        #expect(try await daemon.finish().status == 0)
      }
    }
  }

  /// - Parameter line: the example with the hosts of this machine.
  private static func runs(
    _ example: String, as line: String, isOnce: Bool, in folder: URL
  ) async throws {
    let outcome = try await runTool(
      "/bin/bash", ["-c", "set -e; PATH=\"$PWD:$PATH\" TOKEN=hunter2; export PATH TOKEN; \(line)"],
      debianPackage: "bash", in: folder)
    // 3: doctor and others may find fault with this machine, but never with the command.
    #expect([0, 1, 2, 3].contains(outcome.status), "\(example): \(outcome.output)")
    #expect(!outcome.output.contains("Usage:"), "\(example): \(outcome.output)")
    if isOnce { #expect(outcome.status == 0, "\(example): \(outcome.output)") }
  }

  /// Every command of the pages for people, in their order, in a folder with the configuration that they speak of.
  @Test func theCommandsOfThePagesRun() async throws {
    try await sideBySide(
      ["getting-started.md", "how-to.md", "operations.md", "troubleshooting.md"], atOnce: 2
    ) { try await commandsRun(of: $0) }
  }

  private func commandsRun(of page: String) async throws {
    let text = try String(
      contentsOf: Self.deploy.deletingLastPathComponent().appending(path: "docs/\(page)"), encoding: .utf8)
    let commands = text.components(separatedBy: "```sh\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
      .flatMap { $0.split(separator: "\n").filter { $0.hasPrefix("quartz-agent ") }.map(String.init) }
    #expect(commands.count >= 4)
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        let place = "127.0.0.1:\(server.port)"
        func local(_ text: String) -> String {
          text.replacing("https://shop.example", with: "http://\(place)").replacing(
            "db.example:5432", with: place)
        }
        let config = folder.appending(path: "agent.yaml")
        let yaml = """
          agent: {state_dir: ./state}
          spool: {size: 16MiB}
          alerts:
            channels: [{name: ops, exec: [/bin/true]}]
            reports: [{name: acme, every: month, channels: [ops]}]
          checks:
            - {name: Shop front, type: http, url: "http://\(place)/", tags: [shop], interval: 1s, timeout: 1s}
            - {name: "http://\(place)", type: http, url: "http://\(place)/", interval: 1s, timeout: 1s}
          """
        try yaml.write(to: config, atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
          at: folder.appending(path: "quartz-agent"), withDestinationURL: AgentProcess.binary)
        let daemon = try AgentProcess(["run", "-c", "agent.yaml"], in: folder)
        // Its first runs are within 30 s.
        try await daemon.wait(for: "probes", within: .seconds(60)) { server.accepted >= 1 }
        for command in commands where command != "quartz-agent run" {
          // The file that init is to write is there already.
          let line = command.hasPrefix("quartz-agent init") ? command + " -o first.yaml" : command
          let outcome = try await runTool(
            "/bin/bash", ["-c", "PATH=\"$PWD:$PATH\"; export PATH; \(local(line))"], debianPackage: "bash",
            in: folder)
          // Doctor may find fault with this machine, but nothing with the command.
          let allowed: [Int32] = command.hasPrefix("quartz-agent doctor") ? [0, 1, 2, 3] : [0]
          #expect(allowed.contains(outcome.status), "\(line): \(outcome.output)")
        }
        daemon.send(SIGTERM)
        #expect(try await daemon.finish().status == 0)
      }
    }
  }
}
