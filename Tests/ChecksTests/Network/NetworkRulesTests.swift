// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Glibc
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// Tables of the network: places by their names, errors by their numbers, and the bounds of resolv.conf.
@Suite struct NetworkRulesTests {
  /// Places by the way they are written (RFC 6761, RFC 6762 appendix G, RFC 8375, and clouds' own names).
  @Test(
    arguments: [
      ("localhost", .loopback), ("LOCALHOST.", .loopback), ("a.b.localhost", .loopback),
      ("localhost.localdomain", .loopback), ("127.0.0.1", .loopback), ("::1", .loopback),
      ("metadata", .metadata), ("Metadata.Google.Internal.", .metadata), ("metadata.goog", .metadata),
      ("instance-data", .metadata), ("instance-data.ec2.internal", .metadata), ("169.254.169.254", .metadata),
      ("printer", .private), ("a.local", .private), ("a.internal", .private), ("a.intranet", .private),
      ("a.private", .private), ("a.corp", .private), ("a.home", .private), ("a.LAN", .private),
      ("a.localdomain", .private), ("home.arpa", .private), ("a.home.arpa.", .private),
      ("10.0.0.1", .private),
      ("x.metadata.goog", .public), ("xhome.arpa", .public), ("1.in-addr.arpa", .public),
      ("localhost.example", .public), ("local.example", .public), ("a.example", .public),
      ("8.8.8.8", .public), ("::ffff:10.0.0.1", .private), ("fe80::1", .linkLocal),
    ] as [(String, AddressClass)])
  func placesByName(host: String, place: AddressClass) { #expect(AddressClass(writtenAs: host) == place) }

  /// How close to the agent a class is, from the open network to this machine.
  @Test func ranks() {
    let ranks = AddressClass.allCases.map { "\($0) \($0.privacyRank)" }
    #expect(
      ranks == [
        "public 0", "reserved 1", "multicast 1", "private 2", "link-local 3", "metadata 4", "unspecified 5",
        "loopback 5",
      ])
    #expect(AddressClass.unspecified.withArticle == "an unspecified")
    #expect(AddressClass.linkLocal.withArticle == "a link-local")
    let policy = EgressPolicy()
    let (open, inside) = (IPAddress.v4(0x0808_0808), IPAddress.v4(0x0a00_0001))
    #expect(policy.isMorePrivate(inside, than: open) && !policy.isMorePrivate(open, than: inside))
    #expect(!policy.isMorePrivate(inside, than: .v4(0xc0a8_0001)))
  }

  /// A word of a router that comes later is told apart from that of this machine's own route.
  @Test func errorsOfTheNetwork() {
    for code in Int32(1)...133 {
      let expected = code == ENETUNREACH ? EHOSTUNREACH : code == EACCES ? ENOANO : code
      #expect(networkError(code) == expected)
    }
  }

