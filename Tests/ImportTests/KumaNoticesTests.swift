// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Notifications and maintenance of Uptime Kuma.
@Suite struct KumaNoticesTests {
  /// The channel that settings become, with its secrets, or why there is none.
  private func channel(_ settings: String) throws -> (keys: String, secrets: [String]) {
    let config = JSONValue.string(settings).text
    let made = try ReadSource(
      .uptimeKuma,
      """
      {"monitorList":[{"id":1,"name":"m","type":"port","hostname":"a.example","port":1,
      "notificationIDList":{"5":true}}],"notificationList":[{"id":5,"name":"n","config":\(config)}]}
      """)
    guard let channel = made.imported.sections.channels.first else {
      return (made.imported.leftOut.map(\.why).joined(), [])
    }
    var yaml = AgentYAML(secrets: .environment)
    var bare = channel
    bare.notes = []
    let text = yaml.render([bare], head: []).split(separator: "\n").dropFirst(2)
      .map { $0.dropFirst(4) }.joined(separator: "\n")
    return (text, yaml.values.map { $0.value.reveal() })
  }

  private static let webhook = "webhook: \"${env:QUARTZ_N_WEBHOOK}\""

  @Test(arguments: [
    (
      #"{"type":"slack","slackwebhookURL":"https://s.example"}"#, "\(webhook)\nformat: slack\nupdates: false",
      ["https://s.example"]
    ),
    (
      #"{"type":"discord","discordWebhookUrl":"https://d.example","threadId":"9"}"#,
      "\(webhook)\nformat: discord\nupdates: false", ["https://d.example?thread_id=9"]
    ),
    (
      #"{"type":"discord","discordWebhookUrl":"https://d.example?a=1","threadId":"9"}"#,
      "\(webhook)\nformat: discord\nupdates: false", ["https://d.example?a=1&thread_id=9"]
    ),
    (
      #"{"type":"teams","webhookUrl":"https://t.example"}"#, "\(webhook)\nformat: teams\nupdates: false",
      ["https://t.example"]
    ),
    (
      #"{"type":"ntfy","ntfytopic":"x"}"#, "\(webhook)\nformat: ntfy\nupdates: false", ["https://ntfy.sh/x"]
    ),
    (
      #"{"type":"ntfy","ntfytopic":"x","ntfyserverurl":"https://n.example/"}"#,
      "\(webhook)\nformat: ntfy\nupdates: false", ["https://n.example/x"]
    ),
    (
      #"{"type":"ntfy","ntfytopic":"x","ntfyAuthenticationMethod":"accessToken","ntfyaccesstoken":"tk"}"#,
      "\(webhook)\nformat: ntfy\nheaders:\n  Authorization: \"${env:QUARTZ_N_AUTHORIZATION}\"\nupdates: false",
      ["https://ntfy.sh/x", "Bearer tk"]
    ),
    (
      #"{"type":"ntfy","ntfytopic":"x","ntfyAuthenticationMethod":"usernamePassword","ntfyusername":"u","ntfypassword":"p"}"#,
      "\(webhook)\nformat: ntfy\nheaders:\n  Authorization: \"${env:QUARTZ_N_AUTHORIZATION}\"\nupdates: false",
      ["https://ntfy.sh/x", "Basic dTpw"]
    ),
    (
      #"{"type":"PagerDuty","pagerdutyIntegrationKey":"k"}"#,
      "webhook: https://events.pagerduty.com/v2/enqueue\nformat: pagerduty\n"
        + "routing_key: \"${env:QUARTZ_N_ROUTING_KEY}\"\nupdates: false", ["k"]
    ),
    (
      #"{"type":"webhook","webhookURL":"https://w.example","webhookContentType":"json"}"#,
      "\(webhook)\nupdates: false", ["https://w.example"]
    ),
    (
      #"{"type":"webhook","webhookURL":"https://w.example","webhookContentType":"custom"}"#,
      "a webhook with a body of its own, or none, is not sent", []
    ),
    (
      #"{"type":"webhook","webhookURL":"https://w.example","webhookContentType":"form-data"}"#,
      "a webhook with a body of its own, or none, is not sent", []
    ),
    (
      #"{"type":"webhook","webhookURL":"https://w.example","httpMethod":"get"}"#,
      "a webhook with a body of its own, or none, is not sent", []
    ),
    (
      #"{"type":"smtp","smtpHost":"m.example","smtpFrom":"\"K\" <k@a.example>","smtpTo":"a@b.example, B <c@d.example>"}"#,
      "mail:\n  server: \"m.example:587\"\n  tls: starttls\n  from: \"k@a.example\"\n"
        + "  to: [\"a@b.example\", \"c@d.example\"]\nupdates: false", []
    ),
    (
      #"{"type":"smtp","smtpHost":"m.example","smtpPort":465,"smtpSecure":true,"smtpFrom":"k@a.example","#
        + #""smtpTo":"a@b.example","smtpUsername":"u","smtpPassword":"p"}"#,
      "mail:\n  server: \"m.example:465\"\n  tls: implicit\n  username: u\n  password: \"${env:QUARTZ_N_PASSWORD}\"\n"
        + "  from: \"k@a.example\"\n  to: [\"a@b.example\"]\nupdates: false", ["p"]
    ),
    (
      #"{"type":"smtp","smtpHost":"m.example","smtpIgnoreSTARTTLS":true,"smtpFrom":"k@a.example","smtpTo":"a@b.example"}"#,
      "mail:\n  server: \"m.example:587\"\n  tls: none\n  from: \"k@a.example\"\n  to: [\"a@b.example\"]\n"
        + "updates: false", []
    ),
  ])
  func channels(settings: String, keys: String, secrets: [String]) throws {
    let made = try channel(settings)
    #expect(made.keys == keys && made.secrets == secrets)
  }

