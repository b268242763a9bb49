// SPDX-License-Identifier: MIT

import Agent
import ArgumentParser
import Basics
import Glibc
import Monitoring
import Network
import Tracing

/// `quartz-agent trace`: the way to a target, router by router.
struct TraceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Trace the route to a target, hop by hop.",
    discussion: """
      Sends packets with a rising TTL to the service's own port, and shows the answers: loss and round trip of every hop, \
      the path MTU, and where the route ends, by which report. The target is a URL, host:port, a host, \
      or a check of the configuration, as with `once`. It needs no privileges; without a port it uses ICMP where the \
      kernel allows ping, else UDP. Only the target is dialled, never a router.

      On a terminal the table is updated until it is stopped; --report shows it once.

      Exit code: 0 the target was reached, 2 it was not, 3 unknown (this machine's fault, no such name), 64 wrong usage, \
      65 a file of networks that is wrong, 66 one that cannot be read, 78 a wrong configuration, 130 stopped before the end.
      """)

  @OptionGroup var config: ConfigOptions

  @Option(help: "tcp, udp or icmp. Default: tcp where there is a port.")
  var method: TraceMethod?

  @Option(help: ArgumentHelp("Another port than the target's.", valueName: "port"))
  var port: UInt16?

  @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "IPv4 only.")
  var onlyV4 = false

  @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "IPv6 only.")
  var onlyV6 = false

  @Option(help: "The last TTL that is tried, 1 to 64.")
  var maxTTL = 30

  @Option(help: "Packets for each TTL and flow, 1 to 100. Default: 3; of a live table 100.")
  var count: Int?

  @Option(help: "Flows at once, each with ports of its own that never change, 1 to 8.")
  var flows = 3

  @Option(help: "Timeout of one answer.")
  var wait: Duration = .seconds(1)

  @Flag(name: [.customShort("n"), .long], help: "Do not look up names of routers.")
  var numeric = false

  @Option(
    help: ArgumentHelp(
      "File of networks: lines of 'prefix,AS number,name', tabs also separate.",
      valueName: "file"))
  var networks: String?

  @Flag(help: "Show the table once, when it is complete. Default without a terminal.")
  var report = false

  @Option(help: "table or json. Default: table.")
  var format: TableFormat = .table

  @OptionGroup var colors: ColorOptions

  @Argument(
    help: ArgumentHelp("A URL, host:port, a host, or a check.", valueName: "target"),
    completion: NameCompletion.checks)
  var target: String

  func validate() throws {
    if onlyV4, onlyV6 { throw ValidationError("-4 and -6 exclude each other: leave one out") }
    guard (1...64).contains(maxTTL) else { throw ValidationError("--max-ttl must be 1 to 64") }
    guard (1...100).contains(count ?? 1) else { throw ValidationError("--count must be 1 to 100") }
    guard (1...8).contains(flows) else { throw ValidationError("--flows must be 1 to 8") }
    guard wait >= .milliseconds(50), wait <= .seconds(10) else {
      throw ValidationError("--wait must be 50ms to 10s")
    }
    if port == 0 { throw ValidationError("--port must be 1 to 65535") }
    if port != nil, method == .icmp { throw ValidationError("--port has no meaning with --method icmp") }
  }

  func run() async throws {
    let table = try await networkTable()
    let choice = try TraceTarget(target, config)
    let reactor = try Reactor()
    let resolver = SystemResolver(reactor: reactor)
    let ip: IPPreference = onlyV4 ? .v4 : onlyV6 ? .v6 : .any
    let found = try await choice.find(resolver, ip: ip)
    let tracer = Tracer(names: numeric ? nil : resolver, networks: table)
    let terminal = Terminal()
    let isLive = terminal.isTerminal && Terminal.rewritesLines() && !report && format == .table
    let request = request(choice.host, found, isLive: isLive)
    let color = colors.isOn(for: terminal)
    let (trace, wasStopped) = await TraceShow(request: request, isLive: isLive, color: color).run(tracer)
    guard let trace else { throw ExitCode(ExitStatus.interrupted) }
    switch format {
    case .json: printOutput(trace.json + "\n")
    case .table:
      let width = terminal.isWidthKnown ? terminal.width : 160
      printOutput(RouteTraceText(trace, width: width, color: color).text)
    }
    let status = trace.end.exitStatus
    if status != 0 { throw ExitCode(wasStopped && !isLive ? ExitStatus.interrupted : status) }
  }

  func request(_ host: String, _ found: SocketAddress, isLive: Bool) -> TraceRequest {
    var request = TraceRequest(host: host, target: found)
    if let port { request.target.port = port }
    if method == .udp, port == nil { request.target.port = 0 }
    if method == .icmp { request.target.port = 0 }
    if method == .tcp, request.target.port == 0 { request.target.port = 443 }
    request.method = method
    (request.maxTTL, request.flows, request.wait) = (maxTTL, flows, wait)
    request.probes = count ?? (isLive ? 100 : 3)
    if isLive { request.pace = .seconds(1) }
    request.findsNames = !numeric
    // All rounds, a silent way at its slowest, then sizes and other methods.
    request.budget = max(.seconds(15), (request.pace + wait) * request.probes * 2 + wait * maxTTL)
    return request
  }

  private func networkTable() async throws -> NetworkTable {
    guard let networks else { return NetworkTable() }
    // Not on the tasks' threads: it may be long.
    return switch await onThread({ Self.read(networks) }) {
    case .success(let table): table
    case .failure(let problem):
      throw failure(
        "--networks: \(problem.words)",
        hint: "lines of 'prefix,AS number,name', such as 192.0.2.0/24,64500,Example",
        status: problem.status)
    }
  }

  private struct NoTable: Error {
    var words: String
    var status: Int32
  }

  private static func read(_ path: String) -> Result<NetworkTable, NoTable> {
    let bytes: [UInt8]
    do throws(UnreadableFile) { bytes = try readWhole(path, limit: NetworkTable.sizeLimit) } catch {
      return .failure(NoTable(words: error.words, status: ExitStatus.noInput))
    }
    do throws(NetworkTable.Problem) { return .success(try NetworkTable(bytes)) } catch {
      return .failure(
        NoTable(words: UnreadableFile(path, "\(error)").words, status: ExitStatus.badData))
    }
  }
}

extension TraceMethod: ExpressibleByArgument {}

extension TraceEnd {
  var exitStatus: Int32 {
    switch self {
    case .reached: ExitStatus.up
    case .refused, .silent, .loop: ExitStatus.down
    case .fault: ExitStatus.unknown
    }
  }
}
