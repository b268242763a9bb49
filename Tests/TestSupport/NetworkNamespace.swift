// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// A thread for what blocks, or for what belongs to one thread only, such as a network namespace.
package final class TestThread: Sendable {
  private let body: @Sendable () -> Void

  package init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  package func start() { Thread { [body] in body() }.start() }
}

/// Network namespaces need root, or user namespaces with it.
package enum NetworkNamespace {
  package static let isAvailable: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/unshare")
    process.arguments = ["-n", "/sbin/ip", "link", "set", "lo", "up"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  package static func run<Value: Sendable>(
    _ lines: [String], _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      TestThread {
        let result = Result {
          guard unshareNetwork() else { throw POSIXFailure("unshare", errno) }
          for line in lines { try shell(line) }
          return try body()
        }
        joinHome()
        continuation.resume(with: result)
      }.start()
    }
  }

  /// Runs in the namespace of the calling thread: a child process inherits it from the thread that forks.
  package static func shell(_ line: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-ec", line]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw SetUpFailed(line: line) }
  }
}

/// Puts the calling thread into a namespace (setns(2)), by a descriptor of it.
@discardableResult
package func joinNamespace(_ place: Int32) -> Bool {
  typealias SetNamespace = @convention(c) (Int32, Int32) -> Int32
  guard let symbol = dlsym(nil, "setns") else { return false }
  return unsafeBitCast(symbol, to: SetNamespace.self)(place, 0x4000_0000) == 0
}

/// The namespace of the process's first thread, which no test moves.
private let homeNetwork = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)

/// Puts the calling thread back into the namespace of the process.
@discardableResult
package func joinHome() -> Bool { joinNamespace(homeNetwork) }

package struct SetUpFailed: Error {
  package let line: String

  package init(line: String) { self.line = line }
}

private func unshareNetwork() -> Bool {
  // CLONE_NEWNET; `unshare` itself is hidden behind _GNU_SOURCE.
  typealias Unshare = @convention(c) (Int32) -> Int32
  guard let symbol = dlsym(nil, "unshare") else { return false }
  return unsafeBitCast(symbol, to: Unshare.self)(0x4000_0000) == 0
}

/// tun(4): packets without a header of their own, without blocking.
package func openTunnel(_ name: String) throws -> Int32 {
  let device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC)
  guard device >= 0 else { throw POSIXFailure("open /dev/net/tun", errno) }
  // struct ifreq: the name in 16 bytes, then the flags IFF_TUN and IFF_NO_PI.
  var request = Array(name.utf8) + [UInt8](repeating: 0, count: 40 - name.utf8.count)
  request[16] = 0x01
  request[17] = 0x10
  let tunSetInterface: UInt = 0x4004_54ca
  let result = request.withUnsafeMutableBytes { bytes in
    bytes.baseAddress.map { ioctl(device, tunSetInterface, $0) } ?? -1
  }
  guard result == 0 else {
    throw POSIXFailure("TUNSETIFF", errno)
  }
  return device
}
