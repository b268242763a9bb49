// SPDX-License-Identifier: MIT

import Basics

/// A CheckCommand: a plugin, its arguments, and the variables that they have where nothing else sets them.
struct IcingaCommand {
  struct Argument {
    var flag: String
    /// `nil`: the flag alone.
    var value: IcingaValue?
    /// The argument is given where this is true.
    var condition: IcingaValue?
    var order = 0.0
    var hasFlag = true
    var repeatsFlag = true
  }

  /// Attribute of a command that imports one of Icinga's own library: its name.
  static let ofLibrary = " library"

  /// The program and what always follows it.
  var words: [String]
  var arguments: [Argument] = []
  var variables: [(name: String, value: IcingaValue)] = []

  /// Of Icinga's own library (ITL): options with the variables behind them, `?` where the variable switches the option,
  /// and the values that variables have.
  private static let library: [String: String] = [  // own text
    "http": """
    check_http -H=http_vhost -I=http_address -u=http_uri -p=http_port ?-S=http_ssl ?-S1=http_ssl_force_tlsv1
    ?-S1.1=http_ssl_force_tlsv1_1 ?-S1.2=http_ssl_force_tlsv1_2 ?-S1+=http_ssl_force_tlsv1_or_higher
    ?-S1.1+=http_ssl_force_tlsv1_1_or_higher ?-S1.2+=http_ssl_force_tlsv1_2_or_higher ?--sni=http_sni
    -C=http_certificate -J=http_clientcert -K=http_privatekey -a=http_auth_pair ?--no-body=http_ignore_body
    -w=http_warn_time -c=http_critical_time -e=http_expect -d=http_headerstring -s=http_string -P=http_post
    -j=http_method -M=http_maxage -T=http_contenttype ?-l=http_linespan -r=http_expect_body_regex
    -R=http_expect_body_eregi ?--invert-regex=http_invertregex -b=http_proxy_auth_pair -A=http_useragent
    -k=http_header ?-E=http_extendedperfdata -f=http_onredirect -m=http_pagesize -t=http_timeout ?-4=http_ipv4
    ?-6=http_ipv6 ?-L=http_link ?-v=http_verbose http_address:=$check_address$
    """,
    "tcp": """
    check_tcp -H=tcp_address -p=tcp_port -e=tcp_expect ?-A=tcp_all ?-E=tcp_escape_send -s=tcp_send
    ?-E=tcp_escape_quit -q=tcp_quit -r=tcp_refuse -M=tcp_mismatch ?-j=tcp_jail -m=tcp_maxbytes -d=tcp_delay
    -D=tcp_certificate ?-S=tcp_ssl -w=tcp_wtime -c=tcp_ctime -t=tcp_timeout --sni=tcp_sni ?-4=tcp_ipv4
    ?-6=tcp_ipv6 tcp_address:=$check_address$ tcp_refuse:=crit tcp_mismatch:=warn tcp_timeout:=10
    """,
    "ssl": """
    check_tcp -H=ssl_address -p=ssl_port -S -t=ssl_timeout -D=ssl_days --sni=ssl_sni ssl_address:=$check_address$
    ssl_port:=443
    """,
    "ping": """
    check_ping -H=ping_address -w=ping_warning -c=ping_critical -p=ping_packets -t=ping_timeout
    ping_address:=$check_address$ ping_warning:=$ping_wrta$,$ping_wpl$% ping_critical:=$ping_crta$,$ping_cpl$%
    ping_wrta:=100 ping_wpl:=5 ping_crta:=200 ping_cpl:=15
    """,
    "dns": """
    check_dns -H=dns_lookup -s=dns_server -q=dns_query_type -a=dns_expected_answers ?-L=dns_all_expected
    ?-A=dns_authoritative -w=dns_wtime -c=dns_ctime -t=dns_timeout dns_lookup:=$host.name$ dns_timeout:=10
    """,
    "dig": """
    check_dig -H=dig_server -p=dig_port -l=dig_lookup -T=dig_record_type -a=dig_expected_address
    -A=dig_arguments -w=dig_warning -c=dig_critical -t=dig_timeout ?-4=dig_ipv4 ?-6=dig_ipv6
    dig_server:=$check_address$
    """,
    "smtp": """
    check_smtp -H=smtp_address -p=smtp_port -f=smtp_mail_from -e=smtp_expect -C=smtp_command -R=smtp_response
    -F=smtp_helo_fqdn -D=smtp_certificate_age ?-S=smtp_starttls -A=smtp_authtype -U=smtp_authuser
    -P=smtp_authpass -w=smtp_warning -c=smtp_critical -t=smtp_timeout ?-4=smtp_ipv4 ?-6=smtp_ipv6
    smtp_address:=$check_address$
    """,
    "ssh": """
    check_ssh -H=ssh_address -p=ssh_port -t=ssh_timeout ?-4=ssh_ipv4 ?-6=ssh_ipv6 ssh_address:=$check_address$
    """,
    "icmp": """
    check_icmp -H=icmp_address -w=icmp_warning -c=icmp_critical -n=icmp_packets -i=icmp_packet_interval
    -I=icmp_target_interval -m=icmp_hosts_alive -b=icmp_data_bytes -t=icmp_timeout icmp_address:=$check_address$
    icmp_warning:=$icmp_wrta$,$icmp_wpl$% icmp_critical:=$icmp_crta$,$icmp_cpl$% icmp_wrta:=200 icmp_wpl:=40
    icmp_crta:=500 icmp_cpl:=80
    """,
    "ssl_cert": """
    check_ssl_cert -H=ssl_cert_address -p=ssl_cert_port -f=ssl_cert_file -w=ssl_cert_warn -c=ssl_cert_critical
    -n=ssl_cert_cn ?-A=ssl_cert_noauth ?-s=ssl_cert_selfsigned -t=ssl_cert_timeout -P=ssl_cert_protocol
    -r=ssl_cert_rootssl_cert -i=ssl_cert_issuer -o=ssl_cert_org -e=ssl_cert_email
    ssl_cert_address:=$check_address$ ssl_cert_port:=443
    """,
  ]

