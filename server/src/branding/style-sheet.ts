import type { Accent } from '@passport/contract/branding'
import { mixSelection, type Theme } from '@passport/contract/contrast'

/** The colours of links, of the primary action and of the brand, in `web/src/tokens.css`; those of states and charts stay. */
const names = ['--stamp', '--act', '--foil', '--foil-text']

/** Renders the style sheet of an accent colour: for the theme of the system, and for a chosen one. */
export function renderStyleSheet(accent: Accent): string {
  const declare = (theme: Theme) =>
    `{${names.map((name) => `${name}:${accent[theme]};`).join('')}--selection:${mixSelection(accent[theme], theme)}}`
  const [light, dark] = [declare('light'), declare('dark')]
  return `:root${light}\n@media (prefers-color-scheme:dark){:root${dark}}\n[data-theme="light"]${light}\n[data-theme="dark"]${dark}\n`
}
