import LabelpipeDrawing
import LabelpipeKit
import Outline
import Vips

/// Every node's view on one picture, with a title above and facts below.
package struct ContactSheet {
    package struct Cell {
        package let title: String
        package let facts: [String]
        package let view: Image

        package init(title: String, facts: [String], view: Image) { (self.title, self.facts, self.view) = (title, facts, view) }
    }

    /// What a line is written like.
    package enum Style: Sendable, Hashable { case heading, title, fact }

    /// What a cell's view must fit in. px
    package static let room = (width: 304, height: 220)
    /// More would be a picture that nothing shows.
    package static let mostCells = 400

    private static let cell = (width: 328.0, lineHeight: 17.0, gap: 16.0, edge: 12.0)

    package let heading: String
    package let cells: [Cell]
    /// Writes a line that is not wider than so many px; its baseline is the layer's.
    package let write: (String, Style, Double) throws -> Layer

    package init(heading: String, cells: [Cell], write: @escaping (String, Style, Double) throws -> Layer) {
        (self.heading, self.cells, self.write) = (heading, cells, write)
    }

    private var columns: Int {
        // About as wide as a screen: three to two.
        let wanted = (Double(cells.count) * 1.1).squareRoot().rounded(.up)
        return max(1, min(Int(wanted), 8, cells.count))
    }

    /// **Errors**: what drawing throws.
    package func image() throws -> Image {
        let c = Self.cell
        let factLines = cells.map(\.facts.count).max() ?? 0
        // Each row as high as its tallest view asks for.
        let rows = stride(from: 0, to: cells.count, by: columns).map { first in
            cells[first..<min(first + columns, cells.count)].map { Double($0.view.height) }.max() ?? 0
        }
        let textHeight = 30 + 8 + Double(factLines) * c.lineHeight + c.edge
        var tops = [52.0]
        for row in rows { tops.append((tops.last ?? 0) + row + textHeight + c.gap) }
        let width = Double(columns) * (c.width + c.gap) + c.gap
        let box = Region(x: 0, y: 0, width: Int(width), height: Int(tops.last ?? 52))
        var marks: [Mark] = [.filled(box.rect, Color(red: 0.93, green: 0.94, blue: 0.95))]
        marks += try line(heading, .heading, x: c.gap, y: 33, width: width - 2 * c.gap)
        for (index, cell) in cells.enumerated() {
            let x = c.gap + Double(index % columns) * (c.width + c.gap)
            let (y, pictureHeight) = (tops[index / columns], rows[index / columns])
            let card = Rect(x: x, y: y, width: c.width, height: pictureHeight + textHeight)
            marks.append(.filled(card, .white, radius: 6))
            marks += try line(cell.title, .title, x: x + c.edge, y: y + 20, width: c.width - 2 * c.edge)
            let (spaceX, spaceY) = (c.width - Double(cell.view.width), pictureHeight - Double(cell.view.height))
            marks.append(.picture(cell.view, x: x + (spaceX / 2).rounded(), y: y + 30 + max(0, spaceY / 2).rounded()))
            for (number, fact) in cell.facts.enumerated() {
                let baseline = y + 30 + pictureHeight + 18 + Double(number) * c.lineHeight
                marks += try line(fact, .fact, x: x + c.edge, y: baseline, width: c.width - 2 * c.edge)
            }
        }
        return try Layer(marks: marks, kind: .colour, frame: box.rect).image(in: box).opaque()
    }

    /// One whose baseline begins at a place.
    private func line(_ text: String, _ style: Style, x: Double, y: Double, width: Double) throws -> [Mark] {
        let layer = try write(text, style, width)
        let pen = layer.text?.baseline ?? Point(x: layer.frame.minX, y: layer.frame.maxY)
        return layer.moved(by: Vector(dx: (x - layer.frame.minX).rounded(), dy: (y - pen.y).rounded())).marks
    }
}
