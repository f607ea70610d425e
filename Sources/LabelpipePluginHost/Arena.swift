import CLabelpipePlugin

/// Memory of one call across the border: all of it lives until the call's result has been read.
final class Arena {
    private var blocks: [UnsafeMutableRawPointer] = []
    private var left: UInt64 = 8 << 30

    deinit { for block in blocks { block.deallocate() } }

    /// Zeroed; nil where a plugin wants more than there can be.
    func bytes(_ count: UInt64) -> UnsafeMutableRawPointer? {
        guard count <= left, let size = Int(exactly: max(count, 1)) else { return nil }
        left -= count
        let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        block.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        blocks.append(block)
        return block
    }

    func copy<Element>(_ elements: [Element]) -> UnsafeMutablePointer<Element> {
        let block = UnsafeMutablePointer<Element>.allocate(capacity: max(elements.count, 1))
        block.initialize(from: elements, count: elements.count)
        blocks.append(UnsafeMutableRawPointer(block))
        return block
    }

    func text(_ text: String) -> UnsafePointer<CChar> { UnsafePointer(copy(Array(text.utf8CString))) }
}
