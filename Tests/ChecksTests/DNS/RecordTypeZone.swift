// SPDX-License-Identifier: MIT

/// A zone with a record of every type that knot knows, each under a name of its own.
enum RecordTypeZone {
  static let records: [(name: String, type: String, data: String)] = [
    ("a", "A", "192.0.2.1"), ("aaaa", "AAAA", "2001:db8::1"), ("afsdb", "AFSDB", "1 host"),
    ("caa", "CAA", #"128 issuewild "ca.example; account=\"1\"""#), ("cdnskey", "CDNSKEY", "0 3 0 AA=="),
    ("cds", "CDS", "0 0 0 00"), ("cert", "CERT", "1 12345 8 AQIDBA=="),
    ("cname", "CNAME", "www.types.example."),
    ("csync", "CSYNC", "66 3 A NS AAAA"),
    ("dhcid", "DHCID", "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA="),
    ("dname", "DNAME", "other.example."),
    (
      "dnskey", "DNSKEY",
      "256 3 13 oJMRESz5E4gYzS/q6XDrvU1qMPYIjCWzJaOau8XNEZeqCYKD5ar0IRd8KqXXFJkqmVfRvMGPmM1x8fGAa2XhSA=="
    ),
    ("ds", "DS", "60485 5 1 2BB183AF5F22588179A53B0A98631FAD1A292118"),
    ("eui48", "EUI48", "00-00-5e-00-53-2a"), ("eui64", "EUI64", "00-00-5e-ef-10-00-00-2a"),
    ("hinfo", "HINFO", #""PC Intel" "a\"b""#),
    ("https", "HTTPS", "1 . alpn=h2,h3 ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1"),
    ("key", "KEY", "256 3 8 AQIDBA=="), ("kx", "KX", "10 host"), ("l32", "L32", "10 10.1.2.0"),
    ("l64", "L64", "10 2001:0db8:1140:1000"), ("lp", "LP", "10 host"),
    ("loc", "LOC", "51 30 12.748 N 0 7 39.611 W 12.50m 30m 10000m 10m"),
    ("south", "LOC", "42 21 54 S 71 06 18 E -24m"), ("minfo", "MINFO", "a b"), ("mx", "MX", "10 mx1"),
    ("naptr", "NAPTR", #"100 50 "s" "http+I2L+I2C+I2R" "" _http._tcp.gatech.edu."#),
    ("sip", "NAPTR", #"100 10 "u" "E2U+sip" "!^.*$!sip:i\\.x@example.com!" ."#),
    ("nid", "NID", "10 0014:4fff:ff20:ee64"), ("plain", "NSEC3PARAM", "1 0 0 -"),
    ("salted", "NSEC3PARAM", "1 0 12 aabbccdd"), ("openpgpkey", "OPENPGPKEY", "AQIDBAUGBwg="),
    ("ptr", "PTR", "host.other.example."), ("rp", "RP", "admin.x. txt.y."), ("rt", "RT", "10 host"),
    ("smimea", "SMIMEA", "3 0 1 d2abde240d7cd3ee6b4b28c54df034b97983a1d16e8a410e4561cb106618e971"),
    ("spf", "SPF", #""v=spf1 -all""#), ("srv", "SRV", "1 2 5060 www"),
    ("sshfp", "SSHFP", "2 1 123456789abcdef67890123456789abcdef67890"),
    (
      "svcb", "SVCB",
      "16 foo.example.org. mandatory=ipv4hint,alpn alpn=h2,h3-19 ipv4hint=192.0.2.1 port=8443 ech=AEn+DQBF"
    ),
    ("aliased", "SVCB", "0 foo.example.com."), ("unknown", "SVCB", #"1 foo key667="hello\210qoo""#),
    ("odd", "SVCB", #"1 foo alpn="f\\\\oo\\,bar,h2" no-default-alpn"#),
    ("tlsa", "TLSA", "3 1 1 d2abde240d7cd3ee6b4b28c54df034b97983a1d16e8a410e4561cb106618e971"),
    ("txt", "TXT", #""hello world" "" "q\"u\\o\007te""#),
    ("uri", "URI", #"10 1 "ftp://ftp1.example.com/a\"b""#),
    (
      "zonemd", "ZONEMD",
      "2018031500 1 1 FEBE3D4CE2EC2FFA4BA99D46CD69D6D29711E55217057BEE7EB1A7B641A47BA7FED2DD5B97AE499FAFA4F22C6BD647DE"
    ),
    ("private", "TYPE65280", "\\# 3 0001ab"), ("empty", "TYPE65281", "\\# 0"),
    ("escaped", "CNAME", #"sp\032ace\;semi\(x\)\@\$.example."#),
  ]

  static var text: String {
    """
    $TTL 300
    @ SOA ns admin 7 3600 600 86400 60
    @ NS ns
    ns A 127.0.0.1

    """ + records.map { "\($0.name) \($0.type) \($0.data)\n" }.joined()
  }
}
