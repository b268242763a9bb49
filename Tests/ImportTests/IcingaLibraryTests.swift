// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Commands of Icinga's template library: the option of the plugin that each variable is, and the values that it
/// has by itself.
@Suite struct IcingaLibraryTests {
  struct Command: Sendable, CustomTestStringConvertible {
    var name: String
    /// Variables without which it is no check.
    var usual = ""
    /// What the library calls with these alone.
    var line: String
    var rows: [(variables: String, options: String)]
    var testDescription: String { name }
  }

  /// Of the commands of mailboxes, whose variables are alike; none has a value by itself but the address.
  private static func mailbox(_ name: String) -> Command {
    Command(
      name: name, line: "check_\(name) -H 192.0.2.1",
      rows: [
        ("port = 1143", "-p 1143"), ("address = \"192.0.2.7\"", "-H 192.0.2.7"), ("ssl = true", "-S"),
        ("timeout = 7", "-t 7"), ("warning = 1", "-w 1"), ("critical = 2", "-c 2"),
        ("certificate_age = \"30,7\"", "-D 30,7"), ("expect = \"x\"", "-e x"), ("send = \"x\"", "-s x"),
        ("expect = [ \"x\", \"z\" ]; vars.\(name)_all = true", "-e x -e z -A"), ("quit = \"x\"", "-q x"),
        ("refuse = \"ok\"", "-r ok"), ("mismatch = \"crit\"", "-M crit"), ("jail = true", "-j"),
        ("maxbytes = 5", "-m 5"), ("delay = 2", "-d 2"), ("ipv4 = true", "-4"), ("escape = true", "-E true"),
      ].map { ("\(name)_\($0.0)", $0.1) })
  }

