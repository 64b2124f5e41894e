/** An avatar pattern: a hue and the three rings of an engraved rosette, as SVG paths in a 100-unit square. */
export interface IdenticonDrawing {
  hue: number
  rings: string[]
}

const drawings = new Map<string, IdenticonDrawing>()

/** Draws the pattern of a seed; deterministic, so it must never change. */
export function drawIdenticon(seed: string): IdenticonDrawing {
  let drawing = drawings.get(seed)
  if (!drawing) {
    drawing = generateIdenticon(seed)
    drawings.set(seed, drawing)
  }
  return drawing
}

function generateIdenticon(seed: string): IdenticonDrawing {
  const random = createRandom(seed)
  const hue = random(360)
  const petals = 8 + random(9)
  const rings = [0, 1, 2].map((ring) => {
    const waves = ring === 1 ? petals * 2 : petals
    return drawRosette(46 - ring * 11, waves, 0.13 + random(16) / 100, (random(100) / 100) * Math.PI)
  })
  return { hue, rings }
}

/** Returns the hue of a seed's pattern, in degrees. */
export const computeHue = (seed: string): number => createRandom(seed)(360)

const steps = 96

/** Draws two opposed waves around one circle, as engraving machines do on banknotes. */
function drawRosette(radius: number, waves: number, depth: number, phase: number): string {
  const wave = (direction: 1 | -1) =>
    Array.from({ length: steps }, (_, step) => {
      const angle = (step / steps) * 2 * Math.PI
      const distance = radius * (1 - depth + depth * direction * Math.cos(waves * angle + direction * phase))
      return `${(50 + distance * Math.cos(angle)).toFixed(1)} ${(50 + distance * Math.sin(angle)).toFixed(1)}`
    })
  return [1, -1].map((direction) => `M${wave(direction as 1 | -1).join('L')}Z`).join('')
}

/** Returns a pseudo-random generator seeded by a text: FNV-1a, then a mixing step per draw. */
function createRandom(seed: string): (limit: number) => number {
  let state = 0x811c9dc5
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return (limit) => {
    state = Math.imul(state ^ (state >>> 15), 0x85ebca77) >>> 0
    return state % limit
  }
}
