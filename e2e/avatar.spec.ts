import type { Locator, Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'
import { buildBipyramid, buildTexturedSquare, encodePng } from './models.ts'

const [red, blue] = [
  [255, 0, 0],
  [0, 0, 255],
]
/** Three squares of 100 pixels side by side: red, green and blue. */
const bands = encodePng(
  300,
  100,
  Buffer.alloc(
    90_000,
    Buffer.concat([
      Buffer.alloc(300, Buffer.of(255, 0, 0)),
      Buffer.alloc(300, Buffer.of(0, 255, 0)),
      Buffer.alloc(300, Buffer.of(0, 0, 255)),
    ]),
  ),
)

const picture = { name: 'bands.png', mimeType: 'image/png', buffer: bands }
const asModel = (buffer: Buffer, name = 'figure.glb') => ({ name, mimeType: 'model/gltf-binary', buffer })

const choosePicture = (page: Page) => page.getByRole('region', { name: 'Picture' }).locator('..').locator('input')
const chooseModel = (page: Page) => page.getByRole('region', { name: '3D avatar' }).locator('..').locator('input')

/** Returns the colour of an image at a point, in fractions of its size. */
const readColour = (image: Locator, x: number, y: number) =>
  image.evaluate(
    async (image: HTMLImageElement, [x, y]) => {
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: 100, height: 100 })
      const context = canvas.getContext('2d') as CanvasRenderingContext2D
      context.drawImage(image, 0, 0, 100, 100)
      return [...context.getImageData(100 * (x ?? 0), 100 * (y ?? 0), 1, 1).data].slice(0, 3)
    },
    [x, y],
  )

/** Drags a file over the head of the page and drops it there. */
async function drop(page: Page, name: string, content: Buffer) {
  const head = page.getByRole('heading', { level: 1 })
  const transfer = await page.evaluateHandle(
    ([name, base64]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([Uint8Array.from(atob(base64 ?? ''), (char) => char.charCodeAt(0))], name ?? ''))
      return transfer
    },
    [name, content.toString('base64')],
  )
  await head.dispatchEvent('dragover', { dataTransfer: transfer })
  await expect(page.getByText('Drop a picture or a GLB or VRM file')).toBeVisible()
  await head.dispatchEvent('drop', { dataTransfer: transfer })
  await expect(page.getByText('Drop a picture or a GLB or VRM file')).toBeHidden()
}

