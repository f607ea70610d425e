import Glibc
import Labelpipe
import LabelpipeCommand

exit(Command.main { bundledPlugins })
