// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Synchronization
import TestSupport
import Testing

/// Files of each source with an odd value for every key of a request, imported and run once: what arrives is what the other
/// monitor sends.
@Suite struct ImportRequestStories {
  struct Source: CustomTestStringConvertible, Sendable {
    var format: String
    var text: String
    /// What arrives, without the headers that every request of the agent has; headers are in lower case and sorted.
    var request: String
    /// Summary of the import: values that are carried, and those that are listed.
    var summary: String
    var testDescription: String { format }
  }

  private static let path = "/p%20q?a=1&a=2"
  /// Headers of an odd request, without its login.
  private static let headers = """
    content-type: text/odd
    host: odd.example
    user-agent: odd/1
    x-odd: a  b
    """
  private static let login = "authorization: Basic dXM6cCB3\n"

  static let sources: [Source] = [
    Source(
      format: "gatus",
      text: """
        endpoints:
          - name: odd
            group: g
            url: "http://127.0.0.1:PORT/p%20q?a=1&a=2#frag"
            method: PATCH
            headers: {X-Odd: "a  b", Host: odd.example, user-agent: "odd/1", Content-Type: "text/odd"}
            body: "[ENDPOINT_NAME] [ENDPOINT_GROUP] $$x é"
            conditions: ["[STATUS] == 200", "[BODY].status == ok"]
        """,
      request: "PATCH \(path)\n\(headers)\n\nodd g $x é", summary: "11 values: 11 carried, 0 listed"),
    Source(
      format: "blackbox",
      text: """
        modules:
          odd:
            prober: http
            http:
              method: PATCH
              preferred_ip_protocol: ip4
              headers: {X-Odd: "a  b", Host: odd.example, user-agent: "odd/1", Content-Type: "text/odd"}
              body: "b $x é"
              basic_auth: {username: "us", password: "p w"}
              fail_if_body_not_matches_regexp: [status]
        scrape_configs:
          - job_name: odd
            metrics_path: /probe
            params: {module: [odd]}
            static_configs: [{targets: ["http://127.0.0.1:PORT/p%20q?a=1&a=2#frag"]}]
            relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
        """,
      request: "PATCH \(path)\n\(login)\(headers)\n\nb $x é", summary: "17 values: 17 carried, 0 listed"),
    Source(
      format: "uptime-kuma",
      text: """
        {"monitorList": [{"id": 1, "name": "odd", "type": "keyword", "keyword": "status", "method": "PATCH",
          "url": "http://127.0.0.1:PORT/p%20q?a=1&a=2#frag", "maxretries": 0, "timeout": 7, "interval": 61,
          "headers": "{\\"X-Odd\\": \\"a  b\\", \\"Host\\": \\"odd.example\\", \\"user-agent\\": \\"odd/1\\"}",
          "body": "<a>$x é</a>", "httpBodyEncoding": "xml", "authMethod": "basic", "basic_auth_user": "us",
          "basic_auth_pass": "p w", "accepted_statuscodes": ["200-201"], "maxredirects": 0}]}
        """,
      request: "PATCH \(path)\n\(login)"
        + headers.replacing("text/odd", with: "text/xml; charset=utf-8") + "\n\n<a>$x é</a>",
      summary: "17 values: 17 carried, 0 listed"),
    Source(
      format: "nagios",
      text: """
        define command {
          command_name odd
          command_line check_http -H odd.example -I $HOSTADDRESS$ -p $ARG1$ -u "/p%20q?a=1&a=2" -j PATCH -P "b x é" -T text/odd -k "X-Odd: a  b" -A odd/1 -a us:p\\ w -e 200 -s status -t 7 -w 2 -c 5
        }
        define host {
          host_name h
          address 127.0.0.1
        }
        define service {
          host_name h
          service_description odd
          check_command odd!PORT
        }
        """,
      request: "PATCH \(path)\n\(login)"
        + headers.replacing("odd.example", with: "odd.example:PORT") + "\n\nb x é",
      summary: "7 values: 7 carried, 0 listed"),
    Source(
      format: "icinga2",
      text: """
        object Host "h" { address = "127.0.0.1" }
        object Service "odd" {
          host_name = "h"
          check_command = "http"
          vars.http_vhost = "odd.example"
          vars.http_address = "$address$"
          vars.http_uri = "/p%20q?a=1&a=2"
          vars.http_port = PORT
          vars.http_method = "PATCH"
          vars.http_post = "b x é"
          vars.http_contenttype = "text/odd"
          vars.http_header = [ "X-Odd: a  b" ]
          vars.http_useragent = "odd/1"
          vars.http_auth_pair = "us:p w"
          vars.http_expect = "200"
          vars.http_string = "status"
        }
        """,
      request: "PATCH \(path)\n\(login)"
        + headers.replacing("odd.example", with: "odd.example:PORT") + "\n\nb x é",
      summary: "17 values: 17 carried, 0 listed"),
    Source(
      format: "cloudprober",
      text: """
        probe {
          name: "odd"
          type: HTTP
          targets { host_names: "127.0.0.1" }
          http_probe {
            protocol: HTTP
            port: PORT
            relative_url: "/p%20q?a=1&a=2"
            method: PATCH
            headers { name: "X-Odd" value: "a  b" }
            header { key: "Host" value: "odd.example" }
            header { key: "Content-Type" value: "text/odd" }
            user_agent: "odd/1"
            body: "b $x"
            body: "é"
          }
          validator { name: "s" http_validator { success_status_codes: "200" } }
          validator { name: "r" regex: "status" }
        }
        """,
      request: "PATCH \(path)\n\(headers)\n\nb $x&é", summary: "20 values: 20 carried, 0 listed"),
    Source(
      format: "checkly",
      text: """
        [{"checkType": "API", "name": "odd", "activated": true, "frequency": 10, "request": {
          "url": "http://127.0.0.1:PORT/p%20q?a=1", "method": "PATCH", "followRedirects": false, "skipSSL": false,
          "bodyType": "RAW", "body": "b $x é", "queryParameters": [{"key": "b c", "value": "d&e"}],
          "headers": [{"key": "X-Odd", "value": "a  b"}, {"key": "Host", "value": "odd.example"},
            {"key": "User-Agent", "value": "odd/1"}, {"key": "Content-Type", "value": "text/odd"}],
          "basicAuth": {"username": "us", "password": "p w"},
          "assertions": [{"source": "STATUS_CODE", "comparison": "EQUALS", "target": "200"}]}}]
        """,
      request: "PATCH /p%20q?a=1&b%20c=d%26e\n\(login)\(headers)\n\nb $x é",
      summary: "25 values: 25 carried, 0 listed"),
    Source(
      format: "upptime",
      text: """
        sites:
          - name: odd
            url: "http://127.0.0.1:PORT/p%20q?a=1&a=2"
            method: patch
            headers:
              - "X-Odd: a  b"
              - "Host: odd.example"
              - "User-Agent: odd/1"
              - "Content-Type: text/odd"
              - "Authorization: Basic dXM6cCB3"
            body: "b $x é $ODD"
            maxRedirects: 2
            expectedStatusCodes: [200]
        """,
      request: "PATCH \(path)\n\(login)\(headers)\n\nb $x é o d", summary: "11 values: 11 carried, 0 listed"),
    Source(
      format: "telegraf",
      text: """
        [[inputs.http_response]]
          urls = ["http://127.0.0.1:PORT/p%20q?a=1&a=2"]
          method = "PATCH"
          body = '''b x é ${ODD}'''
          username = "us"
          password = "p w"
          response_string_match = "status"
          response_status_code = 200
          response_body_max_size = "1MiB"
          [inputs.http_response.headers]
            X-Odd = "a  b"
            Host = "odd.example"
            User-Agent = "odd/1"
            Content-Type = "text/odd"
        """,
      request: "PATCH \(path)\n\(login)\(headers)\n\nb x é o d", summary: "12 values: 12 carried, 0 listed"),
    Source(
      format: "smokeping",
      text: """
        *** Probes ***
        + Curl
        urlformat = http://%host%:PORT/p%20q?a=1&a=2 # a comment
        agent = odd/1
        expect = status
        *** Targets ***
        probe = Curl
        + odd
        host = 127.0.0.1
        title = odd
        """,
      request: "GET \(path)\nhost: 127.0.0.1:PORT\nuser-agent: odd/1\n\n",
      summary: "6 values: 6 carried, 0 listed"),
  ]

