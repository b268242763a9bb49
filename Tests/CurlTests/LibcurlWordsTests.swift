// SPDX-License-Identifier: MIT

import CCurl
import Testing

@testable import Curl

/// libcurl's words for ends that its code does not tell apart, as the formats of each version make them.
@Suite struct LibcurlWordsTests {
  /// 7.88 is Debian 12's, 8.5 Ubuntu 24.04's; the words of chunks and streams are the same in both.
  @Test(arguments: [
    ("", LibcurlWords.nothing),
    (
      "h2_process_pending_input: nghttp2_session_mem_recv() returned -902:The user callback failed", .noFrames
    ),
    ("process_pending_input: nghttp2_session_mem_recv() returned -505:Protocol error", .noFrames),
    ("nghttp2_session_send() failed: Out of memory(-901)", .noFrames),
    ("Illegal or missing hexadecimal sequence in chunked-encoding", .brokenChunk),
    ("Malformed encoding found in chunked-encoding", .brokenChunk),
    ("Failed reading the chunked-encoded stream", .brokenChunk),
    ("HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)", .streamProtocolError),
    ("HTTP/2 stream 1 was not closed cleanly: ENHANCE_YOUR_CALM (err 11)", .other),
    ("HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", .other),
    ("HTTP/2 stream 1 was reset", .other),
    ("OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0", .other),
  ])
  func wordsOfEachVersion(text: String, words: LibcurlWords) {
    #expect(LibcurlWords(text) == words)
  }

  /// What is in the buffer when libcurl dials a second time: nothing for REFUSED_STREAM.
  @Test(arguments: [
    ("", false), ("Empty reply from server", true),
    ("HTTP/2 stream 1 was not closed cleanly: HTTP_1_1_REQUIRED (err 13)", true),
    ("HTTP/2 stream 1 was not closed cleanly: REFUSED_STREAM (err 7)", false),
    ("HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)", false),
  ])
  func aRequirementOfHTTP1(text: String, isOne: Bool) { #expect(LibcurlWords.requiresHTTP1(text) == isOne) }

  /// One code, and what the words make of it.
  @Test(arguments: [
    (CURLE_OK, LibcurlWords.nothing, TransferFailureKind?.none), (CURLE_OK, .noFrames, .httpProtocol),
    (CURLE_RECV_ERROR, .noFrames, .httpProtocol), (CURLE_RECV_ERROR, .brokenChunk, .httpProtocol),
    (CURLE_HTTP2_STREAM, .streamProtocolError, .httpProtocol), (CURLE_HTTP2_STREAM, .nothing, .closed),
    (CURLE_HTTP2_STREAM, .other, .reset),
  ])
  func wordsDecideWhereTheCodeDoesNot(code: CURLcode, words: LibcurlWords, kind: TransferFailureKind?) {
    let outcome = TransferEnd(code: code, phase: .transfer, words: words).outcome
    let found: TransferFailureKind? = if case .failed(let failure) = outcome { failure.kind } else { nil }
    #expect(found == kind)
  }
}
