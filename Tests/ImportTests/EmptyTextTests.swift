// SPDX-License-Identifier: MIT

import Import
import Testing

/// Keys that are there with an empty text, which programs in Go and JavaScript read as not set.
@Suite struct EmptyTextTests {
  struct Row: Sendable {
    var format: ImportFormat
    var text: String
    var keys: String
  }

  static let rows: [Row] = [
    Row(
      format: .blackbox,
      text: """
        modules:
          m:
            prober: http
            timeout: ""
            http: {method: "", body: "", bearer_token: "", proxy_url: "", source_ip_address: "", headers: {X-A: ""},
              tls_config: {ca_file: "", server_name: ""}}
        scrape_configs:
          - job_name: j
            metrics_path: /probe
            params: {module: [m]}
            static_configs: [{targets: ["https://a.example/"]}]
            relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
        """,
      keys: "type: http\nurl: https://a.example/\nheaders:\n  X-A: \"\""),
    Row(
      format: .gatus,
      text: """
        endpoints:
          - {name: a, group: "", url: "https://a.example/", method: "", body: "",
             client: {proxy-url: "", dns-resolver: ""}, conditions: ["[STATUS] == 200"]}
        """,
      keys: "type: http\nurl: https://a.example/\nexpect:\n  status: [200]"),
    Row(
      format: .upptime,
      text: """
        sites:
          - {name: a, url: "https://a.example/", check: "", method: "", body: "", icon: "", port: "",
             expectedStatusCodes: [200]}
        """,
      keys: "type: http\nurl: https://a.example/\nmax_redirects: 3\nexpect:\n  status: [200]"),
    Row(
      format: .checkly,
      text: """
        [{"name": "a", "checkType": "API", "sslCheckDomain": "", "request": {"method": "", "bodyType": "",
          "url": "https://a.example/", "body": "", "basicAuth": {"username": "", "password": ""}}}]
        """,
      keys: "type: http\nurl: https://a.example/"),
    Row(
      format: .cloudprober,
      text: """
        probe { name: "a" type: HTTP targets { host_names: "a.example" } source_ip: ""
          http_probe { relative_url: "" body: "" user_agent: "" proxy_url: "" } }
        """,
      keys: "type: http\nurl: http://a.example/\nexpect:\n  status: any"),
    Row(
      format: .telegraf,
      text: """
        [[inputs.http_response]]
        urls = ['https://a.example/']
        method = ''
        username = ''
        password = ''
        bearer_token = ''
        response_timeout = ''
        interface = ''
        tls_ca = ''
        cookie_auth_url = ''
        http_proxy = ''
        use_system_proxy = false
        """,
      keys: "type: http\nurl: https://a.example/\nfollow: false"),
    Row(
      format: .telegraf,
      text: """
        [[inputs.x509_cert]]
        sources = ['https://a.example:443']
        password = ''
        use_proxy = false
        proxy_url = ''
        timeout = ''
        """,
      keys: "type: tls\nhost: a.example\nport: 443"),
    Row(
      format: .telegraf,
      text: "[[inputs.dns_query]]\nservers = ['192.0.2.1']\nport = 0\nnetwork = ''\nrecord_type = ''\n",
      keys: "type: dns\nserver: \"192.0.2.1\"\nquery:\n"),
  ]

  @Test(arguments: EmptyTextTests.rows.indices) func areNotSet(_ index: Int) throws {
    let row = Self.rows[index]
    let made = try ReadSource(row.format, row.text)
    #expect(try made.keys().hasPrefix(row.keys), "\(made.text)")
    #expect(!made.text.lowercased().contains("auth"), "\(made.text)")
    #expect(made.imported.listed == 0, "\(made.reasons)")
    #expect(made.problems == [])
  }
}
