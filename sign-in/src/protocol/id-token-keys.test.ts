import { CompactSign, createLocalJWKSet, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { clientId, useProvider } from '../test-provider.ts'
import { type ExpectedIdToken, expectedIdToken, verifyIdToken } from './id-token.ts'

const issuer = 'https://op.example'
const now = 1_800_000_000
const skew = 300
const expected: ExpectedIdToken = { issuer, clientId, nonce: 'n-1', clockSkew: skew, algorithms: ['ES256'] }
const good = { iss: issuer, sub: 'ada', aud: clientId, nonce: 'n-1', iat: now, exp: now + 3600 }
const refusal = { name: 'SigninError', message: 'Failed to validate id_token', code: 'invalid_id_token' }

beforeEach(() => void vi.useFakeTimers({ now: now * 1000, toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

describe('signatures', () => {
  test.each([
    ['RS256'],
    ['RS384'],
    ['RS512'],
    ['PS256'],
    ['PS384'],
    ['PS512'],
    ['ES256'],
    ['ES384'],
    ['ES512'],
    ['EdDSA'],
  ])('V13 %s is taken', async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg)
    const token = await new SignJWT(good).setProtectedHeader({ alg }).sign(privateKey)
    const set = createLocalJWKSet({ keys: [await exportJWK(publicKey)] })
    const { algorithms } = expectedIdToken({ issuer }, { client_id: clientId, clockSkew: skew })
    await expect(verifyIdToken(token, set, { ...expected, algorithms })).resolves.toMatchObject({ sub: 'ada' })
  })

  test('V13 only what the provider says it uses, and never a shared secret or nothing', () => {
    const algorithmsOf = (supported?: string[]) =>
      expectedIdToken(
        { issuer, ...(supported && { id_token_signing_alg_values_supported: supported }) },
        { client_id: clientId, clockSkew: skew },
      ).algorithms
    expect(algorithmsOf(['ES256', 'HS256', 'none', 'RS256'])).toEqual(['RS256', 'ES256'])
    expect(algorithmsOf(['HS256', 'none'])).toEqual([])
    expect(algorithmsOf()).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(?:HS|none)/)]))
  })

  test('V13 a token without a signature, or by a shared secret, is refused', async () => {
    const { publicKey } = await generateKeyPair('ES256')
    const keys = createLocalJWKSet({ keys: [await exportJWK(publicKey)] })
    const unsigned = new UnsecuredJWT(good).encode()
    const secret = new TextEncoder().encode('a secret that is long enough for it')
    const shared = await new SignJWT(good).setProtectedHeader({ alg: 'HS256' }).sign(secret)
    for (const token of [unsigned, shared]) {
      await expect(verifyIdToken(token, keys, expected)).rejects.toMatchObject(refusal)
    }
  })

  test.each(['null', '7', '"ada"', '[]', '{'])(
    'V11 a payload that is %s, rightly signed, is refused',
    async (payload) => {
      const { privateKey, publicKey } = await generateKeyPair('ES256')
      const keys = createLocalJWKSet({ keys: [await exportJWK(publicKey)] })
      const token = await new CompactSign(new TextEncoder().encode(payload))
        .setProtectedHeader({ alg: 'ES256' })
        .sign(privateKey)
      await expect(verifyIdToken(token, keys, expected)).rejects.toMatchObject(refusal)
    },
  )

  test('V13 an algorithm that the provider does not name is refused', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const token = await new SignJWT(good).setProtectedHeader({ alg: 'RS256' }).sign(privateKey)
    const set = createLocalJWKSet({ keys: [await exportJWK(publicKey)] })
    await expect(verifyIdToken(token, set, expected)).rejects.toMatchObject(refusal)
  })
})

describe('keys of the provider', async () => {
  const { shoal, providerWith, settingsWith } = await useProvider()

  /** A token of the provider, judged by a client that has its keys already or not. */
  async function verify(provider = providerWith()) {
    const metadata = await provider.metadata()
    const location = await fetch(
      `${metadata.authorization_endpoint}?${new URLSearchParams({
        response_type: 'id_token',
        client_id: clientId,
        redirect_uri: 'http://localhost:4000/callback',
        nonce: 'n-1',
      })}`,
      { redirect: 'manual' },
    ).then((response) => response.headers.get('location') ?? '')
    const token = new URLSearchParams(new URL(location).hash.slice(1)).get('id_token') ?? ''
    const wanted = { ...expectedIdToken(metadata, settingsWith()), nonce: 'n-1' }
    return verifyIdToken(token, await provider.keys(), wanted)
  }

  test('V14 keys are loaded once, and the right one is chosen by its id', async () => {
    shoal.script.published = ['next', 'current']
    const provider = providerWith()
    await verify(provider)
    await expect(verify(provider)).resolves.toMatchObject({ sub: 'ada' })
    expect(shoal.requests('/jwks')).toHaveLength(1)
  })

  test('V14 without ids one key of the kind is taken, and of two none', async () => {
    shoal.script.hasKeyIds = false
    await expect(verify()).resolves.toMatchObject({ sub: 'ada' })
    shoal.script.published = ['current', 'next']
    await expect(verify()).rejects.toMatchObject(refusal)
  })

  test('V14 a key that is published later is found by loading them once more', async () => {
    const provider = providerWith()
    await verify(provider)
    shoal.script.signature = 'next'
    shoal.script.published = ['current', 'next']
    vi.setSystemTime(now * 1000 + 31_000)
    await expect(verify(provider)).resolves.toMatchObject({ sub: 'ada' })
    expect(shoal.requests('/jwks')).toHaveLength(2)
  })

  test('V14 an unknown key does not make this client load them again and again', async () => {
    const provider = providerWith()
    await verify(provider)
    shoal.script.signature = 'next'
    await expect(verify(provider)).rejects.toMatchObject(refusal)
    await expect(verify(provider)).rejects.toMatchObject(refusal)
    expect(shoal.requests('/jwks')).toHaveLength(1)
  })

  test.each(['forged', 'none', 'shared-secret'] as const)(
    'V11 a signature that is %s is refused',
    async (signature) => {
      shoal.script.signature = signature
      await expect(verify()).rejects.toMatchObject(refusal)
    },
  )

  test('C3 keys that cannot be loaded are the network’s fault, and are asked for again', async () => {
    shoal.script.keys = 'close'
    const provider = providerWith()
    await expect(verify(provider)).rejects.toMatchObject({ message: 'Network Error', code: 'network_error' })
    shoal.script.keys = 'answer'
    await expect(verify(provider)).resolves.toMatchObject({ sub: 'ada' })
  })
})
