// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring

/// What a hostile API would send: checks that want to reach where they must not.
enum HostileChecks {
  /// A server on a public address that redirects, and a name server that lies; see `PacketCaptureTests`.
  static let publicAddress = "8.8.8.8"

  static let v4 = [
    "0.0.0.0", "0.1.2.3", "10.0.0.5", "10.255.255.1", "100.64.0.9", "100.127.1.1", "127.0.0.1", "127.8.8.8",
    "169.254.169.254", "169.254.170.2", "169.254.1.1", "172.16.0.1", "172.31.9.9", "192.0.0.192",
    "192.0.2.77",
    "192.88.99.1", "192.168.0.1", "192.168.255.254", "198.18.0.1", "198.51.100.1", "203.0.113.1",
    "224.0.0.251",
    "239.1.1.1", "240.0.0.1", "255.255.255.255", "168.63.129.16", "100.100.100.200",
  ]
  static let v6 = [
    "::", "::1", "fc00::5", "fd00:ec2::254", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1", "2001:db8::7",
    "100::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.5", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::10.0.0.5",
    "64:ff9b::169.254.169.254", "64:ff9b:1::10.0.0.5", "2002:7f00:1::1", "2002:a00:5::1", "2002:a9fe:a9fe::1",
    "2001:0:808:808:8000:63bf:80ff:fffe", "2600::5efe:10.0.0.5", "::ffff:0:127.0.0.1",
  ]
  static let forbidden = (v4 + v6).compactMap { IPAddress($0) }

  /// A name that the hostile name server answers as it says.
  static func name(_ trick: String, _ address: IPAddress) -> String {
    let digits = address.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "\(trick)-\(digits).test"
  }

  static func url(_ address: IPAddress, _ rest: String = "/") -> String {
    address.version == 6 ? "http://[\(address)]\(rest)" : "http://\(address)\(rest)"
  }

  /// A path of the hostile server that redirects to a URL.
  private static func redirect(to url: String, _ status: Int = 302) -> String {
    let digits = url.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "http://\(publicAddress)/\(status)/\(digits)"
  }

  static var all: [CheckDefinition] { literals + names + redirects + spellings + helpers }

  private static func http(_ url: String, _ change: (inout CheckDefinition) -> Void = { _ in })
    -> CheckDefinition
  {
    make("http") {
      $0.url = url
      change(&$0)
    }
  }

  private static func make(_ type: String, _ change: (inout CheckDefinition) -> Void) -> CheckDefinition {
    var definition = CheckDefinition()
    definition.origin = .api
    definition.type = type
    definition.retries = 0
    definition.timeout = .seconds(10)
    change(&definition)
    return definition
  }

  /// Every forbidden address, by every kind of check.
  private static var literals: [CheckDefinition] {
    forbidden.flatMap { address in
      let host = address.description
      return [
        http(url(address)), http(url(address, ":8080/x").replacing("http", with: "https")),
        http(url(address, ":22/")),
        make("tcp") {
          $0.host = host
          $0.port = 443
        },
        make("tls") { $0.host = host },
        make("dns") {
          $0.server = address.version == 6 ? "[\(host)]:53" : host
          $0.queryName = "example.com"
        },
        make("ping") {
          $0.host = host
          $0.ping.count = 1
        },
      ]
    }
  }

  /// Names that lead to a forbidden address: alone (D14), beside a public one, only the second time (D13), by an alias;
  /// and as the resolver of a check.
  private static var names: [CheckDefinition] {
    forbidden.flatMap { address in
      [
        http("http://\(name("only", address))/"), http("http://\(name("mixed", address))/200"),
        http("http://\(name("alias", address))/"),
        http("http://\(name("rebind", address))/503") {
          $0.retries = 2
          $0.retryDelay = .zero
        },
        make("tcp") {
          $0.host = name("only", address)
          $0.port = 80
        },
        make("tcp") {
          $0.host = "example.test"
          $0.port = 80
          $0.resolver = name("only", address)
        },
      ]
    }
  }

  /// N15: to the address, to a name of it, after a detour, and permanently.
  private static var redirects: [CheckDefinition] {
    forbidden.flatMap { address in
      [
        http(redirect(to: url(address))), http(redirect(to: url(address, ":8080/"), 307)),
        http(redirect(to: "http://\(name("only", address))/")),
        http(redirect(to: redirect(to: url(address)), 301)),
        http(redirect(to: "//" + url(address).dropFirst(7))),
      ]
    }
      + [
        "file:///etc/passwd", "ftp://10.0.0.5/", "gopher://127.0.0.1:70/", "dict://127.0.0.1:11211/stat",
        "http://0/",
      ]
      .map { http(redirect(to: $0)) }
  }

  /// A public target, and on the way to it a proxy, a token's endpoint or a resolver that is a forbidden address.
  private static var helpers: [CheckDefinition] {
    forbidden.flatMap { address in
      let host = address.version == 6 ? "[\(address)]" : address.description
      return [
        http("http://\(publicAddress)/200") { $0.proxy = Redacted("http://\(host):3128") },
        http("http://\(publicAddress)/200") {
          $0.proxy = Redacted("socks5h://\(name("only", address)):1080")
        },
        http("http://\(publicAddress)/200") {
          var oauth2 = OAuth2Definition()
          oauth2.tokenURL = "https://\(host)/token"
          oauth2.clientID = "id"
          oauth2.clientSecret = Redacted("secret")
          $0.auth.oauth2 = oauth2
        },
        make("tls") {
          $0.host = "example.test"
          $0.resolver = "\(host):53"
        },
      ]
    }
  }

  private static var spellings: [CheckDefinition] {
    URLSpellingTests.refused.map { http($0.replacing(":@/", with: ":8080/")) }
  }
}
