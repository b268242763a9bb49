// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// `${env:}`, `${file:}` and `${cred:}`: what they yield, and what they must not give away.
struct ReferenceTests {
  @Test(arguments: [
    ("${env:REGION}", "eu-west"), ("a-${env:REGION}-${env:WORD}", "a-eu-west-twelve"), ("x${env:EMPTY}", "x"),
    ("$${env:REGION}", "${env:REGION}"), ("5$ and $$", "5$ and $$"), ("a $ {b}", "a $ {b}"),
    ("$$${env:WORD}", "$${env:WORD}"),
  ])
  func texts(text: String, expected: String) throws {
    #expect(try settings("agent: {name: \"\(text)\"}\n" + oneCheck).agent.name == expected)
  }

  /// A reference stands for a value of any type, quoted or not.
  @Test func numbersAndDurations() throws {
    let settings = try settings(
      """
      checks:
        - name: A
          type: tcp
          host: ${env:REGION}.example
          port: ${env:PORT}
          interval: "${env:PORT}s"
      """)
    #expect(settings.checks[0].target == "eu-west.example:8443")
    #expect(settings.checks[0].interval == .seconds(8443))
  }

  /// What a reference yields is a value, not a text to look for references in.
  @Test func yieldIsNotExpandedAgain() throws {
    var sources = ConfigSources.test
    sources.environment["NESTED"] = "${env:REGION}"
    let loaded = try ConfigLoader.parse(
      text: "agent: {name: \"${env:NESTED}\"}\n" + oneCheck, file: "a", sources: sources)
    #expect(loaded.settings.agent.name == "${env:REGION}")
  }

  @Test func secretsReachTheRequest() throws {
    let settings = try settings(
      """
      checks:
        - name: A
          type: http
          url: https://a.example/?key=${file:/secrets/key}
          method: POST
          body: token=${cred:key}
          headers: {X-Key: "${file:key}"}
          auth: {basic: {username: probe, password: "${file:/secrets/key}"}}
      """)
    guard case .http(let http) = settings.checks[0].kind else {
      Issue.record("not an http check")
      return
    }
    #expect(http.url.text == "https://a.example/?key=hunter2" && http.url.display == "https://a.example/")
    #expect(http.body == Redacted("token=hunter2") && http.headers[0].value == Redacted("hunter2"))
    #expect(http.auth == .basic(username: "probe", password: Redacted("hunter2")))
    #expect(!EffectiveConfig.print(settings).contains("hunter2"))
    #expect(settings.secretPaths.contains(["checks", settings.checks[0].id.description, "url"]))
  }

  /// Each by itself: a server repeats a token without what the configuration writes around it.
  @Test func whatReferencesGaveIsKnown() throws {
    let settings = try settings(
      """
      checks:
        - name: A
          type: http
          url: https://a.example/bot${file:/secrets/key}/getMe?region=${env:REGION}
          method: POST
          body: "<word>${env:WORD}</word>"
          headers: {Authorization: 'Token token="${file:key}"'}
      """)
    guard case .http(let http) = settings.checks[0].kind else {
      Issue.record("not an http check")
      return
    }
    #expect(http.secrets == SecretTexts(["hunter2", "twelve", "hunter2"].map(Redacted.init)))
    #expect("\(http.secrets)" == "<redacted>" && "\(SecretTexts())" == "<redacted>")
  }

