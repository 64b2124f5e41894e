import type { Accent } from '@passport/contract/branding'
import { mixSelection } from '@passport/contract/contrast'

/**
 * Renders the style sheet of an accent colour. It replaces the colours of links, of the primary action and of the brand, in
 * `web/src/tokens.css`; those of states and charts stay.
 */
export function renderStyleSheet({ light, dark }: Accent): string {
  const accent = `light-dark(${light},${dark})`
  const selection = `light-dark(${mixSelection(light, 'light')},${mixSelection(dark, 'dark')})`
  const names = ['--stamp', '--act', '--foil', '--foil-text']
  return `:root{${names.map((name) => `${name}:${accent};`).join('')}--selection:${selection}}\n`
}
