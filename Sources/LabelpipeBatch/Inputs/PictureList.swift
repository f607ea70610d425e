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

    /// What a run would take of a folder by name, below it and in the run's order; nothing from `other`, where that lies inside.
    package static func below(_ folder: BytePath, isRecursive: Bool, without other: BytePath) -> [BytePath] {
        var list = InputList()
        list.isRecursive = isRecursive
        if case .success(let facts) = FileFacts.of(other), case .success(let own) = FileFacts.of(folder),
            facts.identity != own.identity
        {
            list.outputFolder = facts.identity
        }
        list.add(folder)
        return list.pictures.enumerated().compactMap { place, picture in
            list.doubtful.contains(place) ? nil : picture.path.map { picture.relative.appending($0.name) }
        }
    }
}
