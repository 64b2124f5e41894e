import type { Page } from '@playwright/test'
import { type ColorScheme, violationsIn } from './accessibility.ts'
import { expect, expectNoSidewaysScroll, test } from './cast.ts'
import { knownShifts, type PageState, sections } from './pages.ts'

/**
 * Every page in a wide window with the light theme and in a narrow one with the dark theme, reached as links reach it.
 * `E2E=all` adds the other windows and loads each page afresh.
 */
const isAll = process.env['E2E'] === 'all'
const windows = {
  wide: { width: 1440, height: 900 },
  narrow: { width: 390, height: 844 },
  narrowest: { width: 320, height: 640 },
}
const walks: [window: keyof typeof windows, scheme: ColorScheme][] = [
  ['wide', 'light'],
  ['narrow', 'dark'],
]
if (isAll) walks.push(['wide', 'dark'], ['narrow', 'light'], ['narrowest', 'light'], ['narrowest', 'dark'])

/**
 * Browsers count a layout shift of 0.1 as good and more than 0.25 as poor: https://web.dev/articles/cls
 * How much a page moves depends on how slowly its data comes, so a run beside other work expects only the latter.
 */
const maxShift = isAll ? 0.1 : 0.25
const maxShiftOf = (path: string) => knownShifts.find(([pattern]) => pattern.test(path))?.[1] ?? maxShift

for (const section of sections)
  for (const [window, scheme] of walks)
    test(`${section.name}: ${window} and ${scheme}`, async ({ as, complaints }) => {
      test.setTimeout(300_000)
      const page = await as(section.who, { viewport: windows[window], colorScheme: scheme, reducedMotion: 'reduce' })
      await page.addInitScript(sumLayoutShifts)
      for (const state of await section.pages(page))
        await test.step(state.path, async () => {
          await open(page, state)
          expect.soft(await violationsIn(page, scheme), state.path).toEqual([])
          if (window !== 'narrow') return
          await page.setViewportSize(windows.narrowest)
          await expectNoSidewaysScroll(page, `${state.path} in the narrowest window`)
          await page.setViewportSize(windows.narrow)
        })
      // The browser reports the answers to a failed sign-in and to records that do not exist.
      const others = complaints.filter((text) => !/400 \(Bad Request\)|(some-id|no-such|never-was).*404/.test(text))
      complaints.splice(0, complaints.length, ...others)
    })

/** Opens the page and waits for its data; it neither moves by itself nor is wider than the window. */
async function open(page: Page, { path, title, shows }: PageState) {
  const before = new URL(page.url(), 'http://localhost').pathname
  await navigate(page, path)
  const isNew = isAll || new URL(page.url()).pathname !== before
  const inWindow = (text: string) => (text ? `${text} | Stage Passport` : 'Stage Passport')
  if (title !== undefined) await expect(page, path).toHaveTitle(typeof title === 'string' ? inWindow(title) : title)
  await expect(page.locator('h1').first(), path).toBeAttached()
  if (shows) await expect(page.getByText(shows).first(), path).toBeVisible()
  await expect(page.locator('[aria-busy=true]'), path).toHaveCount(0)
  const shift = await page.evaluate(shiftUntilNow)
  // Another query of the same page replaces what is shown, which is no fault.
  if (isNew) expect.soft(shift, `${path} moves after it is shown`).toBeLessThanOrEqual(maxShiftOf(path))
  await expectNoSidewaysScroll(page, path)
}

/** Goes from page to page of the console without loading it again, as its links do; loads all others. */
async function navigate(page: Page, path: string) {
  const isConsole = (address: string) => address.startsWith('/app/')
  if (isAll || !isConsole(path) || !isConsole(new URL(page.url(), 'http://localhost').pathname)) {
    await page.goto(path)
    return
  }
  await page.evaluate((path) => {
    // The router sets the title when it has finished, also where the next page has the same one.
    document.title = ''
    ;(window as unknown as Watched).shifts.sum = 0
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await expect(page, path).toHaveTitle(/./)
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