  private func windows(_ members: String, zone: String = ",\"serverTimezone\":\"Europe/Paris\"") throws
    -> (keys: [[String?]], why: [String], notes: [String])
  {
    let made = try ReadSource(
      .uptimeKuma,
      """
      {"monitorList":[{"id":1,"name":"m","type":"port","hostname":"a.example","port":1}]\(zone),
      "monitorMaintenanceList":[{"monitor_id":1,"maintenance_id":4}],
      "maintenanceList":[{"id":4,"title":"W",\(members)}]}
      """)
    let keys = made.imported.sections.windows.map { window -> [String?] in
      [window.name] + ["start", "end", "duration", "repeat", "timezone", "skip"].map { window[$0]?.word }
    }
    return (
      keys, made.imported.leftOut.map(\.why),
      made.imported.sections.windows.flatMap(\.notes).filter { $0.change != nil }.map(\.line)
    )
  }

  private static let hours = #""start_time":"23:30:00","end_time":"01:15:00","timezone":"UTC""#

  /// Each strategy, over midnight and by its days.
  @Test(
    arguments: [
      (
        #""strategy":"single","start_date":"2026-01-04 02:00:00","end_date":"2026-01-04 03:30:00","timezone":"UTC""#,
        [["W", "2026-01-04T02:00", "2026-01-04T03:30", nil, nil, "UTC", "true"]]
      ),
      (
        #""strategy":"recurring-interval","interval_day":1,\#(hours)"#,
        [["W", "2024-01-01T23:30", nil, "105m", "daily", "UTC", "true"]]
      ),
      (
        #""strategy":"recurring-interval","interval_day":7,"start_date":"2026-02-03 00:00:00",\#(hours)"#,
        [["W", "2026-02-03T23:30", nil, "105m", "weekly", "UTC", "true"]]
      ),
      (
        #""strategy":"recurring-weekday","weekdays":"[1,6,7]",\#(hours)"#,
        [
          ["W on Monday", "2024-01-01T23:30", nil, "105m", "weekly", "UTC", "true"],
          ["W on Saturday", "2024-01-06T23:30", nil, "105m", "weekly", "UTC", "true"],
          ["W on Sunday", "2024-01-07T23:30", nil, "105m", "weekly", "UTC", "true"],
        ]
      ),
      (
        #""strategy":"recurring-day-of-month","days_of_month":"[1,28,\"lastDay1\"]",\#(hours)"#,
        [
          ["W on day 1", "2024-01-01T23:30", nil, "105m", "monthly", "UTC", "true"],
          ["W on day 28", "2024-01-28T23:30", nil, "105m", "monthly", "UTC", "true"],
          ["W on the last day", "2024-01-31T23:30", nil, "105m", "monthly", "UTC", "true"],
        ]
      ),
      (
        #""strategy":"recurring-interval","start_time":"02:00","end_time":"03:00","timezone":"SAME_AS_SERVER""#,
        [["W", "2024-01-01T02:00", nil, "1h", "daily", "Europe/Paris", "true"]]
      ),
    ] as [(String, [[String?]])])
  func maintenance(members: String, keys: [[String?]]) throws {
    let made = try windows(members)
    #expect(made.keys == keys && made.why == [] && made.notes == [])
  }

  @Test(
    arguments: [
      (#""strategy":"recurring-interval","interval_day":2,\#(hours)"#, "it comes each 2 days"),
      (
        #""strategy":"recurring-day-of-month","days_of_month":"[29]",\#(hours)"#,
        "it comes on day 29, which not every month has"
      ),
      (
        #""strategy":"recurring-day-of-month","days_of_month":"[\"lastDay2\"]",\#(hours)"#,
        "it comes on days that are counted from a month's end"
      ),
      (#""strategy":"cron","cron":"0 2 * * *","timezone":"UTC""#, "it comes as cron says"),
      (
        #""strategy":"recurring-interval","start_time":"02:00","end_time":"02:00","timezone":"UTC""#,
        "it has no time of day"
      ),
      (
        #""strategy":"recurring-interval","start_time":"24:00","end_time":"02:00","timezone":"UTC""#,
        "it has no time of day"
      ),
      (#""strategy":"single","start_date":"soon","timezone":"UTC""#, "it has no start and end"),
      (#""active":0,"strategy":"recurring-interval",\#(hours)"#, "the maintenance is off"),
    ] as [(String, String)])
  func noMaintenance(members: String, why: String) throws {
    let made = try windows(members)
    #expect(made.keys == [] && made.why == [why])
  }

  @Test func theZoneOfAServer() throws {
    let members = #""strategy":"recurring-interval","start_time":"02:00","end_time":"03:00""#
    #expect(try windows(members).keys.map { $0[5] } == ["Europe/Paris"])
    #expect(
      try windows(members, zone: "").why == ["its time zone is the server's, which the file does not say"])
    let ending = try windows("\(members),\"end_date\":\"2027-01-01 00:00:00\"")
    #expect(ending.notes == ["laxer: end_date: it comes again without an end; remove it then"])
  }
}
