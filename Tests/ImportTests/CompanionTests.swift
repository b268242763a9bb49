// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Files that a file names as parts of it.
@Suite struct CompanionTests {
  private func companions(_ format: ImportFormat, _ text: String) -> [ImportCompanion] {
    ImportFile(name: "f", bytes: Array(text.utf8)).companions(format)
  }

  /// Each format names files, folders and patterns in its own words, and nothing else of it is one.
  @Test(
    arguments: [
      (
        .icinga2,
        """
        include <itl>
        include "a.conf"
        include "b/*.conf"
        include_recursive "conf.d"
        include_zones "etc", "zones.d"
        object Host "x" {
        """,
        [.file("a.conf"), .pattern("b/*.conf"), .folder("conf.d", end: ".conf")]
      ),
      (
        .smokeping, "@include /etc/smokeping/Targets\n @include  b\n@includes c\n#@include d\n@define a b\n",
        [.file("/etc/smokeping/Targets"), .file("b")]
      ),
      (
        .nagios,
        """
        cfg_file=/e/a.cfg
        cfg_file=/e/a.txt
        resource_file=/e/r.cfg
        cfg_dir=/e/d
        log_file=/e/b.cfg
        include_dir=/e/i
        include_file=/e/c.cfg
        """,
        [
          .file("/e/a.cfg"), .file("/e/r.cfg"), .folder("/e/d", end: ".cfg"), .folder("/e/i", end: ".cfg"),
          .file("/e/c.cfg"),
        ]
      ),
      (
        .blackbox,
        """
        scrape_config_files: [jobs/*.yml, jobs/README]
        scrape_configs:
        - job_name: a
          file_sd_configs: [{files: [t/*.json, T/B.YAML]}, {files: [t/c.txt]}]
        """,
        [.pattern("jobs/*.yml"), .pattern("t/*.json"), .pattern("T/B.YAML")]
      ),
      (.gatus, "include \"a.conf\"\n@include b\ncfg_file=/e/a.cfg\n", []),
    ] as [(ImportFormat, String, [ImportCompanion])])
  func ofEachFormat(format: ImportFormat, text: String, found: [ImportCompanion]) {
    #expect(companions(format, text) == found)
  }

  /// Lines are looked for in the first MiB of a file, and in the whole of it.
  @Test func theFirstMiBIsLookedAt() {
    let line = "@include a\n"
    let before = String(repeating: "#", count: (1 << 20) - line.utf8.count - 1) + "\n"
    #expect(companions(.smokeping, before + line + "@include b\n") == [.file("a")])
  }
}
