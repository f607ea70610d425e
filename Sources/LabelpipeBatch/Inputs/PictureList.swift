import LabelpipeWorker

/// The pictures that arguments name, for commands that do no batch.
package enum PictureList {
    /// Files as they are named, and of folders those whose names are pictures'.
    package static func files(_ arguments: [BytePath]) -> [BytePath] {
        var list = InputList()
        for argument in arguments { list.add(argument) }
        return list.pictures.enumerated().compactMap { place, picture in
            // One that is named and cannot be read is shown as such.
            list.doubtful.contains(place) ? nil : picture.path
        }
    }
}
