// SPDX-License-Identifier: MIT

import Basics

/// A file or folder that an imported file names as part of it.
package enum ImportCompanion: Hashable, Sendable {
  case file(String)
  /// Every file below it with this end.
  case folder(String, end: String)
  /// Files by a pattern with stars.
  case pattern(String)
}

extension ImportFile {
  /// Files that belong to the file: `cfg_file`, `cfg_dir` and `resource_file` of nagios.cfg, the files of targets and of jobs that
  /// Prometheus' configuration names, and what Icinga 2 and Smokeping include.
  package func companions(_ format: ImportFormat?) -> [ImportCompanion] {
    switch format ?? ImportFormat(looking: self) {
    case .nagios: nagiosCompanions
    case .blackbox: prometheusCompanions
    case .icinga2: icingaCompanions
    case .smokeping: smokepingCompanions
    default: []
    }
  }

  private var nagiosCompanions: [ImportCompanion] {
    guard let file = try? NagiosFile.read(bytes) else { return [] }
    return file.settings.compactMap { name, value in
      guard let path = value.text, !path.isEmpty else { return nil }
      switch name {
      case "cfg_file", "resource_file", "include_file": return path.hasSuffix(".cfg") ? .file(path) : nil
      case "cfg_dir", "include_dir": return .folder(path, end: ".cfg")
      default: return nil
      }
    }
  }

  /// `include "x.conf"` and `include_recursive "conf.d"`; `<itl>` is Icinga's own.
  private var icingaCompanions: [ImportCompanion] {
    lines.compactMap { line in
      let words = line.split(separator: "\"", maxSplits: 2).map(String.init)
      guard words.count >= 2 else { return nil }
      switch words[0][...].trimmed {
      case "include": return words[1].contains("*") ? .pattern(words[1]) : .file(words[1])
      case "include_recursive": return .folder(words[1], end: ".conf")
      default: return nil
      }
    }
  }

  private var smokepingCompanions: [ImportCompanion] {
    lines.compactMap { $0.hasPrefix("@include ") ? .file($0.dropFirst(9).trimmed) : nil }
  }

  private var lines: [String] {
    bytes.prefix(1 << 20).split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self)[...].trimmed }
  }

  private var prometheusCompanions: [ImportCompanion] {
    guard let documents = try? ForeignNode.yaml(bytes) else { return [] }
    let paths = documents.flatMap { document in
      let jobs = document["scrape_configs"]?.items ?? []
      let discoveries = jobs.flatMap { $0["file_sd_configs"]?.items ?? [] }
      return (document["scrape_config_files"]?.all ?? []) + discoveries.flatMap { $0["files"]?.all ?? [] }
    }.compactMap(\.text)
    let ends = [".json", ".yml", ".yaml"]
    return paths.filter { path in ends.contains { path.lowercased().hasSuffix($0) } }.map { .pattern($0) }
  }
}
