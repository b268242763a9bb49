// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Logging
import Monitoring
import Status
import StatusServer

/// Status servers of a running agent: the page with its API, the unix socket for commands, and the public page.
struct ServersPart: AgentPart {
  private let own: LocalStatusServer?
  private let socket: LocalStatusServer?
  /// The public page, made when it starts: its logo is read then.
  private let publicPage: (@Sendable () async -> LocalStatusServer)?
  private let listeners: Listeners

  init(
    _ all: Settings, _ status: AgentStatus, _ heartbeats: HeartbeatKeeper, _ probes: ProbeDesk?,
    _ listeners: Listeners, _ log: Logger
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
    own?.mark = AgentMark.of(settings.socket)
    var socket = server(settings.socket)
    socket?.key = "status.socket"
    (self.own, self.socket, self.listeners) = (own, socket, listeners)
    if let given = settings.publicFace, let listen = given.listen {
      publicPage = {
        let face = await PublicFace(given, log)
        return LocalStatusServer(public: face, listen: listen.numeric, source: status, logger: log)
          .taking(heartbeats)
      }
    } else {
      publicPage = nil
    }
  }

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    var services: [AgentService] = []
    if let own {
      services.append { await listeners.keep(.init(name: "status page", key: own.key), own.run) }
    }
    if let publicPage {
      services.append {
        let server = await publicPage()
        await listeners.keep(.init(name: "public page", key: server.key), server.run)
      }
    }
    if let socket {
      services.append {
        await listeners.keep(.init(name: "socket for commands", key: socket.key, isNamed: false), socket.run)
      }
    }
    return services
  }
}

extension PublicFace {
  init(_ settings: PublicSettings, _ log: Logger) async {
    self.init(
      title: settings.title, groups: settings.groups.map { Group(tag: $0.tag, title: $0.title) },
      checks: settings.checks, hidesTargets: settings.hideTargets)
    (language, announce) = (settings.language, settings.announce)
    namesMaintenance = settings.maintenanceNames
    (color, darkColor) = (settings.color, settings.darkColor)
    links = settings.links.map { Link(title: $0.title, url: $0.url) }
    (imprint, footer) = (settings.imprint, settings.footer)
    if let path = settings.logo { logo = await Logo(path: path, log) }
    for page in settings.pages {
      var face = self
      (face.title, face.path, face.pages) = (page.title, "/" + page.name, [])
      face.groups = page.groups.map { Group(tag: $0.tag, title: $0.title) }
      face.checks = page.checks
      pages.append(face)
    }
  }
}

extension PublicFace.Logo {
  /// `nil` for a file that is no logo; the log says why.
  fileprivate init?(path: String, _ log: Logger) async {
    let read = await onThread { () -> Result<[UInt8], UnreadableFile> in
      do throws(UnreadableFile) {
        return .success(try readWhole(path, limit: Self.readLimit))
      } catch {
        return .failure(error)
      }
    }
    switch read {
    case .failure(let problem):
      log.warning("status.public.logo: \(problem.words): the page has no logo")
      return nil
    case .success(let bytes):
      guard let logo = Self(bytes) else {
        log.warning("status.public.logo: \(Self.objection(to: bytes, path) ?? path): the page has no logo")
        return nil
      }
      self = logo
    }
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
