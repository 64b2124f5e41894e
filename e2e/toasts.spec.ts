import type { Locator, Page } from '@playwright/test'
import { expect, expectAccessible, test } from './fixtures.ts'

const findToasts = (page: Page) => page.locator('.Toastify__toast')

/** Creates a toast for each key that fails to save. */
async function createToasts(page: Page, count: number) {
  for (let index = 0; index < count; index++) {
    await page.getByPlaceholder('Key (e.g. MyApp.Preference)').fill(`toast.${index}`)
    await page.getByPlaceholder('Value (e.g. myvalue)').fill('v')
    await page.getByPlaceholder('Value (e.g. myvalue)').press('Enter')
  }
}

/** Returns a function that sets the animation speed; the animations time the toasts. */
async function controlPlayback(page: Page) {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Animation.enable')
  return (playbackRate: number) => devTools.send('Animation.setPlaybackRate', { playbackRate })
}

/** Returns the lifetime of a toast: the duration of the animation that ends it. */
const readLifetime = (toast: Locator) =>
  toast.locator('.Toastify__progress-bar--animated').evaluate((bar) => getComputedStyle(bar).animationDuration)

/** Pauses the timers of the visible toasts, so that none expires. */
const pauseTimers = (page: Page) =>
  page.locator('.Toastify__progress-bar').evaluateAll((bars) => {
    for (const animation of bars.flatMap((bar) => bar.getAnimations())) animation.pause()
  })

async function openFailingPage(as: (user: 'eve', options?: object) => Promise<Page>, options = {}) {
  const page = await as('eve', options)
  await page.goto('/app/account/preferences')
  await page.route('**/passport/preferences/me/*', (route) =>
    route.fulfill({ status: 500, contentType: 'text/plain', body: 'no' }),
  )
  return page
}

test('toasts are at the bottom right, newest on top, and fade after 5 s', async ({ as, consoleErrors }) => {
  const page = await openFailingPage(as)
  const speed = await controlPlayback(page)
  await speed(0.02)
  await createToasts(page, 3)
  await expect(findToasts(page)).toHaveCount(3)
  await speed(1)
  const boxes = await findToasts(page).evaluateAll((all) =>
    all.map((element) => ({ top: element.getBoundingClientRect().top, text: element.textContent })),
  )
  expect(boxes[0]?.text).toContain('toast.2')
  expect(boxes.map(({ top }) => top)).toEqual(boxes.map(({ top }) => top).toSorted((a, b) => a - b))
  const last = await findToasts(page).last().boundingBox()
  expect((last?.x ?? 0) + (last?.width ?? 0)).toBeGreaterThan(1440 - 60)
  expect((last?.y ?? 0) + (last?.height ?? 0)).toBeGreaterThan(900 - 60)
  expect(
    await findToasts(page)
      .first()
      .evaluate((element) => getComputedStyle(element).animationName),
  ).toMatch(/toast-enter|none/)
  await page.mouse.move(10, 10)
  expect(await readLifetime(findToasts(page).first())).toBe('5s')
  await speed(10)
  await expect(findToasts(page)).toHaveCount(0)
  consoleErrors.length = 0
})

test('reduced motion keeps the lifetime of a toast', async ({ as, consoleErrors }) => {
  const page = await openFailingPage(as, { reducedMotion: 'reduce' })
  await createToasts(page, 1)
  await expect(findToasts(page)).toHaveCount(1)
  expect(await readLifetime(findToasts(page))).toBe('5s')
  const speed = await controlPlayback(page)
  await speed(10)
  await expect(findToasts(page)).toHaveCount(0)
  consoleErrors.length = 0
})

