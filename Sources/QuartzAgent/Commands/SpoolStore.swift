// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import ArgumentParser
import Basics
import Glibc
import Monitoring
import Spool
import StatusServer

/// The store as a command finds it.
enum FoundStore {
  /// No agent holds it: its files, the names of the checks as far as the configuration knows them, and how to open it
  /// for writing: as configured, or as large as it is.
  case stopped(SpoolInspector, names: [UniqueID: String], Spool.SpoolSettings)
  /// An agent holds it: ask that one.
  case running(AgentClient)
}

/// Which store to look into.
struct StoreOptions: ParsableArguments {
  @OptionGroup var config: ConfigOptions

  @Option(help: "The state directory, when there is no configuration to name it.")
  var stateDir: String?

  func open() async throws -> FoundStore {
    let settings = try stateDir == nil ? settingsForAsking(try config.required()) : nil
    let folder = stateDir ?? settings?.agent.stateDir ?? ""
    becomeOwner(of: folder)
    let isReadable = access(folder + "/spool", R_OK | X_OK) == 0
    if !isReadable, errno == EACCES {
      throw failure(
        "this user may not read \(folder)/spool", hint: "ask as root or as the agent's user",
        status: ExitStatus.unknown)
    }
    guard isReadable else {
      // The directory may have been deleted under a running agent.
      if let client = settings.flatMap({ AgentClient($0.status) }), try await client.isThere() {
        return .running(client)
      }
      throw failure(
        "there is no store in \(folder): no agent has run with this state_dir yet",
        hint: "name another configuration with --config, or the folder with --state-dir",
        status: ExitStatus.unknown)
    }
    do {
      let inspector = try SpoolInspector(path: folder + "/spool")
      let checks = settings?.checks ?? []
      return .stopped(
        inspector,
        names: Dictionary(checks.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first }),
        settings.map { Spool.SpoolSettings($0) } ?? asItIs(folder))
    } catch {
      guard case .locked = error else { throw failure("\(error)", status: ExitStatus.unknown) }
      return .running(try agent(settings, folder))
    }
  }

  private func agent(_ settings: Settings?, _ folder: String) throws -> AgentClient {
    guard let settings else { return AgentClient(address: .unix(path: folder + "/agent.sock")) }
    guard let client = AgentClient(settings.status) else {
      throw failure(
        "the agent on \(folder) is running and holds its store, and status.listen is off: it cannot be asked",
        hint: "stop it first, or give it a status.listen", status: ExitStatus.locked)
    }
    return client
  }

  private func asItIs(_ folder: String) -> Spool.SpoolSettings {
    var settings = Spool.SpoolSettings(path: folder + "/spool")
    if let size = SpoolInspector.reservedBytes(path: settings.path) { settings.size = size }
    return settings
  }
}
