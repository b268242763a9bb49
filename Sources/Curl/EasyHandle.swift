// SPDX-License-Identifier: MIT

import Basics
import CCurl

/// libcurl's handle, and what it still knows from the transfer before. Setting all its options again costs as much as
/// making it.
struct EasyHandle {
  let easy: UnsafeMutableRawPointer
  /// It has the options that are the same for every transfer already, and those of a plain one.
  var isPrepared = false
  /// The fields that its list of request headers was made of.
  private(set) var headers: [HeaderField] = []
  private var list: UnsafeMutablePointer<curl_slist>?

  /// Whether the linked libcurl lets a handle serve a second transfer.
  static let canServeAgain = mayServeAgain(version: quartz_curl_version())

  /// libcurl before 8.1.1 keeps a pointer to the last header line of the transfer before, through `curl_easy_reset`
  /// too, and an answer that begins with a folded line has it written there: memory that was freed (curl issue 11101).
  ///
  /// - Parameter version: as `LIBCURL_VERSION_NUM`, 8 bits for each of its three numbers.
  static func mayServeAgain(version: UInt32) -> Bool { version >= 0x08_01_01 }

  /// - Parameter easy: as new; the caller's to clean up.
  init(_ easy: UnsafeMutableRawPointer) { self.easy = easy }

  /// Whether it sends exactly these already, byte for byte: texts that look the same are the same to `==`.
  func has(_ headers: [HeaderField]) -> Bool {
    list != nil && self.headers.count == headers.count
      && zip(self.headers, headers).allSatisfy { own, other in
        own.name.utf8.elementsEqual(other.name.utf8) && own.value == other.value
      }
  }

  /// Puts the lines, made of these headers, in the place of those it has. `nil` when memory is out.
  mutating func set(_ lines: [String], of headers: [HeaderField]) -> CURLcode? {
    var new: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = curl_slist_append(new, line) else {
        curl_slist_free_all(new)
        return nil
      }
      new = longer
    }
    let code = quartz_curl_set_list(easy, CURLOPT_HTTPHEADER, new)
    curl_slist_free_all(list)
    (list, self.headers) = (new, headers)
    return code
  }

  /// Forgets every option.
  mutating func reset() {
    curl_easy_reset(easy)
    curl_slist_free_all(list)
    (list, headers, isPrepared) = (nil, [], false)
  }

  /// The end of it.
  func cleanUp() {
    curl_easy_cleanup(easy)
    curl_slist_free_all(list)
  }
}
