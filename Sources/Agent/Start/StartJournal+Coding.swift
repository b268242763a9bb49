// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension StartJournal {
  /// A first line for the last act of a dying process, at a place of its own, and JSON.
  static let signalWidth = 3

  func encoded(signal: Int = 0) -> [UInt8] {
    let first = padded(Int64(signal), Self.signalWidth) + "\n"  // bounded: a signal's number
    var json = JSONWriter(reserving: 1024)
    json.object { json in
      json.field("version", 1)
      json.field("boot", boot)
      json.field("open", isOpen)
      write("reading", reading, &json)
      write("used", used, &json)
      json.key("deaths")
      json.array { json in
        for known in deaths {
          json.object { json in
            Self.write(known.input, &json)
            json.field("points", known.points)
            json.field("count", known.count)
            json.field("fault", known.isFault)
          }
        }
      }
      json.key("aside")
      json.array { json in
        for item in aside {
          json.object { json in
            Self.write(item.input, &json)
            json.field("place", item.place)
            json.field("at", item.at)
            json.field("refused", item.isRefused)
            json.field("fault", item.isFault)
            json.field("agent", item.version)
          }
        }
      }
    }
    return Array(first.utf8) + json.bytes + [0x0a]  // bounded: lists
  }

  private func write(_ key: StaticString, _ inputs: [StartInput], _ json: inout JSONWriter) {
    json.key(key)
    json.array { json in
      for input in inputs { json.object { json in Self.write(input, &json) } }
    }
  }

  private static func write(_ input: StartInput, _ json: inout JSONWriter) {
    json.field("name", input.name)
    json.field("sum", input.sum)
  }

  /// Nothing of a file that is not ours, whole or in parts: a start without a journal is a start like the first.
  static func read(_ bytes: [UInt8]) -> (journal: StartJournal, signal: Int) {
    let lines = bytes.split(separator: 0x0a, maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count >= 2, lines[0].count == signalWidth,
      let signal = Int(String(decoding: lines[0], as: UTF8.self)),
      let json = try? JSONValue.parse(lines[1]), json["version"]?.integer == 1,
      let boot = json["boot"]?.string, let isOpen = json["open"]?.bool
    else { return (StartJournal(), 0) }
    var journal = StartJournal()
    journal.restore(json, boot: boot, isOpen: isOpen)
    return (journal, min(max(signal, 0), 64))
  }

  private mutating func restore(_ json: JSONValue, boot: String, isOpen: Bool) {
    let limit = 4 * Self.kept  // bounded: constants
    let deaths = (json["deaths"]?.array ?? []).prefix(limit).compactMap { item in
      Self.input(item).map { input in
        func number(_ key: String) -> Int {
          Int(clamping: min(max(item[key]?.integer ?? 0, 0), Int64(Self.enough)))  // bounded: a constant
        }
        // A version that did not say so meant either.
        return Deaths(
          input: input, points: number("points"), count: number("count"), isFault: item["fault"]?.bool ?? true
        )
      }
    }
    let aside = (json["aside"]?.array ?? []).prefix(limit).compactMap { item -> Aside? in
      guard let input = Self.input(item), let place = item["place"]?.string,
        let at = item["at"]?.timestamp
      else { return nil }
      return Aside(
        input: input, place: place, at: at, isRefused: item["refused"]?.bool ?? false,
        isFault: item["fault"]?.bool ?? true, version: item["agent"]?.string ?? "")
    }
    self = StartJournal(
      boot: boot, isOpen: isOpen, reading: Self.inputs(json["reading"], limit),
      used: Self.inputs(json["used"], limit), deaths: Array(deaths), aside: Array(aside))
  }

  private static func inputs(_ json: JSONValue?, _ limit: Int) -> [StartInput] {
    (json?.array ?? []).prefix(limit).compactMap(input)
  }

  private static func input(_ json: JSONValue) -> StartInput? {
    json["name"]?.string.map { StartInput($0, sum: json["sum"]?.string ?? "") }
  }
}
