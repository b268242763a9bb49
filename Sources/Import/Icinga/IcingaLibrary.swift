// SPDX-License-Identifier: MIT

import Basics

// Commands of Icinga's template library (ITL).
extension IcingaCommand {
  /// Options with the variables behind them, and the values that variables have; `?` where the variable switches the
  /// option, `!` where an empty one leaves it out, `==` where option and value are one word.
  private static let known: [String: String] = [  // own text
    "http": """
    check_http --extra-opts==http_extra_opts
    -H=http_vhost !-I=http_address -u=http_uri -p=http_port ?-S=http_ssl ?-S1=http_ssl_force_tlsv1
    ?-S1.1=http_ssl_force_tlsv1_1 ?-S1.2=http_ssl_force_tlsv1_2 ?-S1+=http_ssl_force_tlsv1_or_higher
    ?-S1.1+=http_ssl_force_tlsv1_1_or_higher ?-S1.2+=http_ssl_force_tlsv1_2_or_higher
    ?-S2=http_ssl_force_sslv2 ?-S3=http_ssl_force_sslv3 ?-S2+=http_ssl_force_sslv2_or_higher
    ?-S3+=http_ssl_force_sslv3_or_higher ?--sni=http_sni ?--verify-host=http_verify_host -C=http_certificate
    ?--continue-after-certificate=http_certificate_continue -J=http_clientcert -K=http_privatekey
    -a=http_auth_pair ?--no-body=http_ignore_body -w=http_warn_time -c=http_critical_time -e=http_expect
    -d=http_headerstring -s=http_string -P=http_post -j=http_method -M=http_maxage -T=http_contenttype
    ?-l=http_linespan -r=http_expect_body_regex -R=http_expect_body_eregi ?--invert-regex=http_invertregex
    -b=http_proxy_auth_pair -A=http_useragent -k=http_header ?-E=http_extendedperfdata -f=http_onredirect
    -m=http_pagesize -t=http_timeout ?-4=http_ipv4 ?-6=http_ipv6 ?-L=http_link ?-v=http_verbose
    http_address:=$check_address$ check_ipv4:=$http_ipv4$ check_ipv6:=$http_ipv6$
    """,
    "tcp": """
    check_tcp --extra-opts==tcp_extra_opts
    -H=tcp_address -p=tcp_port -e=tcp_expect ?-A=tcp_all ?-E=tcp_escape_send -s=tcp_send
    ?-E=tcp_escape_quit -q=tcp_quit -r=tcp_refuse -M=tcp_mismatch ?-j=tcp_jail -m=tcp_maxbytes -d=tcp_delay
    -D=tcp_certificate ?-S=tcp_ssl -w=tcp_wtime -c=tcp_ctime -t=tcp_timeout --sni=tcp_sni ?-4=tcp_ipv4
    ?-6=tcp_ipv6 tcp_address:=$check_address$ check_ipv4:=$tcp_ipv4$ check_ipv6:=$tcp_ipv6$ tcp_refuse:=crit
    tcp_mismatch:=warn tcp_timeout:=10
    """,
    "mail": """
    check_mail --extra-opts==mail_extra_opts
    -H=mail_address -p=mail_port -E=mail_escape -s=mail_send -e=mail_expect ?-A=mail_all
    -q=mail_quit -r=mail_refuse -M=mail_mismatch ?-j=mail_jail -m=mail_maxbytes -d=mail_delay
    -D=mail_certificate_age ?-S=mail_ssl -w=mail_warning -c=mail_critical -t=mail_timeout ?-4=mail_ipv4
    ?-6=mail_ipv6 mail_address:=$check_address$ check_ipv4:=$mail_ipv4$ check_ipv6:=$mail_ipv6$
    """,
    "ssl": """
    check_tcp --extra-opts==ssl_extra_opts
    -H=ssl_address -p=ssl_port -S -t=ssl_timeout -D=ssl_valid_days --sni=ssl_sni
    ssl_address:=$check_address$ ssl_port:=443
    """,
    "ping": """
    check_ping -H=ping_address -w=$ping_wrta$,$ping_wpl$% -c=$ping_crta$,$ping_cpl$% -p=ping_packets
    -t=ping_timeout ping_address:=$check_address$ ping_wrta:=100 ping_wpl:=5 ping_crta:=200 ping_cpl:=15
    """,
    "dns": """
    check_dns --extra-opts==dns_extra_opts
    -H=dns_lookup -s=dns_server -q=dns_query_type -a=dns_expected_answers ?-L=dns_all_expected
    ?-A=dns_authoritative ?--accept-cname=dns_accept_cname
    -w=dns_wtime -c=dns_ctime -t=dns_timeout dns_lookup:=$host.name$ dns_timeout:=10
    """,
    "dig": """
    check_dig --extra-opts==dig_extra_opts
    -H=dig_server -p=dig_port -l=dig_lookup -T=dig_record_type -a=dig_expected_address
    -A=dig_arguments -w=dig_warning -c=dig_critical -t=dig_timeout ?-4=dig_ipv4 ?-6=dig_ipv6
    dig_server:=$check_address$ check_ipv4:=$dig_ipv4$ check_ipv6:=$dig_ipv6$
    """,
    "smtp": """
    check_smtp --extra-opts==smtp_extra_opts
    -H=smtp_address -p=smtp_port -f=smtp_mail_from -e=smtp_expect -C=smtp_command -R=smtp_response
    -F=smtp_helo_fqdn -D=smtp_certificate_age ?-S=smtp_starttls -A=smtp_authtype -U=smtp_authuser
    -P=smtp_authpass ?-q=smtp_ignore_quit -w=smtp_warning -c=smtp_critical -t=smtp_timeout ?-4=smtp_ipv4 ?-6=smtp_ipv6
    smtp_address:=$check_address$ check_ipv4:=$smtp_ipv4$ check_ipv6:=$smtp_ipv6$
    """,
    "ssh": """
    check_ssh --extra-opts==ssh_extra_opts
    -H=ssh_address -p=ssh_port -t=ssh_timeout ?-4=ssh_ipv4 ?-6=ssh_ipv6 -r=ssh_remote_version
    -P=ssh_remote_protocol ssh_address:=$check_address$ check_ipv4:=$ssh_ipv4$ check_ipv6:=$ssh_ipv6$
    """,
    "icmp": """
    check_icmp --extra-opts==icmp_extra_opts
    -H=icmp_address -w=$icmp_wrta$,$icmp_wpl$% -c=$icmp_crta$,$icmp_cpl$% -s=icmp_source
    -n=icmp_packets -i=icmp_packet_interval -I=icmp_target_interval -m=icmp_hosts_alive -b=icmp_data_bytes
    -t=icmp_timeout -l=icmp_ttl icmp_address:=$address$ icmp_wrta:=100 icmp_wpl:=10 icmp_crta:=200
    icmp_cpl:=30
    """,
    "ssl_cert": """
    check_ssl_cert -H=ssl_cert_address -p=ssl_cert_port -f=ssl_cert_file -w=ssl_cert_warn -c=ssl_cert_critical
    -n=ssl_cert_cn ?-A=ssl_cert_noauth ?-s=ssl_cert_selfsigned --sni=ssl_cert_sni -t=ssl_cert_timeout
    -P=ssl_cert_protocol -r=ssl_cert_rootcert -i=ssl_cert_issuer -o=ssl_cert_org -e=ssl_cert_email
    ?--ignore-exp=ssl_cert_ignore_expiration ?--ignore-host-cn=ssl_cert_ignore_host_cn
    ?--ignore-ocsp=ssl_cert_ignore_ocsp ?--ignore-ocsp-errors=ssl_cert_ignore_ocsp_errors
    ?--ignore-ocsp-timeout=ssl_cert_ignore_ocsp_timeout ?--ignore-sct=ssl_cert_ignore_sct
    ?--ignore-sig-alg=ssl_cert_ignore_signature ?--altnames=ssl_cert_altnames ?-N=ssl_cert_match_host
    ?--ignore-maximum-validity=ssl_cert_ignore_maximum_validity
    --maximum-validity==ssl_cert_maximum_validity --proxy==ssl_cert_proxy --url==ssl_cert_http_url
    --serial==ssl_cert_serial -C=ssl_cert_clientssl_cert --clientpass==ssl_cert_clientpass
    -L=ssl_cert_ssllabs
    ssl_cert_address:=$check_address$ ssl_cert_port:=443
    """,
  ]

