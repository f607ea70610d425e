"""A big label by Skia's CPU renderer: text with a gradient, a stroke of 20 px outside and a blurred shadow; prints the CPU
seconds of one drawing.  skia_label.py WIDTH HEIGHT SIGMA TIMES [PICTURE]"""
import subprocess
import sys
import time

import skia

width, height, sigma, times = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
file = subprocess.check_output(["fc-match", "-f", "%{file}", "Liberation Sans:bold"], text=True)
font = skia.Font(skia.Typeface.MakeFromFile(file), height * 0.45)
font.setHinting(skia.FontHinting.kNone)
font.setSubpixel(True)


def draw():
    surface = skia.Surface(width, height)
    canvas = surface.getCanvas()
    text, x = skia.Path(), height * 0.3
    glyphs = font.textToGlyphs("Labelpipe 2026")
    for glyph, advance in zip(glyphs, font.getWidths(glyphs)):
        path = font.getPath(glyph)
        if path:
            text.addPath(path, x, height * 0.65)
        x += advance
    stroke = skia.Paint(
        AntiAlias=True, Style=skia.Paint.kStroke_Style, StrokeWidth=40, StrokeJoin=skia.Paint.kRound_Join, Color=0xFF102040)
    fill = skia.Paint(AntiAlias=True, Shader=skia.GradientShader.MakeLinear(
        [(0, height * 0.3), (0, height * 0.7)], [0xFFFFD000, 0xFFFF3000]))
    canvas.saveLayer(None, skia.Paint(ImageFilter=skia.ImageFilters.DropShadow(8, 12, sigma, sigma, 0x99000000)))
    canvas.drawPath(text, stroke)
    canvas.drawPath(text, fill)
    canvas.restore()
    surface.flushAndSubmit()
    return surface


taken = []
for _ in range(times):
    start = time.process_time()
    surface = draw()
    taken.append(time.process_time() - start)
if len(sys.argv) > 5:
    surface.makeImageSnapshot().save(sys.argv[5], skia.kPNG)
print(sorted(taken)[len(taken) // 2])
