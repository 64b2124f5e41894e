import { type App, expect, signInFor, test, waitUntilReady } from './app.ts'

function recordWarnings({ page }: App): string[] {
  const warnings: string[] = []
  page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
  return warnings
}

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600

test('warns once about a clock ahead of the provider’s, and nothing expires sooner', async ({ app, op }) => {
  op.script.claims = { iat: inAnHour() - 7200 }
  await app.open({ scope: 'openid offline_access' })
  const warnings = recordWarnings(app)
  await app.signIn()
  await app.page.evaluate(() => window.client.signinSilent())
  expect(warnings).toEqual([expect.stringMatching(/^The clock of this device is 36\d\d s ahead of the provider’s$/)])
  expect(await app.page.evaluate(async () => (await window.client.getUser())?.expires_in)).toBeGreaterThan(3590)
  expect(await app.events()).toEqual(['userLoaded', 'userLoaded'])
})

test('warns about a clock too far behind when it makes a token invalid', async ({ app, op }) => {
  op.script.claims = { iat: inAnHour() }
  await app.open()
  const warnings = recordWarnings(app)
  await app.page.evaluate(() => void window.client.signinRedirect())
  await app.page.waitForURL((url) => url.pathname === '/callback')
  await waitUntilReady(app.page)
  expect(await app.page.evaluate(() => window.outcome)).toMatchObject({
    error: { message: 'Failed to validate id_token', cause: 'Error: iat is missing or in the future' },
  })
  expect(warnings).toEqual([expect.stringMatching(/ 3[56]\d\d s behind the provider’s$/)])
})

test('a clock set back after sign-in does not delay the expiry', async ({ app, op }) => {
  await signInFor(app, 120, {}, op.script.tokenResponse)
  await app.page.clock.setSystemTime(Date.now() - 7_200_000)
  await app.page.evaluate(() => window.client.getUser())
  await app.page.clock.runFor(130_000)
  expect(await app.events()).toEqual(['userLoaded', 'accessTokenExpiring', 'accessTokenExpired'])
})
