// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// `alert test --print`, `alert explain` and the warning about a template that comes to nothing: all that they print.
@Suite struct AlertCommandStories {
  private func config(_ channels: String, in folder: URL) throws {
    let secrets = [
      ("hook", "https://hooks.example/x"), ("ntfy", "https://ntfy.example/topic"), ("key", "SECRET-CANARY"),
    ]
    for (name, text) in secrets {
      // What others can read is warned of.
      let path = folder.appending(path: name).path
      let isWritten = FileManager.default.createFile(
        atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
      #expect(isWritten)
    }
    let yaml = """
      agent: {name: test, state_dir: .}
      alerts:
        channels:
      \(channels)
      checks:
        - {name: Web, type: http, url: "http://127.0.0.1:1/"}
      """
    try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
  }

  /// With the ids and times of this run as words.
  private static func settled(_ text: String) -> String {
    var text = text
    for (pattern, word) in [
      ("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "ID"),
      ("from [0-9]{4}-[0-9-]+ [0-9:]+ to ([0-9]{4}-[0-9-]+ )?[0-9:]+ UTC", "from TIME to TIME"),
      ("[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?( UTC|Z)", "TIME"),
      ("Date: [^\\r\\n]+", "Date: TIME"), ("ack [0-9a-f]{6}", "ack SHORT"), ("\\[[0-9a-f]{6}\\]", "[SHORT]"),
      ("(?m)^[0-9a-f]{6} ", "SHORT "),
    ] {
      text = text.replacingOccurrences(of: pattern, with: word, options: .regularExpression)
    }
    return text
  }

  private static let shop =
    "✕ Example shop (test) (https://shop.example/) since TIME – http_status: status 503, expected 200-299"
  private static let database =
    "✕ Example database (test) (new) (https://shop.example/) since TIME – http_status: status 503, expected 200-299"
  private static let end = #"\nagent test, incident ID"#
  private static let ack = #"\nacknowledge: quartz-agent ack SHORT"#
  private static let lasts = #"severity high, since TIME, for 5m so far\n"#

  private struct Sample: Sendable {
    var kind: String
    var title: String
    var lines: String
    var priority = 4
    var tag = "rotating_light"
  }

  private static let samples: [Sample] = [
    Sample(
      kind: "opened", title: "[high] Example shop (test) is down: status 503, expected 200-299",
      lines: "\(lasts)\(shop)\(end)\(ack)"),
    Sample(
      kind: "updated",
      title:
        "[high] Example database (test) joined: Example shop (test) and 1 more are down: status 503, expected 200-299",
      lines: #"\#(lasts)\#(database)\n\#(shop)\#(end)\#(ack)"#),
    Sample(
      kind: "resolved", title: "[resolved] Example shop (test) is up again",
      lines:
        #"severity high, from TIME to TIME, for 5m\n● Example shop (test) (https://shop.example/) from TIME to TIME – http_status: status 503, expected 200-299\#(end)"#,
      priority: 3, tag: "white_check_mark"),
    Sample(
      kind: "digest", title: "[digest] 1 incident since the last digest",
      lines: #"high: Example shop (test) is up again, TIME, for 5m\nagent test"#),
    Sample(
      kind: "test", title: "[test] This is a test: nothing is wrong",
      lines: #"Sent by quartz-agent test to test this channel.\nagent test"#, priority: 2),
  ]

  @Test(arguments: samples.indices) func eachKindIsPrinted(_ place: Int) async throws {
    let sample = Self.samples[place]
    try await withTemporaryDirectory { folder in
      try config(
        """
            - {name: chat, format: slack, webhook: "${file:hook}"}
            - {name: push, format: ntfy, webhook: "${file:ntfy}"}
        """, in: folder)
      let outcome = try await agent("alert", "test", "--kind", sample.kind, "--print", in: folder)
      #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome.stderr)")
      func plain(_ text: String) -> String { #"{"type":"plain_text","text":"\#(text)","emoji":false}"# }
      let header = #"{"type":"header","text":\#(plain(sample.title))}"#
      let section = #"{"type":"section","text":\#(plain(sample.lines))}"#
      let chat = #"{"text":"\#(sample.title)","blocks":[\#(header),\#(section)]}"#
      let words = #""title":"\#(sample.title)","message":"\#(sample.lines)""#
      let push = #"{"topic":"topic",\#(words),"priority":\#(sample.priority),"tags":["\#(sample.tag)"]}"#
      #expect(Self.settled(outcome.stdout) == "chat:\n\(chat)\npush:\n\(push)\n")
    }
  }

  /// One channel by its name; a mail with its template, a key of a receiver left out.
  @Test func aMailAndAKeyArePrinted() async throws {
    try await withTemporaryDirectory { folder in
      try config(
        """
            - name: post
              text: "{{check}}: {{message}}"
              mail: {server: "127.0.0.1:25", tls: none, from: q@x.test, to: [a@x.test, b@x.test]}
            - {name: pager, format: pagerduty, webhook: "${file:hook}", routing_key: "${file:key}"}
        """, in: folder)
      let mail = try await agent("alert", "test", "post", "--print", "--kind", "resolved", in: folder)
      #expect(mail.status == 0 && mail.stderr == "", "\(mail.stderr)")
      let text = Self.settled(mail.stdout).replacing("\r\n", with: "\n")
      let head = """
        post:
        Date: TIME
        From: quartz-agent <q@x.test>
        To: a@x.test,
         b@x.test
        Subject: Example shop (test): outage [SHORT]
        Message-ID: <ID@x.test>
        Auto-Submitted: auto-generated
        List-Id: quartz-agent alerts <alerts.x.test>
        MIME-Version: 1.0
        In-Reply-To: <ID.incident@x.test>
        References: <ID.incident@x.test>
        X-Quartz-Message: ID
        Content-Type: multipart/alternative;
         boundary="=_ID"

        --=_ID
        Content-Type: text/plain; charset=utf-8
        Content-Transfer-Encoding: quoted-printable

        [resolved] Example shop (test) is up again

        Example shop (test): status 503, expected 200-299

        --=_ID
        Content-Type: text/html; charset=utf-8

        """
      #expect(text.hasPrefix(head), "\(text.prefix(head.count))")
      #expect(text.hasSuffix("</table>\n</body></html>\n\n--=_ID--\n\n"), "\(text.suffix(60))")
      let pager = try await agent("alert", "test", "pager", "--print", in: folder)
      let details = [
        #""version":1,"id":"ID","incident":"ID","kind":"test","severity":"low""#,
        #""title":"This is a test: nothing is wrong","at":"TIME","begin":"TIME","agent":"test""#,
        #""member_count":0,"alert_count":0,"members":[]"#,
      ].joined(separator: ",")
      let body = [
        #"{"routing_key":"<redacted>","event_action":"trigger","dedup_key":"ID","client":"quartz-agent","links":[]"#,
        #""payload":{"summary":"[test] This is a test: nothing is wrong","source":"test","severity":"info""#,
        #""timestamp":"TIME","component":"test","custom_details":{\#(details)}}}"#,
      ].joined(separator: ",")
      #expect(Self.settled(pager.stdout) == "pager:\n\(body)\n")
    }
  }

  /// A channel and a kind that are not there.
  @Test func whatIsNotThere() async throws {
    try await withTemporaryDirectory { folder in
      try config("    - {name: chat, format: slack, webhook: \"${file:hook}\"}", in: folder)
      let channel = try await agent("alert", "test", "chatt", "--print", in: folder)
      #expect(channel.status == 64 && channel.stdout == "")
      #expect(
        channel.stderr
          == "quartz-agent: error: no channel is called \"chatt\"\nquartz-agent: hint: did you mean \"chat\"?\n"
      )
      let kind = try await agent("alert", "test", "--kind", "gone", "--print", in: folder)
      #expect(kind.status == 64 && kind.stdout == "" && kind.stderr.contains("'gone' is invalid"))
    }
  }

  /// Each template that comes to nothing is named, with the kinds for which it does.
  @Test func aTemplateThatComesToNothing() async throws {
    try await withTemporaryDirectory { folder in
      try config(
        """
            - {name: fine, format: slack, webhook: "${file:hook}", title: "{{title}}", text: "{{check}} "}
            - {name: push, format: ntfy, webhook: "${file:ntfy}", title: "{{reason}}", text: "{{cause}} "}
        """, in: folder)
      let outcome = try await agent("validate", in: folder)
      #expect(outcome.status == 0 && outcome.stdout == "agent.yaml: ok, 1 check\n", "\(outcome.stdout)")
      #expect(
        outcome.stderr == """
          warning: text of the channel "fine" is empty for test: the built-in words are sent then
          warning: title of the channel "push" is empty for test: the built-in words are sent then
          warning: text of the channel "push" is empty for opened, updated, resolved, acknowledged, test: the built-in words are sent then

          """)
    }
  }

  /// What each channel has and what holds the rest, of a running agent.
  @Test(.timeLimit(.minutes(2))) func explain() async throws {
    try await withTemporaryDirectory { folder in
      let world = AlertWorld()
      try await withLoopbackServer(script: { world.serve($0) }) { server in
        let web = "http://127.0.0.1:\(server.port)"
        let more = """
          alerts:
            group_wait: 1s
            channels:
              - {name: late, webhook: "\(web)/late"}
              - {name: ops, webhook: "\(web)/ops"}
              - {name: mild, webhook: "\(web)/mild", severity: critical}
            escalate: [{after: 1h, to: [late]}]
          """
        try RunStories.config(
          "  - {name: Web, type: http, url: \"\(web)/\", interval: 1s, timeout: 1s, retries: 0}", more: more,
          in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "a probe") { server.accepted >= 1 }
        let calm = try await agent("alert", "explain", in: folder)
        #expect(calm.status == 0 && calm.stdout == "no incident is open, and nothing is pending\n")
        world.isBroken.store(true, ordering: .relaxed)
        try await process.wait(for: "the message") { process.stderr.contains("notified") }
        let told = """
          SHORT active high: Web is down: status 503, expected 200-299
            late: pending until TIME: escalates to this channel [wait]
            ops: delivered at TIME; reminder at TIME [wait]

          """
        for arguments in [["alert", "explain"], ["alert", "explain", "Web"]] {
          let outcome = try await AgentProcess(arguments, in: folder).finish()
          #expect(outcome.status == 0 && Self.settled(outcome.stdout) == told, "\(outcome.stdout)")
        }
        let other = try await agent("alert", "explain", "Wob", in: folder)
        #expect(other.status == 3 && other.stdout == "")
        #expect(
          other.stderr.hasSuffix(
            "error: the agent refused (404): no check is called \"Wob\"; give a name or an id\n"))
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }
}
