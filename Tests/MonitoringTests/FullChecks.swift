// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Checks with a value of its own for each key.
enum FullChecks {
  static var http: CheckDefinition {
    var definition = CheckDefinition.http("https://shop.example:8443/health?x=1")
    definition.id = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"
    definition.resource = "5a2f3c1e-0b7d-4c36-9a58-2f1e6d7c8b90"
    (definition.plan.enabled, definition.plan.post, definition.plan.tags) = (false, true, ["a", "b c"])
    definition.plan.runbook = "https://wiki.example/shop#disk-full"
    (definition.interval, definition.timeout) = (.seconds(300), .seconds(20))
    (definition.plan.retries, definition.plan.retryDelay) = (3, .seconds(5))
    (definition.plan.confirmDelay, definition.plan.intervalFailing) = (.milliseconds(1500), .seconds(30))
    (definition.plan.failureThreshold, definition.plan.dependsOn) = (4, ["Gateway", "tag:core"])
    definition.plan.confirm = ConfirmSettings(from: 2, of: ["paris", "ny", "rome"], within: .seconds(25))
    (definition.plan.strictDowntime, definition.plan.trace, definition.plan.negate) = (true, false, true)
    (definition.ip, definition.addresses) = ("4", "each")
    (definition.resolver, definition.sourceAddress) = ("192.0.2.9:54", "192.0.2.7")
    (definition.method, definition.http.body) = ("POST", Redacted("{}"))
    definition.headers = [(name: "X-B", value: Redacted("1")), (name: "Accept", value: Redacted("2"))]
    definition.auth.bearer = Redacted("t0ken")
    (definition.maxRedirects, definition.http.allowDowngrade, definition.httpVersion) = (3, true, "1.1")
    (definition.http.decompress, definition.maxBody) = (false, 2048)
    transport(&definition)
    expectations(&definition)
    return definition
  }

  private static func transport(_ definition: inout CheckDefinition) {
    (definition.tls.caFile, definition.tls.serverName) = ("/etc/ca.pem", "front.example")
    (definition.tls.minVersion, definition.tls.maxVersion, definition.tls.both) = ("1.1", "1.3", true)
    (definition.tls.clientCertificate, definition.tls.clientKey) = ("/etc/c.pem", "/etc/k.pem")
  }

  private static func expectations(_ definition: inout CheckDefinition) {
    definition.expect.status = ["200-204", "301"]
    definition.http.expect.bodyContains = ["ok"]
    definition.http.expect.bodyNotContains = ["bad"]
    definition.http.expect.bodyMatches = ["a+"]
    definition.http.expect.bodyNotMatches = ["b+", "c"]
    definition.http.expect.comparesBytes = true
    definition.expect.headers = [(name: "X-Depth", condition: "< 5"), (name: "X-A", condition: "!~ b")]
    definition.expect.json = [
      (path: "$.a", condition: ConditionText("1.5")),
      (path: "$.b", condition: ConditionText("1.5", isPlain: false)),
      (path: "$.c", condition: ConditionText("!= 2", isPlain: false)),
      (path: "$.d", condition: ConditionText("!= \"2\"", isPlain: false)),
    ]
    (definition.expect.finalURL, definition.expect.httpVersion) = ("~ ^https", "1.1")
    definition.plan.responseTime = Thresholds(warn: .seconds(3), fail: .seconds(4))
    definition.expect.certificate = Thresholds(warn: .seconds(30 * 86_400), fail: .seconds(10 * 86_400))
    definition.expect.certificateStrict = true
  }

  static var tcp: CheckDefinition {
    var definition = CheckDefinition.tcp(host: "db.example", port: 5433)
    definition.id = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c01"
    definition.startTLS = "postgres"
    (definition.tls.verify, definition.tls.maxVersion) = (false, "1.2")
    var (send, pattern, bytes) = (DialogStepDefinition(), DialogStepDefinition(), DialogStepDefinition())
    (send.send, pattern.expect, bytes.expectHex) = (Redacted("EHLO\\r\\n"), "~ ^25\\d", "0d0A")
    definition.dialogSteps = [send, pattern, bytes]
    definition.expect.certificate = Thresholds(warn: .seconds(36 * 3600), fail: .seconds(86_400))
    return definition
  }

  static var dns: CheckDefinition {
    var definition = CheckDefinition.dns(name: "example.com")
    definition.id = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c02"
    (definition.server, definition.transport) = ("192.0.2.53", "dot")
    (definition.queryType, definition.queryClass) = ("TXT", "CH")
    (definition.dns.recursion, definition.dns.dnssec) = (false, true)
    definition.tls.serverName = "ns.example"
    definition.expect.rcodes = ["NOERROR", "NXDOMAIN"]
    (definition.expect.answersAny, definition.expect.answersAll) = (["a", "~ b"], ["c"])
    (definition.expect.answersExact, definition.expect.answersNone) = (["c", "d"], ["e"])
    (definition.expect.count, definition.expect.ttl) = (">= 2", "< 300")
    (definition.dns.expect.authoritative, definition.dns.expect.serialAgreement) = (false, true)
    return definition
  }

  static var ping: CheckDefinition {
    var definition = CheckDefinition.ping(host: "router.example")
    definition.id = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c03"
    (definition.pingMethod, definition.port, definition.ping.count) = ("tcp", 443, 5)
    definition.packetInterval = .milliseconds(250)
    definition.ping.loss = Thresholds(warn: 12.5, fail: 37.5)
    definition.ping.rtt = Thresholds(warn: .milliseconds(300), fail: .seconds(2))
    return definition
  }

  static var heartbeat: CheckDefinition {
    var definition = CheckDefinition()
    (definition.name, definition.type) = ("Backup", "heartbeat")
    definition.id = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c04"
    definition.token = Redacted("0123456789abcdef")
    (definition.cron, definition.timezone) = ("30  3 * * 1-5", "Europe/London")
    (definition.grace, definition.maxRun) = (.seconds(90), .seconds(3600))
    return definition
  }

  static var tls: CheckDefinition {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host) = ("Mail", "tls", "mail.example")
    (definition.startTLS, definition.addresses) = ("smtp", "each")
    definition.expect.certificate = Thresholds(warn: .seconds(14 * 86_400), fail: .seconds(3 * 86_400))
    return definition
  }
}