  /// The request without what every request has.
  private static func shown(_ request: String) -> String {
    let parts = request.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = parts[0].split(separator: "\r\n")
    let headers = lines.dropFirst().map { line -> String in
      let name = line.prefix { $0 != ":" }
      return name.lowercased() + line[name.endIndex...]
    }
    let own = ["accept: ", "accept-encoding: ", "content-length: "]
    let kept = headers.filter { header in !own.contains { header.hasPrefix($0) } }.sorted()
    let body = parts.count > 1 ? String(parts[1]) : ""
    return ([lines[0].replacing(" HTTP/1.1", with: "")] + kept + ["", body]).joined(separator: "\n")
  }

  @Test(arguments: ImportRequestStories.sources) func whatArrives(_ source: Source) async throws {
    let arrived = Mutex<[String]>([])
    let server: @Sendable (LoopbackConnection) -> Void = { connection in
      var request = connection.read(until: "\r\n\r\n")
      let length = request.lowercased().split(separator: "content-length: ").dropFirst().first
      let wanted = length.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
      while let end = request.range(of: "\r\n\r\n"), request[end.upperBound...].utf8.count < wanted {
        let more = connection.read()
        guard !more.isEmpty else { break }
        request += String(decoding: more, as: UTF8.self)
      }
      arrived.withLock { $0.append(request) }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"status\":\"ok\"}")
      connection.waitForEnd()
    }
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: server) { server in
        let text = source.text.replacing("PORT", with: "\(server.port)")
        try text.write(to: folder.appending(path: "source"), atomically: true, encoding: .utf8)
        let made = try await AgentProcess(
          ["import", source.format, "source", "-o", "agent.yaml"], in: folder
        )
        .finish()
        #expect(made.stderr.contains(source.summary), "\(made.stderr)")
        let run = try await AgentProcess(
          ["once", "-c", "agent.yaml"], in: folder, environment: ["ODD": "o d"]
        ).finish()
        #expect(run.status == 0, "\(run.stdout) \(run.stderr)")
        #expect(
          arrived.withLock { $0 }.map(Self.shown)
            == [source.request.replacing("PORT", with: "\(server.port)")])
      }
    }
  }
}
