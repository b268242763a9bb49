// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing

@testable import Status

/// Bytes of the protobuf format, and the forms of the pages, each as a whole.
@Suite struct WireAndFormTests {
  private func bytes(_ write: (inout ProtobufMessage) -> Void) -> [UInt8] {
    var message = ProtobufMessage()
    write(&message)
    return message.bytes
  }

  /// As "Encoding" of protobuf.dev has it.
  @Test func fields() {
    let rows: [([UInt8], [UInt8])] = [
      (bytes { $0.integer(1, 0) }, [0x08, 0]), (bytes { $0.integer(1, 127) }, [0x08, 0x7f]),
      (bytes { $0.integer(1, 128) }, [0x08, 0x80, 0x01]),
      (bytes { $0.integer(1, 150) }, [0x08, 0x96, 0x01]),
      (bytes { $0.integer(16, 1) }, [0x80, 0x01, 0x01]),
      (bytes { $0.integer(1, .max) }, [0x08] + [UInt8](repeating: 0xff, count: 9) + [0x01]),
      (bytes { $0.signed(5, 0) }, [0x28, 0]), (bytes { $0.signed(5, -1) }, [0x28, 1]),
      (bytes { $0.signed(5, 1) }, [0x28, 2]), (bytes { $0.signed(5, -2) }, [0x28, 3]),
      (bytes { $0.signed(5, .min) }, [0x28] + [UInt8](repeating: 0xff, count: 9) + [0x01]),
      (bytes { $0.double(2, 1.5) }, [0x11, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f]),
      (
        bytes { $0.text(2, "testing".utf8) },
        [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]
      ),
      (bytes { message in message.message(3, inner) }, [0x1a, 0x03, 0x08, 0x96, 0x01]),
      (bytes { message in message.delimited(inner) }, [0x03, 0x08, 0x96, 0x01]),
    ]
    for (found, expected) in rows { #expect(found == expected) }
  }

  private var inner: ProtobufMessage {
    var inner = ProtobufMessage()
    inner.integer(1, 150)
    return inner
  }

  /// A family of each kind: its name, its type, and the field that its sample is in.
  @Test func familiesAsMessages() {
    let half: [UInt8] = [0x09, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f]
    func family(_ name: String, _ type: UInt8, _ metric: [UInt8]) -> [UInt8] {
      var body: [UInt8] = [0x0a, UInt8(name.utf8.count)]
      body += name.utf8
      body += [0x12, 0x02, UInt8(ascii: "H"), UInt8(ascii: "."), 0x18, type, 0x22, UInt8(metric.count)]
      body += metric
      return [UInt8(body.count)] + body
    }
    let label: [UInt8] = [0x0a, 0x06, 0x0a, 0x01, 0x61, 0x12, 0x01, 0x62]
    let rows: [(MetricsText.Kind, String, UInt8, UInt8)] = [
      (.gauge, "x", 1, 0x12), (.counter, "x_total", 0, 0x1a), (.info, "x_info", 1, 0x12),
      (.summary, "x", 3, 0x2a),
    ]
    for (kind, name, type, field) in rows {
      var text = MetricsText(.protobuf)
      text.family("x", kind, "H.")
      text.sample("x", MetricsText.Labels([("a", "b")]), 0.5)
      text.end()
      var metric = label
      metric += [field, UInt8(half.count)]
      metric += half
      #expect(text.bytes == family(name, type, metric), "\(name)")
    }
    var text = MetricsText(.protobuf)
    text.family("x", .sums, "H.")
    text.sum("x", MetricsText.Labels(), seconds: 0.5, count: 2)
    text.family("y", .gauge, "H.")
    text.sample("y", MetricsText.Labels(), 1 as Int)
    text.end()
    var sums: [UInt8] = [0x22, 11, 0x08, 0x02, 0x11]
    sums += half.dropFirst()
    let one: [UInt8] = [0x12, 9, 0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]
    #expect(text.bytes == family("x", 2, sums) + family("y", 1, one))
  }

  private let id = UniqueID(high: 1, low: 2)

  /// The form of a check: where it goes, what it says of itself, and what can be pressed.
  @Test func theFormOfACheck() throws {
    let forms = PageForms()
    var check = try #require(try sampleStatus().status.checks.first)
    check.id = id
    func form(_ button: String) -> String {
      "<form method=\"post\" action=\"/act\"><input type=\"hidden\" name=\"check\" value=\"\(id)\">"
        + "<input type=\"hidden\" name=\"back\" value=\"/checks/\(id)\">"
        + "<input type=\"hidden\" name=\"proof\" value=\"\(forms.proof)\">"
        + "<div class=\"acts\" role=\"toolbar\" aria-label=\"Actions on this check\">\(button)"
        + "<a class=\"button\" href=\"/act?check=\(id)\">Until…</a></div></form>"
    }
    #expect(forms.check(check).html == form("<button name=\"do\" value=\"mute\">Mute 1 h</button>"))
    check.mutedUntil = now
    #expect(forms.check(check).html == form("<button name=\"do\" value=\"unmute\">Unmute</button>"))
    #expect(
      forms.unmute("x", label: "End", back: "/").html
        == "<form method=\"post\" action=\"/act\"><input type=\"hidden\" name=\"order\" value=\"x\">"
        + "<input type=\"hidden\" name=\"back\" value=\"/\">"
        + "<input type=\"hidden\" name=\"proof\" value=\"\(forms.proof)\">"
        + "<div class=\"acts\" role=\"toolbar\" aria-label=\"End\">"
        + "<button name=\"do\" value=\"unmute\">End</button></div></form>")
    #expect(PageForms().proof != forms.proof && PageForms.muteLength == .seconds(3600))
    #expect(
      PageAction.allCases.map(\.rawValue) == [
        "ack", "mute", "unmute", "maintenance", "end-maintenance", "run",
      ])
  }

  /// The page of a choice: of an incident before a check, with lengths, and both things that can be begun.
  @Test func thePageOfAChoice() throws {
    let status = try sampleStatus().status
    let check = try #require(status.checks.first)
    var incident = IncidentStatus(
      id: id, short: "", title: "Mail: no", subject: .availability, severity: .high, begin: now,
      end: nil)
    incident.members = [
      .init(
        checkID: nil, name: "Mail", rule: "down", severity: .high, reason: nil, text: "no",
        since: now, until: nil)
    ]
    func page(_ incident: IncidentStatus?, _ check: CheckStatus?) -> String {
      ActPage(snapshot: status, forms: PageForms(), incident: incident, check: check).render(
        nonce: "n"
      ).html
    }
    for (html, name, field, back) in [
      (page(incident, check), "Mail", "name=\"incident\" value=\"\(id)\"", "/incidents/\(id)"),
      (
        page(nil, check), "Shop front", "name=\"check\" value=\"\(check.id)\"",
        "/checks/\(check.id)"
      ),
    ] {
      #expect(
        html.contains("<title>Mute · \(name)</title>")
          && html.contains("<h1><bdi>\(name)</bdi></h1>"))
      #expect(
        html.contains(field) && html.contains("<a class=\"button\" href=\"\(back)\">← Back</a>"))
      #expect(html.contains("name=\"back\" value=\"\(back)\"") && html.contains("<body>"))
      #expect(
        html.matches(of: /<option value="([0-9a-z]+)"( selected)?>/).map { "\($0.1)\($0.2 ?? "")" }
          == ["30m", "1h selected", "4h", "8h", "24h", "7d"])
      #expect(
        html.contains(
          "<button class=\"first\" name=\"do\" value=\"mute\">Mute</button>"
            + "<button name=\"do\" value=\"maintenance\">Start maintenance</button>"))
    }
    #expect(page(nil, nil) == "")
  }

  /// What came of a run of several checks.
  @Test func thePageOfARun() throws {
    let status = try sampleStatus().status
    let outcomes = status.checks.prefix(2).map {
      (check: $0, words: "words <\($0.name.utf8.count)>")
    }
    let html = RanPage(snapshot: status, words: "2 checks ran", outcomes: outcomes, back: "/x")
      .render(nonce: "n").html
    #expect(html.contains("<title>2 checks ran</title>") && html.contains("<h1>2 checks ran</h1>"))
    #expect(
      html.contains(
        "<li><a href=\"/checks/\(status.checks[0].id)\"><bdi>Shop front</bdi></a>"
          + "<span class=\"dim\">words &lt;10&gt;</span></li><li><a href=\"/checks/\(status.checks[1].id)\">"
      ))
    #expect(html.contains("href=\"/x\">← Back</a>") && !html.contains("http-equiv"))
  }
}