  static let commands: [Command] = [
    Command(
      name: "http", line: "check_http -I 192.0.2.1",
      rows: [
        ("http_vhost = \"a.example\"", "-H a.example"), ("http_address = \"192.0.2.7\"", "-I 192.0.2.7"),
        ("http_uri = \"/x\"", "-u /x"), ("http_port = 81", "-p 81"), ("http_ssl = true", "-S"),
        ("http_ssl_force_tlsv1 = true", "-S1"), ("http_ssl_force_tlsv1_1 = true", "-S1.1"),
        ("http_ssl_force_tlsv1_2 = true", "-S1.2"), ("http_ssl_force_tlsv1_or_higher = true", "-S1+"),
        ("http_ssl_force_tlsv1_1_or_higher = true", "-S1.1+"),
        ("http_ssl_force_tlsv1_2_or_higher = true", "-S1.2+"), ("http_sni = true", "--sni"),
        ("http_ssl_force_sslv2 = true", "-S2"), ("http_ssl_force_sslv3 = true", "-S3"),
        ("http_ssl_force_sslv2_or_higher = true", "-S2+"), ("http_verify_host = true", "--verify-host"),
        ("http_ssl_force_sslv3_or_higher = true", "-S3+"),
        (
          "http_certificate = \"9\"; vars.http_certificate_continue = true",
          "-C 9 --continue-after-certificate"
        ),
        ("http_certificate = \"30,14\"", "-C 30,14"), ("http_auth_pair = \"u:p\"", "-a u:p"),
        ("http_clientcert = \"/c\"; vars.http_ssl = true", "-S -J /c"),
        ("http_privatekey = \"/k\"; vars.http_ssl = true", "-S -K /k"), ("http_ignore_body = true", "-N"),
        ("http_warn_time = 1", "-w 1"), ("http_critical_time = 2", "-c 2"),
        ("http_expect = \"204\"", "-e 204"),
        ("http_headerstring = \"A: b\"", "-d 'A: b'"), ("http_string = \"ok\"", "-s ok"),
        ("http_post = \"a\"", "-P a"), ("http_method = \"PUT\"", "-j PUT"), ("http_maxage = \"5m\"", "-M 5m"),
        ("http_post = \"a\"; vars.http_contenttype = \"b\"", "-P a -T b"),
        ("http_expect_body_regex = \"x\"", "-r x"), ("http_expect_body_eregi = \"x\"", "-R x"),
        ("http_expect_body_regex = \"x\"; vars.http_linespan = true", "-l -r x"),
        ("http_expect_body_regex = \"x\"; vars.http_invertregex = true", "-r x --invert-regex"),
        ("http_proxy_auth_pair = \"u:p\"", "-b u:p"), ("http_useragent = \"x\"", "-A x"),
        ("http_header = \"X-A: 1\"", "-k 'X-A: 1'"), ("http_extendedperfdata = true", "-E"),
        ("http_header = [ \"X-A: 1\", \"X-B: 2\" ]", "-k 'X-A: 1' -k 'X-B: 2'"),
        ("http_onredirect = \"follow\"", "-f follow"), ("http_pagesize = \"5\"", "-m 5"),
        ("http_timeout = 7", "-t 7"), ("http_ipv4 = true", "-4"), ("http_link = true", "-L"),
        ("http_verbose = true", "-v"),
      ]),
    Command(
      name: "tcp", usual: "tcp_port = 80", line: "check_tcp -H 192.0.2.1 -p 80 -r crit -M warn -t 10",
      rows: [
        ("tcp_port = 81", "-p 81"), ("tcp_address = \"192.0.2.7\"", "-H 192.0.2.7"),
        ("tcp_expect = \"x\"", "-e x"),
        ("tcp_expect = [ \"x\", \"z\" ]; vars.tcp_all = true", "-e x -e z -A"),
        ("tcp_send = \"x\"", "-s x"), ("tcp_send = \"a\\\\n\"; vars.tcp_escape_send = true", "-E -s 'a\\n'"),
        ("tcp_quit = \"x\"; vars.tcp_escape_quit = true", "-E -q x"), ("tcp_refuse = \"ok\"", "-r ok"),
        ("tcp_expect = \"x\"; vars.tcp_mismatch = \"crit\"", "-e x -M crit"), ("tcp_jail = true", "-j"),
        ("tcp_maxbytes = 5", "-m 5"), ("tcp_delay = 2", "-d 2"), ("tcp_certificate = \"9\"", "-D 9"),
        ("tcp_ssl = true", "-S"), ("tcp_ssl = true; vars.tcp_sni = \"b.example\"", "-S --sni b.example"),
        ("tcp_wtime = 1", "-w 1"), ("tcp_ctime = 2", "-c 2"), ("tcp_timeout = 7", "-t 7"),
        ("tcp_ipv4 = true", "-4"),
      ]),
    Command(
      name: "ssl", line: "check_tcp -H 192.0.2.1 -p 443 -S -D 0",
      rows: [
        ("ssl_cert_valid_days_warn = 30", "-D 30"), ("ssl_cert_valid_days_warn = \"30\"", "-D 30"),
        ("ssl_cert_valid_days_warn = 30; vars.ssl_cert_valid_days_critical = 7", "-D 30,7"),
        ("ssl_cert_valid_days_warn = 30; vars.ssl_cert_valid_days_critical = 0", "-D 30"),
        ("ssl_cert_valid_days_warn = \"$days$\"; vars.days = 9", "-D 9"),
        ("ssl_port = 8443", "-p 8443"), ("ssl_sni = \"b.example\"", "--sni b.example"),
        ("ssl_timeout = 7", "-t 7"), ("ssl_address = \"192.0.2.7\"", "-H 192.0.2.7"),
      ]),
    Command(
      name: "ping", line: "check_ping -H 192.0.2.1 -w 100,5% -c 200,15%",
      rows: [
        ("ping_wrta = 50", "-w 50,5%"), ("ping_wpl = 6", "-w 100,6%"), ("ping_crta = 150", "-c 150,15%"),
        ("ping_cpl = 16", "-c 200,16%"), ("ping_packets = 3", "-p 3"), ("ping_timeout = 7", "-t 7"),
        ("ping_address = \"192.0.2.7\"", "-H 192.0.2.7"),
      ]),
    Command(name: "ping4", line: "check_ping -4 -H 192.0.2.1 -w 100,5% -c 200,15%", rows: []),
    Command(name: "ping6", line: "check_ping -6 -H 2001:db8::1 -w 100,5% -c 200,15%", rows: []),
    Command(
      name: "hostalive", line: "check_ping -H 192.0.2.1 -w 3000,80% -c 5000,100%",
      rows: [("ping_wrta = 50", "-w 50,80%")]),
    Command(name: "hostalive4", line: "check_ping -4 -H 192.0.2.1 -w 3000,80% -c 5000,100%", rows: []),
    Command(name: "hostalive6", line: "check_ping -6 -H 2001:db8::1 -w 3000,80% -c 5000,100%", rows: []),
    Command(
      name: "dns", line: "check_dns -H h -t 10",
      rows: [
        ("dns_lookup = \"b.example\"", "-H b.example"), ("dns_server = \"192.0.2.53\"", "-s 192.0.2.53"),
        ("dns_query_type = \"MX\"", "-q MX"), ("dns_expected_answers = \"192.0.2.8\"", "-a 192.0.2.8"),
        ("dns_expected_answers = [ \"192.0.2.8\", \"192.0.2.9\" ]", "-a 192.0.2.8 -a 192.0.2.9"),
        ("dns_expected_answers = \"192.0.2.8\"; vars.dns_all_expected = true", "-L -a 192.0.2.8"),
        ("dns_authoritative = true", "-A"), ("dns_wtime = 1", "-w 1"), ("dns_ctime = 2", "-c 2"),
        ("dns_timeout = 7", "-t 7"),
      ]),
    Command(
      name: "dig", usual: "dig_lookup = \"a.example\"", line: "check_dig -H 192.0.2.1 -l a.example",
      rows: [
        ("dig_server = \"192.0.2.53\"", "-H 192.0.2.53"), ("dig_port = 54", "-p 54"),
        ("dig_lookup = \"b.example\"", "-l b.example"), ("dig_record_type = \"MX\"", "-T MX"),
        ("dig_expected_address = \"x\"", "-a x"), ("dig_arguments = \"+tcp\"", "-A +tcp"),
        ("dig_warning = 1", "-w 1"), ("dig_critical = 2", "-c 2"), ("dig_timeout = 7", "-t 7"),
        ("dig_ipv4 = true", "-4"),
      ]),
    Command(
      name: "smtp", line: "check_smtp -H 192.0.2.1",
      rows: [
        ("smtp_port = 26", "-p 26"), ("smtp_address = \"192.0.2.7\"", "-H 192.0.2.7"),
        ("smtp_mail_from = \"a@b\"", "-f a@b"), ("smtp_expect = \"221\"", "-e 221"),
        ("smtp_command = \"EXPN\"", "-C EXPN"), ("smtp_response = \"250\"", "-R 250"),
        ("smtp_helo_fqdn = \"b.example\"", "-F b.example"), ("smtp_starttls = true", "-S"),
        ("smtp_certificate_age = \"9\"; vars.smtp_starttls = true", "-S -D 9"),
        ("smtp_authtype = \"LOGIN\"", "-A LOGIN"), ("smtp_authuser = \"u\"", "-U u"),
        ("smtp_authpass = \"p\"", "-P p"), ("smtp_warning = 1", "-w 1"), ("smtp_critical = 2", "-c 2"),
        ("smtp_timeout = 7", "-t 7"), ("smtp_ipv4 = true", "-4"),
      ]),
    Command(
      name: "ssh", line: "check_ssh -H 192.0.2.1",
      rows: [
        ("ssh_port = 2222", "-p 2222"), ("ssh_timeout = 7", "-t 7"), ("ssh_ipv4 = true", "-4"),
        ("ssh_address = \"192.0.2.7\"", "-H 192.0.2.7"), ("ssh_remote_protocol = \"2.0\"", "-P 2.0"),
        ("ssh_remote_version = \"OpenSSH_9\"", "-r OpenSSH_9"),
      ]),
    Command(
      name: "icmp", line: "check_icmp -H 192.0.2.1 -w 100,10% -c 200,30%",
      rows: [
        ("icmp_wrta = 50", "-w 50,10%"), ("icmp_wpl = 6", "-w 100,6%"), ("icmp_crta = 150", "-c 150,30%"),
        ("icmp_cpl = 16", "-c 200,16%"),
        ("icmp_packets = 2", "-n 2"), ("icmp_packet_interval = 50", "-i 50"),
        ("icmp_target_interval = 50", "-I 50"), ("icmp_hosts_alive = 1", "-m 1"),
        ("icmp_data_bytes = 9", "-b 9"), ("icmp_timeout = 7", "-t 7"),
        ("icmp_address = \"192.0.2.7\"", "-H 192.0.2.7"), ("icmp_source = \"192.0.2.9\"", "-s 192.0.2.9"),
        ("icmp_ttl = 9", "-l 9"),
      ]),
    Command(
      name: "ftp", line: "check_ftp -H 192.0.2.1 -r crit -M warn -t 10",
      rows: [
        ("ftp_port = 2121", "-p 2121"), ("ftp_wtime = 1", "-w 1"), ("ftp_ctime = 2", "-c 2"),
        ("ftp_certificate = \"9\"", "-D 9"), ("ftp_ssl = true", "-S"), ("ftp_timeout = 7", "-t 7"),
      ]),
    mailbox("imap"), mailbox("pop"), mailbox("simap"), mailbox("spop"), mailbox("ssmtp"),
    Command(
      name: "ssl_cert", line: "check_ssl_cert -H 192.0.2.1 -p 443",
      rows: [
        ("ssl_cert_port = 8443", "-p 8443"), ("ssl_cert_warn = 30", "-w 30"),
        ("ssl_cert_critical = 5", "-c 5"), ("ssl_cert_cn = \"b.example\"", "-n b.example"),
        ("ssl_cert_noauth = true", "-A"), ("ssl_cert_selfsigned = true", "-s"),
        ("ssl_cert_timeout = 7", "-t 7"), ("ssl_cert_protocol = \"smtp\"", "-P smtp"),
        ("ssl_cert_rootcert = \"/c\"", "-r /c"), ("ssl_cert_sni = \"c.example\"", "--sni c.example"),
        ("ssl_cert_sni = \"c.example\"; vars.ssl_cert_cn = \"b.example\"", "-n b.example --sni c.example"),
        ("ssl_cert_issuer = \"x\"", "-i x"), ("ssl_cert_org = \"x\"", "-o x"),
        ("ssl_cert_email = \"x\"", "-e x"),
        ("ssl_cert_file = \"/f\"", "-f /f"), ("ssl_cert_address = \"192.0.2.7\"", "-H 192.0.2.7"),
      ]),
  ]

