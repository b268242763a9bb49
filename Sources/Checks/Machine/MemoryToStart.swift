// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Glibc

extension MachineFacts {
  /// The bytes that the system does not give this process, of which it needs as many to start with; nil: it does. By the
  /// limits on data and address space and by the system's own rules.
  ///
  /// They are the stacks of the threads of its own and of the pool, which has one for each processor, and what the parts
  /// allocate first. The allocator reserves 64 MiB of addresses for each of its two arenas beside that.
  package static func memoryShortage() -> Int? {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    var stack = 0
    pthread_attr_getstacksize(&attributes, &stack)
    // Its own: engine, reactor, decoder, two judges, timer, store, log, status server, and the watch over them.
    let data = (sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 10) * stack + (16 << 20)
    if !couldMap(data, PROT_READ | PROT_WRITE) { return data }
    let space = data + (128 << 20)
    return couldMap(space, PROT_NONE) ? nil : space
  }

  private static func couldMap(_ bytes: Int, _ protection: Int32) -> Bool {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let place = mmap(nil, bytes, protection, flags, -1, 0), place != MAP_FAILED else { return false }
    munmap(place, bytes)
    return true
  }
}
