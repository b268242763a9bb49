// SPDX-License-Identifier: MIT

import Basics

/// A file or folder that an imported file names as part of it.
package enum ImportCompanion: Hashable, Sendable {
  case file(String)
  /// Every file below it that ends in `.cfg`.
  case folder(String)
  /// Files by a pattern with stars.
  case pattern(String)
}

extension ImportFile {
  /// Files that belong to the file: `cfg_file`, `cfg_dir` and `resource_file` of nagios.cfg, and the files of targets and of
  /// jobs that Prometheus' configuration names.
  package func companions(_ format: ImportFormat?) -> [ImportCompanion] {
    switch format ?? ImportFormat(looking: self) {
    case .nagios: nagiosCompanions
    case .blackbox: prometheusCompanions
    default: []
    }
  }

  private var nagiosCompanions: [ImportCompanion] {
    guard let file = try? NagiosFile.read(bytes) else { return [] }
    return file.settings.compactMap { name, value in
      guard let path = value.text, !path.isEmpty else { return nil }
      switch name {
      case "cfg_file", "resource_file", "include_file": return path.hasSuffix(".cfg") ? .file(path) : nil
      case "cfg_dir", "include_dir": return .folder(path)
      default: return nil
      }
    }
  }

  private var prometheusCompanions: [ImportCompanion] {
    guard let documents = try? ForeignYAML.read(bytes) else { return [] }
    let paths = documents.flatMap { document in
      let jobs = document["scrape_configs"]?.items ?? []
      let discoveries = jobs.flatMap { $0["file_sd_configs"]?.items ?? [] }
      return (document["scrape_config_files"]?.all ?? []) + discoveries.flatMap { $0["files"]?.all ?? [] }
    }.compactMap(\.text)
    let ends = [".json", ".yml", ".yaml"]
    return paths.filter { path in ends.contains { path.lowercased().hasSuffix($0) } }.map { .pattern($0) }
  }
}
