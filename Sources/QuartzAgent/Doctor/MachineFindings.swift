// SPDX-License-Identifier: MIT

import Agent
import Basics
import Checks
import Curl
import Glibc
import Monitoring
import Network

// What can be seen without sending anything.

/// How many probes the descriptor limit lets run at once.
func descriptorFinding(wanted: Int?, checks: Int) -> Notice {
  let (limit, possible) = (descriptorLimit(), inFlightLimit(wanted))
  let text = "limit \(limit), so \(possible) probes at once"
  // With fewer, the agent's own connections and files take those of the probes.
  guard limit < 256 || possible < min(wanted ?? 100, max(checks, 1)) else {
    return .fine("descriptors", text)
  }
  return .warning("descriptors", text, hint: "raise LimitNOFILE in the unit, or ulimit -n")
}

/// Stack of the first thread; a process with less than it needs has ended before (`requireStack`).
func stackFinding() -> Notice {
  let limit = StackLimit.current.map { "limit \($0 >> 10) KiB" } ?? "no limit"
  return .fine("stack", "\(limit), and \(StackLimit.thread >> 10) KiB for each further thread")
}

func authoritiesFinding() -> Notice {
  do {
    let trust = TrustStore()
    try trust.check()
    return .fine("authorities", "the system's trusted certificates are readable")
  } catch {
    return .critical(
      "authorities", "\(error)",
      hint: "install ca-certificates; without it every https probe is a local fault")
  }
}

func pingFinding(_ isNeeded: Bool) -> Notice {
  let way = pingWay()
  guard case .closed(let problem) = way else { return .fine("ping", way.words) }
  let hint = "sysctl -w net.ipv4.ping_group_range=\"0 2147483647\", or method: tcp"
  return isNeeded ? .critical("ping", problem, hint: hint) : .warning("ping", problem, hint: hint)
}

/// Whether the kernel says that the clock is synchronised (adjtimex(2)).
func clockFinding() -> Notice {
  guard let clock = MachineFacts.clock() else {
    return .warning("clock", "the kernel does not tell whether it is synchronised")
  }
  if clock.isSynchronised {
    return .fine("clock", "synchronised, error at most \(Int(clock.maximumError.milliseconds)) ms")
  }
  return .warning(
    "clock", "the kernel says that this machine's clock is not synchronised",
    hint: "run chrony or systemd-timesyncd on the host; a container has the clock of its host")
}

/// Routes of both IP versions. A missing route is a warning only when a check can be probed by that version alone.
func familyFindings(_ checks: [MonitoringCheck]) -> [Notice] {
  let families = [("IPv4", "192.0.2.1"), ("IPv6", "2001:db8::1")].compactMap { name, text in
    IPAddress(text).map { (name: name, address: $0, isOpen: SocketAddress($0, port: 9).hasRoute) }
  }
  return families.map { name, address, isOpen in
    if isOpen { return .fine(.part(name), "there is a route out") }
    let isNeeded = checks.contains { $0.enabled && $0.insists(on: address.version) }
    return families.contains(where: \.isOpen) && !isNeeded
      ? .fine(.part(name), "there is no route out, and no check insists on one")
      : .warning(
        .part(name), "there is no route out",
        hint:
          "checks of \(name) targets end as local faults; ip: \(address.version == 6 ? "4" : "6") keeps to the other family"
      )
  }
}

extension MonitoringCheck {
  /// Whether it can only be probed by addresses of that version of IP.
  func insists(on version: Int) -> Bool {
    switch ip {
    case .v4: return version == 4
    case .v6: return version == 6
    case .any: break
    }
    let host: String? =
      switch kind {
      case .http(let http): http.url.host
      case .tcp(let tcp): tcp.host
      case .tls(let tls): tls.host
      case .dns(let dns): dns.server?.host
      case .ping(let ping): ping.host
      case .heartbeat: nil
      }
    return host.flatMap { IPAddress(plainHost($0))?.version }.map { Int($0) == version } ?? false
  }
}

