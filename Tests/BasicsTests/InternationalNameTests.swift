// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@Suite struct InternationalNameTests {
  /// The samples of RFC 3492, section 7.1, that are names, and names in use.
  static let names: [(unicode: String, ascii: String)] = [
    ("bücher.example", "xn--bcher-kva.example"), ("münchen.de", "xn--mnchen-3ya.de"),
    ("faß.de", "xn--fa-hia.de"), ("βόλος.com", "xn--nxasmm1c.com"), ("日本語.jp", "xn--wgv71a119e.jp"),
    ("例え.テスト", "xn--r8jz45g.xn--zckzah"), ("правда.рф", "xn--80aafi6cg.xn--p1ai"),
    ("مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv"), ("דוגמה.co.il", "xn--6dbbec0c.co.il"),
    ("उदाहरण.परीक्षा", "xn--p1b6ci4b4b3a.xn--11b5bs3a9aj6g"), ("실례.테스트", "xn--9n2bp8q.xn--9t4b11yi5a"),
    ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
    ("почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"),
    ("pročprostěnemluvíčesky", "xn--proprostnemluvesky-uyb24dma41a"),
    ("tạisaohọkhôngthểchỉnóitiếngviệt", "xn--tisaohkhngthchnitingvit-kjcr8268qyxafd2f1b9g"),
    ("www.straße.example", "www.xn--strae-oqa.example"), ("ü", "xn--tda"), ("a.ü.b", "a.xn--tda.b"),
    ("naïve_name.example", "xn--nave_name-15a.example"),
  ]

  @Test(arguments: names) func thereAndBack(unicode: String, ascii: String) throws {
    #expect(try InternationalName.ascii(unicode) == ascii)
    #expect(InternationalName.unicode(ascii) == unicode)
  }

  @Test(arguments: [
    ("BÜCHER.example", "xn--bcher-kva.example"), ("bu\u{308}cher.example", "xn--bcher-kva.example"),
    ("日本語。jp", "xn--wgv71a119e.jp"), ("日本語\u{ff0e}jp\u{ff61}x", "xn--wgv71a119e.jp.x"),
    ("e\u{323}\u{302}.vn", "xn--0zz"),
    ("Example.COM", "Example.COM"), ("", ""), ("ü.", "xn--tda."), ("\u{212b}.se", "xn--5ca.se"),
  ])
  func whatIsMapped(from: String, to: String) throws {
    let mapped = try InternationalName.ascii(from)
    if to.hasPrefix("xn--0zz") {
      // Marks in any order are the same letter.
      #expect(try mapped == InternationalName.ascii("\u{1ec7}.vn"))
      #expect(try mapped == InternationalName.ascii("e\u{302}\u{323}.vn"))
    } else {
      #expect(mapped == to)
    }
  }

  /// What looks like something else, what nobody sees, and what the DNS does not carry.
  @Test(arguments: [
    "①.example", "127。0。0。1", "127\u{ff0e}0.0.1", "１２７.0.0.1", "ｅxample.com", "ﬁ.example", "a\u{ad}ü.example",
    "a\u{200d}ü.example",
    "a\u{200b}ü.example", "ü\u{feff}.example", "☃.example", "\u{301}ü.example", "-ü.example", "ü-.example",
    "ab--ü.example", "a ü.example", "ü/..example", "ü%2e.example", "\u{2024}ü.example", "\u{ff0f}ü.example",
    "\u{660}\u{6f0}.example", "\u{1112}\u{1161}.example", "💩.example", "ü@x", "\u{e000}.example",
    "x\u{202e}ü.example",
    String(repeating: "ü", count: 60) + ".example",
  ])
  func whatIsNoName(text: String) {
    #expect(throws: InternationalName.Invalid.self) { try InternationalName.ascii(text) }
  }

  /// Not the form of any name: shown as it is.
  @Test(arguments: [
    "example.com", "xn--.example", "xn--a.example", "xn--a-.example", "xn--99zzzz9999.example",
    "xn--bcher-KVA!.x",
    "xn--bucher-.example", "xn--fiq\u{fc}", "xn--zzzzzzzzzzzzzzzzzzzzzzzzzzzzz.example",
  ])
  func whatHasNoOtherForm(text: String) { #expect(InternationalName.unicode(text) == nil) }

  /// What is looked up leads back to what is shown, and that to the same again.
  @Test func whatIsEncodedIsDecoded() throws {
    var generator = SystemRandomNumberGenerator()
    var encoded = 0
    for _ in 0..<2000 {
      let count = Int.random(in: 1...8, using: &generator)
      var label = String.UnicodeScalarView()
      for _ in 0..<count {
        label.append(try #require(Unicode.Scalar(UInt32.random(in: 0xe0...0x4ff, using: &generator))))
      }
      guard let name = try? InternationalName.ascii(String(label)), name.hasPrefix("xn--") else { continue }
      encoded += 1
      let shown = try #require(InternationalName.unicode(name), "\(name)")
      #expect(try InternationalName.ascii(shown) == name)
    }
    #expect(encoded > 100)
  }

  private func check(_ change: (inout CheckDefinition) -> Void) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    definition.name = "test"
    change(&definition)
    return try MonitoringCheck(definition)
  }

  @Test func checksTakeNamesInPeoplesLetters() throws {
    let http = try check {
      $0.type = "http"
      $0.url = "https://Bücher.example:8443/straße?q=é#x"
      $0.tls.serverName = "bücher.example"
    }
    guard case .http(let settings) = http.kind else { return }
    #expect(settings.url.text == "https://xn--bcher-kva.example:8443/stra%C3%9Fe?q=%C3%A9")
    #expect(settings.tls.serverName == "xn--bcher-kva.example")
    #expect(http.target == "https://xn--bcher-kva.example:8443/stra%C3%9Fe (bücher.example)")
    let tcp = try check {
      $0.type = "tcp"
      $0.host = "bücher.example"
      $0.port = 25
      $0.resolver = "bücher.example"
    }
    #expect(tcp.target == "xn--bcher-kva.example:25 (bücher.example)")
    #expect(tcp.resolver == Endpoint(host: "xn--bcher-kva.example", port: 53))
    let dns = try check {
      $0.type = "dns"
      $0.server = "ns.bücher.example:5353"
      $0.queryName = "münchen.de"
    }
    #expect(dns.target == "ns.xn--bcher-kva.example:5353/xn--mnchen-3ya.de A (münchen.de)")
  }

  @Test func aStrangerWritesTheFormOfTheDNS() {
    #expect(throws: InvalidCheck.self) {
      try check {
        $0.origin = .api
        $0.type = "http"
        $0.url = "https://bücher.example/"
      }
    }
    #expect(throws: InvalidCheck.self) {
      try check {
        $0.origin = .api
        $0.type = "tcp"
        $0.host = "bücher.example"
        $0.port = 443
      }
    }
  }

  @Test func aRedirectMayNameThemToo() throws {
    let url = try HTTPURL("https://example.com/a/b")
    #expect(try url.resolving(location: "//bücher.example/x").text == "https://xn--bcher-kva.example/x")
    #expect(try url.resolving(location: "http://münchen.de").text == "http://xn--mnchen-3ya.de/")
    #expect(try url.resolving(location: "straße").text == "https://example.com/a/stra%C3%9Fe")
    #expect(throws: HTTPURL.Invalid.self) { try url.resolving(location: "http://①.example/") }
  }
}
