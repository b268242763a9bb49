// SPDX-License-Identifier: MIT

import Agent
import ArgumentParser
import Basics
import Monitoring
import Spool

/// `quartz-agent spool`: look into the store. A running agent is asked over its socket, a stopped one's files are read.
struct SpoolCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spool",
    abstract: "Look into the store of results, of a running agent or a stopped one.",
    discussion: """
      Exit code: 0, 1 when `check` finds damage, 3 when the store cannot be read or the agent does not answer, \
      78 for a wrong configuration.
      """,
    subcommands: [List.self, Export.self, Quarantine.self, Check.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ls", abstract: "Show stored, waiting and lost results.")

    @OptionGroup var store: StoreOptions

    func run() async throws {
      switch try await store.open() {
      case .stopped(let inspector, _, _): printFacts(renderStore(inspector.status))
      case .running(let agent): printFacts(try await agent.ask("/api/v1/spool"))
      }
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Print every stored result as NDJSON, oldest first.")

    @OptionGroup var store: StoreOptions

    @Flag(help: "Only results that are still to be delivered.")
    var waiting = false

    func run() async throws {
      switch try await store.open() {
      case .stopped(let inspector, let names, _):
        inspector.reader.results { queued, isSettled in
          guard !(waiting && isSettled) else { return true }
          let name = names[queued.record.checkID]
          printOutput(renderRecord(queued.record, sequence: queued.sequence, check: name, code: nil))
          return true
        }
        if inspector.status.damaged > 0 {
          printError("warning: \(inspector.status.damaged) stored results are damaged and left out")
        }
      case .running(let agent): try await pages(of: agent)
      }
    }

    /// A page a request, so that neither side holds the whole store in memory.
    private func pages(of agent: AgentClient) async throws {
      var after: UInt64 = 0
      while true {
        let page = try await agent.ask(
          "/api/v1/spool/results?after=\(after)&limit=5000&waiting=\(waiting ? 1 : 0)")
        guard let last = page.split(separator: "\n").last,
          let sequence = try? JSONValue.parse(last.utf8)["sequence"]?.integer, sequence > Int64(after)
        else { return }
        printOutput(page)
        after = UInt64(sequence)
      }
    }
  }

  struct Quarantine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "quarantine", abstract: "Results that the receiver refused.",
      subcommands: [QuarantineList.self, Resubmit.self], defaultSubcommand: QuarantineList.self)
  }

  struct QuarantineList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ls", abstract: "Print them with the receiver's code, as NDJSON, oldest first.")

    @OptionGroup var store: StoreOptions

    func run() async throws {
      switch try await store.open() {
      case .stopped(let inspector, let names, _):
        for refused in inspector.reader.quarantined() {
          let name = names[refused.record.checkID]
          printOutput(renderRecord(refused.record, check: name, code: refused.code))
        }
      case .running(let agent): printOutput(try await agent.ask("/api/v1/spool/quarantine"))
      }
    }
  }

  struct Resubmit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resubmit",
      abstract: "Send all of them again, with the same ids, once the receiver is fixed.")

    @OptionGroup var store: StoreOptions

    func run() async throws {
      switch try await store.open() {
      case .stopped(let inspector, _, let settings):
        inspector.release()
        printOutput(renderResubmitted(try await resubmit(settings)))
      case .running(let agent):
        printOutput(try await agent.ask("/api/v1/spool/resubmit", method: "POST"))
      }
    }

    private func resubmit(_ settings: Spool.SpoolSettings) async throws -> Int {
      let spool = try await ResultSpool.open(settings)
      let count = await spool.resubmit()
      await spool.close()
      guard let count else {
        throw failure(
          "the store cannot be written: nothing was changed", hint: "look at: quartz-agent spool ls",
          status: ExitStatus.unknown)
      }
      return count
    }
  }

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Read every stored record again and judge its checksum. Changes nothing.")

    @OptionGroup var store: StoreOptions

    func run() async throws {
      switch try await store.open() {
      case .stopped(let inspector, _, _):
        let check = inspector.reader.check()
        printFacts(renderCheck(check))
        if !check.isSound { throw ExitCode(ExitStatus.degraded) }
      case .running(let agent):
        let (text, isSound) = try await agent.checkStore()
        printFacts(text)
        if !isSound { throw ExitCode(ExitStatus.degraded) }
      }
    }
  }
}
