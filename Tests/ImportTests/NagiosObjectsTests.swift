// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// What Nagios' objects say of a check beside its command: how often, by which macros, and to which contacts.
@Suite struct NagiosObjectsTests {
  /// A service of one host, with further lines for each of them.
  private func read(
    _ service: String, host: String = "", line: String = "/p/check_ssh -H $HOSTADDRESS$",
    call: String = "c", before: String = ""
  ) throws -> ReadSource {
    try ReadSource(
      .nagios,
      """
      \(before)
      define command {
        command_name c
        command_line \(line)
      }
      define host {
        host_name h
        \(host)
      }
      define service {
        host_name h
        service_description s
        check_command \(call)
        \(service)
      }
      """)
  }

  private func check(_ service: String, before: String = "") throws -> ImportedCheck {
    try #require(try read(service, before: before).imported.checks.first)
  }

  /// Intervals in units of interval_length, and attempts: the first failure is one of them.
  @Test(
    arguments: [
      ("check_interval 0.5", "", "30s", nil, nil), ("normal_check_interval 2", "", "2m", nil, nil),
      ("check_interval 3\nnormal_check_interval 2", "", "3m", nil, nil),
      ("max_check_attempts 1\nretry_interval 1", "", "5m", nil, nil),
      ("max_check_attempts 2", "", "5m", "2", "1m"),
      ("max_check_attempts 3\nretry_interval 0.5", "", "5m", "3", "30s"),
      ("max_check_attempts 3\nretry_check_interval 2", "", "5m", "3", "2m"),
      ("max_check_attempts 3\nretry_interval 5", "", "5m", "3", nil),
      ("max_check_attempts 3\nretry_interval 4.9", "", "5m", "3", "294s"),
      ("max_check_attempts 3\nretry_interval 0.01", "", "5m", "3", "1s"),
      ("max_check_attempts 100", "", "5m", "100", "1m"), ("max_check_attempts 101", "", "5m", "100", "1m"),
      (
        "max_check_attempts 2\ncheck_interval 90\nretry_interval 30", "interval_length=1\n", "90s", "2", "30s"
      ),
    ] as [(String, String, String, String?, String?)])
  func paces(lines: String, before: String, interval: String, attempts: String?, retry: String?) throws {
    let check = try check(lines, before: before)
    #expect(check["interval"]?.word == interval && check["retries"]?.word == "0")
    #expect(check["failure_threshold"]?.word == attempts && check["interval_failing"]?.word == retry)
    let notes = [
      ("101", "101 is made 100, the most there is"), ("0.01", "600ms is made 1s, the shortest there is"),
    ]
    #expect(check.notes.map(\.why) == notes.filter { lines.contains($0.0) }.map(\.1))
  }

  @Test(arguments: [("0", "false"), ("1", nil)] as [(String, String?)])
  func checksThatAreOff(active: String, enabled: String?) throws {
    #expect(try check("active_checks_enabled \(active)")["enabled"]?.word == enabled)
  }

  @Test(arguments: [
    "check_interval 0", "check_interval soon", "check_interval -1", "max_check_attempts often",
  ])
  func whatIsNoNumber(line: String) throws {
    let check = try check(line)
    #expect(check.notes.map(\.why) == [Ledger.misread] && check.notes.map(\.change) == [.changed])
    #expect(check["interval"]?.word == "5m" && check["failure_threshold"] == nil)
  }

  /// Macros of the host and of the service; what an object does not say is its name.
  @Test(
    arguments: [
      ("$HOSTNAME$", "", "", "h"), ("$HOSTADDRESS$", "", "", "h"),
      ("$HOSTADDRESS$", "address 192.0.2.1", "", "192.0.2.1"),
      ("$HOSTALIAS$", "", "", "h"), ("$HOSTALIAS$", "alias a b", "", "a b"),
      ("$HOSTDISPLAYNAME$", "", "", "h"),
      ("$HOSTDISPLAYNAME$", "display_name d", "", "d"), ("$SERVICEDESC$", "", "", "s"),
      ("$SERVICEDISPLAYNAME$", "", "", "s"), ("$SERVICEDISPLAYNAME$", "", "display_name e", "e"),
      ("$_HOSTX$", "_x 1", "", "1"), ("$_SERVICEX$", "_x 1", "_x 2", "2"), ("$$", "", "", "$"),
      ("a$$b", "", "", "a$b"),
      ("$HOSTNAME$-$SERVICEDESC$", "", "", "h-s"),
    ] as [(String, String, String, String)])
  func macros(text: String, host: String, service: String, made: String) throws {
    let source = try read(service, host: host, line: "check_http -H a.example -f follow -s '\(text)'")
    #expect(source.imported.checks.map { $0["expect.body.contains"]?.word } == [made])
  }

