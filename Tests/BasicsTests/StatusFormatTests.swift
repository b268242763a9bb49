// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Figures for people, on either side of where they change their form.
@Suite struct StatusFormatTests {
  @Test(
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1280, "1.3 KiB"), (1536, "1.5 KiB"),
      (102_359, "100 KiB"),
      (102_400, "100 KiB"), (153_088, "150 KiB"), (1 << 20, "1 MiB"), ((1 << 20) - 1, "1024 KiB"),
      (1 << 30, "1 GiB"), (1 << 40, "1 TiB"), (1 << 50, "1024 TiB"),
    ] as [(Int64, String)])
  func bytes(value: Int64, text: String) { #expect(StatusFormat.bytes(value) == text) }

  /// An age is in hours until it is two days, of seconds.
  @Test(
    arguments: [
      (-1, "0s"), (0, "0s"), (1, "1s"), (59, "59s"), (60, "1m"), (3599, "59m"), (3600, "1h"),
      (86_399, "23h"), (86_400, "24h"), (172_799, "47h"), (172_800, "2d"), (259_199, "2d"),
    ] as [(Int64, String)])
  func length(seconds: Int64, text: String) { #expect(StatusFormat.length(seconds * 1_000_000) == text) }

  @Test(
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (-1000, "-1,000"), (-999, "-999"), (123_456, "123,456"),
      (1_234_567, "1,234,567"), (Int.min, "-9,223,372,036,854,775,808"),
    ])
  func grouped(value: Int, text: String) { #expect(StatusFormat.grouped(value) == text) }

  @Test(
    arguments: [
      (0, "0"), (0.512, "0.512"), (0.05, "0.05"), (0.9994, "0.999"), (0.9995, "1"), (5.414, "5.41"),
      (5.4, "5.4"),
      (9.994, "9.99"), (9.995, "10"), (54.14, "54.1"), (99.94, "99.9"), (99.95, "100"), (541.4, "541"),
    ] as [(Double, String)])
  func significant(value: Double, text: String) { #expect(StatusFormat.significant(value) == text) }

  /// A figure is rounded to the nearest, or down where it must not look better than it is.
  @Test func rounding() {
    #expect([1.25, 1.24, 0.96].map { StatusFormat.decimal($0, places: 1) } == ["1.3", "1.2", "1"])
    #expect(
      [1.25, 1.29, 0.96].map { StatusFormat.decimal($0, places: 1, up: false) } == ["1.2", "1.2", "0.9"])
    #expect(
      StatusFormat.decimal(2.5, places: 0) == "3" && StatusFormat.decimal(2.5, places: 0, up: false) == "2")
    #expect(StatusFormat.decimal(3.04, places: 2) == "3.04" && StatusFormat.decimal(3.5, places: 3) == "3.5")
  }
}
