// SPDX-License-Identifier: MIT

import Glibc

/// Puts load on the agent's own engine and prints one line of JSON with what it cost. `Benchmarks/run` calls it.
@main struct QuartzBench {
  static func main() async {
    let arguments = Arguments(CommandLine.arguments.dropFirst())
    do {
      switch arguments.words.first {
      case "http", "tcp", "dns", "ping": print(try await ProbeLoad(arguments).run().json)
      case "burst": print(try await BurstLoad(arguments.dropFirst()).run())
      case "sequence": print(try await SequenceLoad(arguments.dropFirst()).run())
      case "verdicts": print(try await VerdictLoad(arguments).run())
      case "wire": print(try await WireLoad(arguments).run())
      case "schedule": print(try await ScheduleLoad(arguments).run())
      case "spool": print(try await SpoolLoad(arguments).run())
      case "history": print(try HistoryLoad(arguments).run())
      case "placement": print(try PlacementLoad(arguments).run())
      case "group": try await GroupLoad(arguments).run()
      default:
        throw Misuse(
          "the first word must be http, tcp, dns, ping, burst, sequence, verdicts, wire, schedule, spool, history, "
            + "placement or group"
        )
      }
    } catch {
      let words = Array("quartz-bench: \(error)\n".utf8)
      write(STDERR_FILENO, words, words.count)
      exit(70)
    }
  }
}

/// Words, `--key value` pairs and the one flag there is.
struct Arguments {
  private(set) var words: [String] = []
  private(set) var verify = true
  private var values: [String: String] = [:]

  init(_ arguments: some Sequence<String>) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      if argument == "--no-verify" {
        verify = false
      } else if argument.hasPrefix("--") {
        values[String(argument.dropFirst(2))] = rest.next()
      } else {
        words.append(argument)
      }
    }
  }

  /// Without the first word.
  func dropFirst() -> Arguments {
    var rest = self
    rest.words.removeFirst()
    return rest
  }

  func replacingFirst(with word: String) -> Arguments {
    var other = self
    if !other.words.isEmpty { other.words[0] = word }
    return other
  }

  /// The same with another target, so often.
  mutating func replaceTarget(with place: String, count: Int) {
    if words.count == 2 { words[1] = place }
    values["count"] = "\(count)"
  }

  func text(_ key: String) -> String? { values[key] }

  func number(_ key: String) throws -> Int {
    guard let number = values[key].flatMap(Int.init), number > 0 else {
      throw Misuse("--\(key) must be a positive number")
    }
    return number
  }
}

struct Misuse: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
