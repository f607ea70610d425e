import CLabelpipePlugin
import Glibc

/// What a plugin file says about itself before any of its code runs: an ELF note.
struct PluginNote: Equatable {
    let id: String
    let abi: UInt32

    enum Failure: Error, Equatable {
        case unreadable(String)
        /// No shared object for this machine.
        case foreign(String)
        case noNote
    }

    /// Reads headers and notes of a file, nothing else.
    init(file: String) throws(Failure) {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .foreign("it is no regular file") }
        let reader = Reader(descriptor: descriptor)
        let header = try reader.bytes(at: 0, count: 64)
        guard header.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else { throw .foreign("it is no shared object") }
        let machine: UInt16
        #if arch(x86_64)
            machine = 62
        #elseif arch(arm64)
            machine = 183
        #else
            machine = header.integer(at: 18, as: UInt16.self)
        #endif
        // 64 bit, little endian, a shared object, of this machine.
        guard header[4] == 2, header[5] == 1, header.integer(at: 18, as: UInt16.self) == machine else {
            throw .foreign("it is for another machine")
        }
        guard header.integer(at: 16, as: UInt16.self) == 3 else { throw .foreign("it is no shared object") }
        let table = Int(clamping: header.integer(at: 32, as: UInt64.self))
        let size = Int(header.integer(at: 54, as: UInt16.self))
        let count = Int(header.integer(at: 56, as: UInt16.self))
        guard size >= 56, count < 512 else { throw .foreign("its headers are damaged") }
        for index in 0..<count {
            let segment = try reader.bytes(at: table + index * size, count: 56)
            guard segment.integer(at: 0, as: UInt32.self) == 4 else { continue }
            let length = Int(clamping: segment.integer(at: 32, as: UInt64.self))
            guard length <= 1 << 16 else { continue }
            let notes = try reader.bytes(at: Int(clamping: segment.integer(at: 8, as: UInt64.self)), count: length)
            if let found = PluginNote(notes: notes) {
                self = found
                return
            }
        }
        throw .noNote
    }

    private init?(notes: [UInt8]) {
        var place = 0
        func padded(_ count: Int) -> Int { (count + 3) & ~3 }
        while place + 12 <= notes.count {
            let ownerLength = Int(notes.integer(at: place, as: UInt32.self))
            let length = Int(notes.integer(at: place + 4, as: UInt32.self))
            let type = notes.integer(at: place + 8, as: UInt32.self)
            let owner = place + 12
            let body = owner + padded(ownerLength)
            guard body + length <= notes.count else { return nil }
            let name = notes[owner..<min(owner + ownerLength, notes.count)].prefix { $0 != 0 }
            if type == UInt32(LABELPIPE_NOTE_TYPE), name.elementsEqual(LABELPIPE_NOTE_OWNER.utf8), length > 4,
                let id = String(validating: notes[(body + 4)..<(body + length)].prefix { $0 != 0 }, as: UTF8.self)
            {
                (self.id, abi) = (id, notes.integer(at: body, as: UInt32.self))
                return
            }
            place = body + padded(length)
        }
        return nil
    }

    private struct Reader {
        let descriptor: Int32

        func bytes(at offset: Int, count: Int) throws(Failure) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let got = pread(descriptor, &bytes, count, off_t(offset))
            guard got == count else {
                throw got < 0 ? .unreadable(String(cString: strerror(errno))) : .foreign("it is cut short")
            }
            return bytes
        }
    }
}

extension [UInt8] {
    /// Little endian, as ELF files of the machines we run on are.
    fileprivate func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
        var number: Number = 0
        for index in stride(from: MemoryLayout<Number>.size - 1, through: 0, by: -1) {
            number = number << 8 | Number(truncatingIfNeeded: self[offset + index])
        }
        return number
    }
}

/// An ABI version as it is written: 0.1.
func versionText(_ abi: UInt32) -> String { "\(abi >> 16).\(abi & 0xFFFF)" }

/// The ABI version of this labelpipe. (The macro does not import.)
let ownABI = UInt32(LABELPIPE_ABI_MAJOR) << 16 | UInt32(LABELPIPE_ABI_MINOR)
