// SPDX-License-Identifier: MIT

import Basics

/// Failures that libcurl tells apart in words alone (CURLOPT_ERRORBUFFER), where its code is the same for ends that
/// mean different things. This is the one place that reads them; `LibcurlWordsTests` holds the words of each version.
enum LibcurlWords: Hashable {
  case nothing
  /// nghttp2 cannot read what the server sends.
  case noFrames
  /// A chunk of the body is none (RFC 9112 section 7.1).
  case brokenChunk
  /// The stream ended with PROTOCOL_ERROR, code 1 (RFC 9113 section 7), the server's or nghttp2's.
  case streamProtocolError
  case other

  init(_ text: String) {
    if text.isEmpty {
      self = .nothing
    } else if text.contains("nghttp2") {
      self = .noFrames
    } else if text.contains("chunk") {
      self = .brokenChunk
    } else if text.contains("(err 1)") {
      self = .streamProtocolError
    } else {
      self = .other
    }
  }

  /// Whether libcurl is about to repeat a request for HTTP_1_1_REQUIRED (error 13 of RFC 9113 section 7). Of
  /// REFUSED_STREAM (7), the other cause of a second connection, it writes nothing.
  ///
  /// - Parameter text: of the time of the second dial. Behind the words on the stream 7.88 writes that nothing came.
  static func requiresHTTP1(_ text: String) -> Bool {
    text.contains("(err 13)") || text.contains("Empty reply")
  }
}
