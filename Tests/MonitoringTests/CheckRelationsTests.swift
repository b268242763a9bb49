// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Rules between two values of a check, with the last pair that is taken and the first that is not.
@Suite struct CheckRelationsTests {
  private let day = 86_400
  private let http = CheckDefinition.http()
  private let ping = CheckDefinition.ping(host: "router")

  private func problems(_ base: CheckDefinition, _ change: (inout CheckDefinition) -> Void) -> [String] {
    var definition = base
    change(&definition)
    do throws(InvalidCheck) {
      _ = try MonitoringCheck(definition)
      return []
    } catch { return error.problems.map { "\($0.path.joined(separator: "/")): \($0.message)" } }
  }

  @Test func timesAgainstTheInterval() {
    for (failing, found) in [
      (60, []), (61, ["interval_failing: interval_failing must be at most the interval (1m), found 61s"]),
    ] as [(Int, [String])] {
      #expect(problems(http) { $0.plan.intervalFailing = .seconds(failing) } == found)
    }
    for (timeout, found) in [
      (5, []), (6, ["timeout: timeout must be at most the interval (5s), found 6s"]),
    ] as [(Int, [String])] {
      #expect(problems(http) { ($0.interval, $0.timeout) = (.seconds(5), .seconds(timeout)) } == found)
    }
    // The timeout that is not given is ten seconds, or the interval where that is less.
    for (interval, timeout) in [(1, 1), (9, 9), (10, 10), (11, 10), (3600, 10)] {
      var definition = http
      definition.interval = .seconds(interval)
      #expect((try? MonitoringCheck(definition))?.timeout == .seconds(timeout))
    }
  }

  /// A warning that is no later than the failure, and neither later than the timeout of ten seconds.
  @Test func thresholdsOfTimes() {
    for (base, key) in [(http, "response_time"), (ping, "rtt")] {
      func judged(_ warn: Int?, _ fail: Int?) -> [String] {
        problems(base) {
          let pair = Thresholds(
            warn: warn.map { Duration.milliseconds($0) }, fail: fail.map { Duration.milliseconds($0) })
          if key == "rtt" { $0.ping.rtt = pair } else { $0.plan.responseTime = pair }
        }
      }
      let (place, name) = ("expect/\(key)/", "expect.\(key)")
      #expect(judged(500, 500) == [] && judged(499, 500) == [] && judged(10_000, 10_000) == [])
      let order = "must be at most \(name).fail (500ms), found 501ms"
      #expect(judged(501, 500) == ["\(place)warn: \(name).warn \(order)"])
      let late = "must be at most the timeout (10s), found 10001ms"
      #expect(judged(10_001, nil) == ["\(place)warn: \(name).warn \(late)"])
      #expect(judged(nil, 10_001) == ["\(place)fail: \(name).fail \(late)"])
    }
  }

  /// Of lost packets more is worse, of a certificate's days less.
  @Test func otherThresholds() {
    func loss(_ warn: Double, _ fail: Double) -> [String] {
      problems(ping) { $0.ping.loss = Thresholds(warn: warn, fail: fail) }
    }
    #expect(loss(25, 25) == [] && loss(12.5, 25) == [])
    let order = "expect.loss.warn must be at most expect.loss.fail (25%), found 25.5%"
    #expect(loss(25.5, 25) == ["expect/loss/warn: \(order)"])
    func days(_ warn: Int, _ fail: Int) -> [String] {
      problems(http) {
        $0.expect.certificate = Thresholds(warn: .seconds(warn * 86_400), fail: .seconds(fail * 86_400))
      }
    }
    #expect(days(7, 7) == [] && days(8, 7) == [])
    let words = "expect.certificate.warn must be at least expect.certificate.fail (8d), found 7d"
    #expect(days(7, 8) == ["expect/certificate/warn: \(words)"])
  }

  /// A threshold of a certificate that is not given: the end itself, and 21 days unless the other is earlier.
  @Test func thresholdsOfACertificate() throws {
    let rows: [(warn: Int?, fail: Int?, of: Thresholds<Duration>)] = [
      (30, nil, Thresholds(warn: .seconds(30 * day), fail: .zero)),
      (nil, 7, Thresholds(warn: .seconds(21 * day), fail: .seconds(7 * day))),
      (nil, 21, Thresholds(warn: .seconds(21 * day), fail: .seconds(21 * day))),
      (nil, 22, Thresholds(warn: nil, fail: .seconds(22 * day))),
      (30, 7, Thresholds(warn: .seconds(30 * day), fail: .seconds(7 * day))),
    ]
    for row in rows {
      let pair = Thresholds(
        warn: row.warn.map { Duration.seconds($0 * day) }, fail: row.fail.map { Duration.seconds($0 * day) })
      for type in ["http", "tcp", "tls"] {
        var definition = http
        (definition.type, definition.host, definition.port) = (type, "a.example", 443)
        (definition.tls.isWanted, definition.expect.certificate) = (true, pair)
        let kind = try MonitoringCheck(definition).kind
        let found: Thresholds<Duration>? =
          switch kind {
          case .http(let http): http.expect.certificateDays
          case .tcp(let tcp): tcp.certificate
          case .tls(let tls): tls.certificate
          default: nil
          }
        #expect(found == row.of, "\(type)")
      }
    }
  }

