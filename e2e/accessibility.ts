import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page, test } from '@playwright/test'
import type { RunOptions } from 'axe-core'

export type ColorScheme = 'light' | 'dark'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules whose result depends on the theme. */
const colourRules = ['color-contrast', 'link-in-text-block']

/**
 * Expects no accessibility violations, by all rules of axe in the light theme and by those of colour in the dark one.
 */
export async function expectAccessible(page: Page) {
  expect(await findViolations(page, 'light')).toEqual([])
  expect(await findViolations(page, 'dark', colourRules)).toEqual([])
}

/** Returns the violations of the given rules, or of all rules, in one theme; one line each. */
export function findViolations(page: Page, colorScheme: ColorScheme, rules?: string[]): Promise<string[]> {
  return test.step('axe', () => runAxe(page, colorScheme, rules))
}

async function runAxe(page: Page, colorScheme: ColorScheme, rules: string[] | undefined): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  // Only violations, without passes and without reloading style sheets: a fifth of the default time.
  const options: RunOptions = { resultTypes: ['violations'], preload: false }
  const violations = await page.evaluate(
    async (options) => {
      while (document.getAnimations().some((animation) => animation instanceof CSSTransition))
        await new Promise(requestAnimationFrame)
      const { axe } = window as unknown as { axe: typeof import('axe-core') }
      const { violations } = await axe.run(document, options)
      return violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`),
      }))
    },
    rules ? { ...options, runOnly: rules } : options,
  )
  return violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes.join(' ')}`)
}

/** Expects that no content is wider than the window. */
export async function expectNoSidewaysScroll(page: Page, message?: string) {
  const { width } = page.viewportSize() ?? { width: 0 }
  // Drawings fit a resized window one frame later.
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth), message === undefined ? {} : { message })
    .toBeLessThanOrEqual(width)
}
