import { type App, expect, test, waitUntilReady } from './app.ts'

const dpop = { dpop: true, scope: 'openid offline_access' }

/** Returns the key stored in the browser. */
const readStoredKey = ({ page, settings }: App) =>
  page.evaluate(async (name) => {
    const openRequest = indexedDB.open('oidc.dpop')
    await new Promise((resolve) => openRequest.addEventListener('success', resolve))
    const request = openRequest.result.transaction('key-pairs').objectStore('key-pairs').get(name)
    await new Promise((resolve) => request.addEventListener('success', resolve))
    openRequest.result.close()
    const { privateKey } = (request.result as CryptoKeyPair | undefined) ?? {}
    return privateKey && { isExtractable: privateKey.extractable, usages: privateKey.usages }
  }, `${settings.authority}:${settings.client_id}`)

test('binds tokens to a key that scripts cannot read', async ({ app, op }) => {
  await app.open(dpop)
  await app.signIn()
  expect(await app.stored()).toMatchObject({ token_type: 'DPoP', profile: { name: 'Ada Quist' } })
  expect(await readStoredKey(app)).toEqual({ isExtractable: false, usages: ['sign'] })
  expect(op.requests('/authorize')[0]?.query['dpop_jkt']).toMatch(/^[\w-]{43}$/)
  expect(op.requests('/userinfo')[0]?.headers['authorization']).toMatch(/^DPoP /)
})

test('a refresh after a reload proves possession of the same key', async ({ app, op }) => {
  await app.open(dpop)
  await app.signIn()
  await app.page.goto(app.url)
  await waitUntilReady(app.page)
  await app.page.evaluate(() => window.client.signinSilent())
  const keys = op.requests('/token').map(({ headers }) => {
    const [header = ''] = (headers['dpop'] ?? '').split('.')
    return JSON.parse(Buffer.from(header, 'base64url').toString()).jwk
  })
  expect(keys).toHaveLength(2)
  expect(keys[0]).toEqual(keys[1])
})

test('sends a required nonce on the retry, and with every later request', async ({ app, op }) => {
  op.script.requiresDpopNonce = true
  await app.open(dpop)
  await app.signIn()
  expect(await app.stored()).toMatchObject({ profile: { name: 'Ada Quist' } })
  const tokenRequests = op.requests('/token').length
  await app.page.evaluate(() => window.client.signinSilent())
  expect([tokenRequests, op.requests('/token').length]).toEqual([2, 3])
})

test('removing the user removes the key', async ({ app }) => {
  await app.open(dpop)
  await app.signIn()
  await app.page.evaluate(() => window.client.removeUser())
  await expect.poll(() => readStoredKey(app)).toBeUndefined()
})

test('sends no proof and creates no key without the setting', async ({ app, op }) => {
  await app.open()
  await app.signIn()
  expect(op.requests('/token')[0]?.headers).not.toHaveProperty('dpop')
  expect(await app.page.evaluate(() => window.client.dpop())).toBeUndefined()
  expect(await app.page.evaluate(async () => (await indexedDB.databases()).length)).toBe(0)
})
