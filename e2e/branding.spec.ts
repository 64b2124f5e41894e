import { expect, expectAccessible, expectNoSidewaysScroll, openAs, test } from './fixtures.ts'
import { encodePng } from './models.ts'
import { startPassport } from './passport.ts'

const createPng = (width: number, height: number) =>
  encodePng(width, height, Buffer.alloc(width * height * 3, Buffer.from([0x20, 0x79, 0x59])))

test('a brand is previewed, saved, seen on every page at once, and reset', async ({ browser }) => {
  const passport = await startPassport({ BRAND_NAME: 'Configured' })
  const context = await browser.newContext({ baseURL: passport.url })
  const page = await context.newPage()
  await openAs(page, passport, 'ada', '/app/admin/branding')
  await page.getByLabel('Name', { exact: true }).fill('Orchard')
  const upload = async (name: string, width: number, height: number) => {
    const file = { name: 'picture.png', mimeType: 'image/png', buffer: createPng(width, height) }
    await page.getByLabel(`Upload ${name}`).setInputFiles(file)
    await expect(page.getByRole('img', { name: `Current ${name}` })).toBeVisible()
  }
  await page.getByLabel('Upload logo').setInputFiles({
    name: 'logo.png',
    mimeType: 'image/png',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  })
  await expect(page.getByRole('alert')).toHaveText('The picture is an SVG file. Export it as PNG.')
  await upload('logo', 300, 80)
  await upload('icon', 64, 64)

  // A colour without enough contrast is refused with the measured one, and the nearest readable one is offered.
  const light = page.getByLabel('Light theme', { exact: true })
  await light.fill('#34c38f')
  await expect(page.getByText('Has a contrast of 1.99:1 in the light theme; at least 4.5:1 is required.')).toBeVisible()
  await expect(page.getByLabel('Dark theme', { exact: true })).toHaveValue('#34c38f')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(light).toBeFocused()
  await page.getByRole('button', { name: /^Use #/ }).click()
  await expect(page.getByText('Contrast 4.63:1')).toBeVisible()

  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByRole('button', { name: 'Dark' }).click()
  const shown = preview.getByRole('img', { name: 'Sign-in of Orchard in the dark theme' })
  await expect(shown).toBeVisible()
  // The theme of the preview differs from that of the page.
  const backgroundOf = (element: Element) => getComputedStyle(element).backgroundColor
  expect(await shown.evaluate(backgroundOf)).not.toBe(await page.locator('body').evaluate(backgroundOf))
  await expectAccessible(page)
  await preview.getByRole('button', { name: 'Email' }).click()
  await expect(preview.getByText('New sign-in to your Orchard account')).toBeVisible()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText(/^Saved\. Open pages show it/)).toBeVisible()

  await page.reload()
  await expect(page).toHaveTitle('Branding | Orchard')
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Orchard' }).locator('img')).toHaveAttribute(
    'src',
    /^\/passport\/media\/branding\//,
  )
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
  const visitor = await (await browser.newContext({ baseURL: passport.url })).newPage()
  const failed: string[] = []
  visitor.on('console', (message) => message.type() === 'error' && failed.push(message.text()))
  await visitor.goto('/login?idp=local')
  await expect(visitor.getByRole('heading', { name: 'Sign in to Orchard' })).toBeVisible()
  await expect(visitor.getByRole('button', { name: 'Sign in' })).toHaveCSS('background-color', 'rgb(32, 121, 89)')
  await expect(visitor.getByRole('img', { name: 'Orchard' })).toBeVisible()
  await expectAccessible(visitor)
  // The security policy blocks neither the pictures nor the style sheet.
  expect(failed).toEqual([])

  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Reset to defaults…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset' }).click()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('')
  await visitor.goto('/login?idp=local')
  await expect(visitor.getByRole('heading', { name: 'Sign in to Configured' })).toBeVisible()
  await passport.stop()
})

test('origins are allowed, corrected, and reset', async ({ as, passport, consoleErrors }) => {
  const page = await as('ada')
  await page.goto('/app/admin/cors')
  await page.getByRole('button', { name: 'Add stack' }).click()
  await page.getByLabel('Name of the stack').fill('e2e-live')
  await page.getByRole('button', { name: 'Continue' }).click()
  const origins = page.getByLabel('Origins, one per line')
  await origins.fill('https://app.orchard.example\nhttps://b.example/path')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('https://b.example/path: Must be an origin: write https://b.example')).toBeVisible()
  await expectAccessible(page)
  await origins.fill('https://app.orchard.example')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'https://app.orchard.example' })).toBeVisible()
  const listed = async () => {
    const response = await page.request.get(`${passport.url}/passport/stacks/e2e-live/metadata/corsorigins`)
    return response.ok() ? response.json() : response.status()
  }
  expect(await listed()).toEqual(['https://app.orchard.example'])
  await page.reload()
  await expect(page.getByRole('heading', { name: 'e2e-live' })).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete the origins…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(listed).toBe(404)
  // The browser logs the response to the wrong origin.
  expect(consoleErrors).toEqual([expect.stringContaining('400 (Bad Request)')])
  consoleErrors.length = 0
})

test('an organisation shows its own name to its users', async ({ as }) => {
  const page = await as('ada')
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const created = await page.request.post('/passport/admin/orgs', { headers, data: { name: 'Branded Farms' } })
  const { id } = (await created.json()) as { id: string }
  await page.goto(`/app/admin/orgs/${id}`)
  await page.getByRole('button', { name: 'Edit branding' }).click()
  const card = page.getByRole('region', { name: 'Branding' })
  await card.getByLabel('Name').fill('Farms')
  await expectAccessible(page)
  await card.getByRole('button', { name: 'Save' }).click()
  await expect(card.getByText('Farms', { exact: true })).toBeVisible()
})
