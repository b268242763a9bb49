// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

struct QuartzSectionTests {
  private let minimal = """
    quartz:
      url: https://quartz.example/v1
      api_key: ${file:/secrets/key}

    """

  @Test func defaults() throws {
    let quartz = try #require(try settings(minimal + oneCheck).quartz)
    #expect(quartz.url.text == "https://quartz.example/v1" && quartz.apiKey == Redacted("hunter2"))
    #expect(quartz.apiKeyFile == "/secrets/key" && quartz.supabase == nil)
    #expect(!quartz.checks.pull && quartz.deliver.target == .quartz && quartz.deliver.batch == 500)
    #expect(quartz.deliver.every == .seconds(15) && !quartz.deliver.messages)
  }

  @Test func everyKey() throws {
    let id = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"
    let quartz = try #require(
      try settings(
        """
        quartz:
          url: http://127.0.0.1:8080/v1
          api_key: Bearer-${cred:key}
          checks:
            pull: true
            every: 5m
            only: {resources: [\(id)], checks: [\(id)], types: [http, ssl]}
            except: {types: [keyword]}
            ping_icmp: true
            read_body: true
            cache_credentials: true
          deliver: {to: supabase, batch: 10, every: 1s, messages: true}
          supabase:
            url: https://project.example
            api_key: ${file:key}
            email: a@b.example
            password: ${file:/secrets/key}
        """
      ).quartz)
    #expect(quartz.apiKey == Redacted("Bearer-hunter2"))
    // Only a whole file can be read again.
    #expect(quartz.apiKeyFile == nil)
    #expect(quartz.checks.pull && quartz.checks.every == .seconds(300))
    #expect(quartz.checks.only.resources.map(\.description) == [id])
    #expect(quartz.checks.only.checks.map(\.description) == [id])
    #expect(quartz.checks.only.types == ["http", "ssl"] && quartz.checks.except.types == ["keyword"])
    #expect(quartz.checks.pingICMP && quartz.checks.readBody && quartz.checks.cacheCredentials)
    #expect(quartz.deliver.target == .supabase && quartz.deliver.batch == 10 && quartz.deliver.messages)
    #expect(quartz.supabase?.login == .password(email: "a@b.example", password: Redacted("hunter2")))
    #expect(quartz.supabase?.apiKey == Redacted("hunter2"))
  }

  @Test func updateResourcesIsForSupabase() throws {
    let supabase = """
        deliver: {to: supabase}
        supabase: {url: "https://s.example", api_key: x, email: a@b.example, password: x}

      """
    let key = "  update_resources: true\n"
    #expect(try settings(minimal + supabase + key + oneCheck).quartz?.updateResources == true)
    #expect(try settings(minimal + supabase + oneCheck).quartz?.updateResources == false)
    #expect(
      problems(minimal + key + oneCheck) == [
        """
        agent.yaml:4:3: quartz.update_resources has no effect without quartz.deliver.to: supabase
          hint: with quartz.deliver.to: quartz the backend writes the status of resources
        """
      ])
  }

  @Test func serviceKeyIsAWarning() throws {
    let text = """
      quartz:
        url: https://quartz.example/v1
        api_key: ${file:/secrets/key}
        deliver: {to: supabase}
        supabase: {url: "https://project.example", service_key: "${file:/secrets/key}"}

      """
    let quartz = try #require(try settings(text + oneCheck).quartz)
    #expect(quartz.supabase?.login == .serviceKey(Redacted("hunter2")) && quartz.supabase?.apiKey == nil)
    #expect(
      try warnings(text + oneCheck) == [
        """
        agent.yaml:5:46: quartz.supabase.service_key bypasses every rule of the database
          hint: an account with email and password may do less
        """
      ])
  }

  @Test func pullingEverythingIsAWarning() throws {
    let found = try warnings(minimal + "  checks: {pull: true}\n" + oneCheck)
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix("agent.yaml:4:12: quartz.checks.pull runs every check the key can see") == true)
  }

  /// Flushes that come too often use up the hour: said with the numbers of the file, and only where results come as often.
  @Test func flushesBeyondTheBudgetAreAWarning() throws {
    func found(_ deliver: String, _ checks: String, pull: Bool = false) throws -> [String] {
      let list = pull ? "  checks: {pull: true, only: {types: [http]}}\n" : ""
      return try warnings(minimal + "  deliver: \(deliver)\n" + list + checks)
    }
    func check(every interval: String) -> String {
      "checks:\n  - {name: a, type: http, url: \"https://a.example\", interval: \(interval), timeout: 1s}\n"
    }
    func warning(_ every: String, _ requests: Int, _ spent: Int) -> [String] {
      [
        """
        agent.yaml:4:13: quartz.deliver.every \(every) makes up to \(requests) requests an hour, and 740 are for new results: used up after \(spent) min, results then wait for up to \(60 - spent) min
          hint: 5s or longer is always within the budget
        """
      ]
    }
    #expect(try found("{every: 1s}", check(every: "1s")) == warning("1s", 3600, 12))
    #expect(try found("{every: 1s}", check(every: "4s")) == warning("1s", 900, 49))
    #expect(try found("{every: 4s}", check(every: "1s")) == warning("4s", 900, 49))
    #expect(try found("{every: 1s}", check(every: "60s"), pull: true) == warning("1s", 3600, 12))
    #expect(try found("{every: 5s}", check(every: "1s"), pull: true) == [])
    #expect(try found("{every: 1s}", check(every: "5s")) == [])
    #expect(try found("{every: 1s, to: off}", check(every: "1s")) == [])
  }

  /// The environment shows up in /proc; a key in the file shows up in backups.
  @Test(arguments: [
    (
      "${env:TOKEN}",
      "agent.yaml:3:3: quartz.api_key comes from the environment, which other programs may see"
    ),
    ("qtz_abc", "agent.yaml:3:3: quartz.api_key is written out in the file"),
    (
      "${file:/secrets/open}",
      "agent.yaml:3:3: quartz.api_key: the file \"/secrets/open\" can be read by all users of this machine (mode 0644)"
    ),
  ])
  func weakSecretsAreWarnings(value: String, expected: String) throws {
    let text = "quartz:\n  url: https://quartz.example/v1\n  api_key: \(value)\n"
    let found = try warnings(text + oneCheck)
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix(expected + "\n  hint: ") == true)
  }

  /// To another machine the key would travel in clear, whatever the port.
  @Test(arguments: ["http://quartz.example/v1", "http://quartz.example:8080/v1", "http://192.0.2.1:54321/v1"])
  func theKeyDoesNotTravelInClear(url: String) {
    let found = problems(minimal.replacing("https://quartz.example/v1", with: url) + oneCheck)
    #expect(found.map { $0.contains("quartz.url must begin with https://") } == [true], "\(found)")
  }

  /// It is sent as the value of a header.
  @Test(arguments: ["a\\nb", "a\\tb", "a\\rb", "a\\x1bb", "a\\x7fb", "a\\0b"])
  func aKeyHoldsNoControlCharacter(text: String) {
    let found = problems(minimal.replacing("${file:/secrets/key}", with: "\"\(text)\"") + oneCheck)
    #expect(
      found.contains { $0.contains("quartz.api_key contains a line break or another control character") },
      "\(found)")
  }

  @Test func secretFilesAreNoWarning() throws {
    #expect(try warnings(minimal + oneCheck).isEmpty)
  }
}
