"""What is measured, and where everything lies."""
import os
import shutil
from dataclasses import dataclass, field

import checks
import photos
from measure import Failed, run

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass
class Figure:
    """A ratio or an amount, and what is to be reached."""
    name: str
    value: float
    limit: float
    unit: str = "×"
    is_least: bool = False
    ours: list = field(default_factory=list)
    peer: list = field(default_factory=list)

    @property
    def is_reached(self):
        return self.value >= self.limit if self.is_least else self.value <= self.limit


class Bench:
    """Where everything lies."""

    def __init__(self, program, scratch, disk, python, tools, repeats):
        self.program, self.scratch, self.disk, self.python, self.tools = program, scratch, disk, python, tools
        self.repeats = repeats

    def document(self, name):
        return os.path.join(HERE, "documents", name)

    def peer(self, name):
        return [self.python, os.path.join(HERE, "peers", name)]

    def folder(self, name):
        """An empty folder on tmpfs."""
        path = os.path.join(self.scratch, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def picture(self, name, *arguments, **options):
        return photos.jpeg(os.path.join(self.disk, name), *arguments, **options)

    def tiny(self):
        """What costs nothing but start-up."""
        return self.picture("tiny.jpg", 5, 64, 64, True)

    def mark(self, document, inputs, *options, jobs=1):
        """One run of the program over pictures; its figures and where the outputs are."""
        output = self.folder("ours")
        result = run([self.program, "run", self.document(document), *inputs, "--output", output, "--jobs", jobs,
                      "--progress", "none", "--report", os.path.join(self.scratch, "report"), *options])
        checks.report(os.path.join(self.scratch, "report"))
        return result

    def marked(self, path):
        return os.path.join(self.scratch, "ours", os.path.basename(path))

    def copies(self, path, count):
        """The same picture under several names."""
        folder = self.folder("copies")
        first = os.path.join(folder, "0.jpg")
        shutil.copy(path, first)
        return [first] + [os.link(first, os.path.join(folder, f"{n}.jpg")) or os.path.join(folder, f"{n}.jpg")
                          for n in range(1, count)]

    def peer_box(self, photo):
        """The ink box that the pyvips peer draws on a photo."""
        output = self.folder("peer")
        run([*self.peer("pyvips_mark.py"), 1, output, photo])
        return checks.ink_box(checks.pixels(photo), checks.pixels(os.path.join(output, os.path.basename(photo))))

    def check_label(self, photo, is_spliced, mode):
        """The program's own output of a photo: the label is there, and outside it is as it should be."""
        line, = checks.report(os.path.join(self.scratch, "report"))
        if not line["mode"].startswith(mode):
            raise Failed(f"the mode is {line['mode']}")
        before, after = checks.pixels(photo), checks.pixels(self.marked(photo))
        checks.boxes_agree(checks.ink_box(before, after), self.peer_box(photo))
        box = line["boxes"][0]
        if is_spliced:
            # A viewer's upsampling of colour looks one sample over the edge.
            checks.coefficients(os.path.join(self.tools, "coefficients"), photo, self.marked(photo), box)
        else:
            left, top, width, height = box
            for part in (slice(0, top), slice(top + height, None)):
                if before[part].size and checks.psnr(before[part], after[part]) < 40:
                    raise Failed("the picture outside the label is not the source's")
