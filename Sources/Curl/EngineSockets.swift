// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc

/// libcurl's sockets and its timer on an event loop: what CURLMOPT_SOCKETFUNCTION and CURLMOPT_TIMERFUNCTION ask for.
///
/// A look-out ends with its socket, which is closed in most cases in the same breath; only one that lives on is taken out of
/// the kernel's set. Belongs to the loop's thread, and outlives the multi handle: libcurl closes sockets until the end.
final class EngineSockets {
  private struct Place {
    /// Of those that had this descriptor; zero: nothing is watched.
    var use: UInt32 = 0
    var owner: UInt64 = TransferTable.none
    var events: UInt32 = 0
  }

  let spin = SpinGuard()
  private let loop: LoopThread
  private weak var guest: (any LoopGuest)?
  private let transfers: TransferTable
  /// The transfer that each descriptor belongs to; `TransferTable.none` for no transfer.
  private var holders: [UInt64] = []
  private var places: [Place] = []
  private var uses: UInt32 = 0
  /// No longer looked at by libcurl, and not closed yet.
  private var left: [Int32] = []
  private(set) var watched = 0
  /// When libcurl wants to be called whatever comes.
  var timer: Instant?

  private static let useBits: UInt64 = 24

  init(on loop: LoopThread, of transfers: TransferTable = TransferTable()) {
    (self.loop, self.transfers) = (loop, transfers)
  }

  /// From here on the guest gets what is reported.
  func serve(_ guest: any LoopGuest) { self.guest = guest }

  /// The descriptor and the transfer that an event is about; `nil` when it is about one that was closed meanwhile.
  func place(of key: UInt64) -> (descriptor: Int32, owner: UInt64)? {
    let index = Int(key >> Self.useBits)
    guard index < places.count, places[index].use != 0,
      UInt64(places[index].use) == key & (1 << Self.useBits - 1)
    else { return nil }
    return (Int32(index), places[index].owner)
  }

  /// - Parameter what: CURL_POLL_….
  func look(_ what: Int32, on descriptor: Int32, for owner: UInt64) {
    let index = Int(descriptor)
    while places.count <= index { places.append(Place()) }
    if what == CURL_POLL_REMOVE {
      if places[index].use != 0 {
        places[index].events = 0
        left.append(descriptor)
      }
      return
    }
    var events: UInt32 = 0
    if what & CURL_POLL_IN != 0 { events |= LoopThread.readable }
    if what & CURL_POLL_OUT != 0 { events |= LoopThread.writable }
    let isNew = places[index].use == 0
    if isNew {
      uses = uses >= 1 << UInt32(Self.useBits) - 1 ? 1 : uses + 1
      places[index] = Place(use: uses, owner: owner)
      watched += 1
    } else if places[index].events == events, places[index].owner == owner {
      return
    }
    places[index].owner = owner
    places[index].events = events
    guard let guest else { return }
    let key = UInt64(index) << Self.useBits | UInt64(places[index].use)
    _ = loop.watch(descriptor, for: guest, key: key, events, isNew: isNew)
  }

  /// The connection of a transfer, until libcurl closes it.
  func hold(_ descriptor: Int32, for owner: UInt64) {
    while holders.count <= Int(descriptor) { holders.append(TransferTable.none) }
    holders[Int(descriptor)] = owner
    spin.watch(descriptor, for: owner)
  }

  /// Before the descriptor's number can be another's.
  func closing(_ descriptor: Int32) {
    if descriptor >= 0, Int(descriptor) < holders.count {
      transfers[holders[Int(descriptor)]]?.noteConnectionEnd(closing: true)
      holders[Int(descriptor)] = TransferTable.none
    }
    spin.forget(descriptor)
    clear(descriptor)
  }

  /// Drops the descriptors that libcurl released without closing: they have other owners now.
  func settle() {
    guard !left.isEmpty else { return }
    for descriptor in left where places[Int(descriptor)].use != 0 && places[Int(descriptor)].events == 0 {
      loop.forget(descriptor)
      clear(descriptor)
    }
    left.removeAll(keepingCapacity: true)
  }

  private func clear(_ descriptor: Int32) {
    let index = Int(descriptor)
    guard index >= 0, index < places.count, places[index].use != 0 else { return }
    places[index] = Place()
    watched -= 1
  }
}

/// CURLMOPT_SOCKETFUNCTION.
func lookOut(
  _ easy: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t, _ what: Int32,
  _ context: UnsafeMutableRawPointer?,
  _ own: UnsafeMutableRawPointer?
) -> Int32 {
  guard let easy, let context else { return 0 }
  var transfer: UnsafeMutableRawPointer?
  var owner = TransferTable.none
  if quartz_curl_info_private(easy, &transfer) == CURLE_OK, let transfer {
    owner = Unmanaged<Transfer>.fromOpaque(transfer).takeUnretainedValue().number
  }
  Unmanaged<EngineSockets>.fromOpaque(context).takeUnretainedValue().look(what, on: descriptor, for: owner)
  return 0
}

/// CURLMOPT_TIMERFUNCTION: in milliseconds; negative: no more.
func setTimer(
  _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  let sockets = Unmanaged<EngineSockets>.fromOpaque(context).takeUnretainedValue()
  sockets.timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
  return 0
}
