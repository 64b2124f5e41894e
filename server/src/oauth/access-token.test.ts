import { exportJWK, generateKeyPair } from 'jose'
import { expect, test, vi } from 'vitest'
import { audienceOf, readAccessToken, signAccessToken } from './access-token.ts'
import { createKeySet } from './key-set.ts'

const publicUrl = 'https://passport.example'
const generateKeySet = async (kid: string) => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return createKeySet([{ ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' }])
}
const now = () => Math.floor(Date.now() / 1000)
const sign = (keys: Awaited<ReturnType<typeof generateKeySet>>, aud = audienceOf(publicUrl)) => {
  const claims = { jti: 'a', aud, sub: 'eve', client_id: 'shop', scope: 'openid', iat: now(), exp: now() + 60 }
  return signAccessToken({ ...claims, roles: [], orgs: [] }, publicUrl, keys)
}

test('a token that was verified before still expires, and stays for its API', async () => {
  const keys = await generateKeySet('first')
  const [token, foreign] = [sign(keys), sign(keys, 'https://other.example')]
  try {
    for (let round = 0; round < 2; round++) {
      expect(await readAccessToken(token, publicUrl, keys)).toMatchObject({ sub: 'eve' })
      expect(await readAccessToken(foreign, publicUrl, keys, { isForAnyApi: true })).toMatchObject({ sub: 'eve' })
      expect(await readAccessToken(foreign, publicUrl, keys)).toBeUndefined()
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    expect(await readAccessToken(token, publicUrl, keys)).toBeUndefined()
    expect(await readAccessToken(foreign, publicUrl, keys, { isForAnyApi: true })).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})

test('a token that was verified with former keys is verified again with the new ones', async () => {
  const [former, current] = [await generateKeySet('same'), await generateKeySet('same')]
  const token = sign(former)
  expect(await readAccessToken(token, publicUrl, former)).toBeDefined()
  expect(await readAccessToken(token, publicUrl, current)).toBeUndefined()
  expect(await readAccessToken(`${token.slice(0, -2)}xx`, publicUrl, former)).toBeUndefined()
  expect(await readAccessToken(token, 'https://other.example', current)).toBeUndefined()
})
