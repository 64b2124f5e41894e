/** The drawing of a seal: a hue and the three rings of an engraved rosette, as SVG paths in a square of 100. */
export interface SealDrawing {
  hue: number
  rings: string[]
}

const drawings = new Map<string, SealDrawing>()

/** The same seed has the same seal, everywhere and for ever. */
export function drawSeal(seed: string): SealDrawing {
  let drawing = drawings.get(seed)
  if (!drawing) {
    drawing = engrave(seed)
    drawings.set(seed, drawing)
  }
  return drawing
}

function engrave(seed: string): SealDrawing {
  const draw = sequenceOf(seed)
  const hue = draw(360)
  const petals = 8 + draw(9)
  const rings = [0, 1, 2].map((ring) => {
    const waves = ring === 1 ? petals * 2 : petals
    return rosette(46 - ring * 11, waves, 0.13 + draw(16) / 100, (draw(100) / 100) * Math.PI)
  })
  return { hue, rings }
}

const steps = 96

/** Two waves around one circle, one against the other: what engraving machines draw on banknotes. */
function rosette(radius: number, waves: number, depth: number, phase: number): string {
  const wave = (direction: 1 | -1) =>
    Array.from({ length: steps }, (_, step) => {
      const angle = (step / steps) * 2 * Math.PI
      const reach = radius * (1 - depth + depth * direction * Math.cos(waves * angle + direction * phase))
      return `${(50 + reach * Math.cos(angle)).toFixed(1)} ${(50 + reach * Math.sin(angle)).toFixed(1)}`
    })
  return [1, -1].map((direction) => `M${wave(direction as 1 | -1).join('L')}Z`).join('')
}

/** Numbers that follow from a text: FNV-1a, then a mixing step for each draw. */
function sequenceOf(seed: string): (below: number) => number {
  let state = 0x811c9dc5
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return (below) => {
    state = Math.imul(state ^ (state >>> 15), 0x85ebca77) >>> 0
    return state % below
  }
}
