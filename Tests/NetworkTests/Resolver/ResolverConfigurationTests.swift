// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import NetworkTestSupport
import Testing

@testable import Network

@Suite struct ResolverConfigurationTests {
  @Test func readsAnOrdinaryFile() {
    let file = ResolverConfiguration(
      parsing: """
        # made by hand
        nameserver 192.0.2.1
        nameserver 2001:db8::53   ; trailing words are not looked at
        search corp.example  lab.example
        options ndots:2 timeout:3 attempts:4 rotate edns0
        """)
    #expect(file.servers.map(\.description) == ["192.0.2.1:53", "[2001:db8::53]:53"])
    #expect(file.search == [DNSName("corp.example"), DNSName("lab.example")])
    #expect(file.ndots == 2)
    #expect(file.timeout == .seconds(3))
    #expect(file.attempts == 4)
  }

  /// Whatever stands in the files, reading them takes time that grows with their size.
  @Test(.timeLimit(.minutes(1))) func aNameOfMarksTakesItsLength() {
    let name = "a" + String(repeating: "\u{301}\u{323}", count: 200_000)
    let table = HostsTable(parsing: "192.0.2.1 \(name)\n192.0.2.2 \(name)\n")
    #expect(table.addresses[ByteText(name)]?.count == 2)
    #expect(ResolverConfiguration(parsing: "\(name) ndots:2\noptions ndots:3").ndots == 3)
  }

  @Test func defaultsAreThoseOfTheManual() {
    let file = ResolverConfiguration(parsing: "")
    #expect(file.servers.map(\.description) == ["127.0.0.1:53", "[::1]:53"])
    #expect(!file.usesTCP && !file.rotates && !file.asksOneByOne && !file.skipsAAAA)
    #expect(file.ndots == 1)
    #expect(file.timeout == .seconds(5))
    #expect(file.attempts == 2)
  }

  @Test(
    arguments: [
      ("use-vc", \.usesTCP), ("rotate", \.rotates), ("single-request", \.asksOneByOne),
      ("single-request-reopen", \.asksOneByOne), ("no-aaaa", \.skipsAAAA),
    ] as [(String, any KeyPath<ResolverConfiguration, Bool> & Sendable)])
  func knowsTheOptionsWithoutANumber(option: String, key: any KeyPath<ResolverConfiguration, Bool> & Sendable)
  {
    let file = ResolverConfiguration(parsing: "options edns0 trust-ad \(option) ndots:3 inet6")
    #expect(file[keyPath: key])
    #expect(file.ndots == 3)
    let all: [KeyPath<ResolverConfiguration, Bool>] = [\.usesTCP, \.rotates, \.asksOneByOne, \.skipsAAAA]
    #expect(all.filter { file[keyPath: $0] } == [key])
  }

  /// resolv.conf(5), "can be amended on a per-process basis".
  @Test func theEnvironmentWinsOverTheFile() {
    let text = "nameserver 192.0.2.1\nsearch a b\noptions ndots:2 timeout:3"
    let environment = ResolverConfiguration.Environment(
      options: "ndots:4  no-aaaa\tattempts:x", search: "c.example d.example")
    let file = ResolverConfiguration(parsing: text, environment: environment)
    #expect(file.ndots == 4 && file.timeout == .seconds(3) && file.attempts == 2 && file.skipsAAAA)
    #expect(file.search == [DNSName("c.example"), DNSName("d.example")])
    #expect(ResolverConfiguration(parsing: text, environment: .init(search: "")).search.isEmpty)
  }

  @Test func takesThreeServersOfAHundred() {
    let lines = (1...100).map { "nameserver 192.0.2.\($0)" }
    let file = ResolverConfiguration(parsing: lines.joined(separator: "\n"))
    #expect(file.servers.map(\.description) == ["192.0.2.1:53", "192.0.2.2:53", "192.0.2.3:53"])
  }

