// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Checks
@testable import Network
@testable import Curl
@testable import History
@testable import Monitoring
@testable import QuartzAPI
@testable import Spool
@testable import SpoolFuzz
@testable import Status
@testable import StatusServer

let noon = Timestamp(seconds: 1_772_000_000)

func text(_ part: String, _ count: Int) -> String { String(repeating: part, count: count) }

func bytes(_ part: String, _ count: Int) -> [UInt8] { Array(text(part, count).utf8) }

func id(_ number: Int) -> String { UniqueID(high: 1, low: UInt64(number)).description }

let worstInputs =
  names + words + json + lists + states + spool + answers + secrets + conversations + places + imports

/// A host has 2,048 bytes at most, a name to be shown 255.
private let names: [Worst] = [
  Worst("names", "labels, none ASCII", size: 32, most: 64) { count in
    // Too long for a name, and found to be so only at the end.
    let host = (0..<count).map { number in
      String(
        String.UnicodeScalarView((0..<8).compactMap { Unicode.Scalar(0x4e00 + UInt32($0 * 97 + number)) }))
    }.joined(separator: ".")
    return { (try? InternationalName.ascii(host)) != "" }
  },
  // Of one label the work grows with the square; it has 252 scalars at most, and one that is too long is the last.
  Worst("names", "labels of a letter and marks", size: 60, most: 200) { count in
    let host = text("a\u{301}\u{323}.", count) + "b"
    return { (try? InternationalName.ascii(host))?.hasPrefix("xn--") == true }
  },
  Worst("names", "labels of ASCII", size: 500, most: 1000) { count in
    let host = text("a.", count)
    return { (try? InternationalName.ascii(host)) != "" }
  },
  // A label has 63 bytes at most for libidn2, and a host to be shown 255.
  Worst("Punycode", "labels to be shown", size: 4, most: 4) { count in
    let host = text("xn--ihqwcrb4cv8a8dqg056pqjye.", count)
    return { InternationalName.unicode(host) != nil }
  },
  Worst("URL", "percent escapes", size: 300, most: 640) { count in
    let source = "http://a.test/" + text("%61", count)
    return { (try? HTTPURL(source)) != nil }
  },
  Worst("URL", "a location that climbs", size: 150, most: 600) { count in
    let base = try? HTTPURL("http://a.test/" + text("a/", 60))
    let location = text("../", count)
    return { (try? base?.resolving(location: location)) != nil }
  },
]

private let words: [Worst] = [
  Worst("dialog texts", "escapes", size: 20_000) { count in
    let source = text("\\x41\\(a)", count)
    return { (try? DialogText(parsing: source)) != nil }
  },
  Worst("decimals", "digits", size: 50_000) { count in
    let source = "1" + text("0", count) + ".5e9"
    return { DecimalNumber(source) != nil }
  },
  Worst("decimals", "two that are nearly the same", size: 50_000) { count in
    guard let left = DecimalNumber(text("3", count)), let right = DecimalNumber(text("3", count - 1) + "4")
    else { return { false } }
    return { left < right }
  },
  Worst("conditions", "a quoted text", size: 50_000) { count in
    let source = "== \"" + text("\\\"a", count) + "\""
    return { Condition(json: ConditionText(source)).operand.utf8.count > 0 }
  },
  Worst("instants", "digits of a fraction", size: 50_000) { count in
    let source = "2026-01-01T00:00:00." + text("9", count) + "Z"
    return { Timestamp(rfc3339: source) != noon }
  },
  Worst("durations", "digits", size: 50_000) { count in
    let source = text("0", count) + "5s"
    return { Duration(text: source) != .seconds(4) }
  },
  Worst("printable text", "what is invisible", size: 20_000) { count in
    let source = text("\u{200b}\u{7}", count)
    return { source.printable(maxBytes: .max).utf8.count > count }
  },
  Worst("printable text", "one character of marks, cut", size: 20_000) { count in
    let source = "a" + text("\u{301}\u{323}", count)
    return { source.printable(maxBytes: 2 * count).utf8.count <= 2 * count }
  },
  Worst("printable text", "pictures joined to one", size: 10_000) { count in
    let source = text("\u{1f468}\u{200d}", count) + "\u{1f468}"
    return { source.printable(maxBytes: 4 * count).utf8.count <= 4 * count }
  },
  Worst("HTML", "what is escaped", size: 20_000) { count in
    let source = text("<&\u{200b}", count)
    return { ("\(source)" as Markup).html.utf8.count > count }
  },
  Worst("percent escapes", "of every byte", size: 50_000) { count in
    let source = text("%41", count)
    return { percentDecoded(source)?.utf8.count == count }
  },
]

private let json: [Worst] = [
  Worst("JSON", "members", size: 2000) { count in
    let source = Array(("{" + (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",") + "}").utf8)
    return { (try? JSONValue.parse(source))?.members?.count == count }
  },
  Worst("JSON", "a key of combining marks", size: 50_000) { count in
    let key = text("\u{301}\u{323}", count)
    let source = Array("{\"\(key)\":1,\"\(key)a\":2}".utf8)
    return { (try? JSONValue.parse(source))?.members?.count == 2 }
  },
  Worst("JSON", "escapes in a text", size: 50_000) { count in
    let source = Array("\"".utf8) + bytes("\\ud83d\\ude00", count) + Array("\"".utf8)
    return { (try? JSONValue.parse(source))?.string != nil }
  },
  Worst("JSON", "nested lists", size: 20_000) { count in
    let source = Array("[".utf8) + bytes(text("[", 60) + text("]", 60) + ",", count / 60) + Array("0]".utf8)
    return { (try? JSONValue.parse(source))?.array != nil }
  },
  Worst("JSON", "digits of a number", size: 50_000) { count in
    let source = bytes("7", count)
    return {
      guard let value = try? JSONValue.parse(source) else { return false }
      return value.integer == nil && value.text.utf8.count == count
    }
  },
  Worst("JSON", "two objects, held against each other", size: 1000) { count in
    let members = (0..<count).map { "\"k\($0)\":[0]" }
    let left = try? JSONValue.parse("{\(members.joined(separator: ","))}".utf8)
    let right = try? JSONValue.parse("{\(members.reversed().joined(separator: ","))}".utf8)
    return { right.map { left?.isSame(as: $0) ?? false } ?? false }
  },
  Worst("JSON search", "a negative index in nested lists", size: 4000) { count in
    let source = Array(("[" + (0..<count).map { "[\($0),\($0)]" }.joined(separator: ",") + "]").utf8)
    let path = try? JSONPath("$[-1][-1]")
    return { (try? JSONSearch.find([path].compactMap(\.self), in: source))?.count == 1 }
  },
  Worst("JSON search", "a name behind names of marks", size: 20_000) { count in
    let key = text("\u{301}\u{323}", count)
    let source = Array("{\"\(key)\":1,\"a\":2}".utf8)
    let path = try? JSONPath("$.a")
    return { (try? JSONSearch.find([path].compactMap(\.self), in: source)) == [.value(.number("2"))] }
  },
  Worst("JSON paths", "names", size: 10_000) { count in
    let source = "$" + text(".a", count)
    return { (try? JSONPath(source))?.segments.count == count }
  },
]
