import { type App, expect, ready, test } from './app.ts'

const dpop = { dpop: true, scope: 'openid offline_access' }

/** The key that is kept in the browser. */
const keptKey = ({ page, settings }: App) =>
  page.evaluate(async (name) => {
    const opening = indexedDB.open('oidc.dpop')
    await new Promise((resolve) => opening.addEventListener('success', resolve))
    const request = opening.result.transaction('key-pairs').objectStore('key-pairs').get(name)
    await new Promise((resolve) => request.addEventListener('success', resolve))
    opening.result.close()
    const { privateKey } = (request.result as CryptoKeyPair | undefined) ?? {}
    return privateKey && { isExtractable: privateKey.extractable, usages: privateKey.usages }
  }, `${settings.authority}:${settings.client_id}`)

test('S1 tokens are bound to a key that no script can read', async ({ app, shoal }) => {
  await app.open(dpop)
  await app.signIn()
  expect(await app.stored()).toMatchObject({ token_type: 'DPoP', profile: { name: 'Ada Quist' } })
  expect(await keptKey(app)).toEqual({ isExtractable: false, usages: ['sign'] })
  expect(shoal.requests('/authorize')[0]?.query['dpop_jkt']).toMatch(/^[\w-]{43}$/)
  expect(shoal.requests('/userinfo')[0]?.headers['authorization']).toMatch(/^DPoP /)
})

test('S3 the key outlives the page: a refresh after a reload proves the same one', async ({ app, shoal }) => {
  await app.open(dpop)
  await app.signIn()
  await app.page.goto(app.url)
  await ready(app.page)
  await app.page.evaluate(() => window.client.signinSilent())
  const keys = shoal.requests('/token').map(({ headers }) => {
    const [header = ''] = (headers['dpop'] ?? '').split('.')
    return JSON.parse(Buffer.from(header, 'base64url').toString()).jwk
  })
  expect(keys).toHaveLength(2)
  expect(keys[0]).toEqual(keys[1])
})

test('S1 a nonce that the provider wants is given at the second try, and from then on at the first', async ({
  app,
  shoal,
}) => {
  shoal.script.wantsNonce = true
  await app.open(dpop)
  await app.signIn()
  expect(await app.stored()).toMatchObject({ profile: { name: 'Ada Quist' } })
  const asked = shoal.requests('/token').length
  await app.page.evaluate(() => window.client.signinSilent())
  expect([asked, shoal.requests('/token').length]).toEqual([2, 3])
})

test('S2 the key goes with the user', async ({ app }) => {
  await app.open(dpop)
  await app.signIn()
  await app.page.evaluate(() => window.client.removeUser())
  await expect.poll(() => keptKey(app)).toBeUndefined()
})

test('S1 without the setting there is no proof and no key', async ({ app, shoal }) => {
  await app.open()
  await app.signIn()
  expect(shoal.requests('/token')[0]?.headers).not.toHaveProperty('dpop')
  expect(await app.page.evaluate(() => window.client.dpop())).toBeUndefined()
  expect(await app.page.evaluate(async () => (await indexedDB.databases()).length)).toBe(0)
})
