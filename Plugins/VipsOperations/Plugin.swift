public import LabelpipeKit
import Vips

/// libvips' own operations, as libvips declares them.
///
/// None is declared before somebody names one: asking starts libvips, which commands that draw nothing do not pay for.
public let vipsOperationsPlugin = Plugin(
    id: "labelpipe.vips", kinds: [],
    family: EffectFamily(
        name: "vips", summary: "every libvips operation that makes an image of images, with libvips' own argument names",
        ids: { try OperationEffect.all() }, effect: { try OperationEffect.named($0) }))
