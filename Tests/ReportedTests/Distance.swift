/// The distance of each pixel to the nearest one of a set, exact. Felzenszwalb and Huttenlocher: lower envelopes of parabolas.
struct Distance {
    let width, height: Int
    private let squares: [Float]

    /// - Parameter isInside: the set, row by row.
    init(_ isInside: [Bool], width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        let far: Float = 1e12
        var plane = isInside.map { $0 ? 0 : far }
        var line = [Float](repeating: 0, count: max(width, height))
        for x in 0..<width {
            for y in 0..<height { line[y] = plane[y * width + x] }
            let result = Distance.transformed(line, height)
            for y in 0..<height { plane[y * width + x] = result[y] }
        }
        for y in 0..<height {
            let result = Distance.transformed(Array(plane[y * width..<(y + 1) * width]), width)
            plane.replaceSubrange(y * width..<(y + 1) * width, with: result)
        }
        squares = plane
    }

    subscript(x: Int, y: Int) -> Double { Double(squares[y * width + x]).squareRoot() }
    subscript(index: Int) -> Double { Double(squares[index]).squareRoot() }

    private static func transformed(_ f: [Float], _ count: Int) -> [Float] {
        var places = [0]
        /// Where the parabola of the same index begins to be the lowest.
        var borders = [-Double.infinity]
        func crossing(_ q: Int, _ p: Int) -> Double {
            ((Double(f[q]) + Double(q * q)) - (Double(f[p]) + Double(p * p))) / Double(2 * (q - p))
        }
        for q in 1..<count {
            var border = crossing(q, places[places.count - 1])
            while border <= borders[borders.count - 1] {
                places.removeLast()
                borders.removeLast()
                border = crossing(q, places[places.count - 1])
            }
            places.append(q)
            borders.append(border)
        }
        var result = [Float](repeating: 0, count: count)
        var k = 0
        for q in 0..<count {
            while k + 1 < places.count, borders[k + 1] < Double(q) { k += 1 }
            let d = Float(q - places[k])
            result[q] = d * d + f[places[k]]
        }
        return result
    }
}

/// What a stroke must cover, from the plain fill and the distance to it alone: no renderer is needed to know it.
struct StrokeOracle {
    let width, height: Int
    /// Alpha of the fill alone, 0…255.
    let fill: [Float]
    private let isFilled: [Bool]
    /// From what is mostly filled, and from what is touched at all.
    private let outwards, fromTouched: Distance

    init(fill sheet: Sheet) {
        (width, height, fill) = (sheet.width, sheet.height, sheet.alpha)
        isFilled = fill.map { $0 > 127 }
        outwards = Distance(isFilled, width: width, height: height)
        fromTouched = Distance(fill.map { $0 > 0 }, width: width, height: height)
    }

    /// What is wrong with an outside stroke with round joins; nil if nothing is.
    ///
    /// - Parameter alpha: of fill and stroke together, both opaque, 0…255.
    func objection(toOutside alpha: [Float], width w: Double) -> String? {
        for i in alpha.indices {
            let d = outwards[i]
            if d <= w - 1, alpha[i] < 250 { return "\(place(i)): alpha \(alpha[i]) at \(d) px from the fill" }
            // A hairline that fills no pixel by half has a stroke too, and so has what lies outside the picture.
            if fromTouched[i] >= w + 1.5, room(i) >= w + 1.5, alpha[i] > 0 {
                return "\(place(i)): alpha \(alpha[i]) at \(d) px from the fill"
            }
        }
        return nil
    }

    /// What is wrong with an inside stroke.
    ///
    /// - Parameters:
    ///   - stroke: how much of it each pixel shows, 0…255.
    ///   - alpha: of fill and stroke together.
    func objection(toInside stroke: [Float], alpha: [Float], width w: Double) -> String? {
        let inwards = Distance(isFilled.map { !$0 }, width: width, height: height)
        let fromAnyGap = Distance(fill.map { $0 < 255 }, width: width, height: height)
        for i in stroke.indices {
            if abs(alpha[i] - fill[i]) > 1 { return "\(place(i)): the silhouette is \(alpha[i]) and was \(fill[i])" }
            if stroke[i] > fill[i] + 1 { return "\(place(i)): \(stroke[i]) of stroke on \(fill[i]) of fill" }
            if fromAnyGap[i] >= w + 1.5, room(i) >= w + 1.5, stroke[i] > 1 {
                return "\(place(i)): stroke \(stroke[i]) at \(inwards[i]) px from the edge"
            }
            if fill[i] > 254, inwards[i] <= w - 1, stroke[i] < 250 {
                return "\(place(i)): stroke \(stroke[i]) at \(inwards[i]) px from the edge"
            }
        }
        return nil
    }

    /// What is wrong with a centred stroke.
    func objection(toCentred stroke: [Float], alpha: [Float], width w: Double) -> String? {
        if let wrong = objection(toOutside: alpha, width: w / 2) { return wrong }
        let inwards = Distance(fill.map { $0 < 255 }, width: width, height: height)
        for i in stroke.indices where isFilled[i] {
            if inwards[i] >= w / 2 + 1.5, room(i) >= w / 2 + 1.5, stroke[i] > 1 {
                return "\(place(i)): stroke \(stroke[i]) at \(inwards[i]) px inside"
            }
        }
        return nil
    }

    /// To the picture's nearest edge. **Units**: px.
    private func room(_ index: Int) -> Double {
        let (x, y) = (index % width, index / width)
        return Double(min(x, width - 1 - x, y, height - 1 - y))
    }

    private func place(_ index: Int) -> String { "(\(index % width), \(index / width))" }
}
