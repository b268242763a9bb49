// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Network

/// In which words a lookup fails, and what of several lookups is kept.
@Suite struct LookupWordTests {
  private let question = DNSQuestion(name: DNSName("x") ?? .root, type: .a)
  private let server = Endpoint(host: "192.0.2.1", port: 53)

  private func message(_ change: (inout Wire) -> Void) throws -> DNSReply {
    let message = try DNSMessage(Wire("x", .a).with(change).bytes)
    return DNSReply(content: .message(message), transport: .udp, elapsed: .seconds(1))
  }

  private func failed(_ reason: Reason, _ message: String?, isCut: Bool = false) -> DNSReply {
    let verdict = Verdict(reason, phase: .connect, message: message)
    var reply = DNSReply(content: .failure(verdict), transport: .udp, elapsed: .seconds(1))
    reply.truncated = isCut
    return reply
  }

  /// Of a server that the check names, with its name; a cut answer over UDP is told where it is the cause.
  @Test(
    arguments: [
      (.dnsTimeout, false, " did not answer for x."), (.dnsTimeout, true, " did not answer for x."),
      (.dnsMalformed, false, " sent a malformed answer for x."),
      (.connectRefused, false, ": connection refused"),
      (.connectRefused, true, " cut its answer over UDP, and over TCP: connection refused"),
      (.localFault, false, " cannot be asked: words"), (.connectTimeout, false, " cannot be reached"),
      (.connectUnreachable, false, " cannot be reached"),
      (.connectTimeout, true, " cut its answer over UDP, and gave none over TCP"),
      (.connectionClosed, true, " cut its answer over UDP, and gave none over TCP"),
    ] as [(Reason, Bool, String)])
  func aServerOfTheChecks(reason: Reason, isCut: Bool, words: String) {
    let lookup = AddressLookup(failed(reason, "words", isCut: isCut), to: question, from: server)
    #expect(lookup.failure == Verdict(reason, phase: .dns, message: "resolver 192.0.2.1:53" + words))
    #expect(lookup.addresses.isEmpty && lookup.elapsed == .seconds(1))
  }

  @Test func aServerThatCannotBeAsked() {
    let lookup = AddressLookup(failed(.localFault, nil), to: question, from: server)
    #expect(lookup.failure?.message == "resolver 192.0.2.1:53 cannot be asked: a fault of this machine")
  }

