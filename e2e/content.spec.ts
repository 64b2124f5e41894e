import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'

const path = '/app/admin/content'

test('a notice is written with a preview, published, seen before sign-in, and reverted', async ({
  as,
  browser,
  passport,
}) => {
  const page = await as('ada')
  await page.goto(`${path}?slug=home.signedOut`)
  const [title, body] = [page.getByLabel('Title'), page.getByLabel('Text', { exact: true })]
  const preview = page.getByRole('region', { name: 'Preview' })
  const publish = page.getByRole('button', { name: 'Publish' })
  await expect(page.getByText('Built in').first()).toBeVisible()
  await expect(publish).toBeDisabled()
  await title.fill('Welcome')
  await body.fill('Doors open at **nine**. <img src=x onerror=alert(1)>')
  await expect(preview.locator('strong')).toHaveText('nine')
  await expect(preview.locator('img')).toHaveCount(0)

  // Another text and a reload keep the input.
  await page.getByRole('link', { name: 'Terms' }).click()
  await expect(page.getByRole('region', { name: 'Terms' })).toBeVisible()
  await expect(body).toHaveValue('')
  await page.goBack()
  await expect(body).toHaveValue(/nine/)
  await expectAccessible(page)

  await publish.click()
  await expect(page.getByText('Published in English')).toBeVisible()
  const visitor = await (await browser.newContext({ baseURL: passport.url })).newPage()
  await visitor.goto('/app/')
  await expect(visitor.getByRole('heading', { name: 'Welcome' })).toBeVisible()
  await expectAccessible(visitor)

  await body.fill('Doors open at ten.')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByText('Unpublished changes')).toBeVisible()
  const history = page.getByRole('region', { name: 'History' })
  await history.getByRole('button', { name: 'Compare Version 1' }).click()
  const dialog = page.getByRole('dialog', { name: 'Version 1 and the editor' })
  await expect(dialog.locator('ins')).toContainText('Doors open at ten.')
  await expect(dialog.locator('del')).toContainText('**nine**')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await expect(body).toHaveValue(/nine/)
  await expect(page.getByText('Published in English')).toBeVisible()

  await preview.getByRole('button', { name: 'Dark' }).click()
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test('typed text survives a lost connection and another administrator, and a deletion can be undone', async ({
  as,
  consoleErrors,
}) => {
  const page = await as('ada')
  await page.goto(`${path}?slug=support&locale=de`)
  const body = page.getByLabel('Text', { exact: true })
  await body.fill('Hilfe')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByText('Unpublished draft')).toBeVisible()
  await expect(page.getByText('Draft saved')).toBeVisible()
  await body.fill('Hilfe am Eingang')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByText("Couldn't reach the server.").first()).toBeVisible()
  await expect(body).toHaveValue('Hilfe am Eingang')
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()

  await body.fill('Hilfe an der Kasse')
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const data = { title: 'Hilfe', body: 'Hilfe im Foyer' }
  await page.request.put('/passport/admin/content/support?locale=de', { headers, data })
  await page.keyboard.press('Control+s')
  const dialog = page.getByRole('dialog', { name: 'Another user changed this text' })
  await expect(dialog).toContainText('Hilfe im Foyer')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByLabel('Title')).toHaveValue('Hilfe')
  await expect(body).toHaveValue('Hilfe an der Kasse')
  await expect(page.getByText('Unsaved changes')).toBeHidden()

  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('textbox', { name: /Support \(de\)/ }).fill('Support (de)')
  await page.getByRole('button', { name: 'Delete text' }).click()
  await expect(page.getByText('Text deleted')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.goto(`${path}?slug=support&locale=de`)
  await expect(body).toHaveValue('Hilfe an der Kasse')
  const isExpected = (text: string) => /412|ERR_INTERNET_DISCONNECTED|404/.test(text)
  expect(consoleErrors.splice(0).filter((text) => !isExpected(text))).toEqual([])
})
