// SPDX-License-Identifier: MIT

import Agent
import Basics
import Checks
import Glibc
import Monitoring

/// First of all, and in words that need no stack: with less of it nothing else runs, `doctor` included.
func requireStack() {
  guard !StackLimit.settle() else { return }
  let isPlugin = isPluginWanted()
  let words: StaticString =
    isPlugin
    ? "UNKNOWN - the stack limit of this process is below the 1 MiB that it needs\n"
    : """
    quartz-agent: error: the stack limit of this process is below the 1 MiB that it needs
    quartz-agent: hint: raise the hard limit with ulimit -s 8192 (KiB) or LimitSTACK=8M in the unit

    """
  words.withUTF8Buffer { _ = write(isPlugin ? STDOUT_FILENO : STDERR_FILENO, $0.baseAddress, $0.count) }
  _exit(isPlugin ? ExitStatus.unknown : ExitStatus.internalError)
}

/// Whether `--format nagios` is among the arguments. Read from where the runtime has them, which needs more stack for it.
private func isPluginWanted() -> Bool {
  let descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    guard count > 0 else { return false }
    let words = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    return holds(words, "\0--format=nagios\0") || holds(words, "\0--format\0nagios\0")
  }
}

private func holds(_ bytes: UnsafeRawBufferPointer, _ words: StaticString) -> Bool {
  let length = words.utf8CodeUnitCount
  guard let start = bytes.baseAddress, bytes.count >= length else { return false }
  return (0...(bytes.count - length)).contains { memcmp(start + $0, words.utf8Start, length) == 0 }
}

/// Conditions that must hold before anything else runs.
func prepareProcess() {
  takeClosedDescriptors()
  forbidDumps()
  settleAllocator()
  // A write to a connection the other side closed is an error to handle, not a death: libcurl and OpenSSL write too.
  signal(SIGPIPE, SIG_IGN)
  unblockSignals()
  for name in poisonedVariables { unsetenv(name) }
  raiseDescriptorLimit()
}

/// Output to a standard descriptor that was closed fails, and goes into no file or socket that got its number.
private func takeClosedDescriptors() {
  for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
    _ = open("/dev/null", O_RDONLY)
  }
}

/// A parent hands its signal mask on, and some supervisors block what they mean to send.
private func unblockSignals() {
  var signals = sigset_t()
  sigemptyset(&signals)
  for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
  pthread_sigmask(SIG_UNBLOCK, &signals, nil)
}

/// Variables by which an environment changes what probes do or where secrets go: key logs, aliases of hosts, proxies.
/// `RES_OPTIONS` and `LOCALDOMAIN` are not among them: they belong to resolv.conf(5), which the agent's resolver obeys.
private let poisonedVariables = [
  "SSLKEYLOGFILE", "HOSTALIASES", "NETRC", "CURL_HOME", "CURL_CA_BUNDLE",
  "http_proxy", "https_proxy", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
]

/// Each probe in flight holds one or two descriptors, and the soft limit of 1,024 is for programs that use select(2).
private func raiseDescriptorLimit() {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// Without these the Swift runtime traps, waits for ever or takes the command line for empty, without a word.
func requireResources() throws {
  let least = DescriptorShares.least
  if descriptorLimit() < least {
    throw failure(
      "the descriptor limit is \(descriptorLimit()), at least \(least) are needed",
      hint: "raise it with ulimit -n or LimitNOFILE", status: ExitStatus.internalError)
  }
  if let needed = MachineFacts.memoryShortage() {
    throw failure(
      "the system gives this process less than the \(needed >> 20) MiB that it and its threads need to run",
      hint: "raise the limits on data and address space (ulimit -d, ulimit -v, LimitDATA, LimitAS)",
      status: ExitStatus.internalError)
  }
}

/// The arguments are read from there by the runtime.
func requireCommandLine() throws {
  guard access("/proc/self/cmdline", R_OK) != 0 else { return }
  throw failure(
    "/proc is not mounted, and the arguments of this command are read from it",
    hint: "mount -t proc proc /proc, or start it where /proc is", status: ExitStatus.internalError)
}
