import LabelpipeWorker

/// The record of what a run has done, in the output folder.
enum Journal {
    static let folderName = BytePath(".labelpipe")
}
