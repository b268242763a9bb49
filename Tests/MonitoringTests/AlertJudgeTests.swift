// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// What is refused of a rule and of a channel, and where.
@Suite struct AlertJudgeTests {
  private func words(_ error: InvalidAlerts) -> [String] {
    error.problems.map { "\($0.path.joined(separator: "/")): \($0.message)" }
  }

  /// What a rule of that type must have, and what is filled in.
  private func definition(
    _ type: AlertRuleType?, _ fill: (inout AlertRuleDefinition) -> Void = { _ in }
  ) -> AlertRuleDefinition {
    var definition = AlertRuleDefinition()
    definition.type = type?.rawValue
    switch type {
    case .state: definition.state = "down"
    case .responseTime: definition.above = .seconds(1)
    case .downtime: definition.above = .seconds(600)
    case .burnRate: definition.objective = 99.9
    case .consecutiveFailures, .certificateExpiry, .agent, nil: break
    }
    fill(&definition)
    return definition
  }

  private func rule(_ type: AlertRuleType?, _ fill: (inout AlertRuleDefinition) -> Void = { _ in })
    -> [String]
  {
    do throws(InvalidAlerts) {
      _ = try AlertRule(definition(type, fill))
      return []
    } catch { return words(error) }
  }

  private func channel(_ fill: (inout AlertChannelDefinition) -> Void) -> [String] {
    var definition = AlertChannelDefinition()
    definition.name = "ops"
    fill(&definition)
    do throws(InvalidAlerts) {
      _ = try AlertChannel(definition)
      return []
    } catch { return words(error) }
  }

  private func mail(_ fill: (inout AlertChannelDefinition.Mail) -> Void) -> [String] {
    channel {
      var mail = AlertChannelDefinition.Mail()
      (mail.server, mail.from, mail.to) = ("mx.example", "a@x.example", ["b@x.example"])
      fill(&mail)
      $0.mail = mail
    }
  }

  /// Every key of a rule is refused in the types that it does not belong to, and taken in the others.
  @Test(arguments: AlertRuleType.allCases) func keysOfAType(_ type: AlertRuleType) {
    func key(_ name: String, in types: [AlertRuleType], _ fill: (inout AlertRuleDefinition) -> Void) {
      let refused = ["\(name): \(name) has no effect in a rule of type \(type.rawValue)"]
      #expect(rule(type, fill) == (types.contains(type) ? [] : refused))
    }
    #expect(rule(type) == [])
    key("threshold", in: [.consecutiveFailures]) { $0.threshold = 3 }
    key("recoveries", in: [.consecutiveFailures]) { $0.recoveries = 2 }
    key("state", in: [.state]) { $0.state = "down" }
    key("for", in: [.state, .agent]) { $0.lasting = .seconds(60) }
    key("above", in: [.responseTime, .downtime]) { $0.above = .seconds(2) }
    key("percentile", in: [.responseTime]) { $0.percentile = 95 }
    key("before", in: [.certificateExpiry]) { $0.before = [.seconds(86_400)] }
    key("objective", in: [.burnRate]) { $0.objective = 99 }
    key("window", in: [.responseTime, .downtime]) {
      $0.window = type == .responseTime ? .seconds(900) : .seconds(86_400)
      if type == .responseTime { $0.percentile = 95 }
    }
  }

  /// What a rule of each type says where nothing is given but what it must have.
  @Test(
    arguments: [
      (.consecutiveFailures, .consecutiveFailures(threshold: nil, recoveries: 1)),
      (.state, .state(.down, for: .seconds(300))),
      (.responseTime, .responseTime(above: .seconds(1), percentile: nil, window: .seconds(900))),
      (
        .certificateExpiry,
        .certificateExpiry(before: [.seconds(1_814_400), .seconds(604_800), .seconds(86_400)])
      ),
      (.downtime, .downtime(above: .seconds(600), window: .day)),
      (.burnRate, .burnRate(objective: 99.9)), (.agent, .agent(for: .seconds(300))),
    ] as [(AlertRuleType, AlertRule.Kind)])
  func defaults(type: AlertRuleType, kind: AlertRule.Kind) throws {
    #expect(try AlertRule(definition(type)).kind == kind)
  }

