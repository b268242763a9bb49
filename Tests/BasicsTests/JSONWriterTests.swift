// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct JSONWriterTests {
  private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    body(&json)
    return json.text
  }

  @Test func putsCommasWhereTheyBelong() {
    let text = written { json in
      json.object { json in
        json.field("a", 1)
        json.key("list")
        json.array { json in
          json.integer(1)
          json.array { _ in }
          json.object { _ in }
          json.object { $0.field("x", true) }
          json.null()
        }
        json.key("empty")
        json.object { _ in }
        json.key(dynamic: "we \"quote\"")
        json.raw("[1,2]")
        json.field("last", "z")
      }
    }
    #expect(
      text
        == #"{"a":1,"list":[1,[],{},{"x":true},null],"empty":{},"we \"quote\"":[1,2],"last":"z"}"#)
  }

  @Test func leavesOutWhatIsAbsent() {
    let text = written { json in
      json.object { json in
        json.fieldIfPresent("a", nil as String?)
        json.fieldIfPresent("b", nil as Int?)
        json.fieldIfPresent("c", nil as Double?)
        json.fieldIfPresent("d", nil as Duration?)
        json.fieldIfPresent("e", nil as Timestamp?)
        json.fieldIfPresent("f", "x")
        json.fieldIfPresent("g", 0)
        json.fieldIfPresent("h", 0.5)
        json.fieldIfPresent("i", Duration.microseconds(1234))
        json.fieldIfPresent("j", Timestamp.epoch)
      }
    }
    #expect(text == #"{"f":"x","g":0,"h":0.5,"i":1.234,"j":"1970-01-01T00:00:00.000Z"}"#)
  }

  @Test(
    arguments: [
      (0, "0"), (-0.0, "0"), (1, "1"), (-1.5, "-1.5"), (0.1, "0.1"), (1e14, "100000000000000"),
      (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"), (.infinity, "null"), (-.infinity, "null"),
      (.nan, "null"),
      (1.7976931348623157e308, "1.7976931348623157e+308"), (1e15, "1000000000000000.0"),
    ] as [(Double, String)])
  func writesNumbers(value: Double, text: String) throws {
    #expect(written { $0.number(value) } == text)
    if value.isFinite { #expect(try JSONValue.parse(Array(text.utf8)).double == value) }
  }

  @Test func writesTheWholeRangeOfIntegers() {
    #expect(written { $0.integer(Int64.min) } == "-9223372036854775808")
    #expect(written { $0.integer(UInt64.max) } == "18446744073709551615")
  }

  @Test(arguments: [
    ("", #""""#), ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t", #""\n\r\t""#),
    ("\0\u{1}\u{1f}", #""\u0000\u0001\u001f""#),
    ("\u{7f}", #""\u007f""#), ("Größe 🙂", #""Größe 🙂""#), ("</script>", #""</script>""#),
    ("\u{2028}", "\"\u{2028}\""),
  ])
  func escapes(text: String, json: String) {
    #expect(written { $0.string(text) } == json)
  }

  @Test func everyScalarReadsBack() throws {
    var text = ""
    for value in UInt32(0)...0x10ffff where value % 7 == 0 || value < 0x3000 {
      if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
    }
    let back = try JSONValue.parse(Array(written { $0.string(text) }.utf8))
    #expect(back.string?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
  }
}