  /// Commands whose variables differ in their first word alone; `mail` is none of Icinga's.
  private static let mailboxes = ["imap", "pop", "simap", "spop", "ssmtp"]
  private static let alive = ["ping_wrta:=3000.0", "ping_wpl:=80", "ping_crta:=5000.0", "ping_cpl:=100"]

  /// A command that Icinga has itself; `nil`: none that is known here.
  init?(library name: String) {
    let line: String
    var further: [String] = []
    switch name {
    case "ping4", "ping6", "hostalive", "hostalive4", "hostalive6":
      line = Self.known["ping"] ?? ""
      if name.hasSuffix("4") { further += ["-4", "ping_address:=$address$"] }
      if name.hasSuffix("6") { further += ["-6", "ping_address:=$address6$"] }
      if name.hasPrefix("hostalive") { further += Self.alive }
    case "ftp":
      let tcp = Self.known["tcp"] ?? ""
      line = tcp.replacing("tcp_", with: "ftp_").replacing("check_tcp", with: "check_ftp")
        .replacing("--sni=ftp_sni", with: "")
    case let name where Self.mailboxes.contains(name):
      let mail = Self.known["mail"] ?? ""
      line = mail.replacing("mail_", with: "\(name)_").replacing("check_mail", with: "check_\(name)")
    case "mail": return nil
    default:
      guard let known = Self.known[name] else { return nil }
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
      let name = part[part.index(after: equals)...]
      let macro = IcingaValue(kind: .text(name.contains("$") ? String(name) : "$\(name)$"))
      if part.hasPrefix("?") {
        arguments.append(Argument(flag: String(part[..<equals].dropFirst()), condition: macro))
      } else if part.hasPrefix("!") {
        let flag = String(part[..<equals].dropFirst())
        arguments.append(Argument(flag: flag, value: macro, needsValue: true))
      } else if name.hasPrefix("=") {
        let value = IcingaValue(kind: .text("$\(name.dropFirst())$"))
        arguments.append(Argument(flag: String(part[..<equals]), value: value, separator: "="))
      } else {
        arguments.append(Argument(flag: String(part[..<equals]), value: macro))
      }
    } else {
      arguments.append(Argument(flag: part))
    }
  }
}
