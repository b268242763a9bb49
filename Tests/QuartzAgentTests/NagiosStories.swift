// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport
import Testing

/// `once --format nagios` as a monitoring server runs it.
@Suite struct NagiosStories {
  /// The parser that Debian ships for plugins reads every figure.
  @Test func aRealParserReadsIt() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        let target = "http://127.0.0.1:\(server.port)/"
        let yaml = """
          checks:
            - {name: Shop front, type: http, url: "\(target)", expect: {response_time: {warn: 5s, fail: 10s}}}
          """
        try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
        let one = try await agent("once", "--format", "nagios", in: folder)
        #expect(one.status == 0 && one.stderr.isEmpty, "\(one.stdout)\(one.stderr)")
        #expect(one.stdout.hasPrefix("OK - Shop front: "), "\(one.stdout)")
        let figures = try await read(one.stdout, in: folder)
        #expect(figures.first?.hasPrefix("response_time s 5 10 0") == true, "\(figures)")
        #expect(
          figures.contains { $0.hasPrefix("connect s") } && figures.contains { $0.hasPrefix("total s") })
        let two = try await agent(
          "once", "--format", "nagios", target, "127.0.0.1:\(try freePort())", in: folder)
        #expect(two.status == 2, "\(two.stdout)")
        #expect(two.stdout.hasPrefix("CRITICAL - 1 of 2 checks down: tcp://127.0.0.1:"), "\(two.stdout)")
        #expect(
          try await read(two.stdout, in: folder).contains { $0.hasPrefix("\(target)::response_time s") })
      }
    }
  }

  /// Monitoring::Plugin, in which most plugins of Perl are written: `label unit warn crit min` of each figure.
  private func read(_ output: String, in folder: URL) async throws -> [String] {
    let script = #"""
      my $text = join("", <STDIN>);
      my ($first) = split(/\n/, $text);
      my ($data) = $first =~ /\|\s*(.*)$/;
      eval { require Monitoring::Plugin::Performance; 1 } or do { print "MISSING\n"; exit 0 };
      my @found = Monitoring::Plugin::Performance->parse_perfstring($data);
      for my $one (@found) {
        my $limits = $one->threshold;
        print join(" ", $one->label, $one->uom, $limits->warning->end // "", $limits->critical->end // "",
          $one->min // ""), "\n";
      }
      """#
    let outcome = try await runTool(
      "/usr/bin/perl", ["-e", script], debianPackage: "perl", in: folder, input: output)
    guard outcome.status == 0, !outcome.output.hasPrefix("MISSING") else {
      throw MissingServer(program: "Monitoring::Plugin", debianPackage: "libmonitoring-plugin-perl")
    }
    return outcome.output.split(separator: "\n").map(String.init)
  }

  /// A plugin's answer is one line on stdout and an exit code of 0 to 3 (Monitoring Plugins Development Guidelines), also for wrong
  /// usage and a wrong configuration: a monitoring server shows nothing else.
  @Test(arguments: [
    (
      ["--count", "2", "tcp://127.0.0.1:1"],
      "UNKNOWN - --format nagios is the answer of one round: leave --count out"
    ),
    (["--no-such-option"], "UNKNOWN - Unknown option '--no-such-option'"),
    (["nothing here"], #"UNKNOWN - "nothing here" is no target, and "#),
    (["--config", "missing.yaml"], "UNKNOWN - the configuration has 1 problem: missing.yaml"),
    (
      ["--config", "broken.yaml"],
      "UNKNOWN - the configuration has 3 problems: broken.yaml:1:1: unknown key \"cheks\"\n"
    ),
  ])
  func whatIsWrongIsOneLine(arguments: [String], words: String) async throws {
    try await withTemporaryDirectory { folder in
      try "cheks: []\nagnt: {}\n".write(
        to: folder.appending(path: "broken.yaml"), atomically: true, encoding: .utf8)
      for format in [["--format", "nagios"], ["--format=nagios"]] {
        let outcome = try await AgentProcess(["once"] + format + arguments, in: folder).finish()
        #expect(outcome.status == 3, "\(outcome.stdout)")
        #expect(outcome.stdout.hasPrefix(words), "\(outcome.stdout)")
        #expect(
          outcome.stdout.hasSuffix("\n") && outcome.stdout.count { $0 == "\n" } == 1, "\(outcome.stdout)")
      }
      let help = try await AgentProcess(["once", "--format", "nagios", "--help"], in: folder).finish()
      #expect(help.status == 0 && help.stdout.contains("USAGE: quartz-agent once"))
    }
  }

  /// Whatever is wrong with the words, the files or the checks.
  @Test(arguments: [
    ["--count", "0"], ["--count", "x"], ["--count"], ["--every", "soon", "tcp://127.0.0.1:1"], ["--explain"],
    ["--format", "xml"], ["--tag", "nowhere"], ["--tag"], ["--config"], ["--config", "."],
    ["--config", "empty.yaml"], ["--config", "binary.yaml"], ["--config", "checks.yaml", "No such check"],
    ["--config", "checks.yaml", "--tag", "nowhere"], ["--config", "checks.yaml", "-d", "x"],
    ["--timeout", "never", "tcp://127.0.0.1:1"], ["--retries", "-1", "tcp://127.0.0.1:1"],
    ["--with", "expect: {", "tcp://127.0.0.1:1"], ["--with", "expect: {nothing: 1}", "tcp://127.0.0.1:1"],
    ["-H", "no colon", "http://127.0.0.1:1/"], ["-d", "@missing.json", "http://127.0.0.1:1/"],
    ["-X", "GET POST", "http://127.0.0.1:1/"], ["ftp://127.0.0.1/"], ["http://"], ["tcp://127.0.0.1"],
    ["tcp://127.0.0.1:99999"], ["dns://127.0.0.1"], ["ping://"], [""], ["|"], ["a\nb"], ["--", "--help"],
    ["--post", "--config", "checks.yaml"], ["--export", "missing/results.json", "tcp://127.0.0.1:1"],
  ])
  func wrongWordsAreOneLineAndThree(arguments: [String]) async throws {
    try await withTemporaryDirectory { folder in
      for (name, text) in [
        ("empty.yaml", ""), ("binary.yaml", "\u{0}\u{1}\n"),
        (
          "checks.yaml",
          "agent: {state_dir: state}\nchecks: [{name: A, type: tcp, host: a, port: 1, enabled: false}]\n"
        ),
      ] {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
      }
      let outcome = try await AgentProcess(["once", "--format", "nagios"] + arguments, in: folder).finish()
      #expect(outcome.status == 3, "\(outcome.stdout)\(outcome.stderr)")
      #expect(outcome.stdout.hasPrefix("UNKNOWN - ") && outcome.stdout.utf8.count > 14, "\(outcome.stdout)")
      #expect(
        outcome.stdout.hasSuffix("\n") && outcome.stdout.count { $0 == "\n" } == 1, "\(outcome.stdout)")
      // A bar would begin performance data.
      #expect(!outcome.stdout.contains("|"), "\(outcome.stdout)")
    }
  }

  /// Also for a command that is none, and on a system that gives too little.
  @Test(arguments: [
    ("\"$0\" onc --format nagios", #"UNKNOWN - there is no command "onc""#),
    ("\"$0\" --format=nagios", "UNKNOWN - "),
    (
      "exec prlimit --stack=65536:65536 \"$0\" once --format nagios tcp://127.0.0.1:1",
      "UNKNOWN - the stack limit of this process is below the 1 MiB that it needs\n"
    ),
    (
      "exec prlimit --stack=65536:65536 \"$0\" once tcp://127.0.0.1:1 --format=nagios",
      "UNKNOWN - the stack limit of this process is below the 1 MiB that it needs\n"
    ),
    ("exec \"$0\" once --format nagios tcp://127.0.0.1:1 >&-", ""),
    ("exec \"$0\" once --format nagios tcp://127.0.0.1:1 >/dev/full", ""),
  ])
  func whateverHappensItIsThree(script: String, words: String) async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await AgentProcess(
        ["-c", script, AgentProcess.binary.path], in: folder, program: URL(filePath: "/bin/sh")
      ).finish()
      #expect(outcome.status == 3, "\(outcome.stdout)\(outcome.stderr)")
      #expect(outcome.stdout.hasPrefix(words), "\(outcome.stdout)")
      #expect(outcome.stdout.count { $0 == "\n" } == (words.isEmpty ? 0 : 1), "\(outcome.stdout)")
    }
  }

  /// A plugin that is stopped ends with one of the four codes as well.
  @Test(arguments: [SIGINT, SIGTERM]) func whatIsStoppedIsUnknown(signal: Int32) async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
        let process = try AgentProcess(
          ["once", "--format", "nagios", "http://127.0.0.1:\(server.port)/"], in: folder)
        try await process.wait(for: "the probe") { server.accepted >= 1 }
        process.send(signal)
        let outcome = try await process.finish()
        #expect(outcome.status == 3, "\(outcome.stdout)\(outcome.stderr)")
        #expect(outcome.stdout.hasPrefix("UNKNOWN - "), "\(outcome.stdout)")
      }
    }
  }

  /// It is the answer of one run; other commands have no such format, and say which they have.
  @Test(arguments: [
    (["status", "--format", "nagios"], "'table' and 'json'"),
    (["compare", "--format", "nagios", "a", "b"], "'nagios' is invalid"),
  ])
  func itIsOfOnceAlone(arguments: [String], words: String) async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await AgentProcess(arguments, in: folder).finish()
      #expect(outcome.status == 64)
      #expect(outcome.stderr.contains(words), "\(outcome.stderr)")
    }
  }
}
