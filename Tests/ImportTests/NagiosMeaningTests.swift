// SPDX-License-Identifier: MIT

import Import
import Testing

/// Days to the end of a certificate: every plugin and flag that has them, and every form of the two numbers.
@Suite struct NagiosMeaningTests {
  /// A page about a service is its runbook; one with macros of Nagios is listed.
  @Test(
    arguments: [
      ("https://wiki.example/s?id=1", "https://wiki.example/s?id=1"),
      ("https://wiki.example/$HOSTNAME$", nil), ("/wiki/s", nil),
    ] as [(String, String?)])
  func aRunbook(notes: String, runbook: String?) throws {
    let made = try ReadSource(
      .nagios,
      """
      define command {
        command_name c
        command_line /p/check_tcp -H $HOSTADDRESS$ -p 80
      }
      define host {
        host_name h
        address 192.0.2.1
      }
      define service {
        host_name h
        service_description s
        check_command c
        notes_url \(notes)
      }
      """)
    let check = try #require(made.imported.checks.first)
    #expect(check["runbook"]?.word == runbook && made.problems == [], "\(made.text)")
    #expect(made.reasons.contains("it is shown on Nagios' pages only") == (runbook == nil))
  }

  private static let calls = [
    "check_http -H a.example -C DAYS", "check_curl -H a.example -S -C DAYS",
    "check_http -H a.example -S -C DAYS --continue-after-certificate", "check_tcp -H a.example -p 1 -D DAYS",
    "check_ssmtp -H a.example -D DAYS", "check_smtp -H a.example -S -D DAYS",
    "check_simap -H a.example -D DAYS",
  ]
  /// The first warns, the second fails; alone it warns, and the end fails. A second that is more makes each warning a failure.
  private static let table: [(given: String, warn: String?, fail: String?)] = [
    ("30", "30d", "0d"), ("30,14", "30d", "14d"), ("14,14", "14d", "14d"), ("14,0", "14d", "0d"),
    ("0", "0d", "0d"),
    ("1,0", "1d", "0d"), ("14,30", "14d", "14d"), ("soon", nil, nil), ("-1", nil, nil),
    ("3650,1", "3650d", "1d"),
    ("3651", nil, nil),
  ]

