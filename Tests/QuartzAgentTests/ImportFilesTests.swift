// SPDX-License-Identifier: MIT

import Agent
import Basics
import Foundation
import Import
import TestSupport
import Testing

@testable import QuartzAgent

/// Files that an import reads beside those that are named.
@Suite struct ImportFilesTests {
  private func gather(
    _ format: ImportFormat?, _ paths: [String], in files: [String: String]
  ) async throws -> [String] {
    try await withTemporaryDirectory { folder in
      for (name, text) in files {
        let place = folder.appending(path: name)
        try FileManager.default.createDirectory(
          at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: place, atomically: true, encoding: .utf8)
      }
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: "loop"), withDestinationURL: folder)
      var all = ImportFiles(format) { path in
        ImportFile(name: path, bytes: try readWhole(path, limit: 1 << 20))
      }
      return try all.gather(paths.map { "\(folder.path)/\($0)" }).map {
        String($0.name.dropFirst(folder.path.utf8.count + 1))
      }
    }
  }

  @Test func nagiosNamesItsFiles() async throws {
    let main = """
      cfg_file=/usr/local/nagios/etc/objects/commands.cfg
      cfg_file=/usr/local/nagios/etc/missing.cfg
      cfg_file=/etc/passwd
      cfg_dir=/usr/local/nagios/etc/servers
      resource_file=/usr/local/nagios/etc/resource.cfg
      """
    let found = try await gather(
      nil, ["etc/nagios.cfg"],
      in: [
        "etc/nagios.cfg": main, "etc/objects/commands.cfg": "", "etc/servers/a/b.cfg": "",
        "etc/servers/c.cfg": "",
        "etc/servers/.hidden.cfg": "", "etc/servers/d.txt": "", "etc/resource.cfg": "",
      ])
    #expect(
      found == [
        "etc/nagios.cfg", "etc/objects/commands.cfg", "etc/servers/c.cfg", "etc/servers/a/b.cfg",
        "etc/resource.cfg",
      ])
  }

  @Test func prometheusNamesFilesOfTargets() async throws {
    let main = """
      scrape_config_files: ["jobs/*.yml"]
      scrape_configs: []
      """
    let job = "scrape_configs: [{job_name: j, file_sd_configs: [{files: [\"/etc/targets/*.json\", /etc/x]}]}]"
    let found = try await gather(
      .blackbox, ["p.yml"],
      in: ["p.yml": main, "jobs/a.yml": job, "jobs/targets/t.json": "[]", "jobs/targets/t.txt": ""])
    #expect(found == ["p.yml", "jobs/a.yml", "jobs/targets/t.json"])
  }

  /// A folder that holds itself is read once.
  @Test func foldersAreRead() async throws {
    let found = try await gather(
      .nagios, ["f"], in: ["f/b.cfg": "", "f/a/c.cfg": "", "f/x.yml": "", "f/a/d.cfg": ""])
    #expect(found == ["f/b.cfg", "f/a/c.cfg", "f/a/d.cfg"])
  }

  /// A pattern keeps its folder: files beside the one that names it are others' where the folder is missing.
  @Test func patternsKeepTheirFolder() async throws {
    let job =
      "scrape_configs: [{job_name: j, file_sd_configs: [{files: [\"/etc/p/targets/*.json\", \"*.yaml\"]}]}]"
    let found = try await gather(
      .blackbox, ["p.yml"], in: ["p.yml": job, "other.json": "[]", "own.yaml": "[]"])
    #expect(found == ["p.yml", "own.yaml"])
    let icinga = "include \"features-enabled/*.conf\"\ninclude_recursive \"conf.d\"\n"
    let objects = try await gather(
      .icinga2, ["icinga2.conf"], in: ["icinga2.conf": icinga, "old.conf": "", "conf.d/h.conf": ""])
    #expect(objects == ["icinga2.conf", "conf.d/h.conf"])
  }
}
