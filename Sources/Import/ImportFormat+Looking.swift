// SPDX-License-Identifier: MIT

import Basics

extension ImportFormat {
  /// Format that a file looks like. `nil` for none.
  init?(looking file: ImportFile) {
    if file.isDatabase {
      self = .uptimeKuma
      return
    }
    let start = file.bytes.prefix(1 << 20)
    switch start.first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      // A table of TOML begins as a list does.
      guard let format = ImportFormat(json: file.bytes) ?? ImportFormat(lines: start) else { return nil }
      self = format
    default: self.init(lines: start)
    }
  }

  private static let icingaTypes = [
    "Host", "Service", "HostGroup", "CheckCommand", "User", "Notification", "Dependency", "Zone", "Endpoint",
  ]

  private init?(json bytes: [UInt8]) {
    guard let value = try? JSONValue.parse(bytes) else { return nil }
    if value["monitorList"] != nil {
      self = .uptimeKuma
    } else if value["modules"] != nil || value["scrape_configs"] != nil {
      self = .blackbox
    } else if value["checks"] != nil || value["checkType"] != nil || value.array != nil {
      self = .checkly
    } else {
      return nil
    }
  }

  /// By the words that lines begin with.
  private init?(lines bytes: ArraySlice<UInt8>) {
    for line in bytes.split(separator: 0x0a) {
      let words = line.split {
        !(0x61...0x7a).contains($0 | 0x20) && !(0x30...0x39).contains($0) && $0 != UInt8(ascii: "_")
          && $0 != UInt8(ascii: "-")
      }
      guard let first = words.first.map({ String(decoding: $0, as: UTF8.self) }),
        line.first(where: { $0 > 0x20 }) != UInt8(ascii: "#")
      else { continue }
      let second = words.dropFirst().first.map { String(decoding: $0, as: UTF8.self) }
      switch first {
      case "define", "cfg_file", "cfg_dir": self = .nagios
      case "object" where Self.icingaTypes.contains(second ?? ""),
        "apply" where Self.icingaTypes.contains(second ?? ""),
        "template" where Self.icingaTypes.contains(second ?? ""):
        self = .icinga2
      case "inputs" where line.drop(while: { $0 <= 0x20 }).starts(with: "[[".utf8): self = .telegraf
      case "include" where second == "itl", "include_recursive": self = .icinga2
      case "Targets" where line.contains(UInt8(ascii: "*")), "Probes" where line.contains(UInt8(ascii: "*")):
        self = .smokeping
      case "sites": self = .upptime
      case "probe" where line.contains(UInt8(ascii: "{")): self = .cloudprober
      case "probe" where line.starts(with: "probe:".utf8) && line.dropFirst(6).allSatisfy { $0 <= 0x20 }:
        self = .cloudprober
      case "modules", "scrape_configs": self = .blackbox
      case "kind" where second == "Probe": self = .blackbox
      case "import" where String(decoding: line, as: UTF8.self).range(of: "checkly/constructs") != nil:
        self = .checkly
      case "services" where String(decoding: bytes, as: UTF8.self).range(of: "expected_status") != nil:
        return nil
      case "endpoints", "services", "external-endpoints", "suites": self = .gatus
      default: continue
      }
      return
    }
    return nil
  }
}

/// Programs whose files are known, and not read.
enum ForeignProgram {
  static func name(of file: ImportFile) -> String? {
    let text = String(decoding: file.bytes.prefix(1 << 16), as: UTF8.self)
    func has(_ words: String...) -> Bool { words.allSatisfy { text.range(of: $0) != nil } }
    if has("services:", "expected_status") || has("\"expected_status\"", "\"check_interval\"") {
      return "Statping"
    }
    if has("\"friendly_name\"", "\"monitors\"") { return "UptimeRobot" }
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").prefix(2).map { $0.lowercased() }
      if words == ["set", "daemon"]
        || words.first == "check" && ["host", "process", "system"].contains(words.last)
      {
        return "Monit"
      }
    }
    return nil
  }
}
