// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Logging
import Monitoring
import StatusServer

/// Status servers of a running agent: the page with its API, the unix socket for commands, and the public page.
struct ServersPart: AgentPart {
  private let own: LocalStatusServer?
  private let socket: LocalStatusServer?
  private let publicPage: LocalStatusServer?
  private let log: Logger

  init(
    _ all: Settings, _ status: AgentStatus, _ heartbeats: HeartbeatKeeper, _ probes: ProbeDesk?, _ log: Logger
  ) {
    let settings = all.status
    let access = StatusAccess(settings, memberToken: all.group?.token)
    func server(_ listen: ListenAddress?) -> LocalStatusServer? {
      listen.map {
        LocalStatusServer(listen: $0.numeric, source: status, access: access, logger: log).taking(heartbeats)
      }
    }
    var own = server(settings.listen)
    if let probe = all.probe, let desk = probes {
      own?.probes = ProbeDoor(desk: desk, token: probe.token, allowed: probe.allow.map(\.range))
    }
    (self.own, socket, self.log) = (own, server(settings.socket), log)
    publicPage = settings.publicFace.flatMap { face in
      face.listen.map {
        LocalStatusServer(public: PublicFace(face), listen: $0.numeric, source: status, logger: log).taking(
          heartbeats)
      }
    }
  }

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    var services: [AgentService] = []
    if let own { services.append { await serve(own, as: "status page") } }
    if let publicPage { services.append { await serve(publicPage, as: "public page") } }
    if let socket { services.append { await serve(socket, as: "socket for commands", isNamed: false) } }
    return services
  }

  private func serve(_ server: LocalStatusServer, as what: String, isNamed: Bool = true) async {
    do {
      try await server.run { address in if isNamed { log.notice("\(what): \(address.pageURL)") } }
    } catch {
      log.error("the \(what) is not available, probing goes on: \(error)")
    }
  }
}

extension PublicFace {
  init(_ settings: PublicSettings) {
    self.init(
      title: settings.title, groups: settings.groups, checks: settings.checks,
      hidesTargets: settings.hideTargets)
  }
}

extension StatusAccess {
  init(_ settings: StatusSettings, memberToken: Redacted? = nil) {
    self.init(
      runNowToken: settings.runNowToken, readToken: settings.readToken,
      allowUnauthenticated: settings.allowUnauthenticated, hosts: settings.hosts, memberToken: memberToken)
  }
}

extension ListenAddress {
  /// Where to reach from this machine what listens here.
  package var reachable: ListenAddress {
    switch numeric {
    case .tcp("0.0.0.0", let port): .tcp(host: "127.0.0.1", port: port)
    case .tcp("::", let port): .tcp(host: "::1", port: port)
    case let other: other
    }
  }

  /// URL or command that shows the page.
  var pageURL: String {
    switch reachable {
    case .tcp(let host, let port): "http://\(Endpoint(host: host, port: port))/"
    case .unix(let path): "curl --unix-socket \(shellWord(path)) http://localhost/, or: quartz-agent status"
    }
  }
}