  /// Arguments stand between exclamation marks, which a backslash hides; one that is not given is nothing.
  @Test(
    arguments: [
      ("c!one!two", "$ARG1$-$ARG2$-$ARG3$", "one-two-"), ("c!one\\!1!two", "$ARG1$-$ARG2$", "one!1-two"),
      ("c! one ! two ", "$ARG1$-$ARG2$", "one-two"), ("c!!two", "$ARG1$-$ARG2$", "-two"),
      ("c!$HOSTNAME$", "$ARG1$", "h"), ("c!$$ARG2$$!x", "$ARG1$", "$ARG2$"),
    ] as [(String, String, String)])
  func arguments(call: String, text: String, made: String) throws {
    let source = try read("", line: "check_http -H a.example -f follow -s 'x\(text)'", call: call)
    #expect(source.imported.checks.map { $0["expect.body.contains"]?.word } == ["x\(made)"])
  }

  /// Words as a shell makes them of a line; one that needs a shell is none.
  @Test(
    arguments: [
      ("a b\tc", ["a", "b", "c"]), ("  a  ", ["a"]), ("'a b' \"c d\"", ["a b", "c d"]),
      ("a'b'\"c\"", ["abc"]),
      ("''", [""]), ("a '' b", ["a", "", "b"]), ("a\\ b", ["a b"]), ("'a\\b'", ["a\\b"]),
      ("\"a\\\"b\\\\c\\$d\\`e\\f\"", ["a\"b\\c$d`e\\f"]), ("\"a'b\" 'c\"d'", ["a'b", "c\"d"]),
      ("a\\|b", ["a|b"]),
      ("'a|b'", ["a|b"]), ("", []), ("a\\", ["a"]), ("a | b", nil), ("a && b", nil), ("a; b", nil),
      ("a > b", nil),
      ("a < b", nil), ("a `b`", nil), ("\"a `b`\"", nil), ("a (b)", nil), ("'a", nil), ("\"a", nil),
    ] as [(String, [String]?)])
  func wordsOfAShell(text: String, words: [String]?) { #expect(ShellWords.read(text) == words) }

  /// No directive that Nagios knows is called unknown, of a service and of its host.
  @Test func everyDirectiveIsKnown() throws {
    let both = [
      "display_name d", "hourly_value 1", "importance 1", "initial_state o", "max_check_attempts 1",
      "check_interval 1", "retry_interval 1", "active_checks_enabled 1", "passive_checks_enabled 1",
      "check_period 24x7", "check_freshness 0", "freshness_threshold 1", "event_handler x",
      "event_handler_enabled 1", "low_flap_threshold 1", "high_flap_threshold 2", "flap_detection_enabled 1",
      "flap_detection_options o", "process_perf_data 1", "retain_status_information 1",
      "retain_nonstatus_information 1", "contacts x", "contact_groups y", "notification_interval 1",
      "first_notification_delay 1", "notification_period 24x7", "notification_options d,c",
      "notifications_enabled 1", "stalking_options o", "notes n", "notes_url /n", "action_url /a",
      "icon_image i",
      "icon_image_alt i", "obsess 1", "parents p",
    ]
    let host =
      both + [
        "alias a", "address 192.0.2.1", "hostgroups g", "obsess_over_host 1", "vrml_image v",
        "statusmap_image s",
        "2d_coords 1,2", "3d_coords 1,2,3", "check_command c",
      ]
    let service = both + ["servicegroups g", "is_volatile 0", "obsess_over_service 1", "parallelize_check 1"]
    let made = try read(service.joined(separator: "\n"), host: host.joined(separator: "\n"))
    #expect(made.names == ["h host", "h s"] || made.names == ["h s", "h host"])
    let unknown = (made.imported.notes + made.imported.checks.flatMap(\.notes)).filter {
      $0.why == Ledger.unknownKey || $0.why == Ledger.misread
    }
    #expect(unknown.map(\.line) == [])
  }
}

/// Which states of a check reach which contact of Nagios, by mail.
@Suite struct NagiosNoticesTests {
  /// The channel's name and whether failures, warnings and recoveries reach it.
  private func channels(
    _ service: String, contact: String = "", host: String = "", before: String = ""
  ) throws -> ReadSource {
    try ReadSource(
      .nagios,
      """
      \(before)
      define command {
        command_name mail
        command_line mail $CONTACTEMAIL$
      }
      define command {
        command_name c
        command_line /p/check_tcp -H 192.0.2.1 -p 80 -w 1 -c 5
      }
      define contact {
        contact_name ann
        email ann@a.example
        host_notification_commands mail
        service_notification_commands mail
        \(contact)
      }
      define contactgroup {
        contactgroup_name all
        members ann
      }
      define host {
        host_name h
        \(host)
      }
      define service {
        host_name h
        service_description s
        check_command c
        \(service)
      }
      """)
  }

