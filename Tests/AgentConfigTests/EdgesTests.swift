// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing
import YAML

@testable import AgentConfig

/// The last value that is taken and the first that is not.
@Suite struct EdgesTests {
  /// A dead man's switch may be eight services.
  @Test(arguments: [(8, []), (9, ["heartbeat may list at most 8 services, found 9"])] as [(Int, [String])])
  func services(count: Int, told: [String]) {
    let list = (0..<count).map { "{url: \"https://hc.example/\($0)\"}" }.joined(separator: ", ")
    let found = problems("heartbeat: [\(list)]\n" + oneCheck)
    #expect(found.map { String($0.split(separator: ": ", maxSplits: 1)[1]) } == told)
  }

  private func group(_ key: String, _ value: String) -> Bool {
    let text = """
      group:
        \(key): "\(value)"
        share: true
        store: {etcd: ["https://etcd.example:2379"]}

      """
    return !problems(text + oneCheck).contains { $0.contains("group.\(key)") }
  }

  /// A group's name is part of keys: letters, digits, dots, dashes and underscores, and not the one of the votes.
  @Test(
    arguments: [
      ("a", true), ("AZaz09._-", true), ("v", false), ("V", true), ("vv", true), ("a/b", false),
      ("a b", false),
      ("a:b", false), ("é", false), (String(repeating: "g", count: 64), true),
      (String(repeating: "g", count: 65), false),
    ])
  func namesOfGroups(name: String, isTaken: Bool) { #expect(group("name", name) == isTaken) }

  /// A prefix begins and ends with a slash, and is of printable ASCII without blanks.
  @Test(
    arguments: [
      ("/", true), ("/q/", true), ("/!~/", true), ("q/", false), ("/q", false), ("/a b/", false),
      ("/é/", false),
      ("/" + String(repeating: "q", count: 98) + "/", true),
      ("/" + String(repeating: "q", count: 99) + "/", false),
    ])
  func prefixes(prefix: String, isTaken: Bool) { #expect(group("prefix", prefix) == isTaken) }

  /// Where the first byte stands that is no UTF-8, in characters.
  @Test(
    arguments: [
      ([0xff], 1, 1), ([0x61, 0xff], 1, 2), ([0xc3, 0xa4, 0xff, 0x0a], 1, 2), ([0x61, 0x0a, 0xff], 2, 1),
      ([0x0a, 0x0a, 0x62, 0x63, 0x80], 3, 3),
    ] as [([UInt8], Int, Int)])
  func placesOfOtherBytes(bytes: [UInt8], line: Int, column: Int) throws {
    let error = try #require(throws: ConfigErrors.self) { try utf8Text(bytes, file: "a.yaml") }
    #expect(error.problems.map { [$0.line, $0.column] } == [[line, column]])
  }

  @Test(arguments: [
    ("agent.yaml", "."), ("/agent.yaml", "/"), ("etc/agent.yaml", "etc"), ("/etc/q/a", "/etc/q"),
  ])
  func directories(file: String, folder: String) { #expect(directory(of: file) == folder) }

  /// An address has at most 1024 bytes and a label 512, and the first fifty that are left out are named.
  @Test func listsOfTargets() throws {
    func list(_ address: String, _ label: String = "x") throws -> TargetList {
      try TargetList(json: Array(#"[{"targets": ["\#(address)"], "labels": {"a": "\#(label)"}}]"#.utf8))
    }
    let page = "http://a.example/"
    let longest = page + String(repeating: "p", count: 1024 - page.utf8.count)
    #expect(try list(longest).targets.map(\.address) == [longest])
    let beyond = try list(longest + "p")
    #expect(beyond.targets.isEmpty && beyond.leftOut == 1)
    let label = String(repeating: "l", count: 512)
    #expect(try list(page, label).targets.first?.labels == [.init(name: "a", value: label)])
    #expect(try list(page, label + "l").targets.first?.labels == [])
    let refused = ["the label \"a\" holds what no label of a check may"]
    #expect(try list(page, label + "l").skippedLabels == refused)
    let bad = (1...51).map { #""\#($0) x""# }.joined(separator: ", ")
    let left = try TargetList(json: Array(#"[{"targets": [\#(bad)]}]"#.utf8))
    #expect(
      left.leftOut == 51 && left.skipped == (1...50).map { "\"\($0) x\" is no host, host:port or URL" })
  }

  /// What a budget counts: one for each value and each key, and one more for each 64 bytes.
  @Test func weights() {
    func node(_ content: YAMLNode.Content) -> YAMLNode {
      YAMLNode(content: content, position: Position(line: 1, column: 1))
    }
    func text(_ count: Int) -> YAMLNode {
      node(.scalar(String(repeating: "x", count: count), isPlain: true))
    }
    func entry(_ key: Int, _ value: YAMLNode) -> YAMLNode.Entry {
      .init(
        key: String(repeating: "k", count: key), position: Position(line: 1, column: 1), value: value)
    }
    #expect([0, 63, 64, 127, 128].map { text($0).weight } == [1, 1, 2, 2, 3])
    #expect(node(.list([])).weight == 1 && node(.list([text(0), text(64)])).weight == 4)
    #expect(node(.map([])).weight == 1 && node(.map([entry(1, text(0))])).weight == 3)
    #expect(node(.map([entry(64, text(64)), entry(1, text(0))])).weight == 7)
  }

  /// A range of addresses with a port or without, in the form in which it is printed.
  @Test(
    arguments: [
      ("10.0.0.0/8", true), ("10.0.0.0/8:443", true), ("10.0.0.0/8:1", true), ("10.0.0.0/8:65535", true),
      ("2001:db8::/32", true), ("[2001:db8::/32]:443", true), ("10.0.0.0/8:", false), ("10.0.0.0/8:0", false),
      ("10.0.0.0/8:65536", false), ("10.0.0.0/8:+4", false), ("10.0.0.0/8:4x", false),
      ("[10.0.0.0/8]:443", false),
      ("2001:db8::/32:443", false), ("[2001:db8::/32]", false), ("10.0.0.1/8", false), ("example:443", false),
      (":443", false), ("", false),
    ])
  func rulesOfEgress(text: String, isOne: Bool) {
    #expect(EgressRule(text: text)?.texts == (isOne ? [text] : nil))
  }
}