  /// Commands that speak as check_tcp does.
  private static let ports = ["ftp", "imap", "pop", "simap", "spop", "ssmtp"]
  private static let alive = ["ping_wrta:=3000.0", "ping_wpl:=80", "ping_crta:=5000.0", "ping_cpl:=100"]

  /// A command that Icinga has itself; `nil`: none that is known here.
  init?(library name: String) {
    var line: String
    var further: [String] = []
    switch name {
    case "ping4", "ping6", "hostalive", "hostalive4", "hostalive6":
      line = Self.library["ping"] ?? ""
      if name.hasSuffix("4") { further += ["-4", "ping_address:=$address$"] }
      if name.hasSuffix("6") { further += ["-6", "ping_address:=$address6$"] }
      if name.hasPrefix("hostalive") { further += Self.alive }
    case let name where Self.ports.contains(name):
      line =
        Self.library["tcp"]?.replacing("tcp_", with: "\(name)_").replacing("check_tcp", with: "check_\(name)")
        ?? ""
    default:
      guard let known = Self.library[name] else { return nil }
      line = known
    }
    let parts = line.split { $0 == " " || $0 == "\n" }.map(String.init) + further
    words = ["plugins/\(parts[0])"]
    for part in parts.dropFirst() { add(part) }
  }

  private mutating func add(_ part: String) {
    if let sign = part.range(of: ":=") {
      let name = String(part[..<sign.lowerBound])
      variables.removeAll { $0.name == name }
      variables.append((name, IcingaValue(kind: .text(String(part[sign.upperBound...])))))
    } else if let equals = part.firstIndex(of: "=") {
      let macro = IcingaValue(kind: .text("$\(part[part.index(after: equals)...])$"))
      if part.hasPrefix("?") {
        arguments.append(Argument(flag: String(part[..<equals].dropFirst()), condition: macro))
      } else {
        arguments.append(Argument(flag: String(part[..<equals]), value: macro))
      }
    } else {
      arguments.append(Argument(flag: part))
    }
  }

  /// A command of the files; `nil`: its line is not worked out.
  init?(_ object: IcingaValue) {
    if let name = object[Self.ofLibrary]?.text, let known = IcingaCommand(library: name) {
      self = known
    } else {
      words = []
    }
    if let command = object["command"] {
      words = command.items.compactMap(\.text)
      guard words.count == command.items.count else { return nil }
    }
    guard !words.isEmpty else { return nil }
    if case .map(let entries)? = object["vars"]?.kind { variables += entries }
    guard case .map(let entries)? = object["arguments"]?.kind else { return }
    for entry in entries {
      var argument = Argument(flag: entry.value["key"]?.text ?? entry.name)
      if case .map = entry.value.kind {
        argument.value = entry.value["value"]
        argument.condition = entry.value["set_if"]
        argument.order = entry.value["order"]?.number ?? 0
        argument.hasFlag = entry.value["skip_key"]?.truth != true
        argument.repeatsFlag = entry.value["repeat_key"]?.truth != false
      } else {
        argument.value = entry.value
      }
      arguments.removeAll { $0.flag == argument.flag }
      arguments.append(argument)
    }
    arguments.sort { $0.order < $1.order }
  }
}

/// Macros of one check put into a command line.
struct IcingaMacros {
  let host: IcingaValue
  let service: IcingaValue?
  let command: IcingaCommand
  /// Nodes of the files that the line was made of.
  private(set) var sources: [ForeignNode] = []