  @Test func theLastSearchOrDomainCounts() {
    #expect(ResolverConfiguration(parsing: "search a b\ndomain c d").search == [DNSName("c")])
    #expect(ResolverConfiguration(parsing: "domain c\nsearch a b").search == [DNSName("a"), DNSName("b")])
    #expect(ResolverConfiguration(parsing: "search .").search.isEmpty)
    let many = ResolverConfiguration(
      parsing: "search " + (1...40).map { "d\($0).example" }.joined(separator: " "))
    #expect(many.search.count == 32 && many.search.last == DNSName("d32.example"))
  }

  @Test func skipsWhatMakesNoSense() {
    let file = ResolverConfiguration(
      parsing:
        "nameserver\nnameserver nonsense\nnameserver 0x7f.1\noptions timeout:x ndots:-1 attempts:99\n\u{0}\u{1}"
    )
    #expect(file.servers.map(\.description) == ["127.0.0.1:53", "[::1]:53"])
    #expect(file.timeout == .seconds(5))
    #expect(file.ndots == 1)
    #expect(file.attempts == 5)
  }

  @Test func knowsTheInterfaceOfALinkLocalServer() {
    let file = ResolverConfiguration(parsing: "nameserver fe80::1%lo\nnameserver fe80::2%7")
    #expect(file.servers.map(\.scope) == [if_nametoindex("lo"), 7])
  }

  @Test(arguments: [
    ("www", false, ["www.a.", "www.b.", "www."]), ("www.x", false, ["www.x.", "www.x.a.", "www.x.b."]),
    ("www", true, ["www."]),
  ]) func searchesInTheOrderOfTheManual(name: String, isAbsolute: Bool, expected: [String]) throws {
    let file = ResolverConfiguration(parsing: "search a b")
    let candidates = file.candidates(for: try #require(DNSName(name)), isAbsolute: isAbsolute)
    #expect(candidates.map(\.description) == expected)
  }
}

@Suite struct HostsTableTests {
  let table = HostsTable(
    parsing: """
      127.0.0.1 localhost
      ::1       localhost ip6-localhost
      192.0.2.7 Web.Example www   # the shop
      192.0.2.8 www
      nonsense  other
      """)

  @Test func findsEveryAddressOfAName() {
    #expect(table.lookUp("WWW") == [IPAddress("192.0.2.7"), IPAddress("192.0.2.8")])
    #expect(table.lookUp("web.example.") == [IPAddress("192.0.2.7")])
    #expect(table.lookUp("localhost") == [.loopback, IPAddress("::1")])
  }

  @Test func knowsNothingElse() {
    #expect(table.lookUp("other").isEmpty)
    #expect(table.lookUp("shop").isEmpty)
  }

  @Test func localhostNeedsNoFile() {
    let loopback = [IPAddress.loopback, IPAddress("::1")]
    #expect(HostsTable().lookUp("localhost") == loopback)
    #expect(HostsTable().lookUp("API.localhost.") == loopback)
    #expect(HostsTable().lookUp("notlocalhost").isEmpty)
  }
}

@Suite struct ServerHealthTests {
  let servers = (1...3).map { SocketAddress(.v4(0xc000_0200 + $0), port: 53) }
  let start = Instant.now

  @Test func aServerThatWasSilentIsAskedLastForAWhile() {
    var health = ServerHealth()
    health.wasSilent(servers[0], at: start)
    #expect(health.ordered(servers, at: start + .seconds(29)) == [servers[1], servers[2], servers[0]])
    #expect(health.ordered(servers, at: start + .seconds(30)) == servers)
    health.wasSilent(servers[0], at: start + .seconds(60))
    health.answered(servers[0], at: start + .seconds(61))
    #expect(health.ordered(servers, at: start + .seconds(61)) == servers)
  }

  @Test func deafUntilSomebodyAnsweredAndAgainAfterHalfAMinute() {
    var health = ServerHealth()
    #expect(health.isDeaf(at: start))
    health.answered(servers[2], at: start)
    #expect(!health.isDeaf(at: start + .seconds(30)))
    #expect(health.isDeaf(at: start + .seconds(31)))
  }
}
