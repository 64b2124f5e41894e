/** The bounds of a model in metres, and the height of its head bone if it is a figure. */
export interface ModelBounds {
  min: { x: number; y: number; z: number }
  max: { x: number; y: number; z: number }
  headY?: number
}

/** The view of a camera in front of the model, in metres; `centreY` is the height of its middle. */
export interface Frame {
  centreY: number
  height: number
}

const margin = 1.1
/** The ring of the turntable in `Stage`, as a fraction of its height from the bottom: the model stands on it. */
const ground = 0.12

/** Frames the whole model above the ring, with room to turn around its vertical axis, for a view of an aspect ratio. */
export function frameModel({ min, max }: ModelBounds, aspect: number): Frame {
  const diameter = Math.hypot(max.x - min.x, max.z - min.z)
  const height = Math.max(((max.y - min.y) * margin) / (1 - ground), (diameter * margin) / aspect, 1e-3)
  return { centreY: min.y + (0.5 - ground) * height, height }
}

/** The zoom at which the middle of the view is that of the portrait. */
export const maxZoom = 4

/** Returns the height of the middle of a zoomed view: at 1 of the whole model, and of its portrait when it is nearest. */
export function centreZoomed(bounds: ModelBounds, aspect: number, zoom: number): number {
  const { centreY } = frameModel(bounds, aspect)
  const progress = (1 - 1 / zoom) / (1 - 1 / maxZoom)
  return centreY + (framePortrait(bounds).centreY - centreY) * progress
}

/** The head and shoulders of a figure are about this many times as high as its head. */
const headsInPortrait = 2.2

/** Frames the square picture of a model: the head and shoulders of a figure, otherwise all of it from the front. */
export function framePortrait(bounds: ModelBounds): Frame {
  const { min, max, headY } = bounds
  const headHeight = headY === undefined ? 0 : max.y - headY
  const side = headsInPortrait * headHeight * margin
  if (headHeight > 0 && side < max.y - min.y) return { centreY: max.y - 0.45 * side, height: side }
  return { centreY: (min.y + max.y) / 2, height: Math.max(max.y - min.y, max.x - min.x, 1e-3) * margin }
}