  /// Of all errno these blame the target; every other one is this machine's.
  @Test func blame() {
    let target: [Int32: Reason] = [
      ECONNREFUSED: .connectRefused, ECONNRESET: .connectionReset, EPIPE: .connectionReset,
      ECONNABORTED: .connectionReset, ETIMEDOUT: .connectTimeout, EHOSTUNREACH: .connectUnreachable,
      EHOSTDOWN: .connectUnreachable, ENONET: .connectUnreachable, ENOPROTOOPT: .connectUnreachable,
      EPROTO: .connectUnreachable, ENOANO: .connectUnreachable,
    ]
    for code in Int32(1)...133 {
      let verdict = Verdict(errno: code, phase: .firstByte, peer: "p")
      #expect(verdict.reason == target[code] ?? .localFault, "\(code)")
      #expect(verdict.phase == (code == EMFILE || code == ENFILE ? .prepare : .firstByte), "\(code)")
      if target[code] != nil { #expect(verdict.message == "p: \(ConnectionWords.failed(code))") }
    }
    func words(_ code: Int32, _ source: IPAddress? = nil) -> String? {
      Verdict(errno: code, phase: .connect, peer: "p", source: source).message
    }
    #expect(words(EMFILE) == "no file descriptor left on this machine: raise LimitNOFILE")
    #expect(words(ENETUNREACH) == "no route from this machine to p" && words(ENETDOWN) == words(ENETUNREACH))
    #expect(words(EADDRNOTAVAIL) == "no free local port or address to reach p from")
    #expect(words(EADDRNOTAVAIL, .v4(0x0a00_0001)) == "source_address 10.0.0.1 is no address of this machine")
    #expect(words(EACCES) == "this machine could not reach p: permission denied")
  }

  // MARK: Races

  private static let start = Instant.now

  private func race(
    _ ends: [DialTry.End], ended: Duration = .seconds(5), lateness: Duration = .zero
  ) -> RaceReport {
    let tries = ends.enumerated().map { place, end in
      DialTry(
        peer: SocketAddress(.v4(UInt32(place + 1)), port: 80),
        started: Self.start + .milliseconds(250 * place), ended: Self.start + .milliseconds(1000 + place),
        end: end)
    }
    return RaceReport(
      tries: tries, started: Self.start, ended: Self.start + ended, deadline: Self.start + .seconds(5),
      lateness: lateness)
  }

  /// A result tells nothing of a race without a choice, and else each address with its own time.
  @Test func triesOfARace() {
    #expect(race([.connected]).dialled.isEmpty && race([]).dialled.isEmpty)
    let all = race([.failed(ECONNREFUSED), .timedOut, .connected, .abandoned]).dialled
    #expect(all.map(\.outcome) == [.failed, .failed, .connected, .abandoned])
    #expect(all.map(\.reason) == [.connectRefused, .connectTimeout, nil, nil])
    #expect(all.map(\.address) == ["0.0.0.1:80", "0.0.0.2:80", "0.0.0.3:80", "0.0.0.4:80"])
    #expect(all.map(\.after) == [0, 250, 500, 750].map { .milliseconds($0) })
    #expect(all.map(\.elapsed) == [1000, 751, 502, 253].map { .milliseconds($0) })
  }

  /// A race was lost by our own lateness where that was more than a fifth of its time, and its time was over.
  @Test func lostByLateness() {
    let late = Duration.milliseconds(1001)
    #expect(race([.timedOut], lateness: late).isOwnLateness)
    #expect(!race([.timedOut], lateness: .seconds(1)).isOwnLateness)
    #expect(!race([.timedOut], ended: .milliseconds(4999), lateness: late).isOwnLateness)
    #expect(!race([.timedOut, .connected], lateness: late).isOwnLateness)
    let lost = race([.timedOut], lateness: late)
    let verdict = Verdict(
      losing: lost.tries[0], in: lost, to: Endpoint(host: "a.test", port: 80), timeout: .seconds(5))
    #expect(
      verdict
        == Verdict(
          .localFault, phase: .connect,
          message: "this machine was busy: its network thread was 1001 ms late"))
  }

  // MARK: resolv.conf and hosts

  /// Numbers of options are held to the bounds of resolv.conf(5).
  @Test(
    arguments: [
      ("ndots:0", 0, 5, 2), ("ndots:15", 15, 5, 2), ("ndots:16", 15, 5, 2), ("timeout:0", 1, 1, 2),
      ("timeout:30", 1, 30, 2), ("timeout:31", 1, 30, 2), ("attempts:0", 1, 5, 1), ("attempts:5", 1, 5, 5),
      ("attempts:6", 1, 5, 5), ("ndots:2 ndots:3", 3, 5, 2), ("ndots:", 1, 5, 2), ("ndots:1:2", 1, 5, 2),
      ("NDOTS:3", 1, 5, 2),
    ] as [(String, Int, Int, Int)])
  func boundsOfOptions(options: String, ndots: Int, timeout: Int, attempts: Int) {
    let file = ResolverConfiguration(parsing: "options \(options)")
    #expect(file.ndots == ndots && file.timeout == .seconds(timeout) && file.attempts == attempts)
  }

