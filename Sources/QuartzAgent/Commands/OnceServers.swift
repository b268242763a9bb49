// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics

/// `once --servers`: one dns target for each server.
enum OnceServers {
  private static let scheme = "dns://"

  /// The targets, each dns target once for its own server and for each of the list, in this order and each server once.
  ///
  /// - Parameter list: servers with commas between; `nil` changes nothing.
  static func targets(_ targets: [String], asking list: String?) throws -> [String] {
    guard let list else { return targets }
    let servers = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    if let wrong = servers.first(where: {
      $0.isEmpty || $0.utf8.contains { $0 <= 0x20 || "/?#@".utf8.contains($0) }
    }) {
      let (all, shown) = (withoutLogin(list), withoutLogin(wrong).printable(maxBytes: 100))
      throw failure(
        "--servers \"\(all.printable(maxBytes: 100))\" has \(wrong.isEmpty ? "an empty server" : "\"\(shown)\", which is no server")",
        hint: "--servers 1.1.1.1,9.9.9.9,192.0.2.1:5353", status: ExitCode.validationFailure.rawValue)
    }
    guard targets.contains(where: isQuestion) else {
      throw failure(
        "--servers has no dns target it could be about",
        hint: "quartz-agent once dns:///example.com --servers \(list.printable(maxBytes: 100))",
        status: ExitCode.validationFailure.rawValue)
    }
    return targets.flatMap { target -> [String] in
      let rest = target.dropFirst(scheme.count)
      guard isQuestion(target), let slash = rest.firstIndex(of: "/") else { return [target] }
      var asked: Set<ByteText> = []  // own text
      let own = rest[..<slash]
      return ((own.isEmpty ? [] : [String(own)]) + servers).filter { asked.insert(ByteText($0)).inserted }
        .map { scheme + $0 + rest[slash...] }
    }
  }

  private static func isQuestion(_ target: String) -> Bool {
    target.prefix(scheme.count).lowercased() == scheme
  }
}
