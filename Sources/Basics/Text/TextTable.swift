// SPDX-License-Identifier: MIT

/// A table for people: every line fits the terminal, every row is one line, and a cell that has no room is cut with an
/// ellipsis. Where the columns cannot all be there, the ones of least worth leave.
package struct TextTable: Sendable {
  package struct Column: Sendable {
    fileprivate var title: String
    fileprivate var least: Int
    fileprivate var most: Int
    fileprivate var isFixed: Bool
    fileprivate var isRight: Bool
    fileprivate var share: Int
    fileprivate var worth: Int?
    /// No two different cells look alike, as far as there is room for it.
    fileprivate var keepsApart = false

    /// As wide as it says, whatever is in it.
    ///
    /// - Parameter worth: the lowest leaves first; `nil` when it stays.
    package static func fixed(_ title: String, _ width: Int, right: Bool = false, worth: Int? = nil) -> Column
    {
      Column(
        title: title, least: width, most: width, isFixed: true, isRight: right, share: 1, worth: worth)
    }

    /// As wide as its widest cell or its title, if there is room.
    ///
    /// - Parameters:
    ///   - least: below that, other columns leave before it shrinks further.
    ///   - share: how much it keeps against the others when all shrink.
    package static func flexible(
      _ title: String, least: Int, most: Int = .max, right: Bool = false, share: Int = 1, worth: Int? = nil
    ) -> Column {
      Column(
        title: title, least: least, most: most, isFixed: false, isRight: right, share: max(1, share),
        worth: worth)
    }

    /// A column of names: as wide as it can be, and no two different ones look alike where they are cut.
    package static func names(
      _ title: String, least: Int, most: Int = .max, share: Int = 1, worth: Int? = nil
    ) -> Column {
      var column = Column.flexible(title, least: least, most: most, share: share, worth: worth)
      column.keepsApart = true
      return column
    }
  }

  /// Content of one cell: pieces of text, each with a colour or none. No character in it controls the terminal.
  package struct Cell: Sendable, ExpressibleByStringLiteral {
    fileprivate var runs: [(text: String, color: String?)] = []
    package private(set) var columns = 0

    package init() {}

    /// - Parameter color: of an SGR escape, such as `31`.
    package init(_ text: String, color: String? = nil) { append(text, color: color) }

    package init(stringLiteral text: String) { append(text, color: nil) }

    package mutating func append(_ text: String, color: String?) {
      let text = text.printable(maxBytes: 4096)
      guard !text.isEmpty else { return }
      columns += text.columns
      if let last = runs.last, last.color == color {
        runs[runs.count - 1].text += text
      } else {
        runs.append((text, color))
      }
    }

    fileprivate func cut(to limit: Int) -> Cell {
      guard columns > limit else { return self }
      var cell = Cell()
      for run in runs {
        // One column more than there is room for makes sure that the last piece ends with the ellipsis.
        let room = limit - cell.columns
        let isLast = cell.columns + run.text.columns >= limit
        let text = isLast ? (run.text + " ").cut(columns: room) : run.text
        cell.runs.append((text, run.color))
        cell.columns += text.columns
        if isLast { break }
      }
      return cell
    }

    fileprivate func text(color: Bool) -> String {
      runs.map { run in
        guard color, let code = run.color else { return run.text }
        return "\u{1b}[\(code)m\(run.text)\u{1b}[0m"
      }.joined()
    }
  }

  package var columns: [Column]
  /// A row may have fewer cells than there are columns.
  package var rows: [[Cell]]
  /// Columns of the terminal.
  package var width: Int
  package var color: Bool

  private static let gap = 2

  package init(columns: [Column], rows: [[Cell]], width: Int, color: Bool = false) {
    (self.columns, self.rows, self.width, self.color) = (columns, rows, width, color)
  }

  /// The titles, then the rows; without blanks at the end.
  package var lines: [String] {
    let places = layout()
    var rows = rows
    for place in places where columns[place.index].keepsApart { keepApart(&rows, place) }
    return ([columns.map { Cell($0.title) }] + rows).map { line($0, places) }
  }

  private func keepApart(_ rows: inout [[Cell]], _ place: Place) {
    let indices = rows.indices.filter { place.index < rows[$0].count }
    let cells = indices.map { rows[$0][place.index] }
    let texts = distinctCuts(cells.map { $0.runs.map(\.text).joined() }, columns: place.width)
    for (index, (cell, text)) in zip(indices, zip(cells, texts)) where cell.columns > place.width {
      rows[index][place.index] = Cell(text, color: cell.runs.first?.color)
    }
  }

  /// The lines, each with its end.
  package var text: String { lines.map { $0 + "\n" }.joined() }

  private struct Place {
    var index: Int
    var width: Int
    var least: Int
  }

  private func layout() -> [Place] {
    var places = columns.enumerated().map { index, column in
      let widest = rows.reduce(column.title.columns) { widest, row in
        max(widest, index < row.count ? row[index].columns : 0)
      }
      let wanted = column.isFixed ? column.most : min(column.most, widest)
      return Place(index: index, width: wanted, least: min(column.least, wanted))
    }
    func needed(_ width: KeyPath<Place, Int>) -> Int {
      places.reduce(-Self.gap) { $0 + $1[keyPath: width] + Self.gap }
    }
    while needed(\.least) > width,
      let least = places.indices.filter({ columns[places[$0].index].worth != nil }).min(by: {
        (columns[places[$0].index].worth ?? 0) < (columns[places[$1].index].worth ?? 0)
      })
    {
      places.remove(at: least)
    }
    // First down to what they want at least, then, on a very narrow terminal, below that.
    for keepsLeast in [true, false] {
      while needed(\.width) > width,
        let widest = places.indices.filter({ places[$0].width > (keepsLeast ? places[$0].least : 1) })
          .max(by: { weight(places[$0]) < weight(places[$1]) })
      {
        places[widest].width -= 1
      }
    }
    return places
  }

  private func weight(_ place: Place) -> Double { Double(place.width) / Double(columns[place.index].share) }

  private func line(_ cells: [Cell], _ places: [Place]) -> String {
    var text = ""
    var blanks = 0
    for place in places {
      let cell = (place.index < cells.count ? cells[place.index] : Cell()).cut(to: place.width)
      let rest = place.width - cell.columns
      let isRight = columns[place.index].isRight
      if cell.columns > 0 {
        text += String(repeating: " ", count: blanks + (isRight ? rest : 0)) + cell.text(color: color)
        blanks = isRight ? 0 : rest
      } else {
        blanks += place.width
      }
      blanks += Self.gap
    }
    return text
  }
}