  /// A percentile is of the time that is given, else of fifteen minutes.
  @Test(arguments: [(nil, 900), (60, 60), (300, 300), (900, 900), (21_600, 21_600)] as [(Int?, Int)])
  func windowOfAPercentile(given: Int?, seconds: Int) throws {
    let rule = try AlertRule(
      definition(.responseTime) { ($0.percentile, $0.window) = (95, given.map { Duration.seconds($0) }) })
    #expect(rule.kind == .responseTime(above: .seconds(1), percentile: 95, window: .seconds(seconds)))
  }

  /// Names of rules and channels, with the last that is taken and the first that is not.
  @Test func names() {
    let long = String(repeating: "x", count: 201)
    #expect(rule(.agent) { $0.name = String(long.dropLast()) } == [])
    #expect(rule(.agent) { $0.name = long } == ["name: name must be at most 200 bytes, found 201"])
    #expect(rule(.agent) { $0.name = " " } == ["name: name is empty"])
    #expect(rule(.agent) { $0.name = "a\n" } == ["name: name contains a control character"])
    #expect(rule(nil) == ["type: type is missing"])
    func named(_ name: String?) -> [String] {
      channel { ($0.name, $0.exec) = (name, ["/bin/true"]) }
    }
    #expect(named(String(long.prefix(60))) == [])
    #expect(named(String(long.prefix(61))) == ["name: name must be at most 60 bytes, found 61"])
    #expect(named(" ") == ["name: name is empty"] && named(nil) == ["name: name is missing"])
    #expect(named("a\n") == ["name: name contains a control character"])
  }

