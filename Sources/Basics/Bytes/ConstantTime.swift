// SPDX-License-Identifier: MIT

/// Takes as long for a wrong first byte as for a wrong last one, so that timing gives away no byte of a token.
package func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  var difference = left.count ^ right.count
  for index in left.indices {
    difference |= Int(left[index] ^ (right.isEmpty ? 0 : right[index % right.count]))
  }
  return difference == 0 && !right.isEmpty
}