/** Moves two fingers apart on an element. */
async function pinch(page: Page, element: Locator) {
  const { x, y, width, height } = (await element.boundingBox()) as {
    x: number
    y: number
    width: number
    height: number
  }
  const session = await page.context().newCDPSession(page)
  const touch = (type: string, distance: number) =>
    session.send('Input.dispatchTouchEvent', {
      type: type as 'touchStart',
      touchPoints: [-1, 1].map((side, id) => ({ x: x + width / 2 + side * distance, y: y + height / 2, id })),
    })
  await touch('touchStart', 20)
  for (const distance of [30, 50, 70]) await touch('touchMove', distance)
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

test('a user crops a picture by keys, and their pages show it until they remove it', async ({
  asNew,
  consoleErrors,
}) => {
  const page = await asNew('ivo', 'Ivo Lund')
  await page.goto('/app/account/profile')
  const own = page.getByRole('region', { name: 'Picture' })
  await expect(own).toContainText('No picture yet')
  await choosePicture(page).setInputFiles(picture)
  const area = page.getByRole('application', { name: 'Position of the picture' })
  await expect(area).toBeFocused()
  await page.keyboard.press('+')
  await expect(page.getByRole('slider', { name: 'Zoom' })).toHaveAttribute('aria-valuetext', '1.1 times')
  await page.keyboard.press('Home')
  // The picture moves to the right by its own width: the square shows what was left of the middle.
  for (let step = 0; step < 10; step++) await page.keyboard.press('Shift+ArrowRight')
  await expectAccessible(page)

  // A lost connection and a cancelled upload keep the picture and its crop.
  await page.route('**/profile/me/avatar', (route) => route.abort(), { times: 1 })
  await page.getByRole('button', { name: 'Save picture' }).click()
  await expect(page.getByRole('alert')).toContainText('Check your connection')
  await page.route('**/profile/me/avatar', () => {}, { times: 1 })
  await page.getByRole('button', { name: 'Save picture' }).click()
  await expect(page.getByRole('progressbar', { name: 'Upload' })).toBeVisible()
  await page.getByRole('button', { name: 'Cancel upload' }).click()
  await expect(page.getByText('Caches may keep a copy for a year')).toBeVisible()
  await page.getByRole('button', { name: 'Save picture' }).click()
  await expect(page.getByText('Picture uploaded')).toBeVisible()
  await expect(own).toContainText('Uploaded · Now')
  expect(await readColour(own.locator('img'), 0.5, 0.5)).toEqual(red)
  await expect(page.getByRole('button', { name: 'Account menu of Ivo Lund' }).locator('img')).toBeVisible()

  await page.goto('/app/')
  await expect(page.getByRole('region', { name: 'Your identity' }).locator('img')).toBeVisible()
  await page.goto('/app/account/profile')
  await own.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove picture' }).click()
  await expect(own).toContainText('No picture yet')
  await expect(page.locator('main img')).toHaveCount(0)
  consoleErrors.length = 0
})

test('a picture is dragged below the square, and zoomed around the pointer', async ({ asNew }) => {
  const page = await asNew('una', 'Una Berg')
  await page.goto('/app/account/profile')
  await choosePicture(page).setInputFiles(picture)
  const area = page.getByRole('application', { name: 'Position of the picture' })
  await expect(area).toBeFocused()
  const { x, y, width } = (await area.boundingBox()) as { x: number; y: number; width: number }
  await page.mouse.move(x + width - 2, y + width / 2)
  await page.mouse.down()
  await page.mouse.move(x + width / 2, y + width / 2, { steps: 4 })
  await page.mouse.up()
  // Half of the square is blue now, the right one: zooming there leaves nothing else.
  await page.mouse.move(x + width - 2, y + width / 2)
  await page.mouse.wheel(0, -600)
  await expect(page.getByRole('slider', { name: 'Zoom' })).not.toHaveValue('1')
  await page.getByRole('button', { name: 'Save picture' }).click()
  const own = page.getByRole('region', { name: 'Picture' })
  await expect(own).toContainText('Uploaded')
  expect(await readColour(own.locator('img'), 0.1, 0.5)).toEqual(blue)
})

test('a 3D avatar gives its picture, is turned on request, and an administrator removes it', async ({
  as,
  asNew,
  consoleErrors,
}) => {
  const page = await asNew('pia', 'Pia Roth')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const scripts: string[] = []
  page.on('request', (request) => scripts.push(request.url()))
  await page.goto('/app/account/profile')
  const card = page.getByRole('region', { name: '3D avatar' })
  await expect(card).toContainText('Ready Player Me ended on 31 January 2026')

  await chooseModel(page).setInputFiles(asModel(Buffer.from('not a model')))
  await expect(page.getByRole('alert')).toContainText('Not a GLB file')
  await page.getByRole('button', { name: 'Cancel' }).click()
  // The browser cannot draw it, and the server says why it is invalid.
  await chooseModel(page).setInputFiles(asModel(buildBipyramid().subarray(0, -40)))
  await expect(page.getByText('cannot draw the model')).toBeVisible()
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText("Couldn't upload the 3D avatar")
  await page.getByRole('button', { name: 'Cancel' }).click()

  await chooseModel(page).setInputFiles(asModel(buildTexturedSquare()))
  await expect(page.getByText('This becomes your picture')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByText('3D avatar uploaded')).toBeVisible()
  const own = page.getByRole('region', { name: 'Picture' })
  await expect(own).toContainText('Taken from the 3D avatar')
  const [left, right] = [await readColour(own.locator('img'), 0.3, 0.5), await readColour(own.locator('img'), 0.7, 0.5)]
  expect(left[0], 'red at the left').toBeGreaterThan(150)
  expect(left[2]).toBeLessThan(120)
  expect(right[2], 'blue at the right').toBeGreaterThan(150)
  expect(right[0]).toBeLessThan(120)

  await chooseModel(page).setInputFiles(asModel(buildBipyramid()))
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByRole('dialog')).toBeHidden()

  await page.reload()
  await expect(card.getByRole('button', { name: 'View in 3D' })).toBeVisible()
  scripts.length = 0
  await card.getByRole('button', { name: 'View in 3D' }).click()
  const slider = card.getByRole('slider', { name: 'Turn' })
  await expect(slider).toBeFocused()
  await expect(card.locator('[aria-busy=true]')).toHaveCount(0)
  expect(
    scripts.some((url) => /\/assets\/[^/]+\.js$/.test(url)),
    'the scene loads now',
  ).toBe(true)
  const front = await card.locator('canvas').screenshot()
  for (let step = 0; step < 6; step++) await page.keyboard.press('ArrowRight')
  await expect(slider).toHaveAttribute('aria-valuetext', 'Front right')
  const figure = card.getByRole('img', { name: '3D avatar of Pia Roth, front right' })
  expect(front.equals(await figure.screenshot())).toBe(false)
  const { x, y } = (await figure.boundingBox()) as { x: number; y: number }
  await page.mouse.move(x + 20, y + 100)
  await page.mouse.down()
  await page.mouse.move(x + 120, y + 100, { steps: 4 })
  await page.mouse.up()
  await expect(slider).toHaveAttribute('aria-valuetext', 'Right')
  await expectAccessible(page)

  const turned = card.getByRole('img', { name: '3D avatar of Pia Roth, right' })
  const whole = await turned.screenshot()
  await card.getByRole('button', { name: 'Zoom in' }).click()
  expect(whole.equals(await turned.screenshot()), 'zoomed by a button').toBe(false)
  await card.getByRole('button', { name: 'Zoom out' }).click()
  await expect(card.getByRole('button', { name: 'Zoom out' })).toHaveAttribute('aria-disabled', 'true')
  await pinch(page, turned)
  await expect(card.getByRole('button', { name: 'Zoom out' })).toHaveAttribute('aria-disabled', 'false')
  await card.getByRole('button', { name: 'Full screen' }).click()
  await expect(card.getByRole('button', { name: 'Leave full screen' })).toBeFocused()
  await expect.poll(async () => (await card.locator('canvas').boundingBox())?.width).toBeGreaterThan(1000)
  await slider.focus()
  await page.keyboard.press('ArrowLeft')
  await card.getByRole('button', { name: 'Leave full screen' }).click()
  await expect(card.getByRole('button', { name: 'Full screen' })).toBeFocused()

  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)

  const { profileId } = await (await page.request.get('/passport/profile/me')).json()
  const admin = await as('ada')
  await admin.goto(`/app/admin/users/${profileId}`)
  const avatar = admin.getByRole('region', { name: 'Avatar' })
  await expect(avatar).toContainText('Taken from the 3D avatar')
  await expectAccessible(admin)
  await avatar.getByRole('button', { name: 'Remove' }).last().click()
  await admin.getByRole('button', { name: 'Remove 3D avatar' }).click()
  await expect(avatar.getByRole('button', { name: 'View in 3D' })).toBeHidden()
  await avatar.getByRole('button', { name: 'Remove' }).click()
  await admin.getByRole('button', { name: 'Remove picture' }).click()
  await expect(avatar).toBeHidden()
  consoleErrors.length = 0
})

