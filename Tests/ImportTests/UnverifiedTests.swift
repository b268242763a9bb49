// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// An authority beside a certificate that is not verified: the check is made without it.
@Suite struct UnverifiedTests {
  private static let note = "not carried: tls.ca_file: the certificate is not verified, so it has no effect"

  private func isUnverified(_ made: ReadSource) throws -> Bool {
    let check = try #require(made.imported.checks.first)
    return check["tls.verify"]?.word == "false" && check["tls.ca_file"] == nil
      && check.notes.filter { $0.place == "tls.ca_file" }.map(\.line) == [Self.note] && made.problems == []
      && made.imported.carried + made.imported.listed == made.imported.total
  }

  @Test(arguments: ["prober: http, http", "prober: tcp, tcp"]) func modules(prober: String) throws {
    let tls = "tls_config: {ca_file: /etc/ca.pem, insecure_skip_verify: true}"
    let more = prober.contains("tcp") ? "tls: true, " : ""
    let target = prober.contains("tcp") ? "a.example:443" : "https://a.example/"
    let made = try ReadSource(
      .blackbox,
      [
        ("b.yml", "modules: {m: {\(prober): {\(more)\(tls)}}}\n"),
        (
          "p.yml",
          """
          scrape_configs:
            - job_name: j
              metrics_path: /probe
              params: {module: [m]}
              static_configs: [{targets: ["\(target)"]}]
              relabel_configs:
                - {source_labels: [__address__], target_label: __param_target}
                - {source_labels: [__param_target], target_label: instance}
                - {target_label: __address__, replacement: "127.0.0.1:9115"}
          """
        ),
      ])
    #expect(try isUnverified(made), "\(made.text)")
  }

  @Test func inputs() throws {
    let made = try ReadSource(
      .telegraf,
      "[[inputs.http_response]]\nurls = ['https://a.example/']\ntls_ca = '/etc/ca.pem'\ninsecure_skip_verify = true\n"
    )
    #expect(try isUnverified(made), "\(made.text)")
  }

  @Test func probes() throws {
    let made = try ReadSource(
      .cloudprober,
      """
      probe {
        name: "p"
        type: HTTP
        targets { host_names: "a.example" }
        http_probe {
          scheme: HTTPS
          tls_config { ca_cert_file: "/etc/ca.pem" disable_cert_validation: true }
        }
      }
      """)
    #expect(try isUnverified(made), "\(made.text)")
  }

  @Test func plugins() throws {
    #expect(try isUnverified(ReadSource(plugin: "check_ssl_cert -H a.example -r /etc/ca.pem -s")))
  }

  private static let unused =
    "not carried: tls: no certificate is looked at over http, and no redirect is followed"

  private func http(_ format: ImportFormat, _ url: String, follows: Bool) throws -> ReadSource {
    switch format {
    case .gatus:
      return try ReadSource(
        .gatus,
        """
        endpoints:
        - name: a
          url: "\(url)"
          client: {insecure: true, ignore-redirect: \(!follows)}
          conditions: ["[STATUS] == 200"]
        """)
    case .uptimeKuma:
      return try ReadSource(
        .uptimeKuma,
        """
        {"monitorList": [{"id": 1, "name": "a", "type": "http", "url": "\(url)", "ignoreTls": true,
          "maxredirects": \(follows ? 10 : 0)}]}
        """)
    default:
      return try ReadSource(
        .cloudprober,
        """
        probe {
          name: "a"
          type: HTTP
          targets { endpoint { name: "a" url: "\(url)" } }
          http_probe { max_redirects: \(follows ? 10 : 0) tls_config { disable_cert_validation: true } }
        }
        """)
    }
  }

  /// Over http without redirects nothing of TLS is looked at: the check is made without it.
  @Test(arguments: [ImportFormat.gatus, .uptimeKuma, .cloudprober]) func pagesInTheClear(
    format: ImportFormat
  ) throws {
    for url in ["http://a.example/", "http://a.example/?token=x"] {
      let made = try http(format, url, follows: false)
      let check = try #require(made.imported.checks.first)
      #expect(check["tls"] == nil && check["follow"]?.word == "false" && made.problems == [])
      #expect(check.notes.filter { $0.place == "tls" }.map(\.line) == [Self.unused])
    }
    for (url, follows) in [("http://a.example/", true), ("https://a.example/", false)] {
      let made = try http(format, url, follows: follows)
      let check = try #require(made.imported.checks.first)
      #expect(check["tls.verify"]?.word == "false" && made.problems == [])
      #expect(check.notes.filter { $0.place == "tls" } == [])
    }
  }
}