  /// A service notifies of what it and its contact both name: c fails, w warns, r recovers; a is all, n is none.
  @Test(
    arguments: [
      ("", "", true, true, true), ("c", "", true, false, false), ("w", "", false, true, false),
      ("c,r", "", true, false, true), ("w,u,c,r", "", true, true, true), ("a", "", true, true, true),
      ("n", "", false, false, false), ("u,f,s", "", false, false, false), ("c,w", "c,r", true, false, false),
      ("", "c", true, false, false), ("", "w,r", false, true, true), ("r", "", false, false, false),
      ("C, R", "", true, false, true), ("", "n", false, false, false), ("", "all", true, true, true),
    ] as [(String, String, Bool, Bool, Bool)])
  func states(service: String, contact: String, fails: Bool, warns: Bool, recovers: Bool) throws {
    let made = try channels(
      "contacts ann\n\(service.isEmpty ? "" : "notification_options \(service)")",
      contact: contact.isEmpty ? "" : "service_notification_options \(contact)")
    let rules = made.imported.sections.rules.compactMap { $0["type"]?.word }
    let (failed, warned) = (fails ? ["consecutive_failures"] : [], warns ? ["state"] : [])
    #expect(rules == failed + warned)
    let channels = made.imported.sections.channels.compactMap { $0["recovered"]?.word }
    #expect(channels == (fails || warns ? ["\(recovers)"] : []))
  }

  /// What switches notifications off, at the service, at its host and at the contact.
  @Test(
    arguments: [
      ("contacts ann", "", "", true), ("contact_groups all", "", "", true), ("", "", "contacts ann", true),
      ("", "", "contact_groups all", true), ("contacts +ann", "", "", true), ("", "", "", false),
      ("contacts ann\nnotifications_enabled 0", "", "", false),
      ("contacts ann\nnotifications_enabled 1", "", "notifications_enabled 0", true),
      ("contacts ann", "service_notifications_enabled 0", "", false),
      ("contacts ann", "host_notifications_enabled 0", "", true),
    ] as [(String, String, String, Bool)])
  func whatIsOn(service: String, contact: String, host: String, isTold: Bool) throws {
    let made = try channels(service, contact: contact, host: host)
    #expect(made.imported.sections.channels.isEmpty != isTold)
  }

  /// Thirty units of interval_length are Nagios' own; none is once.
  @Test(
    arguments: [
      ("", "", 1_800_000, "true"), ("notification_interval 0", "", nil, "false"),
      ("notification_interval 2", "", 120_000, "true"), ("notification_interval 0.5", "", 60_000, "true"),
      ("notification_interval 20000", "", 604_800_000, "true"), ("", "interval_length=10\n", 300_000, "true"),
    ] as [(String, String, Int?, String)])
  func reminders(service: String, before: String, remind: Int?, updates: String) throws {
    let made = try channels("contacts ann\n\(service)", before: before)
    #expect(made.imported.sections.remind == remind)
    #expect(made.imported.sections.channels.map { $0["updates"]?.word } == [updates])
  }

  /// Quiet hours are the rest of the day, midnight on either side too.
  @Test(
    arguments: [
      ("08:00-24:00", ["00:00", "08:00"]), ("00:00-20:00", ["20:00", "00:00"]),
      ("06:30-07:30", ["07:30", "06:30"]),
      ("00:00-24:00", nil), ("08:00-12:00,13:00-17:00", nil), ("8:00-20:00", nil), ("08:00-08:00", nil),
    ] as [(String, [String]?)])
  func quietHours(range: String, ends: [String]?) throws {
    let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    let period = "define timeperiod {\ntimeperiod_name p\n" + days.map { "\($0) \(range)\n" }.joined() + "}\n"
    let made = try channels(
      "contacts ann\nnotification_period p", before: "use_timezone=Europe/Rome\n\(period)")
    let quiet = made.imported.sections.quiet
    #expect(quiet.map { quiet in ["from", "to"].compactMap { quiet[$0]?.word } } == ends)
    #expect(quiet?["timezone"]?.word == (ends == nil ? nil : "Europe/Rome"))
  }
}
