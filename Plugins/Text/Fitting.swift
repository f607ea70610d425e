import LabelpipeKit
import Outline

extension Composer {
    /// The block at the size that is asked for, or at the largest that fits.
    ///
    /// **Errors**: `text-does-not-fit`, when at the smallest size not even an ellipsis does.
    func block() throws -> TextBlock {
        guard settings.fitWidth != nil || settings.fitHeight != nil else {
            return block(size: settings.size, width: settings.wrapWidth, maxLines: settings.maxLines)
        }
        let largest = settings.maximumSize ?? settings.size
        let smallest = min(settings.minimumSize, largest)
        if let block = fitting(size: largest) { return block }
        // Steps of 1/64 px between both: whether a text fits is monotone, for a larger one never needs fewer lines.
        var low = Int((smallest * 64).rounded(.up))
        var high = Int((largest * 64).rounded(.down))
        guard var best = fitting(size: smallest) else { return try shortened(size: smallest) }
        while low <= high {
            let middle = (low + high) / 2
            if let block = fitting(size: Double(middle) / 64) {
                best = block
                low = middle + 1
            } else {
                high = middle - 1
            }
        }
        return best
    }

    /// The whole text at a size, if frame and ink lie in the box.
    private func fitting(size: Double) -> TextBlock? {
        let (lines, isWhole) = lines(size: size)
        guard isWhole, lines.count <= settings.maxLines ?? .max else { return nil }
        let block = stack(lines, size: size)
        return fits(block.frame) && fits(block.extent()) ? block : nil
    }

    private func fits(_ box: Rect) -> Bool {
        box.width <= (settings.fitWidth ?? .infinity) + LineBreaker.tolerance
            && box.height <= (settings.fitHeight ?? .infinity) + LineBreaker.tolerance
    }

    /// At the smallest size, what the overflow rule leaves.
    private func shortened(size: Double) throws -> TextBlock {
        let room = min(settings.fitWidth ?? .infinity, settings.wrapWidth ?? .infinity)
        var maxLines = min(settings.maxLines ?? .max, lines(size: size).lines.count)
        while true {
            // Ink that leaves the advances takes from the room for them.
            var width = room
            var block = self.block(size: size, width: width.isFinite ? width : nil, maxLines: maxLines)
            for _ in 0..<4 {
                let excess = block.extent().width - room
                guard settings.overflow.isEllipsis, excess > LineBreaker.tolerance, width > excess else { break }
                width -= excess
                block = self.block(size: size, width: width, maxLines: maxLines)
            }
            let isCut = !settings.overflow.isEllipsis
            let isNarrow = isCut || block.extent().width <= room + LineBreaker.tolerance
            let isLow = block.extent().height <= (settings.fitHeight ?? .infinity) + LineBreaker.tolerance
            if isNarrow && isLow { return block }
            if maxLines == 1 {
                if settings.overflow == .clip {
                    block.seenHeight = settings.fitHeight
                    block.frame.height = min(block.frame.height, settings.fitHeight ?? .infinity)
                    return block
                }
                throw doesNotFit(block, size: size)
            }
            maxLines -= 1
        }
    }

    private func doesNotFit(_ block: TextBlock, size: Double) -> DrawingError {
        func px(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
        let box = [settings.fitWidth.map { "fitWidth \(px($0))" }, settings.fitHeight.map { "fitHeight \(px($0))" }].compactMap {
            $0
        }
        return DrawingError(
            "text-does-not-fit", .picture,
            "the text does not fit: at its smallest size (\(px(size))px) even shortened it takes "
                + "\(px(block.extent().width))×\(px(block.extent().height))px, and there is \(box.joined(separator: ", "))",
            help: "enlarge the box or lower \"minimumSize\"")
    }
}
