// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import Testing
@testable import Status

/// Whether what the pages show can be seen, and told apart, by every eye.
@Suite struct PaletteTests {
  enum Scheme: CaseIterable {
    case light, dark

    func value(_ color: Palette.Color) -> Color { Color(self == .light ? color.light : color.dark) }
  }

  private func colors(_ use: Palette.Use) -> [Palette.Color] { Palette.colors.filter { $0.use == use } }

  /// WCAG 2.2: 1.4.3 asks 4.5 to 1 of text, 1.4.11 asks 3 to 1 of what carries a meaning; every one on every ground.
  @Test(arguments: Scheme.allCases) func everythingIsSeen(_ scheme: Scheme) {
    for ground in colors(.ground) {
      for (use, least) in [(Palette.Use.text, 4.5), (.mark, 3)] {
        for color in colors(use) {
          let ratio = scheme.value(color).contrast(to: scheme.value(ground))
          #expect(ratio >= least, "\(color.name) on \(ground.name): \(ratio)")
        }
      }
    }
    for (words, ground) in zip(colors(.onAction), colors(.action)) {
      #expect(scheme.value(words).contrast(to: scheme.value(ground)) >= 4.5)
    }
    for ground in colors(.ground) where ["bg", "card"].contains(ground.name) {
      for color in colors(.segment) {
        let ratio = scheme.value(color).contrast(to: scheme.value(ground))
        #expect(ratio >= 3, "\(color.name) on \(ground.name): \(ratio)")
      }
    }
  }

  /// Segments of a run's bar differ by colour alone: by 12 at least (a just noticeable difference is 2), for eyes that see
  /// all colours and for those that lack one kind of cone. Those of states, which differ by shape too, by 6.
  @Test(arguments: Scheme.allCases, Vision.allCases) func legendsAreToldApart(_ scheme: Scheme, _ eye: Vision)
  {
    let states = Palette.colors.filter {
      ["up", "down", "degraded", "unknown", "maintenance"].contains($0.name)
    }
    #expect(states.count == 5 && colors(.segment).count == 6)
    for (group, least) in [(colors(.segment), 12.0), (states, 6)] {
      for (place, one) in group.enumerated() {
        for other in group[(place + 1)...] {
          let distance = scheme.value(one).distance(to: scheme.value(other), eye)
          #expect(distance >= least, "\(one.name) and \(other.name): \(distance)")
        }
      }
    }
  }

  /// The style uses no colour but those of the palette, and each for what it is for.
  @Test func theStyleKeepsToThePalette() throws {
    let style = Layout.style.html + Layout.startStyle.html + Layout.chartStyle.html
    let variables = Palette.style.html
    #expect(style.hasPrefix(variables))
    let rest = style.dropFirst(variables.count)
    #expect(rest.firstMatch(of: /[: ,]#[0-9a-f]{3,6}\b/) == nil, "a colour of its own")
    var used: Set<String> = []
    for match in rest.matches(of: /([a-z-]+):([^;{}]*var\(--([a-z0-9]+)\)[^;{}]*)/) {
      let (property, name) = (String(match.1), String(match.3))
      let use = try #require(Palette.colors.first { $0.name == name }?.use, "--\(name) is not in the palette")
      used.insert(name)
      switch property {
      case "background": #expect(use == .ground || use == .action, "\(match.0)")
      case "color": #expect([.text, .mark, .onAction].contains(use), "\(match.0)")
      case "fill": #expect(use == .mark || use == .segment || use == .text, "\(match.0)")
      // The ground round letters that stand over a line.
      case "stroke": #expect(use == .mark || use == .rule || use == .ground, "\(match.0)")
      default: #expect([.mark, .rule, .action].contains(use), "\(match.0)")
      }
    }
    #expect(used == Set(Palette.colors.map(\.name)))
    // What is coloured as a mark is a mark: a sign, not a word.
    for match in rest.matches(of: /([^{}]*)\{(?:[^{}]*;)?color:var\(--(up|down|degraded|unknown)\)/) {
      #expect(match.1.contains(" i") || match.1.contains(".mark"), "\(match.0)")
    }
  }

  /// Runs that stand side by side have shapes of their own; the ring is plain, for the counts beside it say the same.
  @Test func statesDifferInShape() throws {
    let points = CheckState.allCases.map { SparkPoint(state: $0, responseTime: .milliseconds(10)) }
    let bars = Drawing.spark(points).html.matches(of: /class="f-[a-z]+" d="M\d+ ([^"]*)"/)
      .map { String($0.1) }
    #expect(bars.count == 4 && Set(bars).count == 4, "\(bars)")
    let widths = Layout.startStyle.html.matches(of: /\.ring[^{}]*\{[^{}]*stroke-width:(\d+)/).map {
      String($0.1)
    }
    #expect(Set(widths).count == 1, "\(widths)")
  }
}

/// Eyes: all cones, or without those for long, middle or short waves.
enum Vision: CaseIterable {
  case trichromat, protanope, deuteranope, tritanope

  /// On linear RGB: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision
  /// Deficiency" (2009), severity 1.
  var matrix: [[Double]] {
    switch self {
    case .trichromat: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    case .protanope:
      [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    case .deuteranope:
      [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    case .tritanope:
      [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    }
  }
}

/// A colour as light: linear sRGB, 0 to 1.
struct Color {
  let linear: [Double]

  /// - Parameter hex: `#rrggbb`.
  init(_ hex: String) {
    let number = UInt32(hex.dropFirst(), radix: 16) ?? 0
    linear = [16, 8, 0].map { shift in
      let value = Double(number >> shift & 255) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
  }

  /// WCAG 2.2, "relative luminance".
  private var luminance: Double { 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] }

  func contrast(to other: Color) -> Double {
    let (dark, light) = (min(luminance, other.luminance), max(luminance, other.luminance))
    return (light + 0.05) / (dark + 0.05)
  }

  /// Hundredths of Oklab (Ottosson 2020), as the eye sees them.
  func distance(to other: Color, _ eye: Vision) -> Double {
    let pairs = zip(lab(eye), other.lab(eye))
    return 100 * pairs.reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
  }

  private func lab(_ eye: Vision) -> [Double] {
    let product = { (matrix: [[Double]], vector: [Double]) in
      matrix.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }
    let seen = product(eye.matrix, linear).map { min(max($0, 0), 1) }
    let cones = product(
      [
        [0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
      ], seen
    ).map { cbrt($0) }
    return product(
      [
        [0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
      ], cones)
  }
}
