// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Import
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import QuartzAgent

/// A job of Prometheus whose targets stand in a file, imported: a target that comes later is asked, too.
@Suite struct ImportDiscoveryStories {
  private static let prometheus = """
    modules:
      page: {prober: http, timeout: 2s, http: {method: HEAD, headers: {X-Odd: odd}}}
    scrape_configs:
      - job_name: pages
        metrics_path: /probe
        params: {module: [page]}
        file_sd_configs: [{files: [targets/*.json], refresh_interval: 1m}]
        relabel_configs:
          - {source_labels: [__address__], target_label: __param_target}
          - {source_labels: [__param_target], target_label: instance}
          - {target_label: __address__, replacement: "127.0.0.1:9115"}

    """

  private final class Asked: Sendable {
    private let lines = Mutex<[String]>([])

    /// Since the last time, sorted.
    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines.sorted()
      }
    }

    @Sendable func answer(_ connection: LoopbackConnection) {
      let request = connection.read(until: "\r\n\r\n").split(separator: "\r\n")
      let kept = request.filter { $0.hasPrefix("HEAD") || $0.hasPrefix("Host:") || $0.hasPrefix("X-Odd:") }
      lines.withLock { $0.append(kept.joined(separator: " ")) }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
  }

  @Test func aTargetThatComesLaterIsAsked() async throws {
    let asked = Asked()
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { asked.answer($0) }) { one in
        try await withLoopbackServer(script: { asked.answer($0) }) { two in
          let urls = ["http://127.0.0.1:\(one.port)/a?b=c", "http://127.0.0.1:\(two.port)"]
          let further = "http://127.0.0.1:\(two.port)/later"
          func write(_ targets: [String]) throws {
            let all = targets.map { "\"\($0)\"" }.joined(separator: ", ")
            try #"[{"targets": [\#(all)], "labels": {"team": "shop"}}]"#.write(
              to: folder.appending(path: "targets/web.json"), atomically: true, encoding: .utf8)
          }
          try FileManager.default.createDirectory(
            at: folder.appending(path: "targets"), withIntermediateDirectories: true)
          try write(urls)
          try Self.prometheus.write(to: folder.appending(path: "p.yml"), atomically: true, encoding: .utf8)
          let made = try await AgentProcess(
            ["import", "blackbox", "p.yml", "-o", "agent.yaml"], in: folder
          ).finish()
          #expect(made.status == 1, "\(made.stderr)")
          #expect(
            made.stderr == """
              quartz-agent: blackbox: 0 checks; 18 values: 18 carried, 0 listed with the reason
              quartz-agent: also 1 target list
              quartz-agent: not the same as in the source: 1 changed; see the comments
                changed: a target without http:// or https:// is left out here, and asked for by http there: "page ${target}"
                changed: the file is looked for beside agent.yaml, not beside Prometheus' configuration: "page ${target}"
              quartz-agent: each of them, with its place: agent.yaml.report.txt

              """)
          let first = try await AgentProcess(["once", "-c", "agent.yaml"], in: folder)
            .finish()
          #expect(first.status == 0, "\(first.stdout) \(first.stderr)")
          let wanted = [
            "HEAD / HTTP/1.1 Host: 127.0.0.1:\(two.port) X-Odd: odd",
            "HEAD /a?b=c HTTP/1.1 Host: 127.0.0.1:\(one.port) X-Odd: odd",
          ]
          #expect(asked.take() == wanted)

          try write(urls + [further])
          let second = try await AgentProcess(["once", "-c", "agent.yaml"], in: folder).finish()
          #expect(second.status == 0, "\(second.stdout) \(second.stderr)")
          #expect(asked.take() == wanted + ["HEAD /later HTTP/1.1 Host: 127.0.0.1:\(two.port) X-Odd: odd"])
          let tagged = try await AgentProcess(
            ["once", "-c", "agent.yaml", "--tag", "team:shop"], in: folder
          ).finish()
          #expect(tagged.status == 0 && asked.take().count == 3, "\(tagged.stdout)")
          let shown = try await AgentProcess(["validate", "-c", "agent.yaml", "--print"], in: folder)
            .finish()
          let lines = shown.stdout.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
          #expect(
            lines.filter { $0.hasPrefix("- name: ") || $0.hasPrefix("tags: ") }.map(String.init)
              == (urls + [further]).flatMap {
                ["- name: \"page \($0)\"", #"tags: ["team:shop", "job:pages"]"#]
              })
        }
      }
    }
  }

  private func document(_ list: String, module: String = "page", fixesTargets: Bool = false) throws
    -> ImportDocument
  {
    let files = [("p.yml", Self.prometheus), ("web.json", list)].map {
      ImportFile(name: $0.0, bytes: Array($0.1.utf8))
    }
    return ImportDocument(
      try Importer.read(.blackbox, files), output: "agent.yaml", fixesTargets: fixesTargets)
  }

  /// Lists that the agent reads in another way than Prometheus does, or not at all, are made checks of.
  @Test(
    arguments: [
      // A name has 200 bytes.
      ("[{\"targets\": [\"http://a.example/\(String(repeating: "b", count: 200))\"]}]", 1),
      ("[{\"targets\": [\"http://a.example\"]}, {\"labels\": {\"a\": \"b\"}}]", 1),
      ("[{targets: [\"http://a.example\"]}]", 1),
    ] as [(String, Int)])
  func listsThatBecomeChecks(list: String, count: Int) throws {
    let made = try document(list)
    #expect(made.checks.count == count && made.sections.discover.isEmpty, "\(made.text)")
    let losses = made.checks[0].notes.filter {
      $0.why == "its targets are those of the time of import: the file is read once"
    }
    #expect(
      losses.map(\.place) == [
        "p.yml:7: scrape_configs[0].file_sd_configs[0].files[0]",
        "p.yml:7: scrape_configs[0].file_sd_configs[0].refresh_interval",
      ])
    #expect(made.report.count == made.listed, "\(made.report)")
    #expect(!made.text.contains("discover:"))
  }

  /// What is compared with an exporter are checks.
  @Test func verdictsAreComparedOfChecks() throws {
    let list = #"[{"targets": ["http://a.example", "http://b.example"]}]"#
    #expect(try document(list).checks.isEmpty && document(list).sections.discover.count == 1)
    let compared = try document(list, fixesTargets: true)
    #expect(compared.checks.map(\.name) == ["page http://a.example", "page http://b.example"])
    #expect(compared.checks.map { $0.question?.target } == ["http://a.example", "http://b.example"])
    #expect(
      compared.sections.discover.isEmpty && compared.checks.allSatisfy { $0.question?.module == "page" })
    let pairs = try ImportDiff.pairs(compared, old: "http://127.0.0.1:1/", file: "p.yml")
    #expect(pairs.map(\.ours.name) == ["page http://a.example", "page http://b.example"])
    #expect(pairs.map(\.old.name) == ["page http://a.example", "page http://b.example"])
  }

  /// A document without checks has no pair, where the loader would refuse it.
  @Test func noPairs() throws {
    let compared = try document("[]", fixesTargets: true)
    #expect(compared.checks.isEmpty)
    #expect(try ImportDiff.pairs(compared, old: "http://127.0.0.1:1/", file: "p.yml").isEmpty)
  }
}