  /// A name with as many dots as `ndots` says is tried as it is first, and one with fewer last.
  @Test func dotsOfAName() throws {
    for ndots in 0...3 {
      let file = ResolverConfiguration(parsing: "search s.test\noptions ndots:\(ndots)")
      for (dots, name) in ["a", "a.b", "a.b.c", "a.b.c.d"].enumerated() {
        let asked = try #require(DNSName(name))
        let candidates = file.candidates(for: asked, isAbsolute: false)
        let (own, searched) = ("\(name).", "\(name).s.test.")
        #expect(
          candidates.map(\.description) == (dots >= ndots ? [own, searched] : [searched, own]),
          "\(name) \(ndots)")
      }
    }
    // What would be too long with a domain behind it is not asked for.
    // 244 bytes on the wire before the root: eleven more make 255, and twelve 256.
    let text = Array(repeating: String(repeating: "a", count: 60), count: 4).joined(separator: ".")
    let long = try #require(DNSName(text))
    let file = ResolverConfiguration(parsing: "search nineninen tententent")
    #expect(
      file.candidates(for: long, isAbsolute: false).map(\.description) == ["\(text).", "\(text).nineninen."])
  }

  /// Comments of both kinds, other lines, and what stands behind a name server's address.
  @Test func linesOfTheFile() {
    let file = ResolverConfiguration(
      parsing: "; nameserver 192.0.2.1\n#nameserver 192.0.2.2\nnameserver\t192.0.2.3 x\n"
        + "nameservers 192.0.2.4\n")
    #expect(file.servers == [SocketAddress(.v4(0xc000_0203), port: 53)] && !file.namesNone)
    #expect(ResolverConfiguration(parsing: "domain\nsearch").namesNone)
    #expect(ResolverConfiguration(parsing: "domain a.test b.test").search == [DNSName("a.test")])
    let scopes = ["fe80::1", "fe80::1%7", "fe80::1%2%3"].map {
      ResolverConfiguration(parsing: "nameserver \($0)").servers.map(\.scope)
    }
    #expect(scopes == [[0], [7], [0]])
  }

  /// Sixteen addresses of a name are kept, each once, in the order of the file.
  @Test func linesOfHosts() {
    let many = (1...20).map { "192.0.2.\($0) a b" }.joined(separator: "\n")
    let others = "192.0.2.1 b\n#192.0.2.9 c\n192.0.2.9 d#e f\n\t192.0.2.8\tg\n192.0.2.7"
    let table = HostsTable(parsing: many + "\n" + others)
    #expect(table.lookUp("a") == (1...16).map { IPAddress.v4(0xc000_0200 + $0) })
    #expect(table.lookUp("b").count == 16 && table.lookUp("c").isEmpty && table.lookUp("f").isEmpty)
    #expect(table.lookUp("D") == [.v4(0xc000_0209)] && table.lookUp("g.") == [.v4(0xc000_0208)])
    #expect(table.lookUp("e").isEmpty && table.addresses.count == 4)
  }

  // MARK: Names that are known

  /// A failure is told of a name whose whole path was found open before, however it is written; a path of more than 63
  /// aliases is not learned.
  @Test func namesThatAreKnown() {
    let known = KnownNames()
    #expect(!known.knows("a.test", []))
    known.learn("A.Test.", ["b.test."])
    #expect(known.knows("a.test", []) && known.knows("b.TEST", ["a.test."]))
    #expect(known.knows("a.test", ["b.test"]))
    #expect(!known.knows("a.test", ["c.test"]) && !known.knows("c.test", ["a.test"]))
    known.learn("long.test", (0..<63).map { "n\($0).test" })
    #expect(known.knows("long.test", ["n62.test"]))
    known.learn("longer.test", (0..<64).map { "m\($0).test" })
    #expect(!known.knows("longer.test", []) && !known.knows("m0.test", []))
  }

  // MARK: Alphabets

  /// RFC 4648 section 10, in its extended alphabet and without padding.
  @Test func baseThirtyTwo() {
    let words = ["", "CO", "CPNG", "CPNMU", "CPNMUOG", "CPNMUOJ1", "CPNMUOJ1E8"]
    for (count, word) in words.enumerated() { #expect(base32Text("foobar".utf8.prefix(count)) == word) }
    #expect(hexText(UInt16(0x0a0b)) == "0A0B" && hexText([0xff, 0] as [UInt8]) == "FF00")
  }

  /// The time of a request to several addresses has the race in it, and the connection's time is the winner's own.
  @Test func aRaceIsPartOfARequest() throws {
    let start = Instant.now
    let peers = [SocketAddress(.loopback, port: 1), SocketAddress(.loopback, port: 2)]
    let race = RaceReport(
      socket: nil,
      tries: [
        DialTry(peer: peers[0], started: start, ended: start + .milliseconds(300), end: .failed(111)),
        DialTry(
          peer: peers[1], started: start + .milliseconds(250), ended: start + .milliseconds(290),
          end: .connected),
      ], started: start, ended: start + .milliseconds(310), deadline: start + .seconds(5), lateness: .zero)
    var dialled = DialledTransfer(
      report: TransferReport(outcome: .failed(.connectTimeout)), peer: peers[1], elapsed: .milliseconds(20),
      lateness: .zero, spent: .milliseconds(7))
    PinnedTransfer.add(race, to: &dialled)
    #expect(dialled.elapsed == .milliseconds(330) && dialled.spent == .milliseconds(317))
    #expect(dialled.connect == .milliseconds(40) && dialled.tries == race.dialled && race.dialled.count == 2)
  }

  /// Questions to the kernel leave no descriptor open.
  @Test func questionsAreClosed() throws {
    func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    let before = try open()
    for _ in 0..<500 { _ = LocalPath.refusal(of: .loopback) }
    // Other tests open some meanwhile.
    #expect(try open() < before + 400)
  }
}