  @Test(arguments: NagiosMeaningTests.calls, NagiosMeaningTests.table.indices)
  func days(call: String, _ row: Int) throws {
    let (given, warn, fail) = Self.table[row]
    let made = try ReadSource(plugin: call.replacing("DAYS", with: given))
    let check = made.imported.checks.first
    #expect(check?["expect.certificate.warn"]?.word == warn, "\(made.text)")
    #expect(check?["expect.certificate.fail"]?.word == fail, "\(made.text)")
    if warn != nil { #expect(made.problems == [], "\(made.text)") }
  }

  /// Of check_ssl_cert each number has its flag.
  @Test(arguments: [
    ("", "20d", "15d"), ("-w 30", "30d", "15d"), ("-c 5", "20d", "5d"), ("-w 30 -c 14", "30d", "14d"),
    ("-c 14 -w 30", "30d", "14d"), ("-w 10", "10d", "10d"), ("-w 7 -c 30", "7d", "7d"),
  ])
  func sslCertificate(flags: String, warn: String, fail: String) throws {
    let check = try ReadSource(plugin: "check_ssl_cert -H a.example \(flags)").imported.checks.first
    #expect(check?["expect.certificate.warn"]?.word == warn)
    #expect(check?["expect.certificate.fail"]?.word == fail)
  }

  /// check_ssl_cert compares the name of -n and asks the server for its host's, or for that of --sni; a check has one.
  @Test(
    arguments: [
      ("", nil, false), ("-n a.example", "a.example", false), ("-n A.example", "A.example", false),
      ("-n b.example", "b.example", true), ("-m b.example", "b.example", true),
      ("-n b.example --sni b.example", "b.example", false), ("--sni b.example", "b.example", false),
    ] as [(String, String?, Bool)])
  func nameOfACertificate(flags: String, name: String?, isNoted: Bool) throws {
    let check = try ReadSource(plugin: "check_ssl_cert -H a.example \(flags)").imported.checks.first
    #expect(check?["tls.server_name"]?.word == name)
    let words = "the check also asks the server for the name of -n; the plugin only compares it"
    #expect(check?.notes.map(\.line) == (isNoted ? ["changed: tls.server_name: \(words)"] : []))
  }

  /// With -e a redirect is no reason to go on, so -f says nothing.
  @Test func nothingIsFollowedWithAnExpectedStatus() throws {
    let made = try ReadSource(plugin: "check_http -H a.example -e 200 -f follow")
    #expect(made.imported.checks[0]["follow"]?.word == "false")
    #expect(made.reasons.contains("with -e the plugin follows nothing, so -f has no effect"))
    #expect(made.imported.checks[0].notes.allSatisfy { $0.change == nil })
  }

  /// Five intervals, and one between the tries, where nothing is given.
  @Test(arguments: [
    ("", "5m", "1m"), ("interval_length=20", "100s", "20s"), ("interval_length=1", "5s", "1s"),
  ])
  func thePaceThatNagiosTakesByItself(setting: String, interval: String, retry: String) throws {
    let objects = """
      define command {
        command_name c
        command_line /p/check_tcp -H 192.0.2.1 -p 25
      }
      define host {
        host_name h
        max_check_attempts 10
        check_command c
      }
      """
    var files: [(name: String, text: String)] = [("h.cfg", objects)]
    if !setting.isEmpty { files.append(("nagios.cfg", setting)) }
    let made = try ReadSource(.nagios, files)
    let check = try #require(made.imported.checks.first)
    #expect(
      ["interval", "interval_failing", "failure_threshold"].map { check[$0]?.word } == [
        interval, retry, "10",
      ])
    #expect(
      check.notes.filter { $0.change != nil && !$0.why.hasPrefix("10s is made") } == [] && made.problems == []
    )
  }

  /// Checks run all day: what is meant to run less says so, by whatever name it does.
  @Test(
    arguments: [
      ("24x7", []), ("always", []),
      ("work", ["changed: f:15: [2].check_period: checks run all day; write maintenance for the rest"]),
      ("nowhere", ["changed: f:15: [2].check_period: checks run all day; write maintenance for the rest"]),
    ] as [(String, [String])])
  func whenACheckRuns(period: String, lines: [String]) throws {
    func days(_ range: String) -> String {
      ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"].map { " \($0) \(range)" }
        .joined(separator: "\n")
    }
    let made = try ReadSource(
      .nagios,
      """
      define command {
       command_name c
       command_line /p/check_ssh -H 192.0.2.1
      }
      define host {
       host_name h
       max_check_attempts 1
      }
      define service {
       host_name h
       service_description s
       check_command c
       max_check_attempts 1
       check_interval 5
       check_period \(period)
      }
      define timeperiod {
       timeperiod_name always
      \(days("00:00-24:00"))
      }
      define timeperiod {
       timeperiod_name work
      \(days("08:00-17:00"))
      }
      """)
    #expect(made.imported.checks[0].notes.map(\.line) == lines)
    #expect(made.problems == [])
  }

  /// Between two dollar signs only capitals, digits and three signs are a macro; other text stays as it is written.
  @Test(arguments: [
    ("'a$b c$d'", true), ("'a$B c$d'", true), ("'a$b$d'", true), ("'a$Bé$d'", true), ("a$BC", true),
    ("'a$B$d'", false), ("'a$_9:-Z$d'", false), ("'a$B.$d'", true),
  ])
  func whatIsWrittenAsAMacro(word: String, isText: Bool) throws {
    let made = try ReadSource(plugin: "check_http -H a.example -s \(word)")
    #expect(made.imported.checks.count == (isText ? 1 : 0))
    #expect(made.text.contains(word.replacing("'", with: "")) == isText, "\(made.text)")
    let macro = word.split(separator: "$").dropFirst().first ?? ""
    #expect(
      made.imported.leftOut.map(\.why)
        == (isText ? [] : ["the macro $\(macro)$ has no value in the files given"]))
  }

  /// A version of HTTP that no check speaks is named.
  @Test(arguments: [("1.1", "1.1"), ("2.0", "2"), ("3", nil)] as [(String, String?)])
  func versionsOfHTTP(given: String, version: String?) throws {
    let made = try ReadSource(plugin: "check_curl -H a.example --http-version=\(given)")
    let check = try #require(made.imported.checks.first)
    #expect(check["http_version"]?.word == version)
    let why = "--http-version names a version of HTTP that is not spoken here"
    let count = check.notes.count { $0.why == why && $0.change == .changed && $0.isValue }
    #expect(count == (version == nil ? 1 : 0))
  }
}