  @Test func serversOfTheMachine() {
    func verdict(_ reason: Reason, _ message: String?) -> Verdict? {
      AddressLookup(failed(reason, message), to: question).failure
    }
    #expect(
      verdict(.dnsTimeout, "m")
        == Verdict(.dnsTimeout, phase: .dns, message: "no name server answered for x."))
    #expect(
      verdict(.dnsMalformed, "m")
        == Verdict(.dnsMalformed, phase: .dns, message: "the name server sent a malformed answer for x."))
    #expect(
      verdict(.connectRefused, "m")
        == Verdict(.localFault, phase: .dns, message: "this machine's name server: m"))
    #expect(
      verdict(.connectRefused, nil)?.message
        == "this machine's name server: \(Reason.connectRefused.rawValue)")
  }

  @Test func answersWithoutAnAddress() throws {
    func words(_ type: DNSRecordType = .a, _ change: (inout Wire) -> Void) throws -> Verdict? {
      AddressLookup(try message(change), to: DNSQuestion(name: question.name, type: type)).failure
    }
    let rows: [(UInt16, Reason, String)] = [
      (3, .dnsNXDomain, "x. does not exist"), (2, .dnsServfail, "the name server failed for x."),
      (5, .dnsRefused, "the name server refuses to answer for x."),
      (4, .dnsRcode, "the name server answered NOTIMP for x."),
      (9, .dnsRcode, "the name server answered NOTAUTH for x."),
    ]
    for (code, reason, text) in rows {
      #expect(try words { $0.flags = 0x8180 | code } == Verdict(reason, phase: .dns, message: text))
    }
    #expect(try words { _ in } == Verdict(.dnsNoData, phase: .dns, message: "x. has no IPv4 address"))
    #expect(try words(.aaaa) { _ in }?.message == "x. has no IPv6 address")
    let referred = try words { $0.flags = 0x8100 }
    #expect(referred?.message == "the name server looks no names up for others: x.")
    let aliased = try words { $0.answers = [Wire.cname("y")] }
    #expect(aliased?.message == "x. has no IPv4 address; its aliases end at y.")
  }

  /// What the resolver says of its own is a remark in few words, and all of its words.
  @Test func whatTheResolverSays() throws {
    let blocked = AddressLookup(
      try message {
        $0.flags = 0x8183
        $0.additional = [Wire.record(41, [0, 15, 0, 5, 0, 15] + Array("ads".utf8), name: [0])]
      }, to: question)
    #expect(blocked.remark == "blocked" && blocked.ownWords == "blocked: ads")
    #expect(blocked.failure?.message == "x. does not exist; it says: blocked")
    #expect(Verdict(.dnsTimeout).with(remark: "m") == Verdict(.dnsTimeout))
    #expect(Verdict(.dnsTimeout, message: "a").with(remark: nil).message == "a")
    let found = AddressLookup(
      try message {
        $0.answers = [Wire.a(192, 0, 2, 1)]
        $0.additional = [Wire.record(41, [0, 15, 0, 2, 0, 3], name: [0])]
      }, to: question)
    #expect(found.failure == nil && found.remark == "stale answer")
    let none = AddressLookup(try message { _ in }, to: question)
    let merged = AddressLookup(merging: [none, found], of: question.name, scope: .any)
    #expect(merged.remark == "stale answer" && merged.ownWords == "stale answer")
    #expect(merged.addresses.map(\.description) == ["192.0.2.1"] && !merged.isPartial)
  }

  /// The server is that of the addresses, and one lookup alone took the patience that came before it as well.
  @Test func whatSeveralLookupsHave() throws {
    func look(_ place: UInt32?, _ change: (inout Wire) -> Void) throws -> AddressLookup {
      var reply = try message(change)
      reply.server = place.map { SocketAddress(.v4($0), port: 53) }
      return AddressLookup(reply, to: question)
    }
    let none = try look(1) { _ in }
    let found = try look(2) {
      $0.answers = [Wire.cname("y"), Wire.record(1, [192, 0, 2, 1], name: Wire.name("y"))]
    }
    let unknown = try look(nil) { _ in }
    func merged(_ lookups: [AddressLookup]) -> AddressLookup {
      AddressLookup(merging: lookups, of: question.name, scope: .both)
    }
    #expect(merged([none, found]).server == SocketAddress(.v4(2), port: 53))
    #expect(merged([unknown, none]).server == SocketAddress(.v4(1), port: 53))
    #expect(merged([none, found]).aliases == ["y."] && merged([found, found]).aliases == ["y."])
    var patient = found
    patient.patience = .milliseconds(300)
    #expect(
      merged([patient]).elapsed == .milliseconds(1300) && merged([patient, none]).elapsed == .seconds(1))
    #expect(merged([]).failure?.message == "x. exists but has no address")
  }

  @Test func withoutAServerLine() {
    let words = "/etc/resolv.conf has no nameserver line, so 127.0.0.1 and ::1 were asked"
    #expect(Verdict(.localFault, message: "a").withoutServerLine.message == "a; \(words)")
    #expect(Verdict(.dnsTimeout).withoutServerLine.message == words)
    #expect(Verdict(.dnsNXDomain, message: "a").withoutServerLine.message == "a")
    let none = "no name server is configured: add a nameserver line to /etc/resolv.conf"
    #expect(Verdict.noNameServer == Verdict(.localFault, phase: .dns, message: none))
  }

  @Test(
    arguments: [
      ("timeout:0", 1, 2, 1), ("timeout:1", 1, 2, 1), ("timeout:30", 30, 2, 1), ("timeout:31", 30, 2, 1),
      ("attempts:0", 5, 1, 1), ("attempts:5", 5, 5, 1), ("attempts:6", 5, 5, 1), ("ndots:0", 5, 2, 0),
      ("ndots:15", 5, 2, 15), ("ndots:16", 5, 2, 15), ("ndots:-1", 5, 2, 1), ("ndots", 5, 2, 1),
      ("ndots:2:3", 5, 2, 1), ("Ndots:2", 5, 2, 1), ("ndots:2 ndots:4", 5, 2, 4),
    ])
  func boundsOfOptions(options: String, timeout: Int, attempts: Int, ndots: Int) {
    let file = ResolverConfiguration(parsing: "nameserver 192.0.2.1\noptions \(options)\n")
    #expect(file.timeout == .seconds(timeout) && file.attempts == attempts && file.ndots == ndots)
    #expect(!file.namesNone && file.servers.count == 1)
  }

  @Test func linesOfTheFile() {
    let file = ResolverConfiguration(
      parsing:
        "#nameserver 192.0.2.1\n;nameserver 192.0.2.2\n \t nameserver\t192.0.2.3\nNameserver 192.0.2.4\n")
    #expect(file.servers.map(\.description) == ["192.0.2.3:53"] && !file.namesNone)
    #expect(ResolverConfiguration(parsing: "search a").namesNone)
    let hosts = HostsTable(
      parsing: (0..<17).map { "192.0.2.\($0) many\n" }.joined() + "192.0.2.1 twice TWICE\n# 192.0.2.1 none\n")
    #expect(hosts.addresses["many"]?.count == 16 && hosts.addresses["twice"]?.count == 1)
    #expect(hosts.addresses["none"] == nil && hosts.addresses["TWICE"] == nil)
  }

  @Test func smallFiles() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/file"
      #expect(readFile(path, limit: 9) == nil && readFile(folder.path, limit: 9) == nil)
      #expect(FileManager.default.createFile(atPath: path, contents: Data([1, 2, 3, 4])))
      #expect([0, 3, 4, 5].map { readFile(path, limit: $0)?.count } == [0, 3, 4, 4])
      #expect(readFile(path, limit: 4) == [1, 2, 3, 4])
    }
  }

  /// The lower priority comes first; a port of none and a target of the root are no services.
  @Test func servicesInTheirOrder() throws {
    func service(_ priority: UInt16, _ port: UInt16, _ target: [UInt8]) -> [UInt8] {
      Wire.record(33, be(priority) + be(1) + be(port) + target)
    }
    let wire = Wire("x", .srv).with {
      $0.answers = [
        service(20, 1, Wire.name("c")), service(10, 2, Wire.name("b")), service(10, 1, Wire.name("a.b")),
        service(1, 0, Wire.name("zero")), service(1, 9, [0]), Wire.a(192, 0, 2, 1),
        service(100, 65_535, Wire.name("d")),
      ]
    }
    #expect(
      try DNSMessage(wire.bytes).services == [
        Endpoint(host: "a.b", port: 1), Endpoint(host: "b", port: 2), Endpoint(host: "c", port: 1),
        Endpoint(host: "d", port: 65_535),
      ])
  }

  /// A name that is too long with a domain of the list behind it is not tried with that.
  @Test func namesThatFit() throws {
    let long = Array(repeating: String(repeating: "a", count: 63), count: 3).joined(separator: ".")
    let domains = [61, 62].map { String(repeating: "b", count: $0) }
    let file = ResolverConfiguration(parsing: "search \(domains.joined(separator: " "))\noptions ndots:9")
    let found = file.candidates(for: try #require(DNSName(long)), isAbsolute: false)
    #expect(found.map(\.description) == ["\(long).\(domains[0]).", "\(long)."])
    #expect(found.first?.wire.count == 255)
  }

  @Test(arguments: [
    ("127.0.0.0/8", true), ("127.0.0.1/32", true), ("127.1.0.0/16", true), ("126.0.0.0/7", false),
    ("128.0.0.0/8", false), ("0.0.0.0/0", false), ("::1/128", true), ("::/127", false), ("::2/128", false),
    ("1::1/128", false), ("::/0", false),
  ])
  func rangesOfThisMachineAlone(text: String, isLoopback: Bool) throws {
    #expect(try #require(CIDR(text)).isLoopback == isLoopback)
  }
}
