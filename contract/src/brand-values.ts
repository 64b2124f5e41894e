import { measureContrast, minContrast, type Theme } from './contrast.ts'

/* Apart from the endpoints, so that the console does not load their schemas. */

const isColour = (colour: string) => /^#[0-9a-f]{6}$/.test(colour)

/** Returns the error of an accent colour in a theme, with the measured contrast; undefined for a readable one. */
export function findAccentError(colour: string, theme: Theme): string | undefined {
  if (!isColour(colour.toLowerCase())) return 'Must be a colour such as #2751b8.'
  const contrast = measureContrast(colour.toLowerCase(), theme)
  return contrast < minContrast
    ? `Has a contrast of ${contrast.toFixed(2)}:1 in the ${theme} theme; at least ${minContrast}:1 is required.`
    : undefined
}

/** Returns the path of a stored picture. */
export const toPicturePath = (hash: string): string => `/passport/media/branding/${hash}.png`
