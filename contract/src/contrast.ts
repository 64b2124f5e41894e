/** The smallest contrast of text with its background (WCAG 2.2, success criterion 1.4.3). */
export const minContrast = 4.5

export type Theme = 'light' | 'dark'

/** The backgrounds of text in each theme, as sRGB: `--paper`, `--well` and `--card` of `web/src/tokens.css`. */
export const surfaces = {
  light: ['#faf7f2', '#f4f1ea', '#fffefd'],
  dark: ['#0b1429', '#070f22', '#131d37'],
} as const satisfies Record<Theme, readonly string[]>

/** The share of the accent in the background of a selection. */
const selectionShare = 0.1

/** Returns the background of a selection: the card with a tenth of the accent, in sRGB. */
export function mixSelection(accent: string, theme: Theme): string {
  const card = toChannels(surfaces[theme].at(-1) ?? '')
  const mixed = toChannels(accent).map((channel, index) =>
    Math.round(channel * selectionShare + (card[index] ?? 0) * (1 - selectionShare)),
  )
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** Measures the smallest contrast of an accent colour with the backgrounds of a theme, from 1 to 21, rounded down. */
export function measureContrast(accent: string, theme: Theme): number {
  const backgrounds = [...surfaces[theme], mixSelection(accent, theme)]
  const smallest = Math.min(...backgrounds.map((background) => contrastOf(accent, background)))
  return Math.floor(smallest * 100) / 100
}

/** Returns the contrast ratio of two colours (WCAG 2.2, contrast ratio). */
export function contrastOf(a: string, b: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => x - y)
  return (lighter + 0.05) / (darker + 0.05)
}

/**
 * Returns the colour nearest to `accent` that has enough contrast in a theme: mixed with black on light backgrounds, with
 * white on dark ones.
 */
export function toReadable(accent: string, theme: Theme): string {
  const target = theme === 'light' ? 0 : 255
  for (let share = 0; share < 100; share += 2) {
    const mixed = toChannels(accent).map((channel) => Math.round(channel + ((target - channel) * share) / 100))
    const colour = `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
    if (measureContrast(colour, theme) >= minContrast) return colour
  }
  return theme === 'light' ? '#000000' : '#ffffff'
}

/** Returns the relative luminance of a colour, from 0 to 1 (WCAG 2.2, relative luminance). */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = toChannels(colour).map((channel) => {
    const share = channel / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns red, green and blue of `#rrggbb`, from 0 to 255. */
const toChannels = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
