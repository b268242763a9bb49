// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

@testable import QuartzAgent

/// What `doctor` says of this machine and of a group's clocks, and how it says it.
@Suite struct MachineFindingsTests {
  /// Which of two clocks is ahead, from two seconds on, in whole seconds.
  @Test(
    arguments: [
      (0, nil), (2000, nil), (-2000, nil), (2001, "2 s ahead of"), (-2001, "2 s behind"),
      (3499, "3 s ahead of"), (3500, "4 s ahead of"), (-3500, "4 s behind"), (-90_400, "90 s behind"),
      (7_200_000, "7200 s ahead of"),
    ] as [(Int64, String?)])
  func theClockOfAStore(milliseconds: Int64, words: String?) {
    let found = GroupFindings.clock("etcd-1", .milliseconds(milliseconds))
    guard let words else {
      #expect(found == .fine("group", "etcd-1: its clock is within 2 s of this one"))
      return
    }
    #expect(found.severity == .warning && found.place == "group")
    #expect(found.what == "etcd-1: its clock is \(words) this machine's")
    #expect(found.hint?.hasSuffix("chronyc tracking on both") == true)
  }

  /// The verdict in a word and a sign, in columns; the hint on a line of its own.
  @Test func linesOfFindings() {
    let fine = Notice.fine("resolver", "192.0.2.53 answered")
    let warning = Notice.warning("clock", "not set", hint: "run chrony")
    let critical = Notice.critical("ping", "closed")
    #expect(fine.line(placeWidth: 12, color: false) == "✓ ok       resolver      192.0.2.53 answered\n")
    #expect(
      warning.line(placeWidth: 12, color: false)
        == "! warning  clock         not set\n             hint: run chrony\n")
    #expect(critical.line(placeWidth: 4, color: false) == "✕ trouble  ping  closed\n")
    #expect(fine.line(placeWidth: 8, color: true).hasPrefix("\u{1b}[32m✓ ok     \u{1b}[0m  resolver  "))
    #expect(warning.line(placeWidth: 5, color: true).hasPrefix("\u{1b}[33m! warning\u{1b}[0m  clock  "))
    #expect(critical.line(placeWidth: 4, color: true).hasPrefix("\u{1b}[31m✕ trouble\u{1b}[0m  ping  "))
    // The exit code is that of the worst.
    #expect([fine, warning, critical].map(\.severity.rawValue) == [0, 1, 2])
  }

  /// On a terminal what has no room goes on beneath its beginning.
  @Test func aLongFindingIsFolded() {
    let long = Notice.warning(
      "clock", "the kernel says that this machine's clock is not set",
      hint: "run chrony or systemd-timesyncd on the host of this one")
    #expect(
      long.line(placeWidth: 5, width: 60, color: false) == """
        ! warning  clock  the kernel says that this machine's clock
                          is not set
                     hint: run chrony or systemd-timesyncd on the
                           host of this one

        """)
    #expect(long.line(placeWidth: 5, color: false).split(separator: "\n").count == 2)
  }

  @Test func findingsAsDocuments() {
    func json(_ notice: Notice) -> String {
      var writer = JSONWriter()
      notice.write(to: &writer)
      return writer.text
    }
    #expect(json(.fine("a", "b")) == #"{"area":"a","verdict":"ok","text":"b"}"#)
    #expect(
      json(.warning("a", "b", hint: "c")) == #"{"area":"a","verdict":"warning","text":"b","hint":"c"}"#)
    #expect(json(.critical("a", "b")) == #"{"area":"a","verdict":"trouble","text":"b"}"#)
  }

  private func check(_ type: String, _ change: (inout CheckDefinition) -> Void) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type) = ("Shop", type)
    change(&definition)
    return try MonitoringCheck(definition)
  }

  /// A missing route matters where a check can be probed by that version of IP alone: `ip` says so, or an address.
  @Test func checksThatInsist() throws {
    let rows: [(MonitoringCheck, v4: Bool, v6: Bool)] = [
      (try check("tcp") { ($0.host, $0.port) = ("shop.example", 80) }, false, false),
      (try check("tcp") { ($0.host, $0.port, $0.ip) = ("shop.example", 80, "4") }, true, false),
      (try check("tcp") { ($0.host, $0.port, $0.ip) = ("shop.example", 80, "6") }, false, true),
      (try check("tcp") { ($0.host, $0.port) = ("192.0.2.1", 80) }, true, false),
      (try check("tcp") { ($0.host, $0.port) = ("2001:db8::1", 80) }, false, true),
      (try check("http") { $0.url = "https://192.0.2.1/" }, true, false),
      (try check("http") { $0.url = "https://[2001:db8::1]/" }, false, true),
      (try check("tls") { ($0.host, $0.port) = ("2001:db8::1", 443) }, false, true),
      (try check("dns") { ($0.server, $0.queryName) = ("192.0.2.53", "a.example") }, true, false),
      (try check("dns") { $0.queryName = "a.example" }, false, false),
      (try check("ping") { $0.host = "2001:db8::1" }, false, true),
      (
        try check("heartbeat") {
          ($0.token, $0.period) = (Redacted("0123456789abcdef0123456789abcdef"), .seconds(3600))
        }, false, false
      ),
    ]
    for (check, v4, v6) in rows {
      #expect(check.insists(on: 4) == v4 && check.insists(on: 6) == v6, "\(check.target)")
    }
  }

  /// The magic numbers of statfs(2).
  @Test func fileSystemsThatPromiseLess() {
    let known: [(UInt32, String)] = [
      (0x6969, "nfs"), (0xff53_4d42, "cifs"), (0xfe53_4d42, "smb"), (0x9123_683e, "btrfs"),
      (0x2fc1_2fc1, "zfs"), (0x0102_1994, "tmpfs"), (0x794c_7630, "overlayfs"),
    ]
    for (magic, name) in known { #expect(weakFileSystems[magic]?.name == name) }
    #expect(weakFileSystems.count == known.count)
    #expect(weakFileSystems[0x0102_1994]?.why == "which a reboot empties")
  }

  /// The state directory: there or to be made, a folder, and writable for its owner alone.
  @Test func theStateDirectory() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/state"
      func first() -> Notice? { stateFolderFindings(path, spool: 1 << 20, isReserved: true).first }
      #expect(first() == .fine("state_dir", "\(path) will be made at the first start"))
      try Data().write(to: URL(filePath: path))
      #expect(
        stateFolderFindings(path, spool: 1 << 20, isReserved: true) == [
          .critical("state_dir", "\(path) is no directory", hint: "name another in agent.state_dir")
        ])
      #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
      let others = Notice.critical(
        "state_dir", "\(path) may be written by others", hint: "chmod go-w \(path)")
      for (mode, isSafe) in [(0o700, true), (0o755, true), (0o720, false), (0o702, false)] {
        #expect(chmod(path, mode_t(mode)) == 0)
        #expect(first() == (isSafe ? .fine("state_dir", "\(path) is there and writable") : others))
      }
    }
  }

  /// Too little room for the spool is trouble where its space is set aside at the start, and else a warning.
  @Test(arguments: [(20, true, 0), (20, false, 0), (60, true, 2), (60, false, 1)])
  func theSpaceForTheSpool(bits: Int, isReserved: Bool, severity: Int) async throws {
    try await withTemporaryDirectory { folder in
      #expect(chmod(folder.path, 0o700) == 0)
      let all = stateFolderFindings(folder.path, spool: 1 << bits, isReserved: isReserved)
      let found = try #require(all.last)
      #expect(found.place == "space" && found.severity.rawValue == severity)
      #expect(found.what.hasSuffix(" MiB free for a spool of \(1 << (bits - 20)) MiB"), "\(found.what)")
      let hints = [
        nil, "free some, or lower spool.size: the spool grows to that",
        "free some, or lower spool.size: space is set aside at start",
      ]
      #expect(found.hint == hints[severity])
    }
  }

  /// The space that a spool holds already is no space that it lacks: what is free and what it holds are enough together.
  @Test func theSpaceThatASpoolHolds() async throws {
    try await withTemporaryDirectory { folder in
      #expect(chmod(folder.path, 0o700) == 0)
      let spool = folder.path + "/spool"
      #expect(mkdir(spool, 0o700) == 0)
      let file = open(spool + "/segment", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
      defer { close(file) }
      try #require(file >= 0 && posix_fallocate(file, 0, 64 << 20) == 0)
      func found(_ size: Int) throws -> Notice {
        try #require(stateFolderFindings(folder.path, spool: size, isReserved: true).last)
      }
      let free = try #require(Int(try found(1 << 20).what.prefix { $0 != " " }))
      // Half of what is held beyond what is free, and half of it too much.
      #expect(try found((free + 32) << 20).severity.rawValue == 0)
      #expect(try found((free + 96) << 20).severity.rawValue == 2)
      // Files beside it are not the spool's.
      #expect(rename(spool + "/segment", folder.path + "/segment") == 0)
      #expect(try found((free + 32) << 20).severity.rawValue == 2)
    }
  }

  /// Links in the place of the agent's own files, in each of its folders; eight are named.
  @Test func strangeFiles() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path
      for name in ["spool", "windows", "other"] { #expect(mkdir("\(path)/\(name)", 0o700) == 0) }
      for name in ["a", "spool/b", "windows/c"] { try Data().write(to: URL(filePath: "\(path)/\(name)")) }
      #expect(strangeFileFindings(path).isEmpty)
      #expect(symlink("/etc/passwd", "\(path)/other/x") == 0)
      #expect(strangeFileFindings(path).isEmpty, "no folder of the agent's")
      #expect(symlink("b", "\(path)/spool/x") == 0 && link("\(path)/windows/c", "\(path)/windows/d") == 0)
      let found = strangeFileFindings(path)
      #expect(
        Set(found.map(\.what)) == [
          "\(path)/spool/x is a symbolic link: move it away",
          "\(path)/windows/c has 2 names (hard links): move it away",
          "\(path)/windows/d has 2 names (hard links): move it away",
        ])
      #expect(found.allSatisfy { $0.isCritical && $0.place == "state_dir" })
      for number in 0..<9 { #expect(symlink("a", "\(path)/link\(number)") == 0) }
      #expect(strangeFileFindings(path).count == 8)
    }
  }
}