/// The directory everything durable lives in.
///
/// - Parameter isReserved: whether the spool's space is set aside at the start.
func stateFolderFindings(_ path: String, spool: Int, isReserved: Bool) -> [Notice] {
  var facts = stat()
  guard stat(path, &facts) == 0 else {
    if errno == EACCES {
      return [
        .critical(
          "state_dir", "\(path) cannot be looked into by this user: \(String(cString: strerror(EACCES)))",
          hint: "see the owner and mode of the folders above it with ls -ld")
      ]
    }
    let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard access(parent, W_OK | X_OK) == 0 else {
      return [
        .critical(
          "state_dir", "\(path) does not exist and cannot be made here: \(String(cString: strerror(errno)))",
          hint: "make it, owned by the agent's user, or name another in agent.state_dir")
      ]
    }
    return [.fine("state_dir", "\(path) will be made at the first start")]
      + spaceFindings(parent, spool, isReserved)
  }
  guard facts.st_mode & S_IFMT == S_IFDIR else {
    return [.critical("state_dir", "\(path) is no directory", hint: "name another in agent.state_dir")]
  }
  guard access(path, R_OK | W_OK | X_OK) == 0 else {
    return [
      .critical(
        "state_dir", "\(path) cannot be written by this user: \(String(cString: strerror(errno)))",
        hint: "results would be kept in memory only; chown it to the agent's user")
    ]
  }
  guard facts.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
    return [.critical("state_dir", "\(path) may be written by others", hint: "chmod go-w \(path)")]
  }
  return [.fine("state_dir", "\(path) is there and writable")] + spaceFindings(path, spool, isReserved)
}

/// Foreign files in place of the agent's own: they are refused at the start.
func strangeFileFindings(_ path: String) -> [Notice] {
  [path, path + "/spool", path + "/windows"].flatMap { folder in
    fileNames(in: folder).prefix(4096).compactMap { name -> String? in
      let place = folder + "/" + name
      var facts = stat()
      guard lstat(place, &facts) == 0, facts.st_mode & S_IFMT != S_IFDIR else { return nil }
      if facts.st_mode & S_IFMT == S_IFLNK { return "\(place) is a symbolic link: move it away" }
      // The socket of the status server.
      guard facts.st_mode & S_IFMT == S_IFREG else { return nil }
      let descriptor = open(place, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      return OwnFile.objection(to: descriptor).map { "\(place) \($0)" }
    }
  }.prefix(8).map {
    .critical(
      "state_dir", $0.printable(maxBytes: 512), hint: "the agent reads and writes only files of its own")
  }
}

/// Space for the spool, and file systems on which its promise does not hold.
private func spaceFindings(_ path: String, _ spool: Int, _ isReserved: Bool) -> [Notice] {
  guard let facts = MachineFacts.fileSystem(of: path) else { return [] }
  var findings: [Notice] = []
  if let (name, why) = weakFileSystems[facts.kind] {
    findings.append(
      .warning("file system", "\(path) is on \(name), \(why)", hint: "use ext4 or xfs on a local disk"))
  }
  let free = facts.free
  let held = segmentBytes(below: path)
  let text = "\(free >> 20) MiB free for a spool of \(spool >> 20) MiB"
  findings.append(
    free + held >= spool
      ? .fine("space", text)
      : isReserved
        ? .critical("space", text, hint: "free some, or lower spool.size: space is set aside at start")
        : .warning("space", text, hint: "free some, or lower spool.size: the spool grows to that"))
  return findings
}

/// Space that an existing spool holds already.
private func segmentBytes(below path: String) -> Int {
  var total = 0
  for name in fileNames(in: "\(path)/spool") {
    var facts = stat()
    if stat("\(path)/spool/\(name)", &facts) == 0, facts.st_mode & S_IFMT == S_IFREG {
      total += Int(facts.st_blocks) * 512
    }
  }
  return total
}

/// By statfs(2)'s magic numbers.
let weakFileSystems: [UInt32: (name: String, why: String)] = [
  0x6969: ("nfs", "where the file server handles locks and syncs"),
  0xff53_4d42: ("cifs", "where the file server handles locks and syncs"),
  0xfe53_4d42: ("smb", "where the file server handles locks and syncs"),
  0x9123_683e: ("btrfs", "which copies on write: space that was set aside may be gone when it is needed"),
  0x2fc1_2fc1: ("zfs", "which copies on write: space that was set aside may be gone when it is needed"),
  0x0102_1994: ("tmpfs", "which a reboot empties"),
  0x794c_7630: ("overlayfs", "which ends with its container: mount a volume there"),
]
