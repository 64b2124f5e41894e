/** The size of a picture, in its pixels. */
export interface PictureSize {
  width: number
  height: number
}

/** The visible square of a picture: its centre in pixels of the picture, and a zoom of which 1 shows the shorter side whole. */
export interface Crop {
  x: number
  y: number
  zoom: number
}

export const maxZoom = 5

/** Returns the largest square in the middle of a picture. */
export const centreCrop = ({ width, height }: PictureSize): Crop => ({ x: width / 2, y: height / 2, zoom: 1 })

/** Returns the side of the visible square in pixels of the picture. */
const sideOf = ({ width, height }: PictureSize, zoom: number) => Math.min(width, height) / zoom

/** Moves the picture below the square, by fractions of the square's side; it always fills the square. */
export function moveCrop(size: PictureSize, { x, y, zoom }: Crop, right: number, down: number): Crop {
  const side = sideOf(size, zoom)
  return fit(size, { x: x - right * side, y: y - down * side, zoom })
}

/**
 * Zooms around a point of the square, which keeps its place unless the picture would no longer fill the square. The
 * point is in fractions of the side from the centre.
 */
export function zoomCrop(size: PictureSize, crop: Crop, zoom: number, point = { x: 0, y: 0 }): Crop {
  const wanted = Math.min(Math.max(zoom, 1), maxZoom)
  const shrunk = sideOf(size, crop.zoom) - sideOf(size, wanted)
  return fit(size, { x: crop.x + point.x * shrunk, y: crop.y + point.y * shrunk, zoom: wanted })
}

function fit(size: PictureSize, { x, y, zoom }: Crop): Crop {
  const half = sideOf(size, zoom) / 2
  const clamp = (value: number, length: number) => Math.min(Math.max(value, half), length - half)
  return { x: clamp(x, size.width), y: clamp(y, size.height), zoom }
}

/** Returns the visible square in pixels of the picture. */
export function toSquare(size: PictureSize, { x, y, zoom }: Crop): { x: number; y: number; side: number } {
  const side = sideOf(size, zoom)
  return { x: x - side / 2, y: y - side / 2, side }
}

/** The largest side of a cropped picture in pixels: lists load one for each row, and no page shows more than 160. */
const maxSide = 512

/** Draws the visible square over the whole canvas. */
export function drawCrop(canvas: HTMLCanvasElement, picture: ImageBitmap, crop: Crop): void {
  const { x, y, side } = toSquare(picture, crop)
  const context = canvas.getContext('2d')
  if (!context) return
  context.imageSmoothingQuality = 'high'
  context.clearRect(0, 0, canvas.width, canvas.height)
  context.drawImage(picture, x, y, side, side, 0, 0, canvas.width, canvas.height)
}

/** Returns the visible square as a PNG of at most 512 × 512 pixels, never enlarged. */
export async function cutSquare(picture: ImageBitmap, crop: Crop): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = Math.max(1, Math.min(maxSide, Math.round(toSquare(picture, crop).side)))
  drawCrop(canvas, picture, crop)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!blob) throw new Error('The browser could not encode the picture')
  return blob
}
