// SPDX-License-Identifier: MIT

import Glibc

/// Starts a detached thread that owns a reference to `argument`. For what blocks: the cooperative pool has two
/// threads on a small machine, and one blocked call there delays every probe.
func startThread(
  argument: AnyObject,
  body: @escaping @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  let owned = Unmanaged.passRetained(argument)
  var thread = pthread_t()
  if pthread_create(&thread, &attributes, body, owned.toOpaque()) != 0 { owned.release() }
}
