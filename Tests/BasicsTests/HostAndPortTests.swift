// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Testing

/// Hosts, ports and addresses as they are written, and the words for a connection.
@Suite struct HostAndPortTests {
  @Test(
    arguments: [
      ("example.com", "example.com", 443), ("example.com:8080", "example.com", 8080),
      ("192.0.2.1", "192.0.2.1", 443), ("192.0.2.1:53", "192.0.2.1", 53), ("::1", "::1", 443),
      ("2001:db8::5", "2001:db8::5", 443), ("[::1]", "::1", 443), ("[2001:db8::5]:853", "2001:db8::5", 853),
      ("host:1", "host", 1), ("host:65535", "host", 65_535), ("host:00080", "host", 80),
    ] as [(String, String, UInt16)])
  func aHostAndItsPort(text: String, host: String, port: UInt16) {
    #expect(Endpoint(text, defaultPort: 443) == Endpoint(host: host, port: port))
  }

  @Test(arguments: [
    "", ":80", "host:", "host:0", "host:65536", "host:+80", "host:-1", "host: 80", "host:8o", "host:000080",
    "[::1", "[::1]x", "[::1]:", "[::1]:0", "[192.0.2.1]:80", "[host]:80", "[]", "a:b:c",
  ])
  func noHostAndPort(text: String) { #expect(Endpoint(text, defaultPort: 443) == nil) }

  @Test func withoutADefaultAPortIsNeeded() {
    #expect(["host", "192.0.2.1", "::1", "[::1]"].allSatisfy { Endpoint($0, defaultPort: nil) == nil })
    #expect(Endpoint("[::1]:53", defaultPort: nil) == Endpoint(host: "::1", port: 53))
    #expect(Endpoint("host:53", defaultPort: nil) == Endpoint(host: "host", port: 53))
  }

  @Test func howHostsAreWritten() {
    #expect(Endpoint(host: "::1", port: 53).description == "[::1]:53")
    #expect(Endpoint(host: "[::1]", port: 54).description == "[::1]:54")
    #expect(Endpoint(host: "example.com", port: 65_535).description == "example.com:65535")
    #expect(["2001:db8::1", "[::1]", "192.0.2.1"].map(bracketed) == ["[2001:db8::1]", "[::1]", "192.0.2.1"])
    #expect(["EXAMPLE.com.", "a..", "host"].map { plainHost($0) } == ["example.com", "a.", "host"])
  }

  @Test(
    arguments: [
      ("localhost", true), ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("128.0.0.1", false),
      ("0.0.0.0", false), ("::", false), ("example.com", false), ("localhost.example", false),
    ])
  func whatStaysOnThisMachine(host: String, isLocal: Bool) {
    #expect(isThisMachine(host) == isLocal)
    #expect(ListenAddress.tcp(host: host, port: 80).isLocal == isLocal)
  }

  @Test func whereAServerListens() {
    let unix = ListenAddress.unix(path: "/run/a.sock")
    let named = ListenAddress.tcp(host: "localhost", port: 7)
    let six = ListenAddress.tcp(host: "::1", port: 9)
    #expect([unix, named, six].map(\.description) == ["unix:/run/a.sock", "localhost:7", "[::1]:9"])
    #expect([unix, named, six].map(\.isSocket) == [true, false, false])
    #expect(unix.isLocal && unix.numeric == unix && six.numeric == six)
    #expect(named.numeric == .tcp(host: "127.0.0.1", port: 7))
    #expect(ListenAddress.tcp(host: "LocalHost.", port: 8).numeric == .tcp(host: "127.0.0.1", port: 8))
    #expect(ListenAddress.tcp(host: "shop.example", port: 8).numeric == .tcp(host: "shop.example", port: 8))
  }

  /// Unspecified and "this network" (RFC 1122, 3.2.1.3), multicast, and the broadcast address alone.
  @Test(
    arguments: [
      ("0.0.0.0", true), ("0.255.1.2", true), ("1.0.0.0", false), ("223.255.255.255", false),
      ("224.0.0.1", true), ("239.255.255.255", true), ("240.0.0.1", false), ("255.255.255.254", false),
      ("255.255.255.255", true), ("127.0.0.1", false), ("::", true), ("::1", false), ("ff02::1", true),
      ("ffff::", true), ("fe80::1", false), ("1::", false), ("0:0:0:0:1::", false),
    ])
  func addressesThatNoMachineSendsFrom(text: String, isNone: Bool) throws {
    #expect(try #require(IPAddress(text)).isNobodys == isNone)
  }

  /// Link-local addresses of IPv6, fe80::/10.
  @Test(arguments: [
    ("fe80::1", true), ("febf:ffff::1", true), ("fe7f::1", false), ("fec0::1", false), ("::1", false),
    ("169.254.0.1", false),
  ])
  func zoneless(text: String, needsZone: Bool) throws {
    #expect(try #require(IPAddress(text)).needsZone == needsZone)
  }

  @Test(
    arguments: [
      ("192.0.2.200", 25, "192.0.2.128/25"), ("192.0.2.200", 32, "192.0.2.200/32"),
      ("192.0.2.200", 0, "0.0.0.0/0"), ("192.0.2.200", 33, nil), ("192.0.2.200", -1, nil),
      ("2001:db8:1:2:ffff::9", 64, "2001:db8:1:2::/64"),
      ("2001:db8:1:2:ffff::9", 65, "2001:db8:1:2:8000::/65"),
      ("2001:db8:1:2:ffff::9", 128, "2001:db8:1:2:ffff::9/128"), ("2001:db8::9", 129, nil),
      ("ffff::1", 0, "::/0"),
    ] as [(String, Int, String?)])
  func theBlockOfAnAddress(text: String, prefix: Int, block: String?) throws {
    let address = try #require(IPAddress(text))
    #expect(CIDR(holding: address, prefix: prefix)?.description == block)
  }

  @Test func whatIsDialled() throws {
    let (four, six) = (try #require(IPAddress("192.0.2.7")), try #require(IPAddress("fe80::7")))
    let one = SocketAddress(six, port: 8080, scope: 3)
    #expect(one.description == "[fe80::7]:8080" && one.family == AF_INET6)
    #expect(SocketAddress(four, port: 53).description == "192.0.2.7:53")
    #expect(SocketAddress(four, port: 53).family == AF_INET)
    #expect(one.isPlace(of: SocketAddress(six, port: 8080, scope: 4, source: four)))
    #expect(!one.isPlace(of: SocketAddress(six, port: 8081, scope: 3)))
    #expect(!one.isPlace(of: SocketAddress(four, port: 8080, scope: 3)))
    for address in [one, SocketAddress(four, port: 53)] {
      let read = address.withPointer { pointer, length in
        #expect(length == (address.family == AF_INET ? 16 : 28))
        return SocketAddress(family: address.family, at: pointer)
      }
      #expect(read == address)
    }
  }

  /// The first of the name, in whatever case; names are tokens of RFC 9110, section 5.6.2.
  @Test func headers() {
    let fields = [HeaderField("X-One", "1"), HeaderField("Date", "2"), HeaderField("dATE", "3")]
    #expect(fields.first("date")?.reveal() == "2" && fields.first("DATE")?.reveal() == "2")
    #expect(fields.first("x-one")?.reveal() == "1" && fields.first("x-on") == nil)
    let tokens = "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~"
    #expect((UInt8.min...UInt8.max).filter(isTokenByte) == Array(tokens.utf8))
    #expect(isToken("X-One") && !isToken("") && !isToken("X One") && !isToken("X:") && !isToken("é"))
  }
}

/// The same words for the same cause, whatever was asked over the connection.
@Suite struct ConnectionWordsTests {
  @Test(
    arguments: [
      (ECONNREFUSED, "connection refused"), (ECONNRESET, "connection reset by peer"),
      (EPIPE, "connection reset by peer"), (ECONNABORTED, "connection reset by peer"),
      (EHOSTUNREACH, "no route to host"), (ENETUNREACH, "network is unreachable"),
      (ETIMEDOUT, "connection timed out"),
      (ENOANO, "administratively prohibited by a firewall on the way"),
    ] as [(Int32, String)])
  func whyItFailed(code: Int32, words: String) { #expect(ConnectionWords.failed(code) == words) }

  @Test func whatDidNotEnd() {
    #expect(ConnectionWords.overdue(.connection) == "no connection within the time limit")
    let limit = "within the timeout of 5s"
    let parts: [ConnectionWords.Part] = [.connection, .handshake, .answer, .relayedAnswer, .rest]
    #expect(
      parts.map { ConnectionWords.overdue($0, limit) } == [
        "no connection within the timeout of 5s",
        "connected, but the tls handshake did not end within the timeout of 5s",
        "connected, but no answer came within the timeout of 5s",
        "no answer came within the timeout of 5s",
        "the answer did not end within the timeout of 5s",
      ])
  }

  @Test func whatWasClosed() {
    #expect(ConnectionWords.closed() == "the server closed the connection before its answer was complete")
    #expect(
      ConnectionWords.closed(inHandshake: true) == "the server closed the connection in the tls handshake")
  }
}
