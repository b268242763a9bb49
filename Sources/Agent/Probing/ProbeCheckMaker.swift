// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Import
import Monitoring

/// From a module of blackbox.yml and a target to a check, through the door that agent.yaml uses.
struct ProbeCheckMaker: Sendable {
  /// Whose target it is.
  let origin: CheckOrigin
  /// The file of the modules: paths in it are relative to its directory.
  let file: String

  /// The problem, in words for the client.
  struct Refusal: Error { var words: String }

  /// Bytes of a target.
  static let longest = 2048

  func check(_ module: BlackboxModule, _ wish: ProbeWish) throws(Refusal) -> MonitoringCheck {
    guard wish.target.utf8.count <= Self.longest, !wish.target.hasControlCharacter,
      var made = module.probe(of: wish.target)
    else { throw Refusal(words: "the module \(module.name) makes no probe of this target") }
    made.name = "probe"
    // A stranger's probe that is held back waits no longer than this.
    made["interval"] = .plain("\(max(1000, wish.milliseconds))ms")
    made["timeout"] = .plain("\(wish.milliseconds)ms")
    if let name = wish.hostname { made.asks(for: name) }
    if let family = wish.family { made["ip"] = .text(String(family)) }
    let check = try parsed(made, module)
    return origin == .api ? check.aimedByStranger : check
  }

  private func parsed(
    _ made: ImportedCheck, _ module: BlackboxModule
  ) throws(Refusal) -> MonitoringCheck {
    var yaml = AgentYAML(secrets: .environment)
    let text = yaml.render([made], head: [])
    // own text: names that we made
    var environment: [String: String] = [:]
    for secret in yaml.values { environment[secret.name] = secret.value.reveal() }
    let sources = ConfigSources(
      environment: environment, secrets: .disk, hostName: "probe", patterns: Pattern.rule)
    var words = "it makes no check"
    do throws(ConfigErrors) {
      if let check = try ConfigLoader.parse(text: text, file: file, sources: sources).settings.checks.first {
        return check
      }
    } catch {
      if let first = error.problems.first {
        words = ([first.message] + [first.hint].compactMap(\.self)).joined(separator: "; ")
      }
    }
    throw Refusal(words: "the module \(module.name) and this target: \(words.printable(maxBytes: 300))")
  }
}

/// Inputs of a check, besides its module.
struct ProbeWish: Hashable, Sendable {
  var target: String
  var hostname: String?
  /// 4 or 6; nil: any.
  var family: Int?
  /// Of its time, 10 to 60,000.
  var milliseconds: Int
}
