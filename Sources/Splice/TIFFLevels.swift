extension TIFFFile {
    /// The numbers, from 0, of the pages that are pictures of their own: no masks, no smaller versions of the picture before
    /// them, no previews.
    package var pictures: [Int] {
        var found: [Int] = []
        for (number, page) in pages.enumerated() where !page.isMask {
            if let last = found.last, page.isReduced || page.isLevel(of: pages[last]) { continue }
            found.append(number)
        }
        return found
    }
}

extension TIFFFile.Directory {
    /// Whether it is a level of a pyramid that has its levels one behind the other.
    ///
    /// Not all programs that write pyramids call the levels reduced; those that don't write tiles. Scans of the same proportions
    /// follow each other in documents too, in strips.
    func isLevel(of large: Self) -> Bool {
        let isUnflagged =
            large.isTiled && width * 3 <= large.width * 2
            && (samples, bits, sampleFormat) == (large.samples, large.bits, large.sampleFormat)
        return !isMask && isVersion(of: large) && (isReduced || isUnflagged)
    }

    /// Whether it is a smaller version of another: less of the same proportions and colours.
    func isVersion(of large: Self) -> Bool {
        guard width > 0, height > 0, width < large.width || height < large.height, width <= large.width,
            height <= large.height, channels == large.channels
        else { return false }
        // The same factor both ways, but for a px of rounding.
        let factor = Double(large.height) / Double(height)
        let other = Double(large.width) / Double(width)
        return abs(Double(large.width) - factor * Double(width)) <= 2 * factor
            || abs(Double(large.height) - other * Double(height)) <= 2 * other
    }
}
