// SPDX-License-Identifier: MIT

import Basics

// What only some kinds of check have.
extension CheckDefinition {
  static let hostKeys: [Key<CheckDefinition>] = [
    host.only(.tcp, .ping).api("ip_address"), host.only(.tls).api("url"),
    Key(\.port, "port", .integer(CheckLimits.port), "The port").required.only(.tcp).api("port"),
    Key(
      \.port, "port", .integer(CheckLimits.port), "The port",
      default: "`443`, or the usual one of `starttls`"
    ).only(.tls).api("url"),
    Key(\.startTLS, "starttls", .word(StartTLSProtocol.self), "Ask for TLS in this protocol first")
      .only(.tcp, .tls),
    dialogKey.only(.tcp),
  ]

  private static let host = Key<CheckDefinition>(
    \.host, "host", .text, "A name, or an address without brackets"
  ).required

  /// A preset, or the steps.
  private static let dialogKey = Key<CheckDefinition>(
    "dialog",
    .either(.choice(DialogPreset.allCases.map(\.rawValue)), .list(.map(KeyTable(DialogStepDefinition.keys)))),
    "Dialog on the connection: a preset, or a list of up to 32 steps",
    read: { root, typed, reader in
      root.dialogPreset = typed.text
      guard case .list(let items) = typed.value else { return }
      root.dialogSteps = items.map { item in
        var step = DialogStepDefinition()
        if case .map(let map) = item.value { reader.fill(&step, map, DialogStepDefinition.list) }
        return step
      }
    },
    print: { root, printer in
      printer.word("dialog", root.dialogPreset)
      guard let steps = root.dialogSteps else { return }
      printer.map("dialog") { printer in
        for (index, step) in steps.enumerated() {
          printer.item(String(index)) { printer in
            for key in DialogStepDefinition.keys { key.print(step, &printer) }
          }
        }
      }
    })

  static let tlsKeys: [Key<CheckDefinition>] = [
    Key(
      \.tls.caFile, "ca_file", .file,
      "PEM file used instead of the system's trust store; relative to the configuration file"),
    Key(\.tls.serverName, "server_name", .text, "Name sent and matched instead of the host"),
    Key(
      \.tls.verify, "verify", .flag,
      "false: a bad certificate is noted, not failed; refused together with `auth`, a client certificate or a header "
        + "that identifies the client (`Authorization`, `Cookie`, `X-Api-Key`, `Api-Key`, `Apikey`, `X-Auth-Token`, "
        + "`X-Access-Token`)"),
    Key(
      \.tls.minVersion, "min_version", .word(TLSVersion.self, isQuoted: true),
      "Oldest version of TLS accepted"),
    Key(
      \.tls.maxVersion, "max_version", .word(TLSVersion.self, isQuoted: true),
      "Newest version of TLS offered", default: "the newest"),
    Key(
      \.tls.both, "both", .flag,
      "Ask twice, for a certificate with an RSA key and for one with an ECDSA key: the worse decides",
      default: "false"),
    Key(
      \.tls.clientCertificate, "client_certificate", .file,
      "PEM file of the certificate to show when the server asks, with its chain"),
    Key(\.tls.clientKey, "client_key", .file, "PEM file of its key", default: "`client_certificate`"),
  ]

  /// For a tcp check the key alone asks for TLS.
  static func tlsGroup(
    _ summary: String, _ kind: ValueKind, default words: String
  ) -> Key<CheckDefinition> {
    var key = Key(
      group: "tls", summary, tlsKeys,
      present: { root, typed in
        root.tls.isWanted = true
        if case .flag(let flag) = typed.value { root.tls.isWanted = flag }
      })
    key.facts.value = kind
    key.facts.fallback = words
    return key
  }

  static let dnsKeys: [Key<CheckDefinition>] = Key.only(
    [.dns],
    [
      Key(
        \.server, "server", .text, "Name server, host or host:port",
        default:
          "`resolver` if the check has one, else the system's resolvers, port 53; dot (853) and doh (443) need one"
      ),
      Key(
        \.transport, "transport", .word(DNSTransport.self),
        "udp falls back to tcp where an answer is cut; dot is TLS (RFC 7858), doh is HTTPS (RFC 8484) at /dns-query"
      ),
      Key(group: "query", "The question", queryKeys).required,
    ])

  private static let queryKeys: [Key<CheckDefinition>] = [
    Key(\.queryName, "name", .text, "The name asked for, up to 253 bytes").required,
    Key(
      \.queryType, "type", .text,
      "Record type such as AAAA, MX, TXT, CAA, DS, TLSA or HTTPS, or TYPE and a number (RFC 3597)"),
    Key(\.queryClass, "class", .word(DNSClass.self), "Class of the question"),
    Key(\.dns.recursion, "recursion", .flag, "Ask the server to resolve the name for us"),
    Key(
      \.dns.dnssec, "dnssec", .flag,
      "Ask for signatures; the answer must then be marked authentic by the server"),
  ]

  static let pingKeys: [Key<CheckDefinition>] = Key.only(
    [.ping],
    [
      Key(
        \.pingMethod, "method", .word(PingMethod.self),
        "icmp: echo requests; tcp: each connection to port that is accepted or refused is a reply"),
      Key(\.port, "port", .integer(CheckLimits.port), "The port of method tcp", default: "required there"),
      Key(
        \.ping.count, "count", .integer(CheckLimits.packets),
        "Packets of one run; all of them must fit the timeout"),
      Key(\.packetInterval, "packet_interval", .duration(CheckLimits.packetInterval), "Between packets"),
      Key(\.size, "size", .integer(CheckLimits.packetSize), "Bytes of payload"),
    ])
}

extension CheckDefinition {
  static let heartbeatKeys = reported.map { $0.only(.heartbeat) }

  private static let reported: [Key<CheckDefinition>] = [
    Key<CheckDefinition>(
      \.token, "token", .secret,
      "Token in the job's address `/hb/TOKEN`: 16 to 128 letters, digits and - . _ ~, of one check only"
    ).required,
    Key(
      \.period, "period", .duration(CheckLimits.period), "Longest time between two reports",
      default: "this or `cron`"),
    Key(
      \.cron, "cron", .text, "When the job runs, five fields as in crontab(5), or `@hourly` to `@yearly`",
      default: "this or `period`"),
    Key(
      \.timezone, "timezone", .text, "IANA name such as Europe/London: the clock of `cron`", default: "`UTC`"),
    Key(\.grace, "grace", .duration(CheckLimits.grace), "Time that a report may be late"),
    Key(
      \.maxRun, "max_run", .duration(CheckLimits.maxRun), "Longest run; a longer one is degraded",
      default: "no limit"),
  ]
}

extension DialogStepDefinition {
  static let list = KeyList(keys)
  static let keys: [Key<DialogStepDefinition>] = [
    Key(
      \.send, "send", .hidden,
      "Text to send; \\r, \\n, \\t, \\xNN, \\\\ and \\(name) of a capture are replaced"),
    Key(\.sendHex, "send_hex", .hidden, "Bytes to send, in hexadecimal"),
    Key(\.expect, "expect", .text, "Literal, or ~ and a pattern, that must come"),
    Key(\.expectHex, "expect_hex", .text, "Bytes that must come, in hexadecimal"),
  ]
}
