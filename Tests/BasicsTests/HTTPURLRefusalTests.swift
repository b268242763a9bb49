// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Texts that two URL parsers read differently, or that hide where a request goes. What is refused here is dialled
/// nowhere.
@Suite struct HTTPURLRefusalTests {
  static let schemes = [
    "", "/", "//", "//example.com/", "/path", "?q", "#f", "example.com", "example.com:80", "example.com/path",
    "http", "http:", "http:/", "http://", "https://", "http:example.com", "http:/example.com",
    "http:/127.0.0.1/",
    "http:\\\\example.com", "http:/\\example.com/", "http ://example.com/", "ht tp://example.com/",
    "://example.com",
    "file:///etc/passwd", "ftp://example.com/", "gopher://example.com:70/_x",
    "dict://example.com:11211/stats",
    "scp://example.com/x", "data:text/plain,x", "javascript:alert(1)", "ws://example.com/",
    "unix:///run/x.sock",
    "httpx://example.com/", "http+unix://x/", "ＨＴＴＰ://example.com/",
  ]

  static let authorities = [
    "http:///", "http:////example.com/", "http://?q", "http://#f", "http://:80/", "http://@/",
    "http://@example.com/",
    "http://user@example.com/", "http://user:pass@example.com/", "http://:@example.com/",
    "http://a@b@example.com/",
    "http://user%40x@example.com/", "http://example.com@evil.example/", "http://example.com:80@evil.example/",
    "http://127.0.0.1:80@evil.example:81/", "http://[::1]@evil.example/",
    "http://evil.example\\@example.com/",
    "http://example.com\\.evil.example/", "http://example.com::/", "http://example.com:0/",
    "http://example.com:65536/",
    "http://example.com:99999/", "http://example.com:123456/", "http://example.com:-1/",
    "http://example.com:+80/",
    "http://example.com:80a/", "http://example.com:8 0/", "http://example.com:0x50/",
    "http://example.com:80:80/",
    "http://example.com::80/", "http://::1/", "http://[::1]80/", "http://[::1]::/", "http://:/",
    "http://[::1]:0/",
    "http://[::1]x/",
    "http://[::1", "http://[]/", "http://[[::1]]/", "http://[::1]]/", "http://]::1[/", "http://x[::1]/",
    "http://[1.2.3.4]/", "http://[example.com]/", "http://[v1.fe80::1]/", "http://[fe80::1%eth0]/",
    "http://[fe80::1%25eth0]/", "http://[fe80::1%251]/", "http://[::1%00]/", "http://[::ffff:127.1]/",
    "http://[::ffff:0x7f.1]/", "http://[:::1]/", "http://[1:2:3:4:5:6:7]/",
  ]

  static let numericHosts = [
    "http://0/", "http://1/", "http://127.1/", "http://127.0.1/", "http://2130706433/",
    "http://017700000001/",
    "http://0x7f000001/", "http://0x7f.1/", "http://0x7f.0.0.1/", "http://0X7F.0.0.0x1/",
    "http://0177.0.0.1/",
    "http://0177.1/", "http://127.0.0.01/", "http://127.0.0.0x1/", "http://00.0.0.0/", "http://127.0.0.1./",
    "http://127.1./", "http://256.0.0.1/", "http://127.0.0.256/", "http://1.2.3.4.5/", "http://4294967296/",
    "http://999999999999/", "http://example.1/", "http://example.0x1/", "http://example.0x/", "http://a.0/",
    "http://1e3/x\0", "http://-1/", "http://+1/", "http://127.0.0.1%00/", "http://127%2e0.0.1/",
    "http://%31%32%37.0.0.1/", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/", "http://１２７.0.0.1/",
    "http://١.0.0.1/",
  ]

  static let names = [
    "http://./", "http://../", "http://.example.com/", "http://example..com/", "http://example.com../",
    "http://-example.com/", "http://example-.com/", "http://example.-com/", "http://ex%61mple.com/",
    "http://example.com%00.evil.example/", "http://%00/", "http://example%2ecom/", "http://exa$mple.com/",
    "http://exa!mple.com/", "http://exa'mple.com/", "http://exa(mple.com/", "http://exa*mple.com/",
    "http://*.example.com/", "http://exa,mple.com/", "http://exa;mple.com/", "http://exa=mple.com/",
    "http://exa&mple.com/", "http://exa+mple.com/", "http://exa~mple.com/", "http://exa|mple.com/",
    "http://exa^mple.com/", "http://exa`mple.com/", "http://exa{mple}.com/", "http://exa\"mple.com/",
    "http://<example.com>/",
    "http://exam\u{ad}ple.com/", "http://exam\u{200b}ple.com/", "http://ﬁle.example/",
    "http://🙂.example/", "http://\u{202e}moc.elpmaxe/",
  ]

  static let bytes = [
    " http://example.com/", "http://example.com/ ", "http://exam ple.com/", "http://example.com/a b",
    "\thttp://example.com/", "ht\ttp://example.com/", "http://exam\tple.com/", "http://example.com/\t",
    "http://example.com/\n", "http://example.com/\r\n", "http://example.com/\r\nHost: evil.example",
    "http://example.com/a\nb", "http://exam\nple.com/", "http://example.com/\0",
    "http://example.com\0.evil.example/",
    "\0http://example.com/", "http://example.com/\u{7f}", "http://example.com/\u{1b}[31m",
    "http://example.com/\u{a0}", "http://example.com/\\",
    "http://example.com\\x", "\\\\example.com\\x", "http://example.com/?a\\b", "http://example.com/#\\",
    "\u{feff}http://example.com/",
  ]

  @Test(arguments: schemes + authorities + numericHosts + names + bytes)
  func refuses(text: String) {
    #expect(throws: HTTPURL.Invalid.self) { try HTTPURL(text) }
  }

  /// `host:` of the other kinds is held to the same rules.
  @Test(arguments: [
    "", ".", "..", "a..b", "-a", "a-", "a b", "a/b", "a:80", "[::1]", "127.1", "0x7f.1", "2130706433",
    "1.2.3.4.",
    "0177.0.0.1", "fe80::1%eth0", "a%00b", "a\0b", "a\nb", "bücher.example", "u@h", "*", "example.123",
    "a\\b",
  ])
  func refusesHosts(host: String) {
    #expect(hostProblem(host) != nil)
  }

  @Test(arguments: [
    "a", "localhost", "db.internal", "example.com.", "my_host", "_dmarc.example.com", "xn--bcher-kva.example",
    "127.0.0.1",
    "0.0.0.0", "::1", "2001:db8::1", "3com.example", "a-b.c-d",
  ])
  func acceptsHosts(host: String) {
    #expect(hostProblem(host) == nil)
  }

  /// An address with a zone is told from other texts with a percent sign.
  @Test(arguments: [
    ("fe80::1%eth0", true), ("[fe80::1%25eth0]:80", true), ("::1%", true), ("fe80::1", false), ("a%b", false),
    ("192.0.2.1%eth0", false), ("fe80::zz%eth0", false), ("", false),
  ])
  func zones(text: String, isZoned: Bool) {
    #expect(hasZone(text) == isZoned)
    guard isZoned, text.hasPrefix("[") else { return }
    let error = #expect(throws: HTTPURL.Invalid.self) { try HTTPURL("http://\(text)/") }
    #expect(error?.message == "has an address with a zone, and zones are not supported")
  }
}