  /// A name from a secret file works, is not printed, and is worth a word: it will be on the page.
  @Test func secretInShownKeyIsAWarning() throws {
    let text = "checks:\n  - {name: \"${file:/secrets/key}\", type: tcp, host: a, port: 1}\n"
    #expect(try settings(text).checks[0].name == "hunter2")
    let found = try warnings(text)
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("agent.yaml:2:6: name comes from a secret file, but is shown") == true)
    #expect(!EffectiveConfig.print(try settings(text)).contains("hunter2"))
  }

  @Test func environmentIsNoSecret() throws {
    let text = "agent: {name: \"${env:REGION}\"}\n" + oneCheck
    #expect(EffectiveConfig.print(try settings(text)).contains("name: \"eu-west\""))
    #expect(try warnings(text).isEmpty)
  }

  /// A credential is a file in one folder, and its name leads nowhere else.
  @Test(arguments: ["../key", "a/../../key", "a/key", "/secrets/key", ".", ".."])
  func aCredentialsNameIsPlain(name: String) {
    let found = problems("agent: {name: \"${cred:\(name)}\"}\n" + oneCheck)
    #expect(found.count == 1)
    #expect(found.first?.contains("has the credential name \"\(name)\", which is no plain name") == true)
  }

  @Test func credentialsNeedTheirDirectory() {
    var sources = ConfigSources.test
    sources.environment["CREDENTIALS_DIRECTORY"] = nil
    let errors = #expect(throws: ConfigErrors.self) {
      try ConfigLoader.parse(
        text: "agent: {name: \"${cred:key}\"}\n" + oneCheck, file: "a.yaml", sources: sources)
    }
    #expect(errors?.description.contains("CREDENTIALS_DIRECTORY is not set") == true)
  }

  /// What lacks a credential of the service keeps its name, so that rules, dependencies and canaries can name it.
  @Test func whatLacksACredentialIsKnownByItsName() throws {
    var sources = ConfigSources.test
    sources.environment["CREDENTIALS_DIRECTORY"] = nil
    sources.credentials = .ofTheService
    let loaded = try ConfigLoader.parse(
      text: """
        quartz: {url: "https://api.example/v1", api_key: "${cred:q}"}
        canaries: [c, d]
        alerts:
          channels:
            - {name: w, webhook: "${cred:hook}"}
            - {name: h, webhook: "https://h.example/x", headers: {X-Key: "Bearer ${cred:pw}"}}
            - {name: m, mail: {server: "a.example:587", username: u, password: "${cred:mail}", from: a@b.example, to: [c@d.example]}}
            - {name: p, webhook: "https://p.example/x", format: pagerduty, routing_key: "${cred:rk}"}
            - {name: free, webhook: "https://f.example/x"}
          rules: [{name: r, type: state, state: degraded, channels: [w, m, p]}]
        checks:
          - {name: a, type: tcp, host: a.example, port: 1, depends_on: [d, p]}
          - {name: c, type: http, url: "https://c.example/", auth: {bearer: "${cred:api}"}}
          - {name: d, type: http, url: "https://d.example/?k=${cred:api}", tags: [t], expect: {body: {contains: "${cred:b}"}}}
          - {name: e, type: http, url: "https://e.example/", headers: {X-Key: "${cred:api}"}}
          - {name: p, type: tcp, host: "${cred:host}", port: "${cred:port}", retries: 3}
          - {name: q, type: dns, query: {name: "${cred:n}"}}
          - {name: hb, type: heartbeat, token: "${cred:t}", cron: "${cred:x}"}
        """, file: "a.yaml", sources: sources)
    let settings = loaded.settings
    #expect(settings.checks.map(\.name) == ["a", "c", "d", "e", "p", "q", "hb"])
    #expect(
      settings.checks.map { $0.unread?.names ?? [] }
        == [[], ["api"], ["api", "b"], ["api"], ["host", "port"], ["n"], ["t", "x"]])
    func names(_ holds: (UnreadCredentials) -> Bool) -> [String] {
      settings.checks.filter { $0.unread.map(holds) ?? false }.map(\.name)
    }
    #expect(names(\.hidesTarget) == ["d", "p", "q"])
    #expect(names(\.hidesConditions) == ["d"])
    #expect(settings.checks[2].tags == ["t"] && settings.checks[4].plan.retries == 3)
    let channels = settings.alerts?.channels ?? []
    #expect(channels.map(\.name) == ["w", "h", "m", "p", "free"])
    #expect(channels.map { $0.unread?.names ?? [] } == [["hook"], ["pw"], ["mail"], ["rk"], []])
    #expect(settings.quartz == nil && settings.unread["quartz"]?.names == ["q"])
    // What else is wrong is said all the same.
    let wrong = #expect(throws: ConfigErrors.self) {
      try ConfigLoader.parse(
        text: "checks: [{name: d, type: http, url: \"${cred:api}\", method: \"A B\"}]", file: "a.yaml",
        sources: sources)
    }
    #expect(wrong?.count == 1 && wrong?.description.contains("method") == true)
  }

  /// A login of which a part cannot be read is no login of the stand-in, and no mistake in the file.
  @Test(
    arguments: [
      "basic: {username: u, password: \"${cred:k}\"}", "basic: {username: \"${cred:k}\", password: p}",
      "digest: {username: u, password: \"${cred:k}\"}", "bearer: \"${cred:k}\"",
      "oauth2: {token_url: \"https://t.example/\", client_id: c, client_secret: \"${cred:k}\"}",
      "oauth2: {token_url: \"${cred:k}\", client_id: c, client_secret: s}",
    ])
  func aLoginThatLacksACredential(login: String) throws {
    let settings = try ofTheService(
      "checks: [{name: a, type: http, url: \"https://a.example/\", auth: {\(login)}}]\n")
    let check = try #require(settings.checks.first)
    #expect(check.name == "a" && check.unread?.names == ["k"], "\(login)")
    #expect(check.unread?.hidesTarget == false && check.unread?.hidesConditions == false)
  }

  /// A credential may hide the target of a check or its conditions, each without the other.
  @Test(
    arguments: [
      (#"http, url: "https://a.example/", expect: {final_url: "${cred:k}"}"#, false, true),
      (#"http, url: "https://a.example/", headers: {X: "${cred:k}"}, expect: {status: [204]}"#, false, false),
      (#"http, url: "https://a.example/?k=${cred:k}", expect: {final_url: "~ x"}"#, true, false),
      (#"http, url: "https://a.example/", expect: {body: {contains: [a, "${cred:k}"]}}"#, nil, true),
      (#"http, url: "https://a.example/", expect: {header: {X: "${cred:k}"}}"#, nil, true),
      (#"dns, query: {name: a.example}, expect: {ttl: "${cred:k}"}"#, false, true),
      (#"dns, query: {name: a.example}, expect: {count: "${cred:k}"}"#, false, true),
      (#"dns, query: {name: "${cred:k}"}, expect: {count: "> 1"}"#, true, false),
      (#"tcp, host: "${cred:k}", port: 1"#, true, false),
      (#"tcp, host: a.example, port: "${cred:k}""#, true, false),
      (#"tls, host: "${cred:k}", port: 443"#, true, false), (#"ping, host: "${cred:k}""#, true, false),
      (#"heartbeat, token: "${cred:k}", period: 1h"#, false, false),
    ] as [(String, Bool?, Bool)])
  func whatACredentialHides(text: String, target: Bool?, conditions: Bool) throws {
    let settings = try ofTheService("checks: [{name: a, type: \(text)}]\n")
    let unread = try #require(settings.checks.first?.unread)
    #expect(unread.names == ["k"])
    #expect(unread.hidesConditions == conditions, "\(text)")
    if let target { #expect(unread.hidesTarget == target, "\(text)") }
  }

  /// A mail channel is known by its name, whichever part of its login cannot be read.
  @Test(
    arguments: [
      ("username: \"${cred:u}\", password: p", ["u"]), ("username: u, password: \"${cred:p}\"", ["p"]),
      ("username: \"${cred:u}\", password: \"${cred:p}\"", ["u", "p"]),
    ])
  func aMailChannelThatLacksItsLogin(login: String, names: [String]) throws {
    let settings = try ofTheService(
      """
      alerts:
        channels:
          - name: m
            mail: {server: "a.example:587", \(login), from: a@b.example, to: [c@d.example]}
        rules: [{name: r, type: state, state: degraded, channels: [m]}]

      """ + oneCheck)
    #expect(settings.alerts?.channels.map(\.name) == ["m"])
    #expect(settings.alerts?.channels.first?.unread?.names == names)
  }

  /// As a command of a shell reads the file of a service.
  private func ofTheService(_ text: String) throws -> Settings {
    var sources = ConfigSources.test
    sources.environment["CREDENTIALS_DIRECTORY"] = nil
    sources.credentials = .ofTheService
    return try ConfigLoader.parse(text: text, file: "a.yaml", sources: sources).settings
  }

  /// Credentials in clear are allowed, on purpose or by mistake; the person should know.
  @Test func credentialsInClearAreAWarning() throws {
    let text = """
      checks:
        - {name: A, type: http, url: "http://a.example/", auth: {bearer: "${file:/secrets/key}"}}
        - {name: B, type: http, url: "http://127.0.0.1/", auth: {bearer: "${file:/secrets/key}"}}
      """
    #expect(
      try warnings(text) == ["agent.yaml:2:53: auth is sent in clear: the url is http\n  hint: use https"])
  }

  /// A program whose path cannot be read is stood in for; a channel of another kind gets no program by it.
  @Test(
    arguments: [
      ("exec: [\"${cred:p}\"]", ["p"]), ("exec: [\"${cred:p}\", b]", ["p"]),
      ("exec: [/bin/a, \"${cred:p}\"]", ["p"]),
    ])
  func aProgramThatLacksItsPath(exec: String, names: [String]) throws {
    let settings = try ofTheService(
      "alerts:\n  channels: [{name: x, \(exec)}]\n"
        + "  rules: [{name: r, type: state, state: degraded, channels: [x]}]\n" + oneCheck)
    #expect(settings.alerts?.channels.map(\.name) == ["x"])
    #expect(settings.alerts?.channels.first?.unread?.names == names)
    guard case .exec(let program)? = settings.alerts?.channels.first?.kind else {
      Issue.record("it is no program")
      return
    }
    #expect(program.command.first?.hasPrefix("/") == true)
  }

  /// The path of a URL that is a secret, or has one in it, is shown nowhere; that of another one is.
  @Test(
    arguments: [
      ("https://a.example/${file:/secrets/key}", true), ("https://a.example/x", false),
      ("https://a.example/${env:REGION}", false),
    ])
  func urlsThatAreSecrets(url: String, isHidden: Bool) throws {
    let settings = try settings("checks: [{name: A, type: http, url: \"\(url)\"}]\n")
    guard case .http(let http)? = settings.checks.first?.kind else {
      Issue.record("there is no check")
      return
    }
    #expect(http.url.hidesPath == isHidden)
  }
}
