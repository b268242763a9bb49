// SPDX-License-Identifier: MIT

import Basics

/// The colours of all pages, each with what it is for. They are the hues of the Quartz apps; on light ground those of the
/// states are as dark as it takes to be seen there (WCAG 2.2, 1.4.3 and 1.4.11), and as different from one another as it takes
/// for eyes that do not tell red from green.
struct Palette {
  enum Use {
    /// The background.
    case ground
    /// Words: 4.5 to 1 against every ground.
    case text
    /// Marks, lines, bars and the edges of what can be pressed: 3 to 1 against every ground.
    case mark
    /// Segments of a run's bar: 3 to 1 against the two grounds it stands on.
    case segment
    /// Behind the words of the first of several buttons.
    case action
    /// Those words: 4.5 to 1 against it.
    case onAction
    /// Lines that only part what spaces part already.
    case rule
  }

  struct Color {
    /// As the style calls it.
    let name: String
    let use: Use
    /// `#rrggbb`.
    let light: String
    let dark: String
  }

  static let colors = [
    Color(name: "bg", use: .ground, light: "#f6f7fb", dark: "#0f1118"),
    Color(name: "card", use: .ground, light: "#fdfdff", dark: "#181b26"),
    Color(name: "bad", use: .ground, light: "#fdeaea", dark: "#3a1d22"),
    Color(name: "warn", use: .ground, light: "#fdf3e0", dark: "#36290f"),
    Color(name: "text", use: .text, light: "#1c2033", dark: "#e6e8f0"),
    Color(name: "dim", use: .text, light: "#585e73", dark: "#a3a9bb"),
    Color(name: "link", use: .text, light: "#4f46e5", dark: "#a5b4fc"),
    Color(name: "up", use: .mark, light: "#0f9960", dark: "#4ade80"),
    Color(name: "down", use: .mark, light: "#b91c1c", dark: "#f87171"),
    Color(name: "degraded", use: .mark, light: "#c96a05", dark: "#fbbf24"),
    Color(name: "unknown", use: .mark, light: "#6b7280", dark: "#9ca3af"),
    Color(name: "maintenance", use: .mark, light: "#8b5cf6", dark: "#8f6cf5"),
    Color(name: "brand", use: .mark, light: "#6366f1", dark: "#818cf8"),
    Color(name: "second", use: .mark, light: "#8b5cf6", dark: "#a78bfa"),
    Color(name: "warning", use: .mark, light: "#c2410c", dark: "#fb923c"),
    Color(name: "info", use: .mark, light: "#2563eb", dark: "#60a5fa"),
    Color(name: "action", use: .action, light: "#4f46e5", dark: "#4f46e5"),
    Color(name: "onaction", use: .onAction, light: "#f5f6ff", dark: "#f5f6ff"),
    Color(name: "edge", use: .mark, light: "#7d8397", dark: "#767c92"),
    Color(name: "dns", use: .segment, light: "#8088d0", dark: "#5268c4"),
    Color(name: "connect", use: .segment, light: "#2f2aa8", dark: "#9aa7ff"),
    Color(name: "starttls", use: .segment, light: "#7c3006", dark: "#a06208"),
    Color(name: "tls", use: .segment, light: "#d4700f", dark: "#e8946a"),
    Color(name: "first", use: .segment, light: "#0f766e", dark: "#74f0ee"),
    Color(name: "rest", use: .segment, light: "#1c2033", dark: "#ffe766"),
    Color(name: "line", use: .rule, light: "#dfe2ec", dark: "#2b3040"),
  ]

  /// The variables of both schemes.
  static let style: Markup = {
    let dark: [Markup] = colors.map { "--\($0.name):\($0.dark);" }
    return "\(light)@media(prefers-color-scheme:dark){:root{\(Markup(dark))}}\n"
  }()

  /// The variables of the light scheme.
  static let light: Markup = {
    let light: [Markup] = colors.map { "--\($0.name):\($0.light);" }
    return ":root{\(Markup(light))}\n"
  }()
}
