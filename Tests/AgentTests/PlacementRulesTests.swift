// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Foundation
import Groups
import Logging
import Monitoring
import Scheduler
import Spool
import Status
import TestSupport
import Testing
@testable import Agent
@testable import Network

/// Small rules of the composition: what a check loads, where a server is reached, how often a file is written.
@Suite struct PlacementRulesTests {
  private func check(_ type: String, _ change: (inout CheckDefinition) -> Void) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type) = ("Shop", type)
    change(&definition)
    return try MonitoringCheck(definition)
  }

  /// Host and port of each kind, for the limit per host.
  @Test func whatAProbeLoads() throws {
    let rows: [(MonitoringCheck, String)] = [
      (try check("http") { $0.url = "https://shop.example/a" }, "shop.example:443"),
      (try check("http") { $0.url = "http://shop.example:8080/a" }, "shop.example:8080"),
      (try check("tcp") { ($0.host, $0.port) = ("db.example", 5432) }, "db.example:5432"),
      (try check("tls") { ($0.host, $0.port) = ("2001:db8::1", 25) }, "[2001:db8::1]:25"),
      (try check("dns") { ($0.server, $0.queryName) = ("192.0.2.53", "a.example") }, "192.0.2.53:53"),
      (try check("dns") { $0.queryName = "a.example" }, "system resolver"),
      (try check("ping") { $0.host = "router.example" }, "router.example"),
      (
        try check("heartbeat") {
          ($0.token, $0.period) = (Redacted("0123456789abcdef0123456789abcdef"), .seconds(3600))
        }, "heartbeat"
      ),
    ]
    for (check, host) in rows { #expect(check.kind.loadedHost == host) }
  }

  /// From this machine a wildcard is its own loopback address, and localhost is 127.0.0.1.
  @Test(
    arguments: [
      (.tcp(host: "0.0.0.0", port: 1), .tcp(host: "127.0.0.1", port: 1), "http://127.0.0.1:1/"),
      (.tcp(host: "::", port: 2), .tcp(host: "::1", port: 2), "http://[::1]:2/"),
      (.tcp(host: "localhost", port: 3), .tcp(host: "127.0.0.1", port: 3), "http://127.0.0.1:3/"),
      (.tcp(host: "192.0.2.1", port: 4), .tcp(host: "192.0.2.1", port: 4), "http://192.0.2.1:4/"),
      (
        .unix(path: "/run/a b"), .unix(path: "/run/a b"),
        "curl --unix-socket '/run/a b' http://localhost/, or: quartz-agent status"
      ),
    ] as [(ListenAddress, ListenAddress, String)])
  func places(listen: ListenAddress, reached: ListenAddress, page: String) {
    #expect(listen.reachable == reached && listen.pageURL == page)
  }

  /// Every file of the history has its turn within ten minutes.
  @Test func turnsOfFiles() {
    #expect(
      [0, 1, 4, 600].map { HistoryKeeper.pause(files: $0) } == [
        .seconds(600), .seconds(600), .seconds(150), .seconds(1),
      ])
  }

  /// Names of four digits or more.
  @Test func namesOfFiles() async throws {
    try await withTemporaryDirectory { folder in
      let time = FakeClock().time
      let disk = StateDisk(folder: folder.path, time: time)
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let starts = StartWatch(disk: disk, log: log, time: time)
      let files = HistoryFolder(on: disk, starts)
      #expect(
        [0, 7, 1234, 12_345].map(files.name) == [
          "windows/0000", "windows/0007", "windows/1234", "windows/12345",
        ])
      #expect(files.path == "\(folder.path)/windows")
    }
  }

  /// Lines of /proc/self/status; a figure is in kB, or none.
  @Test func theKernelsFigures() {
    let status = ProcStatus(
      Array("Name:\tquartz\nVmRSS:\t   25600 kB\nVmSize:\t 7 MB\nThreads:\t12\nodd\nVmPeak:\t99\n".utf8))
    #expect(status["Name"] == "quartz" && status["Threads"] == "12" && status["odd"] == nil)
    #expect(status.bytes("VmRSS") == 26_214_400 && status.bytes("VmSize") == nil)
    #expect(status.bytes("VmPeak") == nil && status.bytes("None") == nil)
    let huge = ProcStatus(Array("A:\t9223372036854775807 kB\nB:\t-1 kB\n".utf8))
    #expect(huge.bytes("A") == nil)
  }

  /// 304 descriptors are kept back, or half of few; a probe takes up to six. Two pages with all their connections leave the
  /// probes theirs.
  @Test(
    arguments: [
      (64, 4, 5), (96, 4, 8), (128, 8, 10), (256, 40, 21), (607, 127, 50), (608, 128, 50), (1024, 128, 120),
      (65_536, 128, 2000), (1_073_741_816, 128, 2000),
    ])
  func sharesOfDescriptors(limit: Int, connections: Int, inFlight: Int) {
    let shares = DescriptorShares(of: limit)
    #expect(shares.connections == connections)
    #expect(shares.inFlight(nil) == inFlight && shares.inFlight(1) == 1)
    if limit >= 128 { #expect(48 + 2 * connections + 6 * inFlight <= limit) }
    #expect(inFlightLimit(nil) == DescriptorShares(of: descriptorLimit()).inFlight(nil))
  }

  /// What the settings say of where probes may go: the agent's own ports and its API are no targets.
  @Test func whereProbesMayGo() throws {
    #expect(ProbeEgress().destinations == 500)
    var settings = Settings()
    settings.limits.destinations = 7
    settings.status.listen = .tcp(host: "127.0.0.1", port: 9797)
    settings.quartz = QuartzSettings(url: try HTTPURL("https://api.example/v1"), apiKey: Redacted("k"))
    let egress = ProbeEgress(settings)
    #expect(egress.destinations == 7 && egress.settings == settings.egress)
    func isOpen(_ address: String, _ port: UInt16, _ host: String? = nil) throws -> Bool {
      egress.own.refusal(of: try #require(IPAddress(address)), port: port, host: host) == nil
    }
    #expect(try !isOpen("127.0.0.1", 9797) && isOpen("127.0.0.1", 9798) && isOpen("192.0.2.1", 9797))
    #expect(try !isOpen("192.0.2.1", 443, "API.example") && isOpen("192.0.2.1", 444, "api.example"))
    #expect(try isOpen("192.0.2.1", 443, "www.example"))
    settings.status.listen = .unix(path: "/run/a")
    let own = ProbeEgress(settings).own
    #expect(own.refusal(of: try #require(IPAddress("127.0.0.1")), port: 9797, host: nil) == nil)
  }

  /// The path of the spool, and how it is kept; space is set aside where results are delivered.
  @Test func settingsOfTheSpool() throws {
    var settings = Settings()
    (settings.agent.stateDir, settings.spool.size) = ("/var/lib/a", 32 << 20)
    var spool = Spool.SpoolSettings(settings)
    #expect(spool.path == "/var/lib/a/spool" && spool.size == 32 << 20 && spool.durability == .always)
    #expect(!spool.isReserved)
    settings.spool.durability = .interval
    settings.quartz = QuartzSettings(url: try HTTPURL("https://api.example/v1"), apiKey: Redacted("k"))
    settings.quartz?.deliver.target = .quartz
    spool = Spool.SpoolSettings(settings)
    #expect(spool.durability == .interval && spool.isReserved)
    settings.quartz?.deliver.target = .off
    #expect(!Spool.SpoolSettings(settings).isReserved)
  }

  /// What a supervisor may say, and how often it hears of an agent that is not watched, or seldom.
  @Test func theSupervisor() {
    func isOne(_ path: String) -> Bool { Supervisor(environment: ["NOTIFY_SOCKET": path]) != nil }
    let long = "/" + String(repeating: "a", count: 106)
    #expect(isOne("/a") && isOne("@a") && isOne(long))
    #expect(!isOne("/") && !isOne("@") && !isOne(long + "a") && !isOne("a/b") && !isOne(""))
    #expect(Supervisor(environment: [:]) == nil)
    func every(_ watchdog: String?) -> Duration? {
      let variables = ["NOTIFY_SOCKET": "/a", "WATCHDOG_USEC": watchdog].compactMapValues(\.self)
      return Supervisor(environment: variables)?.pulse { 1 }.every
    }
    #expect(every(nil) == .seconds(3600) && every("0") == .seconds(3600) && every("x") == .seconds(3600))
    #expect(every("7200000000") == .seconds(3600) && every("7199000000") == .milliseconds(3_599_500))
    #expect(every("9000000000") == .seconds(3600) && every("1000") == .milliseconds(50))
  }

  /// Pings that cannot run are trouble; over raw sockets they can.
  @Test func waysOfPing() {
    #expect(PingWay.unprivileged.notice == nil && PingWay.raw.notice == nil)
    #expect(PingWay.closed("why").notice == .critical("ping", "ping checks cannot run", hint: "why"))
  }

  /// The problems of the places' store, each with what to do.
  @Test func problemsOfPlaces() {
    let trouble = StoreTrouble(.denied, "no")
    var keys = StrangeKeys()
    keys.add("v/x")
    let one = PlacesPart.notice(.strange(keys))
    keys.add("v/y")
    let two = PlacesPart.notice(.strange(keys))
    let heard = PlacesPart.notice(.unheard(trouble))
    let told = PlacesPart.notice(.untold(trouble))
    #expect(heard.what == "the other places of checks with confirm are not heard: no")
    #expect(told.what == "what is found here is not told to the other places: no")
    #expect(heard.hint == trouble.hint && told.hint == trouble.hint)
    #expect(one.what == "1 key of the places' store is passed over, such as v/x")
    #expect(two.what == "2 keys of the places' store are passed over, such as v/x")
    #expect(PlacesPart.notice(.tooMany(3)).what.hasPrefix("3 more votes of the places than are kept"))
    #expect([heard, told, one, two].allSatisfy { $0.severity == .warning && $0.place == .group })
  }

  /// Private networks are nearby, to their last address and no further.
  @Test func nearbyNetworks() throws {
    let rows: [(String, String, Bool)] = [
      ("10.0.0.0", "10.255.255.255", true), ("9.255.255.255", "11.0.0.0", false),
      ("172.16.0.0", "172.31.255.255", true), ("172.15.255.255", "172.32.0.0", false),
      ("192.168.0.0", "192.168.255.255", true), ("192.167.255.255", "192.169.0.0", false),
      ("100.64.0.0", "100.127.255.255", true), ("100.63.255.255", "100.128.0.0", false),
      ("169.254.0.0", "169.254.255.255", true), ("169.253.255.255", "169.255.0.0", false),
      ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true), ("fbff::1", "fe00::1", false),
      ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true), ("fe7f::1", "ff02::1", false),
      ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true),
      // Where clouds hand out credentials.
      ("169.254.169.254", "100.100.100.200", false),
      ("127.0.0.1", "::1", true),
    ]
    let (plain, secured) = (try HTTPURL("http://a.example"), try HTTPURL("https://a.example"))
    for (first, last, isNear) in rows {
      for text in [first, last] {
        let address = try #require(IPAddress(text))
        #expect(ShareClient.mayShow(tokenTo: plain, at: address) == isNear, "\(text)")
        #expect(ShareClient.mayShow(tokenTo: secured, at: address))
      }
    }
  }
}
