import Glibc
import LabelpipeDrawing
import LabelpipeKit
import Outline
import Testing

@Suite struct ShadowTests {
    /// B07: the profile of a blurred edge, and what an offset does to it.
    @Test func aSolidBlocksShadowHasTheErrorFunctionsProfile() throws {
        let block = Sample.body(Sample.rectangle(100, 100, 120, 200), .color(.white))
        let region = Region(x: 0, y: 0, width: 320, height: 400)
        let drawn = try Drawn([shadow(block, sigma: 8)], region)
        for d in [4, 8, 16, 24] {
            let expected = 127.5 * erfc((Double(d) - 0.5) / (8 * 2.0.squareRoot()))
            for p in [drawn[100 - d, 200], drawn[219 + d, 200], drawn[160, 100 - d], drawn[160, 299 + d]] {
                #expect(abs(Double(p.w) * 255 - expected) < 1, "\(d)")
            }
        }
        let moved = try Drawn([shadow(block, sigma: 8, offset: Vector(dx: 30, dy: -20))], region)
        for x in 70..<250 { for y in [90, 160, 310] { #expect(drawn[x, y] == moved[x + 30, y - 20]) } }
        // Nothing at the reach's edge.
        #expect(drawn[100 - 24, 200].w * 255 < 1 && drawn[75, 200].w == 0)
    }

    @Test func withoutBlurItIsAHardCopyAtItsSubPixelPlace() throws {
        let body = Sample.body(Sample.glyph(), .color(.white))
        let region = Region(x: 0, y: 0, width: 120, height: 100)
        let copy = try Drawn([shadow(body, sigma: 0, offset: Vector(dx: 3.3, dy: 1.7))], region)
        let moved = try Drawn(
            [.body(Sample.body(Sample.glyph(), .color(.black)))], region, transform: .translation(dx: 3.3, dy: 1.7))
        #expect(copy.difference(moved) < 1e-5)
    }

    @Test func translucentCastersCastLess() throws {
        let region = Region(x: 0, y: 0, width: 160, height: 140)
        for sigma in [3.0, 14] {
            let opaque = try Drawn([shadow(Sample.body(Sample.glyph(dx: 30, dy: 30), .color(.white)), sigma: sigma)], region)
            let half = try Drawn(
                [shadow(Sample.body(Sample.glyph(dx: 30, dy: 30), .color(Sample.color("#ffffff80"))), sigma: sigma)], region)
            for i in opaque.pixels.indices { #expect(abs(opaque.pixels[i].w * 128 / 255 - half.pixels[i].w) < 1e-3) }
        }
    }

    @Test func strokesCastToo() throws {
        let region = Region(x: 0, y: 0, width: 160, height: 140)
        let outline = Sample.glyph(dx: 30, dy: 30)
        let stroked = try Drawn([shadow(Sample.body(outline, .color(.white), [stroke(6, .white)]), sigma: 5)], region)
        let grown = try Drawn([shadow(Sample.body(outline.grown(by: 6), .color(.white)), sigma: 5)], region)
        #expect(stroked.difference(grown) < 1e-3)
        let spread = try Drawn([shadow(Sample.body(outline, .color(.white)), sigma: 5, spread: 6)], region)
        #expect(spread.difference(grown) < 1e-3)
    }

    @Test func cutLeavesNothingUnderAnOpaqueCaster() throws {
        let outline = Sample.glyph(dx: 30, dy: 30)
        let region = Region(x: 0, y: 0, width: 160, height: 140)
        let drawn = try Drawn([shadow(Sample.body(outline, .color(.white)), sigma: 5, cut: true)], region)
        let caster = try Drawn([.body(Sample.body(outline, .color(.white)))], region)
        for i in drawn.pixels.indices where caster.pixels[i].w > 0.9999 { #expect(drawn.pixels[i].w < 1e-4) }
        #expect(drawn.pixels.contains { $0.w > 0.3 })
    }

    @Test func directionAndSizeFollowTheLayer() throws {
        let outline = Sample.glyph(dx: -50, dy: -40)
        let body = Sample.body(outline, .color(.white))
        let mark = shadow(body, sigma: 4, offset: Vector(dx: 10, dy: 3))
        let region = Region(x: -120, y: -120, width: 240, height: 240)
        let plain = try Drawn([mark], region)
        let turned = try Drawn([mark.transformed(by: Affine(a: 0, b: 1, c: -1, d: 0, tx: 0, ty: 0))], region)
        for y in -110..<110 { for x in -110..<110 { #expect(abs(plain[x, y].w - turned[-1 - y, x].w) < 1e-4) } }
        let doubled = try Drawn([mark.transformed(by: .scale(2))], region)
        let direct = try Drawn(
            [shadow(Sample.body(outline.transformed(by: .scale(2)), .color(.white)), sigma: 8, offset: Vector(dx: 20, dy: 6))],
            region)
        #expect(doubled.difference(direct) < 4.0 / 255)
    }

    /// Under any map, an edge's blur is sigma times how the map stretches across it.
    @Test func unevenMapsBlurUnevenly() throws {
        let sigma = 6.0
        for map in [
            Affine.scale(sx: 2.5, sy: 0.5), Affine.scale(sx: 0.6, sy: 3),
            Affine.rotation(degrees: 35).then(.scale(sx: 2, sy: 0.7)),
        ] {
            // The left edge of a block, seen at its middle, along the device's x axis.
            let mark = shadow(Sample.body(Sample.rectangle(0, -400, 400, 800), .color(.white)), sigma: sigma)
            let middle = map.apply(Point(x: 0, y: 0))
            let drawn = try Drawn([mark], Region(x: -60, y: 0, width: 120, height: 1), transform: map)
            guard let back = map.inverse else { continue }
            for x in stride(from: -40, to: 40, by: 7) {
                let p = back.apply(Point(x: Double(x) + 0.5 + middle.x, y: 0.5 + middle.y))
                let expected = 0.5 * erfc(-p.x / (sigma * 2.0.squareRoot()))
                #expect(abs(Double(drawn[x, 0].w) - expected) * 255 < 2, "\(map), x \(x): \(drawn[x, 0].w) \(expected)")
            }
        }
    }

    @Test func movingByWholePixelsChangesNoValue() throws {
        let body = Sample.body(Sample.glyph(dx: 0.3, dy: 0.7), .color(.white), [stroke(3, .black)])
        for sigma in [2.0, 9, 40] {
            let mark = shadow(body, sigma: sigma, offset: Vector(dx: 1.5, dy: 2))
            let plain = try Drawn([mark], Region(x: -100, y: -100, width: 300, height: 300))
            let moved = try Drawn(
                [mark.transformed(by: .translation(dx: 7, dy: -3))], Region(x: -93, y: -103, width: 300, height: 300))
            #expect(plain.difference(Drawn(moved, at: plain.region)) < 1e-5, "sigma \(sigma)")
        }
    }

    // MARK: Inner shadows

    @Test func innerShadowsComeFromTheEdgeAndNotFromAnyBorder() throws {
        let block = Sample.rectangle(50, 50, 200, 200)
        let finish = Finish.innerShadow(InnerShadow(color: Sample.color("#000000"), offset: .zero, sigma: 8))
        let body = Sample.body(block, .color(.white), [finish])
        let region = Region(x: 0, y: 0, width: 300, height: 300)
        let drawn = try Drawn([.body(body)], region)
        for d in [0, 3, 8, 15] {
            let a = 0.5 * erfc((Double(d) + 0.5) / (8 * 2.0.squareRoot()))
            for p in [drawn[50 + d, 150], drawn[249 - d, 150], drawn[150, 50 + d], drawn[150, 249 - d]] {
                #expect(abs(Double(p.x) - (1 - a)) < 0.005 && p.w == 1)
            }
        }
        #expect(drawn[150, 150] == Pixel(1, 1, 1, 1))
        // Seen through a window that cuts the block, nothing comes in from the window's border.
        let window = Region(x: 100, y: 100, width: 40, height: 40)
        let part = try Drawn([.body(body)], window)
        for y in 100..<140 { for x in 100..<140 { #expect(abs(part[x, y].x - drawn[x, y].x) < 1e-5) } }
    }

    @Test func innerShadowsFallDownwardsForAPositiveOffset() throws {
        let block = Sample.rectangle(10, 10, 80, 80)
        let finish = Finish.innerShadow(InnerShadow(color: .black, offset: Vector(dx: 0, dy: 6), sigma: 0))
        let drawn = try Drawn([.body(Sample.body(block, .color(.white), [finish]))], Region(x: 0, y: 0, width: 100, height: 100))
        #expect(drawn[50, 15] == Pixel(0, 0, 0, 1) && drawn[50, 16] == Pixel(1, 1, 1, 1) && drawn[50, 89] == Pixel(1, 1, 1, 1))
    }

    @Test func darkenCannotLighten() throws {
        let block = Sample.rectangle(10, 10, 80, 80)
        func drawn(_ blend: InnerShadow.Blend) throws -> Drawn {
            let finish = Finish.innerShadow(
                InnerShadow(color: Sample.color("#c080ff"), offset: Vector(dx: 0, dy: 6), sigma: 0, blend: blend))
            return try Drawn(
                [.body(Sample.body(block, .color(Sample.color("#808080")), [finish]))],
                Region(x: 0, y: 0, width: 100, height: 100))
        }
        let (normal, darken) = (try drawn(.normal)[50, 12], try drawn(.darken)[50, 12])
        #expect(
            abs(normal.x - Float(0xc0) / 255) < 1e-5 && abs(darken.x - Float(0x80) / 255) < 1e-5
                && abs(darken.y - Float(0x80) / 255) < 1e-5)
    }

    @Test func innerShadowsLieBeneathLaterStrokesAndKeepAlpha() throws {
        let outline = Sample.glyph()
        let inner = Finish.innerShadow(InnerShadow(color: .black, offset: Vector(dx: 2, dy: 2), sigma: 3))
        let region = Region(x: -20, y: -20, width: 150, height: 120)
        let with = try Drawn(
            [.body(Sample.body(outline, .color(Sample.color("#ff000080")), [inner, stroke(4, .white)]))], region)
        let without = try Drawn([.body(Sample.body(outline, .color(Sample.color("#ff000080")), [stroke(4, .white)]))], region)
        let fill = try Drawn([.body(Sample.body(outline, .color(.black)))], region)
        for i in with.pixels.indices {
            #expect(abs(with.pixels[i].w - without.pixels[i].w) < 1e-6)
            if fill.pixels[i].w == 0 { #expect(with.pixels[i] == without.pixels[i]) }
        }
    }
}