test('files are dropped anywhere on the page, and a 3D avatar from a URL gives its picture too', async ({ asNew }) => {
  const page = await asNew('tim', 'Tim Falk')
  await page.goto('/app/account/profile')
  const own = page.getByRole('region', { name: 'Picture' })
  await expect(own).toContainText('No picture yet')
  await drop(page, 'figure.glb', buildBipyramid())
  const dialog = page.getByRole('dialog', { name: 'Upload a 3D avatar' })
  await expect(dialog).toContainText('figure.glb')
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(own).toContainText('Taken from the 3D avatar')
  await drop(page, 'bands.png', bands)
  await page.getByRole('dialog', { name: 'Crop your picture' }).getByRole('button', { name: 'Cancel' }).click()

  const { glbUrl } = await (await page.request.get('/passport/profile/me/avatar')).json()
  for (const name of ['Picture', '3D avatar']) {
    await page.getByRole('region', { name }).getByRole('button', { name: 'Remove' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Remove' }).click()
    await expect(question).toBeHidden()
  }
  await expect(own).toContainText('No picture yet')
  await page.getByRole('region', { name: '3D avatar' }).getByRole('button', { name: 'Import' }).click()
  await page.getByRole('textbox', { name: 'URL' }).fill(glbUrl)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(page.getByText('3D avatar imported')).toBeVisible()
  await expect(own).toContainText('Taken from the 3D avatar')
})

test('without WebGL a 3D avatar is uploaded without a picture', async ({ asNew }) => {
  const page = await asNew('leo', 'Leo Kern')
  await page.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, type: string, ...rest: unknown[]) {
      return type.startsWith('webgl') ? null : getContext.call(this, type as '2d', ...(rest as []))
    } as typeof getContext
  })
  await page.goto('/app/account/profile')
  await chooseModel(page).setInputFiles(asModel(buildBipyramid()))
  await expect(page.getByText('has no WebGL, so it is uploaded without a picture')).toBeVisible()
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByText('3D avatar uploaded')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Picture' })).toContainText('No picture yet')
  await page.getByRole('button', { name: 'View in 3D' }).click()
  await expect(page.getByRole('alert')).toContainText('no WebGL')
})