  init(host: IcingaValue, service: IcingaValue?, command: IcingaCommand) {
    (self.host, self.service, self.command) = (host, service, command)
  }

  /// Why there is no line.
  struct Obstacle: Error { var words: String }

  mutating func line() throws(Obstacle) -> [String] {
    var words: [String] = []
    for word in command.words { words.append(try filled(word, 1) ?? word) }
    for argument in command.arguments {
      if let condition = argument.condition {
        let value = try resolved(condition, 1)
        if let why = value?.why { throw Obstacle(words: why) }
        guard isTrue(value) else { continue }
        sources += value?.allSources ?? []
      }
      guard let given = argument.value else {
        words.append(argument.flag)
        continue
      }
      guard let value = try resolved(given, 1) else { continue }
      if let why = value.why { throw Obstacle(words: why) }
      guard value.truth != false || value.text?.isEmpty == true else { continue }
      sources += value.allSources
      for (index, item) in value.items.enumerated() {
        guard let text = item.text else { throw Obstacle(words: "an argument is no text") }
        if argument.hasFlag, index == 0 || argument.repeatsFlag { words.append(argument.flag) }
        words.append(text)
        guard words.count <= ForeignLimits.each else {
          throw Obstacle(words: "its command line has too many words")
        }
      }
    }
    return words
  }

  private func isTrue(_ value: IcingaValue?) -> Bool {
    guard let value else { return false }
    if let text = value.text { return !["", "0", "false"].contains(ByteText(text)) }
    return value.truth == true
  }

  /// A value with the macros in it; `nil` where one has no value.
  private mutating func resolved(_ value: IcingaValue, _ depth: Int) throws(Obstacle) -> IcingaValue? {
    switch value.kind {
    case .text(let text):
      // A macro alone may be a list.
      if text.hasPrefix("$"), text.hasSuffix("$"), text.utf8.count(where: { $0 == 0x24 }) == 2,
        text.utf8.count > 2
      {
        guard let found = lookUp(String(text.dropFirst().dropLast())) else { return nil }
        return try inner(found, depth)
      }
      guard let made = try filled(text, depth) else { return nil }
      return IcingaValue(kind: .text(made), sources: value.sources)
    case .list(let items):
      var made: [IcingaValue] = []
      for item in items { if let value = try resolved(item, depth) { made.append(value) } }
      return IcingaValue(kind: .list(made), sources: value.sources)
    default: return value
    }
  }

  private mutating func inner(_ value: IcingaValue, _ depth: Int) throws(Obstacle) -> IcingaValue? {
    guard depth < 15 else { throw Obstacle(words: "macros name one another without an end") }
    guard var made = try resolved(value, depth + 1) else { return nil }
    made.sources += value.sources
    return made
  }

  private mutating func filled(_ text: String, _ depth: Int) throws(Obstacle) -> String? {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count > 2 else { return text }
    var made = ""
    for (index, part) in parts.enumerated() {
      if index % 2 == 0 || index == parts.count - 1 {
        made += index % 2 == 0 ? part : "$\(part)"
      } else if part.isEmpty {
        made += "$"
      } else {
        guard let found = lookUp(String(part)), let value = try inner(found, depth) else { return nil }
        guard let text = value.text else { throw Obstacle(words: value.why ?? "a macro is no text") }
        sources += value.sources
        made += text
      }
      guard made.utf8.count <= ForeignLimits.words else {
        throw Obstacle(words: "its command line is longer than \(ForeignLimits.words) bytes")
      }
    }
    return made
  }

  /// Service before host, host before command, as Icinga looks.
  private func lookUp(_ name: String) -> IcingaValue? {
    var path = name.split(separator: ".").map(String.init)
    guard let first = path.first else { return nil }
    if path.count > 1, ["host", "service"].contains(first) {
      path.removeFirst()
      let whole = first == "host" ? host : service ?? .null
      return Self.value(at: path, in: whole)
        ?? (path.count == 1 ? Self.value(at: ["vars"] + path, in: whole) : nil)
    }
    if name == "check_address" {
      if isTrue(lookUp("check_ipv6")) { return Self.value(at: ["address6"], in: host) }
      return Self.value(at: ["address"], in: host) ?? Self.value(at: ["address6"], in: host)
        ?? Self.value(at: ["name"], in: host)
    }
    for whole in [service, host].compactMap(\.self) {
      if let value = Self.value(at: ["vars"] + path, in: whole) ?? Self.value(at: path, in: whole) {
        return value
      }
    }
    return command.variables.last { $0.name == name }?.value
  }

  private static func value(at path: [String], in whole: IcingaValue) -> IcingaValue? {
    var value = whole
    for name in path {
      if case .unknown = value.kind { return value }
      guard let next = value[name] else { return nil }
      value = next
    }
    if case .null = value.kind { return nil }
    return value
  }
}
