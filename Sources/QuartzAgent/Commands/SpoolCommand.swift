// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Glibc
import Monitoring
import Spool

/// `quartz-agent spool`: look into the store of a stopped agent.
struct SpoolCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spool",
    abstract: "Look into the store of results of a stopped agent; nothing is changed.",
    discussion: "A running agent tells about its store by: quartz-agent status",
    subcommands: [List.self, Export.self, Quarantine.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ls", abstract: "What is stored, what waits, what was lost.")

    @OptionGroup var store: StoreOptions

    func run() throws { printOutput(renderStore(try store.open().inspector.status)) }
  }

  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Print every stored result as NDJSON, oldest first.")

    @OptionGroup var store: StoreOptions

    @Flag(help: "Only what is still to be delivered.")
    var waiting = false

    func run() throws {
      let (inspector, names) = try store.open()
      inspector.reader.results { queued, isSettled in
        guard !(waiting && isSettled) else { return true }
        printOutput(renderRecord(queued.record, check: names[queued.record.checkID], code: nil))
        return true
      }
      if inspector.status.damaged > 0 {
        printError("warning: \(inspector.status.damaged) stored results are damaged and left out")
      }
    }
  }

  struct Quarantine: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "quarantine", abstract: "Print the results the receiver refused, with its code, as NDJSON."
    )

    @OptionGroup var store: StoreOptions

    func run() throws {
      let (inspector, names) = try store.open()
      for refused in inspector.reader.quarantined() {
        printOutput(renderRecord(refused.record, check: names[refused.record.checkID], code: refused.code))
      }
    }
  }
}

/// Which store to look into.
struct StoreOptions: ParsableArguments {
  @OptionGroup var config: ConfigOptions

  @Option(help: "The state directory, when there is no configuration to name it.")
  var stateDir: String?

  /// The store, and the names of the checks as far as the configuration knows them.
  func open() throws -> (inspector: SpoolInspector, names: [UniqueID: String]) {
    var names: [UniqueID: String] = [:]
    let folder: String
    if let stateDir {
      folder = stateDir
    } else {
      let settings = try loadSettings(try config.required())
      folder = settings.agent.stateDir
      for check in settings.checks { names[check.id] = check.name }
    }
    guard access(folder + "/spool", F_OK) == 0 else {
      throw failure(
        "there is no store in \(folder): no agent has run with this state_dir yet",
        hint: "name another configuration with --config, or the folder with --state-dir",
        status: ExitStatus.unknown)
    }
    do {
      return (try SpoolInspector(path: folder + "/spool"), names)
    } catch {
      guard case .locked = error else { throw failure("\(error)", status: ExitStatus.unknown) }
      throw failure(
        "the agent on \(folder) is running and holds its store",
        hint: "ask it with: quartz-agent status; or stop it first", status: ExitStatus.locked)
    }
  }
}