  /// Places are two to fifty different names, of which one at least and all at most must agree.
  @Test func confirm() {
    func judged(
      from: Int = 2, _ places: [String] = ["paris", "ny"], within: Int = 20, interval: Int = 60
    ) -> [String] {
      problems(http) {
        $0.interval = .seconds(interval)
        $0.plan.confirm = ConfirmSettings(from: from, of: places, within: .seconds(within))
      }
    }
    let many = (0..<51).map { "p\($0)" }
    #expect(judged() == [] && judged(from: 1) == [] && judged(Array(many.dropLast())) == [])
    #expect(judged(from: 0) == ["confirm/from: confirm.from must be at least 1, found 0"])
    #expect(judged(from: 3) == ["confirm/from: confirm.from is 3, but confirm.of names 2 places"])
    #expect(judged(["paris"]) == ["confirm/of: confirm.of must name 2 to 50 places, found 1"])
    #expect(judged(many) == ["confirm/of: confirm.of must name 2 to 50 places, found 51"])
    #expect(judged(["paris", "ny", "paris"]) == ["confirm/of/2: confirm.of[2] repeats \"paris\""])
    #expect(judged(["paris", "n y"]) == ["confirm/of/1: confirm.of[1] is no name of a group: \"n y\""])
    // The timeout is ten seconds.
    #expect(judged(within: 11) == [] && judged(within: 20, interval: 20) == [])
    #expect(
      judged(within: 20, interval: 19)
        == ["confirm/within: confirm.within must be at most the interval (19s), found 20s"])
    let short = "confirm.within must be longer than the timeout (10s), found 10s"
    #expect(judged(within: 10) == ["confirm/within: \(short)"])
  }

  /// Ports that a protocol has where none is given.
  @Test func usualPorts() throws {
    var tls = CheckDefinition()
    (tls.name, tls.type, tls.host) = ("Mail", "tls", "mail.example")
    for (word, port) in [
      ("smtp", 25), ("imap", 143), ("pop3", 110), ("ftp", 21), ("ldap", 389), ("postgres", 5432),
      ("mysql", 3306), ("xmpp", 5222),
    ] {
      tls.startTLS = word
      #expect(try MonitoringCheck(tls).target == "mail.example:\(port)", "\(word)")
      #expect(StartTLSProtocol(rawValue: word)?.defaultPort == UInt16(port))
    }
    var dns = CheckDefinition.dns(name: "example.com")
    for (word, port) in [("udp", 53), ("tcp", 53), ("dot", 853), ("doh", 443)] {
      (dns.transport, dns.server) = (word, "192.0.2.53")
      #expect(try MonitoringCheck(dns).kind.dialled == Endpoint(host: "192.0.2.53", port: UInt16(port)))
    }
    for (word, port) in [("http", 3128), ("socks5h", 1080)] {
      var proxied = http
      proxied.proxy = Redacted("\(word)://proxy.example")
      guard case .http(let settings) = try MonitoringCheck(proxied).kind else { continue }
      #expect(settings.proxy?.endpoint == Endpoint(host: "proxy.example", port: UInt16(port)))
      #expect(settings.proxy?.scheme.rawValue == word && settings.proxy?.username == nil)
    }
    var resolved = http
    resolved.resolver = "192.0.2.53"
    #expect(try MonitoringCheck(resolved).resolver == Endpoint(host: "192.0.2.53", port: 53))
  }

  /// A resolver answers the question of a dns check itself, but for transports that need their own server.
  @Test func aResolverIsTheServer() throws {
    var definition = CheckDefinition.dns(name: "example.com")
    definition.resolver = "192.0.2.9"
    for transport in [nil, "udp", "tcp"] {
      definition.transport = transport
      #expect(try MonitoringCheck(definition).kind.dialled == Endpoint(host: "192.0.2.9", port: 53))
    }
    for transport in ["dot", "doh"] {
      #expect(
        problems(definition) { $0.transport = transport } == ["server: server is missing"])
    }
    definition.server = "192.0.2.8:54"
    definition.transport = nil
    #expect(try MonitoringCheck(definition).kind.dialled == Endpoint(host: "192.0.2.8", port: 54))
  }

  /// User and password of a proxy are decoded, and a colon of the password belongs to it.
  @Test(
    arguments: [
      ("http://u:p@proxy.example:8080", ["u", "p"]), ("http://u:p:q@proxy.example/", ["u", "p:q"]),
      ("http://u%40x:p%3A%2f@proxy.example", ["u@x", "p:/"]), ("http://u:@proxy.example", ["u", ""]),
      ("http://u:p@q@proxy.example", ["u", "p@q"]), ("http://u@proxy.example", nil),
      ("http://:p@proxy.example", nil), ("http://u:%zz@proxy.example", nil), ("http://u:a%0a@p.example", nil),
      ("HTTP://u:p@proxy.example", ["u", "p"]), ("https://u:p@proxy.example", nil), ("proxy.example", nil),
      ("http://u:p@", nil), ("http://u:p@proxy.example:0", nil),
    ] as [(String, [String]?)])
  func loginOfAProxy(text: String, login: [String]?) {
    let settings = try? ProxySettings(parsing: Redacted(text))
    #expect(settings.map { [$0.username ?? "", $0.password?.reveal() ?? "-"] } == login)
  }
}
