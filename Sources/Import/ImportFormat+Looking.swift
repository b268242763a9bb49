// SPDX-License-Identifier: MIT

import Basics

extension ImportFormat {
  /// What a file looks like; nil: like none of them.
  init?(looking file: ImportFile) {
    if file.isDatabase {
      self = .uptimeKuma
      return
    }
    let start = file.bytes.prefix(1 << 20)
    switch start.first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "{"), UInt8(ascii: "["): self.init(json: file.bytes)
    default: self.init(lines: start)
    }
  }

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
        !(0x61...0x7a).contains($0 | 0x20) && $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-")
      }
      guard let first = words.first.map({ String(decoding: $0, as: UTF8.self) }),
        line.first(where: { $0 > 0x20 }) != UInt8(ascii: "#")
      else { continue }
      let second = words.dropFirst().first.map { String(decoding: $0, as: UTF8.self) }
      switch first {
      case "define", "cfg_file", "cfg_dir": self = .nagios
      case "object" where ["Host", "Service"].contains(second), "apply" where second == "Service":
        self = .nagios
      case "probe" where line.contains(UInt8(ascii: "{")): self = .cloudprober
      case "modules", "scrape_configs": self = .blackbox
      case "kind" where second == "Probe": self = .blackbox
      case "import" where String(decoding: line, as: UTF8.self).range(of: "checkly/constructs") != nil:
        self = .checkly
      case "endpoints", "services", "external-endpoints", "suites": self = .gatus
      default: continue
      }
      return
    }
    return nil
  }
}
