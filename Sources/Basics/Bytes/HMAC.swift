// SPDX-License-Identifier: MIT

/// HMAC with SHA-256 (RFC 2104).
package func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
  let block = 64
  var padded = key.count > block ? sha256(key) : key
  padded += [UInt8](repeating: 0, count: block - padded.count)
  let inner = sha256(padded.map { $0 ^ 0x36 } + message)
  return sha256(padded.map { $0 ^ 0x5c } + inner)
}