test('at most 20 toasts are shown, and the next one waits', async ({ as, consoleErrors }) => {
  const page = await openFailingPage(as)
  const speed = await controlPlayback(page)
  await speed(0.02)
  await createToasts(page, 21)
  await expect(findToasts(page)).toHaveCount(20)
  await expect(findToasts(page).filter({ hasText: 'toast.20' })).toHaveCount(0)
  await findToasts(page).filter({ hasText: 'toast.19' }).getByRole('button', { name: /close/i }).click()
  await speed(1)
  await expect(findToasts(page).filter({ hasText: 'toast.20' })).toBeVisible()
  consoleErrors.length = 0
})

test('hovering or focusing a toast pauses it', async ({ as, consoleErrors }) => {
  const page = await openFailingPage(as)
  await createToasts(page, 1)
  const clock = findToasts(page).locator('.Toastify__progress-bar')
  const state = () => clock.evaluate((element) => getComputedStyle(element).animationPlayState)
  await findToasts(page).hover()
  await expect(findToasts(page)).not.toHaveClass(/toast-enter/)
  await expect.poll(state).toBe('paused')
  await page.evaluate(() => dispatchEvent(new Event('focus')))
  await expect.poll(state).toBe('paused')
  // Ten seconds of animation time, twice the lifetime of a toast.
  const speed = await controlPlayback(page)
  await speed(20)
  await page.evaluate(async () => {
    const end = performance.now() + 500
    while (performance.now() < end) await new Promise(requestAnimationFrame)
  })
  await expect(findToasts(page)).toBeVisible()
  await speed(1)
  await page.mouse.move(10, 10)
  const close = findToasts(page).getByRole('button', { name: /close/i })
  await close.focus()
  const box = await close.boundingBox()
  expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24)
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(findToasts(page)).toHaveCount(0)
  consoleErrors.length = 0
})

test('Escape closes the focused toast, otherwise the newest, but none behind a dialog', async ({
  as,
  consoleErrors,
}) => {
  const page = await openFailingPage(as)
  const speed = await controlPlayback(page)
  await speed(0.02)
  await createToasts(page, 3)
  await expect(findToasts(page)).toHaveCount(3)
  await page.locator(':focus').blur()
  await page.keyboard.press('Shift+?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeHidden()
  await expect(findToasts(page)).toHaveCount(3)
  await findToasts(page).filter({ hasText: 'toast.0' }).getByRole('button', { name: /close/i }).focus()
  await pauseTimers(page)
  await speed(1)
  await page.keyboard.press('Escape')
  await expect(findToasts(page).filter({ hasText: 'toast.0' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(findToasts(page).filter({ hasText: 'toast.2' })).toHaveCount(0)
  consoleErrors.length = 0
})

test('dragging a toast by 59 % of its width keeps it, by 61 % dismisses it, by mouse and by touch', async ({
  as,
  consoleErrors,
}) => {
  for (const kind of ['mouse', 'touch'] as const) {
    const page = await openFailingPage(as, kind === 'touch' ? { hasTouch: true } : {})
    await createToasts(page, 1)
    await expect(findToasts(page)).toBeVisible()
    await findToasts(page).evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)))
    const box = await findToasts(page).boundingBox()
    if (!box) throw new Error('The toast is not visible')
    const drag = async (share: number) => {
      const [x, y] = [box.x + 20, box.y + box.height / 2]
      if (kind === 'mouse') {
        await page.mouse.move(x, y)
        await page.mouse.down()
        await page.mouse.move(x + box.width * share, y, { steps: 8 })
        await page.mouse.up()
        return
      }
      const touch = await page.context().newCDPSession(page)
      const at = (share: number) => [{ x: x + box.width * share, y }]
      await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) })
      for (let step = 1; step <= 8; step++) {
        await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at((share * step) / 8) })
      }
      await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    }
    await pauseTimers(page)
    await drag(0.59)
    await expect.poll(async () => (await findToasts(page).boundingBox())?.x, kind).toBeCloseTo(box.x, 0)
    await drag(0.61)
    await expect(findToasts(page), kind).toHaveCount(0)
    consoleErrors.length = 0
  }
})
