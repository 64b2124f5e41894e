import type { Page } from '@playwright/test'
import { type ColorScheme, findViolations, sideBar } from './accessibility.ts'
import { createCallCheck } from './copied-calls.ts'
import { expect, expectNoSidewaysScroll, test } from './fixtures.ts'
import { navigateInApp, waitUntilShown } from './navigate.ts'
import { knownShifts, type PageState, sections } from './pages.ts'

/**
 * Visits every page in a wide window with the light theme and in a narrow one with the dark theme, by in-app
 * navigation. `E2E=all` adds the other windows and loads each page afresh.
 */
const isAll = process.env['E2E'] === 'all'
const windows = {
  wide: { width: 1440, height: 900 },
  narrow: { width: 390, height: 844 },
  narrowest: { width: 320, height: 640 },
}
const variants: [window: keyof typeof windows, scheme: ColorScheme][] = [
  ['wide', 'light'],
  ['narrow', 'dark'],
]
if (isAll) variants.push(['wide', 'dark'], ['narrow', 'light'], ['narrowest', 'light'], ['narrowest', 'dark'])

/**
 * Browsers rate a layout shift of up to 0.1 as good and above 0.25 as poor: https://web.dev/articles/cls
 * Shifts depend on how slowly data arrives, so a run beside other work only checks the latter.
 */
const maxShift = isAll ? 0.1 : 0.25
const findMaxShift = (path: string) => knownShifts.find(([pattern]) => pattern.test(path))?.[1] ?? maxShift

for (const section of sections)
  for (const [window, scheme] of variants)
    test(`${section.name} are accessible and fit the window: ${window}, ${scheme}`, async ({ as, consoleErrors }) => {
      test.setTimeout(300_000)
      const page = await as(section.user, { viewport: windows[window], colorScheme: scheme, reducedMotion: 'reduce' })
      await page.addInitScript(sumLayoutShifts)
      const pages = await section.pages(page)
      // Once is enough: the call does not depend on the window.
      const isAdministrator = pages.some(({ path }) => isForAdministrators(path)) && section.user === 'ada'
      const checkCall = isAdministrator && window === 'wide' && scheme === 'light' && (await createCallCheck(page))
      for (const [index, state] of pages.entries())
        await test.step(state.path, async () => {
          await open(page, state)
          // The side bar is checked with the first and the last page of the section.
          const check = index > 0 && index < pages.length - 1 ? { exclude: sideBar } : {}
          expect.soft(await findViolations(page, scheme, check), state.path).toEqual([])
          if (checkCall && isForAdministrators(state.path)) await checkCall(state.path)
          if (window !== 'narrow') return
          await page.setViewportSize(windows.narrowest)
          await expectNoSidewaysScroll(page, `${state.path} in the narrowest window`)
          await page.setViewportSize(windows.narrow)
        })
      // The browser logs the responses to a failed sign-in, to a sign-up without an invitation and to missing records.
      const unexpected = consoleErrors.filter(
        (text) => !/400 \(Bad Request\)|\/idp\/signup: .*403|(some-id|no-such|unknown).*404/.test(text),
      )
      consoleErrors.splice(0, consoleErrors.length, ...unexpected)
    })

/** Reports whether a path is that of a page for administrators, of a record that exists. */
const isForAdministrators = (path: string) => /^\/app\/admin\/(?!.*\/some-id)/.test(path)

/** The limit of a page whose parts arrive in a known order. */
const maxShiftWhileLoading = 0.01

for (const [late, pattern] of [
  ['chart', '**/passport/admin/audit/days?*'],
  ['list', /\/passport\/admin\/audit\?/],
  // The sentences name the identity provider of a sign-in.
  ['list of providers', '**/passport/discovery'],
] as const)
  test(`the audit page does not shift while its ${late} loads last: narrow`, async ({ as }) => {
    const page = await as('ada', { viewport: windows.narrow, hasTouch: true, reducedMotion: 'reduce' })
    await page.addInitScript(sumLayoutShifts)
    await page.route(pattern, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      await route.continue()
    })
    await page.goto('/app/admin/audit')
    await expect(page.getByRole('img', { name: /events from/ })).toBeVisible()
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
    expect(await page.evaluate(readLayoutShift)).toBeLessThanOrEqual(maxShiftWhileLoading)
  })

/** Opens the page and waits for its data; checks for layout shifts and horizontal overflow. */
async function open(page: Page, { path, title, expectedText }: PageState) {
  const previousPath = new URL(page.url(), 'http://localhost').pathname
  await navigate(page, path)
  const isNew = isAll || new URL(page.url()).pathname !== previousPath
  const formatTitle = (text: string) => (text ? `${text} | Stage Passport` : 'Stage Passport')
  const expectedTitle = typeof title === 'string' ? formatTitle(title) : title
  await waitUntilShown(page, {
    ...(expectedTitle !== undefined && { title: expectedTitle }),
    ...(expectedText && { text: expectedText }),
  })
  if (expectedTitle !== undefined) await expect(page, path).toHaveTitle(expectedTitle)
  await expect(page.locator('h1').first(), path).toBeAttached()
  if (expectedText) await expect(page.getByText(expectedText).first(), path).toBeVisible()
  await expect(page.locator('[aria-busy=true]'), path).toHaveCount(0)
  const shift = await page.evaluate(readLayoutShift)
  // A new query of the same page replaces its content, which is no layout shift to report.
  if (isNew) expect.soft(shift, `${path} moves after it is shown`).toBeLessThanOrEqual(findMaxShift(path))
  await expectNoSidewaysScroll(page, path)
}

/** Navigates between console pages without a reload, as links do; loads all other pages. */
async function navigate(page: Page, path: string) {
  const isConsole = (path: string) => path.startsWith('/app/')
  if (isAll || !isConsole(path) || !isConsole(new URL(page.url(), 'http://localhost').pathname)) {
    await page.goto(path)
    return
  }
  await page.evaluate(() => {
    ;(window as unknown as WindowWithShifts).shifts.sum = 0
  })
  await navigateInApp(page, path)
}

interface WindowWithShifts {
  shifts: { sum: number; observer: PerformanceObserver }
}

/** Runs in every document before its scripts. */
function sumLayoutShifts() {
  const shifts = { sum: 0 } as WindowWithShifts['shifts']
  const add = (entries: PerformanceEntryList) => {
    for (const { value, hadRecentInput } of entries as unknown as { value: number; hadRecentInput: boolean }[])
      if (!hadRecentInput) shifts.sum += value
  }
  shifts.observer = new PerformanceObserver((list) => add(list.getEntries()))
  shifts.observer.observe({ type: 'layout-shift', buffered: true })
  Object.assign(window, { shifts })
}

/** Returns the sum of the layout shifts, including those of the last frames. */
async function readLayoutShift(): Promise<number> {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  return (window as unknown as WindowWithShifts).shifts.sum
}
