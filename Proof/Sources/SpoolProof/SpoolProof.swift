// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// Kills a process that records and delivers, or cuts its power, and compares what arrived with what it had said was
/// recorded. `scripts/prove-durability` calls it.
@main struct SpoolProof {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch arguments.first {
      case "write", "hoard":
        try await Writer(
          directory: arguments[1], first: Int(arguments[2]) ?? 0, delivers: arguments[0] == "write"
        ).run()
      case "drain": try await Writer(directory: arguments[1], first: 0).drain()
      case "kills":
        try await KillLoop(
          kills: number("--count", in: arguments, or: 50), results: number("--results", in: arguments, or: 0),
          seed: number("--seed", in: arguments, or: 1)
        ).run()
      case "cuts":
        try await PowerCuts(
          cuts: number("--count", in: arguments, or: 5), results: number("--results", in: arguments, or: 0),
          seed: number("--seed", in: arguments, or: 1)
        ).run()
      default: throw ProofFailure("usage: spool-proof kills|cuts [--count N] [--results N] [--seed N]")
      }
    } catch {
      tell("spool-proof: \(error)\n")
      exit(1)
    }
  }

  private static func number(_ name: String, in arguments: [String], or usual: Int) -> Int {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return usual }
    return Int(arguments[index + 1]) ?? usual
  }
}

struct ProofFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Progress and errors, on standard error.
func tell(_ text: String) {
  let bytes = Array(text.utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}
