import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './fixtures.ts'

/* The console on a bad network: offline, slow, with 503 or hanging responses, and after a deploy. */

const userPath = '**/passport/apphelper/user'
const notAnswering = 'Passport is not answering. Retrying…'
const findSidebar = (page: Page) => page.getByRole('navigation', { name: 'Main' })

/** Opens the form of a new user and types a name. */
async function openTypedForm(page: Page) {
  await page.goto('/app/admin/users/create')
  await page.getByLabel('Username').fill('half.typed')
}

test.describe('a page whose code cannot be loaded', () => {
  test('is not an error while its link is only hovered, and the form keeps its input', async ({
    as,
    consoleErrors,
  }) => {
    const page = await as('ada')
    await openTypedForm(page)
    let loads = 0
    page.on('load', () => loads++)
    page.on('dialog', () => loads++)
    await page.context().setOffline(true)
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/'))
    await findSidebar(page).getByRole('link', { name: 'Roles' }).hover()
    await failed
    await expect(page.getByLabel('Username')).toHaveValue('half.typed')
    expect(loads).toBe(0)
    consoleErrors.length = 0
  })

  test('is an error on the page, and “Try again” opens it when the network is back', async ({ as, consoleErrors }) => {
    const page = await as('ada')
    await page.goto('/app/')
    await expect(findSidebar(page)).toBeVisible()
    await page.context().setOffline(true)
    await findSidebar(page).getByRole('link', { name: 'Roles' }).click()
    await expect(page.getByRole('alert').filter({ hasText: "Couldn't load this page" })).toBeVisible()
    await expect(findSidebar(page)).toBeVisible()
    await expectAccessible(page)
    // Otherwise this attempt could succeed once the network is back.
    const failedAgain = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/'))
    await page.getByRole('button', { name: 'Try again' }).click()
    await failedAgain
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Roles' })).toBeVisible()
    consoleErrors.length = 0
  })

  test('opens when the network is back, although its link was hovered offline', async ({ as, consoleErrors }) => {
    const page = await as('ada')
    await page.goto('/app/')
    await expect(findSidebar(page)).toBeVisible()
    await page.context().setOffline(true)
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/'))
    await findSidebar(page).getByRole('link', { name: 'Roles' }).hover()
    await failed
    await page.context().setOffline(false)
    await findSidebar(page).getByRole('link', { name: 'Roles' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Roles' })).toBeVisible()
    consoleErrors.length = 0
  })

  test('does not reload while the server starts (503)', async ({ as, consoleErrors }) => {
    const page = await as('ada')
    await page.goto('/app/')
    let loads = 0
    page.on('load', () => loads++)
    await page.route('**/assets/RolesPage*.js', (route) => route.fulfill({ status: 503, body: '{}' }))
    await findSidebar(page).getByRole('link', { name: 'Roles' }).click()
    await expect(page.getByText("Couldn't load this page")).toBeVisible()
    expect(loads).toBe(0)
    consoleErrors.length = 0
  })

  test('reloads once after an update removed its file', async ({ as, consoleErrors }) => {
    const page = await as('ada')
    await page.goto('/app/')
    let loads = 0
    await page.route('**/assets/RolesPage*.js', (route) => route.fulfill({ status: 404, body: '{}' }))
    page.on('load', () => loads++)
    // The reloaded document names the files of the new build.
    await page.route('**/app/admin/roles', async (route) => {
      await page.unroute('**/assets/RolesPage*.js')
      await route.continue()
    })
    await findSidebar(page).getByRole('link', { name: 'Roles' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Roles' })).toBeVisible()
    expect(loads).toBe(1)
    consoleErrors.length = 0
  })

  test('is an error after one reload if its file is still missing', async ({ as, consoleErrors }) => {
    const page = await as('ada')
    await page.goto('/app/')
    let loads = 0
    page.on('load', () => loads++)
    await page.route('**/assets/RolesPage*.js', (route) => route.fulfill({ status: 404, body: '{}' }))
    await findSidebar(page).getByRole('link', { name: 'Roles' }).click()
    await expect(page.getByText("Couldn't load this page")).toBeVisible()
    expect(loads).toBe(1)
    consoleErrors.length = 0
  })

  test('appears late on a slow network, after a placeholder', async ({ as }) => {
    const page = await as('ada')
    await page.goto('/app/')
    const { promise, resolve: proceed } = Promise.withResolvers<void>()
    await page.route('**/assets/RolesPage*.js', async (route) => {
      await promise
      await route.continue()
    })
    await findSidebar(page).getByRole('link', { name: 'Roles' }).click()
    await expect(page.locator('#main [aria-busy=true]')).toBeVisible()
    proceed()
    await expect(page.getByRole('heading', { level: 1, name: 'Roles' })).toBeVisible()
  })
})

test('reports a failed save even if the toast library cannot be loaded, and keeps the row', async ({
  as,
  consoleErrors,
}) => {
  const page = await as('eve')
  await page.route('**/assets/toaster*.js', (route) => route.abort())
  await page.goto('/app/account/preferences')
  await page.getByLabel('New key').fill('offline.key')
  await page.getByLabel('New value').fill('v')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Add' }).click()
  const message = 'Failed to update key offline.key: no connection'
  await expect(page.getByRole('alert').filter({ hasText: message })).toHaveCount(2)
  await expect(page.getByLabel('Key of offline.key')).toHaveValue('offline.key')
  await expectAccessible(page)
  consoleErrors.length = 0
})

test('⌘K without a connection shows an error, and the form keeps its input', async ({ as, consoleErrors }) => {
  const page = await as('ada')
  await openTypedForm(page)
  await page.context().setOffline(true)
  await page.keyboard.press('Control+k')
  await expect(page.getByText("Couldn't load this part of the page")).toBeInViewport()
  await expect(page.getByLabel('Username')).toHaveValue('half.typed')
  consoleErrors.length = 0
})

test('the Not Found page needs no connection', async ({ as, consoleErrors }) => {
  const page = await as('stranger')
  await page.goto('/app/')
  await expect(page.getByRole('main').getByRole('link', { name: 'Sign in' })).toBeVisible()
  await page.context().setOffline(true)
  await page.evaluate(() => {
    history.pushState(null, '', '/app/account/logins')
    dispatchEvent(new PopStateEvent('popstate'))
  })
  await expect(page.getByText("We couldn't find that page.")).toBeVisible()
  consoleErrors.length = 0
})

test.describe('a poll of the current user', () => {
  for (const failure of ['503', 'offline', 'hanging'] as const) {
    test(`that fails (${failure}) keeps the page and its sidebar, and is repeated after 2 s`, async ({
      as,
      consoleErrors,
    }) => {
      const page = await as('ada')
      await page.clock.install()
      await page.goto('/app/admin/users/create')
      await page.getByLabel('Username').fill('half.typed')
      let polls = 0
      page.on('request', (request) => request.url().endsWith('/apphelper/user') && polls++)
      if (failure === 'offline') await page.context().setOffline(true)
      else await page.route(userPath, (route) => (failure === '503' ? route.fulfill({ status: 503 }) : undefined))
      await page.clock.runFor(30_000)
      await expect.poll(() => polls).toBe(1)
      if (failure === 'hanging') await page.clock.runFor(10_000)
      await expect(page.getByText(notAnswering)).toBeVisible()
      await expect(page.getByText("You've been signed out.")).toBeHidden()
      await expect(findSidebar(page)).toBeVisible()
      await expect(page.getByLabel('Username')).toHaveValue('half.typed')
      await page.clock.runFor(2_000)
      await expect.poll(() => polls).toBe(2)
      if (failure === 'offline') await page.context().setOffline(false)
      else await page.unroute(userPath)
      await page.clock.runFor(15_000)
      await expect(page.getByText(notAnswering)).toBeHidden()
      await expect(page.getByLabel('Username')).toHaveValue('half.typed')
      consoleErrors.length = 0
    })
  }

  test('that fails does not block writes', async ({ as, consoleErrors }) => {
    const page = await as('eve')
    await page.clock.install()
    await page.goto('/app/account/preferences')
    await page.route(userPath, (route) => route.fulfill({ status: 503 }))
    await page.clock.runFor(30_000)
    await expect(page.getByText(notAnswering)).toBeVisible()
    await expectAccessible(page)
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
    await page.getByLabel('New key').fill(`tried.${Date.now()}`)
    await page.getByLabel('New value').fill('v')
    await page.getByRole('button', { name: 'Add' }).click()
    expect((await saved).ok()).toBe(true)
    consoleErrors.length = 0
  })

  test('that returns 401 signs the user out', async ({ as, consoleErrors }) => {
    const page = await as('eve')
    await page.clock.install()
    await page.goto('/app/account/logins')
    await page.context().clearCookies()
    await page.clock.runFor(31_000)
    await expect(page.getByText("You've been signed out.")).toBeVisible()
    await expect(page.getByText(notAnswering)).toBeHidden()
    consoleErrors.length = 0
  })
})

test.describe('the start', () => {
  test('shows a text while it waits, and after 10 s the home page of a signed-out user', async ({
    as,
    consoleErrors,
  }) => {
    const page = await as('eve')
    await page.clock.install()
    await page.route(userPath, () => undefined)
    await page.goto('/app/', { waitUntil: 'commit' })
    await expect(page.getByText('Waiting for Passport to answer…')).toBeVisible()
    await page.clock.runFor(10_000)
    await expect(page.getByRole('main').getByRole('link', { name: 'Sign in' })).toBeVisible()
    await expect(page.getByText(notAnswering)).toBeVisible()
    consoleErrors.length = 0
  })

  test('in an outage says so at the URL of the page, and opens it once the server responds', async ({
    as,
    consoleErrors,
  }) => {
    const page = await as('ada')
    await page.clock.install()
    const problem = {
      code: 'database-unavailable',
      traceId: 't',
      status: 503,
      detail: 'The database is not responding.',
    }
    await page.route(userPath, (route) => route.fulfill({ status: 503, json: problem }))
    await page.goto('/app/admin/roles')
    await expect(page.getByRole('heading', { level: 1, name: 'Not available at the moment' })).toBeVisible()
    await expect(page.getByText('The database is not responding.')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Not available at the moment' })).toBeVisible()
    await expect(page).toHaveURL(/\/app\/admin\/roles$/)
    await page.unroute(userPath)
    await page.clock.runFor(10_000)
    await expect(page.getByRole('heading', { level: 1, name: 'Roles' })).toBeVisible()
    await expect(page).toHaveURL(/\/app\/admin\/roles$/)
    consoleErrors.length = 0
  })

  test('with a 200 whose body is not a user shows the trace id', async ({ as }) => {
    const page = await as('eve')
    const headers = { 'x-trace-id': '0af7651916cd43dd8448eb211c80319c' }
    await page.route(userPath, (route) => route.fulfill({ json: {}, headers }))
    await page.goto('/app/account/logins')
    await expect(page.getByText("We couldn't find that page.")).toBeVisible()
    await expect(page.getByText(`Trace ${headers['x-trace-id']}`)).toBeVisible()
    await expectAccessible(page)
  })
})

test.describe('a list', () => {
  test('keeps its rows when a search fails, and retries', async ({ as, consoleErrors }) => {
    const page = await as('ada')
    await page.goto('/app/admin/users')
    await expect(page.getByRole('link', { name: 'Ada Lovelace' })).toBeVisible()
    await page.context().setOffline(true)
    await page.getByRole('searchbox', { name: 'Search users' }).fill('eve')
    await expect(page.getByRole('alert').filter({ hasText: "Couldn't load users." })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Ada Lovelace' })).toBeVisible()
    await expectAccessible(page)
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('link', { name: 'Eve Moreau' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Ada Lovelace' })).toBeHidden()
    consoleErrors.length = 0
  })

  test('reports a sign-out once', async ({ as, consoleErrors }) => {
    const page = await as('ada')
    await page.goto('/app/admin/roles')
    await expect(page.getByRole('heading', { level: 1, name: 'Roles' })).toBeVisible()
    await page.context().clearCookies()
    await findSidebar(page).getByRole('link', { name: 'Users' }).click()
    await expect(page.getByText("You've been signed out.")).toBeVisible()
    await expect(page.getByText('Sign in to see users')).toBeVisible()
    await expect(page.getByText('401 Unauthorized')).toBeHidden()
    await expect(page.getByRole('alert')).toHaveCount(1)
    consoleErrors.length = 0
  })
})

test('a tab that gets the focus shows the changes saved in another tab', async ({ as }) => {
  const page = await as('ada')
  const name = (text: string) => `two-tabs-${text}-${Date.now()}`
  await page.goto('/app/')
  const id = await page.evaluate(async (groupName) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const response = await fetch('/passport/groups', { ...init, body: JSON.stringify({ name: groupName }) })
    return ((await response.json()) as { id: string }).id
  }, name('before'))
  await page.goto(`/app/admin/groups/${id}/settings`)
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue(/before/)
  const other = await page.context().newPage()
  await other.goto(`/app/admin/groups/${id}/settings`)
  await other.getByLabel('Name', { exact: true }).fill(name('after'))
  await other.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(other.getByText('Saved')).toBeVisible()
  // The test's browser never takes the focus from a page.
  await page.evaluate(() => dispatchEvent(new Event('focus')))
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue(/after/)
})
