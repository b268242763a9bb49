// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The last good list on disk, so that the agent starts and probes with the API down.
package struct CheckListCache: Sendable {
  private let file: any DurableBytes
  private let origin: String
  private let keepsSecrets: Bool

  /// - Parameters:
  ///   - base: the API the list is from; another API's list is not used.
  ///   - keepsSecrets: `cache_credentials`. Without it, checks that need credentials wait for the API.
  package init(file: any DurableBytes, base: HTTPURL, keepsSecrets: Bool) {
    self.file = file
    self.origin = base.display
    self.keepsSecrets = keepsSecrets
  }

  package enum Loaded: Hashable, Sendable {
    case list(CheckSnapshot, pulledAt: Timestamp)
    /// Nothing usable; nil: nothing was kept yet.
    case none(String?)
  }

  package func load() async -> Loaded {
    do throws(StateFile.Failure) {
      guard let bytes = try await file.read() else { return .none(nil) }
      return decode(bytes)
    } catch { return .none(error.description) }
  }

  package func save(_ snapshot: CheckSnapshot, pulledAt: Timestamp) async throws(StateFile.Failure) {
    try await file.write(encode(snapshot, pulledAt: pulledAt))
  }

  /// The loaded list is applied.
  package func understood() async { await file.understood() }

  /// Why this list must not be put in force; nil: it may.
  package func refusal(of snapshot: CheckSnapshot, pulledAt: Timestamp) async -> String? {
    await file.refusal(of: encode(snapshot, pulledAt: pulledAt))
  }

  private func encode(_ snapshot: CheckSnapshot, pulledAt: Timestamp) -> [UInt8] {
    // bounded: a reserve of memory for what is in memory
    var json = JSONWriter(reserving: 128 + snapshot.checks.count * 400)
    json.object { json in
      json.field("version", 1)
      json.field("from", origin)
      json.field("pulled_at", pulledAt)
      json.field("cut", snapshot.isCut)
      json.key("checks")
      json.array { json in
        for check in snapshot.checks { check.write(into: &json, withSecrets: keepsSecrets) }
      }
      json.key("windows")
      json.array { json in
        for window in snapshot.windows { window.write(into: &json) }
      }
    }
    return json.bytes
  }

  func decode(_ bytes: [UInt8]) -> Loaded {
    let json: JSONValue
    do throws(JSONError) { json = try JSONValue.parse(bytes) } catch {
      return .none("the check list on disk is damaged: \(error)")
    }
    guard json["version"]?.integer == 1, let rows = json["checks"]?.array, let isCut = json["cut"]?.bool,
      let pulledAt = json["pulled_at"]?.timestamp
    else { return .none("the check list on disk is of an unknown kind") }
    guard json["from"]?.string == origin else { return .none("the check list on disk is another api's") }
    do throws(WireCheckError) {
      var checks: [WireCheck] = []
      for row in rows { checks.append(try WireCheck(row)) }
      // A list of an earlier version has none.
      var windows: [WireWindow] = []
      for row in json["windows"]?.array ?? [] { windows.append(try WireWindow(row)) }
      return .list(CheckSnapshot(checks: checks, isCut: isCut, windows: windows), pulledAt: pulledAt)
    } catch { return .none("the check list on disk is damaged: \(error)") }
  }
}