  /// Lists of a rule have 1 to 256 entries, and a rule about the agent itself selects no checks.
  @Test func listsOfARule() {
    let many = (0..<257).map { "\($0)" }
    for (key, path) in [
      ("checks", \AlertRuleDefinition.checks), ("tags", \AlertRuleDefinition.tags),
      ("channels", \AlertRuleDefinition.channels),
    ] {
      #expect(rule(.consecutiveFailures) { $0[keyPath: path] = Array(many.dropLast()) } == [])
      #expect(
        rule(.consecutiveFailures) { $0[keyPath: path] = many }
          == ["\(key): \(key) may list at most 256, found 257"])
      #expect(rule(.consecutiveFailures) { $0[keyPath: path] = [] } == ["\(key): \(key) is empty"])
      let refused = ["\(key): \(key) has no effect: the rule is about the agent itself"]
      #expect(rule(.agent) { $0[keyPath: path] = ["a"] } == (key == "channels" ? [] : refused))
    }
  }

  /// Figures of rules, with the last value that is taken and the first that is not.
  @Test func figuresOfRules() {
    for (objective, isTaken) in [
      (93.9, false), (94, true), (99.99, true), (100, false), (100.5, false),
    ] as [(Double, Bool)] {
      #expect(rule(.burnRate) { $0.objective = objective }.isEmpty == isTaken, "\(objective)")
    }
    for (steps, isTaken) in [(0, false), (1, true), (8, true), (9, false)] {
      let before = (0..<steps).map { Duration.seconds(86_400 * ($0 + 1)) }
      #expect(rule(.certificateExpiry) { $0.before = before }.isEmpty == isTaken, "\(steps)")
    }
    for (window, isTaken) in [(21_600, true), (21_601, false)] {
      let found = rule(.responseTime) { ($0.percentile, $0.window) = (95, .seconds(window)) }
      #expect(found.isEmpty == isTaken, "\(window)")
    }
    #expect(
      rule(.responseTime) { $0.window = .seconds(900) }
        == ["window: window has no effect without percentile"])
    for (above, window, isTaken) in [
      (86_399, 86_400, true), (86_400, 86_400, false), (86_400, 7 * 86_400, true), (60, 3600, false),
    ] {
      let found = rule(.downtime) { ($0.above, $0.window) = (.seconds(above), .seconds(window)) }
      #expect(found.isEmpty == isTaken, "\(above) of \(window)")
    }
  }

  /// A channel is one of three kinds, and has no keys of another kind.
  @Test func kindsOfChannels() {
    #expect(channel { _ in } == [": this channel leads nowhere"])
    #expect(
      channel { ($0.webhook, $0.exec) = (Redacted("https://a.example/"), ["/bin/true"]) }
        == ["exec: a channel is one of webhook, mail and exec, not several"])
    let foreign = channel {
      $0.exec = ["/bin/true"]
      ($0.format, $0.method, $0.headers, $0.routingKey) = ("json", "POST", [], Redacted("k"))
      $0.caFile = "/ca.pem"
    }
    let keys = ["format", "method", "headers", "routing_key", "ca_file"]
    #expect(foreign == keys.map { "\($0): \($0) has no effect for exec" })
    #expect(channel { $0.exec = ["notify"] } == ["exec: exec must begin with the absolute path of a program"])
    #expect(channel { ($0.webhook, $0.caFile) = (Redacted("https://a.example/"), "/ca.pem") } == [])
  }

  /// A mail needs a server, a sender and one to fifty recipients.
  @Test func whatAMailNeeds() {
    #expect(mail { _ in } == [])
    #expect(
      channel { $0.mail = AlertChannelDefinition.Mail() } == [
        "mail/server: mail.server is missing", "mail/from: mail.from is missing",
        "mail/to: mail.to is missing",
      ])
    #expect(mail { $0.server = "mx.example:x" } == ["mail/server: mail.server must be host:port"])
    #expect(
      mail { $0.server = "a b:25" } == [
        "mail/server: mail.server must be host:port, found the host \"a b\", with a character that no host name has"
      ])
    #expect(mail { $0.server = "mx.größe.example" } == [])
    #expect(mail { $0.from = "a" } == ["mail/from: mail.from must be a plain address, found \"a\""])
    #expect(
      mail { $0.to = ["b@x.example", "c"] }
        == ["mail/to/1: mail.to[1] must be a plain address, found \"c\""])
    for (count, isTaken) in [(1, true), (50, true), (51, false)] {
      #expect(mail { $0.to = (0..<count).map { "u\($0)@x.example" } }.isEmpty == isTaken, "\(count)")
    }
    #expect(mail { $0.username = "u" } == ["mail: mail has username or password, but not both"])
    #expect(mail { $0.password = Redacted("p") } == ["mail: mail has username or password, but not both"])
    for (security, isTaken) in [("none", false), ("starttls", true), ("implicit", true)] {
      let found = mail { ($0.security, $0.username, $0.password) = (security, "u", Redacted("p")) }
      #expect(found.map { $0.prefix(9) } == (isTaken ? [] : ["mail/tls:"]), "\(security)")
    }
  }

  /// The name given to a mail server is a domain or an address literal of 1 to 255 bytes.
  @Test(
    arguments: [
      ("agent.example.com", true), ("[192.0.2.1]", true), ("[IPv6:2001:db8::1]", true), ("a-9", true),
      ("", false),
      ("a b", false), ("a_b", false), ("a/b", false), ("a\n", false), ("é", false),
      (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false),
    ])
  func namesForMailServers(hello: String, isTaken: Bool) {
    let found = mail { $0.hello = hello }
    #expect(found.map { $0.prefix(11) } == (isTaken ? [] : ["mail/hello:"]))
  }

  /// The port of a mail server where none is given.
  @Test(arguments: [(nil, 587), ("starttls", 587), ("implicit", 465), ("none", 25)] as [(String?, UInt16)])
  func portsOfMail(security: String?, port: UInt16) throws {
    var definition = AlertChannelDefinition()
    definition.name = "ops"
    var mail = AlertChannelDefinition.Mail()
    (mail.server, mail.from, mail.to) = ("mx.example", "a@x.example", ["b@x.example"])
    mail.security = security
    definition.mail = mail
    guard case .mail(let channel) = try AlertChannel(definition).kind else {
      Issue.record("not a mail channel")
      return
    }
    #expect(channel.server == Endpoint(host: "mx.example", port: port))
  }
}
