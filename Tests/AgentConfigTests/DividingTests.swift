// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// A group without a use, and the rules over several keys of its section.
struct DividingTests {
  private let unused =
    "there is nothing to divide: group.share is false, no checks are pulled and none has confirm"
    + "\n  hint: set group.share: true, or quartz.checks.pull: true"

  private func text(_ group: String, _ rest: String = "") -> String {
    "group: {name: a, \(group)store: {etcd: [\"https://e.example:2379\"]}}\n" + rest + oneCheck
  }

  private func quartz(_ pull: String) -> String {
    "quartz: {url: \"https://q.example/v1\", api_key: x, checks: {pull: \(pull)}}\n"
  }

  /// Neither share nor pulled checks nor one with confirm.
  @Test func aGroupHasAUse() {
    #expect(problems(text("")) == ["agent.yaml:1:1: " + unused])
    #expect(problems(text("share: false, ")) == ["agent.yaml:1:18: " + unused])
    #expect(problems(text("", quartz("false"))) == ["agent.yaml:1:1: " + unused])
    #expect(problems(text("share: true, ")) == [])
    #expect(problems(text("", quartz("true"))) == [])
  }

  /// Where a value is wrong, that is told, and not that there is none.
  @Test func aWrongValueIsToldOnce() {
    let pull = problems(text("", quartz("maybe")))
    #expect(pull.count == 1 && pull.first?.contains("quartz.checks.pull") == true)
    let share = problems(text("share: maybe, "))
    #expect(share.count == 1 && share.first?.contains("group.share") == true)
    let confirm = problems(
      "group: {name: a, store: {etcd: [\"https://e.example:2379\"]}}\n"
        + "checks: [{name: A, type: tcp, host: a, port: 1, retries: 1, confirm: 5}]\n")
    #expect(!confirm.isEmpty && !confirm.contains { $0.contains("nothing to divide") })
  }

  /// Both of a pair, or neither.
  @Test func pairsOfTheStore() {
    func store(_ keys: String) -> [String] {
      problems(
        "group: {name: a, share: true, store: {etcd: [\"https://e.example:2379\"], \(keys)}}\n" + oneCheck)
    }
    #expect(store("user: a, password: b") == [])
    #expect(
      store("user: a") == [
        "agent.yaml:1:73: group.store.user has no effect without group.store.password"
          + "\n  hint: set both, or neither where etcd asks for no user"
      ])
    #expect(
      store("password: a") == [
        "agent.yaml:1:73: group.store.password has no effect without group.store.user"
          + "\n  hint: set both, or neither where etcd asks for no user"
      ])
    #expect(
      store("tls: {client_key: a.pem}") == [
        "agent.yaml:1:79: group.store.tls.client_key has no effect without group.store.tls.client_certificate"
          + "\n  hint: add the PEM file of the certificate that the key belongs to"
      ])
    #expect(store("tls: {client_certificate: a.pem}") == [])
    #expect(store("tls: {client_certificate: a.pem, client_key: b.pem}") == [])
    #expect(
      problems("group: {name: a, share: true, store: {etcd: []}}\n" + oneCheck) == [
        "agent.yaml:1:39: group.store.etcd is missing\n  hint: such as etcd: [https://etcd-1.example:2379]"
      ])
  }

  /// The address of a member is part of what all read.
  @Test func addressesOfMembers() {
    func url(_ url: String) -> [String] { problems(text("share: true, url: \"\(url)\", ")) }
    let longest = "http://a.example/" + String(repeating: "p", count: 183)
    #expect(url(longest) == [] && url("https://a.example:9797") == [])
    let message = "agent.yaml:1:31: group.url must have no query and no fragment, and at most 200 bytes"
    #expect(url(longest + "p") == [message])
    #expect(url("http://a.example/?q") == [message])
    #expect(url("http://a.example/#f") == [message])
    #expect(url("ftp://a.example/").first?.hasSuffix("hint: such as http://agent-1.internal:9797") == true)
  }

  /// Bounds of the numbers.
  @Test(arguments: [
    ("weight: 1", true), ("weight: 1000", true), ("weight: auto", true), ("weight: 0", false),
    ("weight: 1001", false), ("ttl: 5s", true), ("ttl: 60s", true), ("ttl: 4999ms", false),
    ("ttl: 60001ms", false), ("token: abcdefghij", true), ("token: abcdefghi", false),
    ("token: \"!~cdefghij\"", true), ("token: \"abcdefghi j\"", false), ("token: \"abcdefghij\\x7f\"", false),
  ])
  func bounds(key: String, isTaken: Bool) {
    #expect(problems(text("share: true, \(key), ")).isEmpty == isTaken)
  }

  /// Where the addresses of the store are wrong, that alone is said; where there are none, that they are missing.
  @Test func addressesOfTheStore() {
    func store(_ keys: String) -> [String] {
      problems("group: {name: a, share: true, store: {\(keys)}}\n" + oneCheck)
    }
    for wrong in ["etcd: 5", "etcd: [\"ftp://e.example\"]", "etcd: {a: b}"] {
      let found = store(wrong)
      #expect(found.count == 1 && found.first?.contains("group.store.etcd") == true, "\(found)")
      #expect(!found.contains { $0.contains("is missing") }, "\(wrong): \(found)")
    }
    for none in ["etcd: []", "prefix: /a/"] {
      #expect(store(none).contains { $0.contains("group.store.etcd is missing") }, "\(none): \(store(none))")
    }
    #expect(store("etcd: [\"https://e.example:2379\"]") == [])
  }
}