  /// A service of one try on a host with an address of each family.
  private func read(_ command: String, _ variables: [String]) throws -> ReadSource {
    let lines = variables.filter { !$0.isEmpty }.map { "vars.\($0)\n" }.joined()
    return try ReadSource(
      .icinga2,
      """
      object Host "h" {
        address = "192.0.2.1"
        address6 = "2001:db8::1"
      }
      apply Service "s" {
        check_command = "\(command)"
        max_check_attempts = 1
        \(lines)
        assign where true
      }
      """)
  }

  private func changes(_ made: ReadSource) -> [String] {
    made.imported.checks.flatMap(\.notes).filter { $0.change != nil }
      .map { "\($0.change?.rawValue ?? ""): \($0.why)" }.sorted()
  }

  @Test(arguments: IcingaLibraryTests.commands) func aVariableIsAnOption(command: Command) throws {
    for (variables, options) in [(variables: "", options: "")] + command.rows {
      let made = try read(command.name, [command.usual, variables])
      let plain = try ReadSource(plugin: "\(command.line) \(options)")
      #expect(made.names == ["h s"], "\(variables)")
      #expect(try made.keys() == plain.keys(), "\(variables)")
      #expect(changes(made) == changes(plain), "\(variables)")
      #expect(
        made.imported.checks.first?["timeout"]?.word == plain.imported.checks.first?["timeout"]?.word,
        "\(variables)")
      // One that is given twice has its first value for nothing.
      let isTwice = !variables.isEmpty && command.usual.hasPrefix(variables.prefix { $0 != "=" })
      #expect(
        made.reasonCounts["no imported check uses this variable"] == (isTwice ? 1 : nil), "\(variables)")
    }
  }

  /// A variable that switches an option off is as one that is not there.
  @Test(arguments: [
    "false", "0", "0.5", "\"false\"", "\"0\"", "\"0.9\"", "\"\"", "null", "\"yes\"", "\"no\"", "\"on\"",
    "\"True\"",
    "\"1 \"", "[]", "[ 1 ]", "[ true ]",
  ])
  func whatIsOff(value: String) throws {
    let made = try read("http", ["http_ssl = \(value)"])
    #expect(made.imported.checks.first?["url"]?.word == "http://192.0.2.1/")
  }

  @Test(arguments: ["true", "1", "\"true\"", "\"1\"", "2", "-1", "1.5", "\"1.5\"", "\"-1\""]) func whatIsOn(
    value: String
  ) throws {
    let made = try read("http", ["http_ssl = \(value)"])
    #expect(made.imported.checks.first?["url"]?.word == "https://192.0.2.1/")
  }

  /// A value of an argument is given as it is, also where it is false or 0.
  @Test(arguments: [("0", "0d"), ("\"0\"", "0d"), ("1", "1d")]) func zeroIsAValue(days: String, warn: String)
    throws
  {
    let made = try read("ssl_cert", ["ssl_cert_warn = \(days)"])
    #expect(made.imported.checks.first?["expect.certificate.warn"]?.word == warn)
  }

  /// The address of version 4 is asked, where there is one and nothing says otherwise.
  @Test(
    arguments: [
      ("address = \"192.0.2.1\"\n address6 = \"2001:db8::1\"", "192.0.2.1"),
      ("address6 = \"2001:db8::1\"", "2001:db8::1"),
      ("address = \"192.0.2.1\"\n address6 = \"2001:db8::1\"\n vars.check_ipv6 = true", "2001:db8::1"),
      ("address = \"192.0.2.1\"\n vars.check_ipv6 = false", "192.0.2.1"),
      ("address = \"192.0.2.1\"\n address6 = \"2001:db8::1\"\n vars.ssh_ipv6 = true", "2001:db8::1"),
      ("address = \"192.0.2.1\"\n address6 = \"2001:db8::1\"\n vars.http_ipv6 = true", "192.0.2.1"),
      (
        "address = \"192.0.2.1\"\n address6 = \"2001:db8::1\"\n vars.ssh_ipv6 = true\n vars.ssh_ipv4 = true",
        "192.0.2.1"
      ),
      ("address6 = \"2001:db8::1\"\n vars.ssh_ipv4 = false", "2001:db8::1"),
      ("address = \"192.0.2.1\"\n vars.ssh_address = \"192.0.2.7\"", "192.0.2.7"),
      ("vars.address = \"192.0.2.8\"", "192.0.2.8"),
      // Without an address there is none to ask.
      ("vars.a = 1", nil), ("address = \"192.0.2.1\"\n vars.check_ipv6 = true", nil),
      ("address6 = \"2001:db8::1\"\n vars.check_ipv4 = true", nil),
      ("address = \"192.0.2.1\"\n vars.ssh_address = null", nil),
    ] as [(String, String?)])
  func theAddressOfAHost(attributes: String, host: String?) throws {
    let made = try ReadSource(
      .icinga2, "object Host \"h\" {\n \(attributes)\n check_command = \"ssh\"\n}\n")
    #expect(made.imported.checks.map { $0["host"]?.word } == (host == nil ? [] : [host]))
    if host == nil { #expect(made.reasons.contains("the value of -H is nothing")) }
  }

  /// Each command that has a switch for version 6 asks the address of that version.
  @Test(arguments: [
    ("http", ""), ("tcp", "tcp_port = 80"), ("ftp", ""), ("smtp", ""), ("ssh", ""), ("imap", ""), ("pop", ""),
    ("simap", ""), ("spop", ""), ("ssmtp", ""), ("dig", "dig_lookup = \"a.example\""),
  ])
  func versionSix(command: String, usual: String) throws {
    let check = try #require(
      try read(command, [usual, "\(command)_ipv6 = true"]).imported.checks.first, "\(command)")
    let target = check["host"]?.word ?? check["server"]?.word ?? check["url"]?.word
    #expect(target == (command == "http" ? "http://[2001:db8::1]/" : "2001:db8::1"))
    #expect(check["ip"]?.word == "6")
  }

  /// A page has a name, or an address.
  @Test func aPageOfAHostWithoutAnAddress() throws {
    func urls(_ variables: String) throws -> [String?] {
      try ReadSource(
        .icinga2, "object Host \"h\" {\n \(variables)\n check_command = \"http\"\n}\n"
      ).imported.checks.map { $0["url"]?.word }
    }
    #expect(try urls("vars.http_vhost = \"a.example\"") == ["http://a.example/"])
    #expect(try urls("vars.a = 1") == [])
  }
}
