import { readFileSync } from 'node:fs'
import { findAccentError } from '@passport/contract/brand-values'
import {
  contrastOf,
  measureContrast,
  minContrast,
  mixSelection,
  surfaces,
  type Theme,
} from '@passport/contract/contrast'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderStyleSheet } from './style-sheet.ts'

const tokens = readFileSync(new URL('../../../web/src/tokens.css', import.meta.url), 'utf8')

/** Reads a colour of the tokens as sRGB (CSS Color 4, section 10 for the conversion). */
function readToken(name: string, theme: Theme): string {
  const channels = '\\(([\\d.]+) ([\\d.]+) ([\\d.]+)\\)'
  const found = new RegExp(`--${name}: light-dark\\(oklch${channels}, oklch${channels}\\)`).exec(tokens)
  const [lightness = 0, chroma = 0, hue = 0] = (found ?? []).slice(theme === 'light' ? 1 : 4).map(Number)
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
  const encode = (value: number) => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055)
  return `#${linear
    .map((value) => Math.round(encode(Math.min(1, Math.max(0, value))) * 255))
    .map((channel) => channel.toString(16).padStart(2, '0'))
    .join('')}`
}

const themes: Theme[] = ['light', 'dark']

test.for(themes)('measures contrast with the backgrounds of the %s theme', (theme) => {
  expect(surfaces[theme]).toEqual(['paper', 'well', 'card'].map((name) => readToken(name, theme)))
  // The default colours would be accepted.
  expect(findAccentError(readToken('stamp', theme), theme)).toBeUndefined()
})

test.for(themes)('keeps text on an accepted accent readable in the %s theme', (theme) => {
  const colour = fc.stringMatching(/^#[0-9a-f]{6}$/)
  fc.assert(
    fc.property(colour, (accent) => {
      const isAccepted = findAccentError(accent, theme) === undefined
      expect(isAccepted).toBe(measureContrast(accent, theme) >= minContrast)
      if (!isAccepted) return
      // The text of a primary button, and the accent on each background.
      for (const other of [readToken('on-act', theme), ...surfaces[theme], mixSelection(accent, theme)])
        expect(contrastOf(accent, other)).toBeGreaterThanOrEqual(minContrast)
    }),
  )
})

test('measures contrast as WCAG defines it', () => {
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  expect(findAccentError('#FF9900', 'light')).toMatch(
    /^Has a contrast of 1\.\d\d:1 in the light theme; at least 4\.5:1/,
  )
  expect(findAccentError('red; } body { display: none', 'light')).toBe('Must be a colour such as #2751b8.')
})

test('renders only declarations of colours, for the theme of the system and for a chosen one', () => {
  const css = renderStyleSheet({ light: '#7a1f5c', dark: '#f2a6d6' })
  const block = String.raw`\{(?:--[a-z-]+:#[0-9a-f]{6};?){5}\}`
  const rules = [
    ':root',
    '@media \\(prefers-color-scheme:dark\\)\\{:root',
    '\\[data-theme="light"\\]',
    '\\[data-theme="dark"\\]',
  ]
  expect(css).toMatch(new RegExp(`^${rules.map((rule) => `${rule}${block}\\}?\n`).join('')}$`))
  expect(css).toContain('[data-theme="dark"]{--stamp:#f2a6d6;--act:#f2a6d6;')
})
