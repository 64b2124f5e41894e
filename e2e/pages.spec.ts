import type { Page } from '@playwright/test'
import { type ColorScheme, colourRules, violationsIn } from './accessibility.ts'
import { expect, expectNoSidewaysScroll, test } from './cast.ts'
import { knownShifts, type PageState, sections } from './pages.ts'

/** Each page is loaded once at each of two widths. `E2E=all` loads it in every theme and at every width. */
const isAll = process.env['E2E'] === 'all'
const heights: Record<number, number> = { 1440: 900, 390: 844, 320: 640 }
const widths = isAll ? [1440, 390, 320] : [1440, 390]

/** The limit of all pages is what browsers count as good: https://web.dev/articles/cls */
const mostShiftOf = (path: string) => knownShifts.find(([pattern]) => pattern.test(path))?.[1] ?? 0.1

for (const section of sections)
  for (const width of widths)
    test(`${section.name} at ${width} px`, async ({ as, complaints }) => {
      test.setTimeout(isAll ? 300_000 : 120_000)
      const page = await as(section.who)
      await page.addInitScript(sumLayoutShifts)
      for (const state of await section.pages(page))
        await test.step(state.path, async () => {
          await page.setViewportSize({ width, height: heights[width] ?? 900 })
          await open(page, state, 'light')
          expect.soft(await violationsIn(page, 'light'), state.path).toEqual([])
          if (isAll) await open(page, state, 'dark')
          expect.soft(await violationsIn(page, 'dark', isAll ? undefined : colourRules), state.path).toEqual([])
          if (isAll || width > 390) return
          await page.setViewportSize({ width: 320, height: 640 })
          await expectNoSidewaysScroll(page, `${state.path} at 320 px`)
        })
      // The browser reports the answers to a failed sign-in and to records that do not exist.
      const others = complaints.filter((text) => !/400 \(Bad Request\)|(some-id|no-such|never-was).*404/.test(text))
      complaints.splice(0, complaints.length, ...others)
    })

/** Loads the page and waits for its data; it neither moves by itself nor is wider than the window. */
async function open(page: Page, { path, title, shows }: PageState, scheme: ColorScheme) {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
  await page.goto(path)
  const inWindow = (text: string) => (text ? `${text} | Stage Passport` : 'Stage Passport')
  if (title !== undefined) await expect(page, path).toHaveTitle(typeof title === 'string' ? inWindow(title) : title)
  await expect(page.locator('h1').first(), path).toBeAttached()
  if (shows) await expect(page.getByText(shows).first(), path).toBeVisible()
  await expect(page.locator('[aria-busy=true]'), path).toHaveCount(0)
  expect
    .soft(await page.evaluate(shiftUntilNow), `${path} moves after it is shown`)
    .toBeLessThanOrEqual(mostShiftOf(path))
  await expectNoSidewaysScroll(page, path)
}

interface Watched {
  shifts: { sum: number; observer: PerformanceObserver }
}

/** Runs in every document before its scripts. */
function sumLayoutShifts() {
  const shifts = { sum: 0 } as Watched['shifts']
  const add = (entries: PerformanceEntryList) => {
    for (const { value, hadRecentInput } of entries as unknown as { value: number; hadRecentInput: boolean }[])
      if (!hadRecentInput) shifts.sum += value
  }
  shifts.observer = new PerformanceObserver((list) => add(list.getEntries()))
  shifts.observer.observe({ type: 'layout-shift', buffered: true })
  Object.assign(window, { shifts })
}

/** The sum of the layout shifts, with those of the last frames. */
async function shiftUntilNow(): Promise<number> {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  return (window as unknown as Watched).shifts.sum
}
