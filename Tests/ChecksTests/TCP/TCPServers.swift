// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import NetworkTestSupport
import TestSupport

/// Debian's sshd on a free port, with a host key made for it.
func withSSHServer<Value>(_ body: (UInt16) async throws -> Value) async throws -> Value {
  try await withTemporaryDirectory { folder in
    let key = folder.appending(path: "host_key").path
    try runTool("/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key], in: folder)
    let port = try freePort()
    try FileManager.default.createDirectory(
      at: URL(filePath: "/run/sshd"), withIntermediateDirectories: true)
    let server = try RealServer(
      "/usr/sbin/sshd",
      [
        "-D", "-e", "-f", "/dev/null", "-h", key, "-p", String(port), "-o", "ListenAddress=127.0.0.1", "-o",
        "PidFile=none", "-o", "UsePAM=no",
      ], debianPackage: "openssh-server", log: folder.appending(path: "sshd.log"))
    defer { server.stop() }
    try await server.waitUntilListening(port: port)
    return try await body(port)
  }
}

/// A listening port that lets nobody in any more: its queue of one is full, and the kernel drops every SYN.
func withFullListener<Value>(_ body: (UInt16) async throws -> Value) async throws -> Value {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  guard listener >= 0 else { throw POSIXFailure("socket", errno) }
  defer { close(listener) }
  let port = try bindLoopback(listener)
  guard listen(listener, 0) == 0 else { throw POSIXFailure("listen", errno) }
  var fillers: [Int32] = []
  defer { for filler in fillers { close(filler) } }
  for _ in 0..<4 {
    let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var address = loopbackAddress(0x7f00_0001, port)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = connect(filler, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    fillers.append(filler)
  }
  return try await body(port)
}
