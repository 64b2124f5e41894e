import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page, test } from '@playwright/test'
import type { RunOptions } from 'axe-core'

export type ColorScheme = 'light' | 'dark'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules whose result depends on the theme. */
const colourRules = ['color-contrast', 'link-in-text-block']

/** The side bar, which is the same on every page: a run without it takes two thirds of the time. */
export const sideBar = 'nav[aria-label="Main"]'

/**
 * Expects no accessibility violations of the page beside its side bar, by all rules of axe in the light theme and by
 * those of colour in the dark one. `pages.spec.ts` checks the side bar.
 */
export async function expectAccessible(page: Page) {
  expect(await findViolations(page, 'light', { exclude: sideBar })).toEqual([])
  expect(await findViolations(page, 'dark', { exclude: sideBar, rules: colourRules })).toEqual([])
}

interface Check {
  /** Elements to leave out, as a CSS selector. */
  exclude?: string
  /** Defaults to all rules. */
  rules?: string[]
}

/** Returns the violations in one theme, one line each. */
export function findViolations(page: Page, colorScheme: ColorScheme, check: Check = {}): Promise<string[]> {
  return test.step('axe', () => runAxe(page, colorScheme, check))
}

async function runAxe(page: Page, colorScheme: ColorScheme, { exclude, rules }: Check): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  // Only violations, without passes and without reloading style sheets: a fifth of the default time.
  // The frames of previews run no scripts, so axe would wait for them in vain.
  const options: RunOptions = { resultTypes: ['violations'], preload: false, iframes: false }
  const violations = await page.evaluate(
    async ({ exclude, options }) => {
      while (document.getAnimations().some((animation) => animation instanceof CSSTransition))
        await new Promise(requestAnimationFrame)
      const { axe } = window as unknown as { axe: typeof import('axe-core') }
      // The page behind a modal dialog is inert, and was checked before the dialog opened.
      const root = document.querySelector('dialog:modal') ?? document
      const { violations } = await axe.run(
        exclude === undefined || root !== document ? root : { exclude: [exclude] },
        options,
      )
      return violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`),
      }))
    },
    { exclude, options: rules ? { ...options, runOnly: rules } : options },
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
