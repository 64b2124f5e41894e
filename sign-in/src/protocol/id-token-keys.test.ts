import { CompactSign, createLocalJWKSet, exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { clientId, useProvider } from '../test-provider.ts'
import { deriveExpectedIdToken, type ExpectedIdToken, verifyIdToken } from './id-token.ts'

const issuer = 'https://op.example'
const now = 1_800_000_000
const skew = 300
const expected: ExpectedIdToken = { issuer, clientId, nonce: 'n-1', clockSkew: skew, algorithms: ['ES256'] }
const validClaims = { iss: issuer, sub: 'ada', aud: clientId, nonce: 'n-1', iat: now, exp: now + 3600 }
const expectedError = { name: 'SigninError', message: 'Failed to validate id_token', code: 'invalid_id_token' }

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
  ])('accepts the algorithm %s', async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg)
    const token = await new SignJWT(validClaims).setProtectedHeader({ alg }).sign(privateKey)
    const keySet = createLocalJWKSet({ keys: [await exportJWK(publicKey)] })
    const { algorithms } = deriveExpectedIdToken({ issuer }, { client_id: clientId, clockSkew: skew })
    await expect(verifyIdToken(token, keySet, { ...expected, algorithms })).resolves.toMatchObject({ sub: 'ada' })
  })

  test('allows only algorithms announced by the provider, and never a shared secret or none', () => {
    const algorithmsOf = (supported?: string[]) =>
      deriveExpectedIdToken(
        { issuer, ...(supported && { id_token_signing_alg_values_supported: supported }) },
        { client_id: clientId, clockSkew: skew },
      ).algorithms
    expect(algorithmsOf(['ES256', 'HS256', 'none', 'RS256'])).toEqual(['RS256', 'ES256'])
    expect(algorithmsOf(['HS256', 'none'])).toEqual([])
    expect(algorithmsOf()).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(?:HS|none)/)]))
  })

  test('rejects a token that is unsigned or signed with a shared secret', async () => {
    const { publicKey } = await generateKeyPair('ES256')
    const keys = createLocalJWKSet({ keys: [await exportJWK(publicKey)] })
    const unsigned = new UnsecuredJWT(validClaims).encode()
    const secret = new TextEncoder().encode('a secret that is long enough for it')
    const shared = await new SignJWT(validClaims).setProtectedHeader({ alg: 'HS256' }).sign(secret)
    for (const token of [unsigned, shared]) {
      await expect(verifyIdToken(token, keys, expected)).rejects.toMatchObject(expectedError)
    }
  })

  test.each(['null', '7', '"ada"', '[]', '{'])('rejects a correctly signed payload that is %s', async (payload) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const keys = createLocalJWKSet({ keys: [await exportJWK(publicKey)] })
    const token = await new CompactSign(new TextEncoder().encode(payload))
      .setProtectedHeader({ alg: 'ES256' })
      .sign(privateKey)
    await expect(verifyIdToken(token, keys, expected)).rejects.toMatchObject(expectedError)
  })

  test('rejects an algorithm that the provider does not announce', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const token = await new SignJWT(validClaims).setProtectedHeader({ alg: 'RS256' }).sign(privateKey)
    const keySet = createLocalJWKSet({ keys: [await exportJWK(publicKey)] })
    await expect(verifyIdToken(token, keySet, expected)).rejects.toMatchObject(expectedError)
  })
})

describe('provider keys', async () => {
  const { op, providerWith, settingsWith } = await useProvider()

  /** Verifies a token of the provider, with a client that may have cached its keys. */
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
    const expectedToken = { ...deriveExpectedIdToken(metadata, settingsWith()), nonce: 'n-1' }
    return verifyIdToken(token, await provider.keys(), expectedToken)
  }

  test('are loaded once and selected by key id', async () => {
    op.script.publishedKeys = ['next', 'current']
    const provider = providerWith()
    await verify(provider)
    await expect(verify(provider)).resolves.toMatchObject({ sub: 'ada' })
    expect(op.requests('/jwks')).toHaveLength(1)
  })

  test('without key ids, accepts one key of the type and rejects two', async () => {
    op.script.hasKeyIds = false
    await expect(verify()).resolves.toMatchObject({ sub: 'ada' })
    op.script.publishedKeys = ['current', 'next']
    await expect(verify()).rejects.toMatchObject(expectedError)
  })

  test('reloads the keys at once, and once, to find a key published later', async () => {
    const provider = providerWith()
    await verify(provider)
    op.script.signature = 'next'
    op.script.publishedKeys = ['current', 'next']
    const verified = await Promise.all([verify(provider), verify(provider), verify(provider)])
    expect(verified).toMatchObject([{ sub: 'ada' }, { sub: 'ada' }, { sub: 'ada' }])
    expect(op.requests('/jwks')).toHaveLength(2)
  })

  test('loads keys again after ten minutes, so that a withdrawn key is rejected', async () => {
    const provider = providerWith()
    await verify(provider)
    op.script.publishedKeys = ['next']
    vi.setSystemTime(now * 1000 + 601_000)
    op.script.claims = { iat: now, exp: now + 3600 }
    await expect(verify(provider)).rejects.toMatchObject(expectedError)
    expect(op.requests('/jwks')).toHaveLength(2)
  })

  test('an unknown key causes a reload at most once in 10 seconds', async () => {
    const provider = providerWith()
    await verify(provider)
    op.script.signature = 'next'
    await expect(verify(provider)).rejects.toMatchObject(expectedError)
    await expect(verify(provider)).rejects.toMatchObject(expectedError)
    expect(op.requests('/jwks')).toHaveLength(2)
    vi.setSystemTime(now * 1000 + 10_000)
    op.script.publishedKeys = ['current', 'next']
    await expect(verify(provider)).resolves.toMatchObject({ sub: 'ada' })
  })

  test.each(['forged', 'none', 'shared-secret'] as const)('rejects a signature that is %s', async (signature) => {
    op.script.signature = signature
    await expect(verify()).rejects.toMatchObject(expectedError)
  })

  test('uses the signingKeys of the settings instead of a request', async () => {
    const { keys: signingKeys } = (await (await fetch(`${op.issuer}/jwks`)).json()) as { keys: JWK[] }
    op.script.metadata = { jwks_uri: undefined }
    const sent: string[] = []
    const provider = providerWith({
      signingKeys,
      fetch: (url, init) => {
        sent.push(new URL(url).pathname)
        return fetch(url, init)
      },
    })
    await expect(verify(provider)).resolves.toMatchObject({ sub: 'ada' })
    expect(sent).toEqual(['/.well-known/openid-configuration'])
    op.script.signature = 'forged'
    await expect(verify(provider)).rejects.toMatchObject(expectedError)
  })

  test.each([
    [{ error: 'down', status: 503 }, 'down'],
    [{ status: 404 } as never, 'http_error'],
  ])('reports a key response %j as %s', async (behaviour, code) => {
    op.script.jwks = behaviour
    await expect(verify()).rejects.toMatchObject({ name: 'SigninError', code })
  })

  test('cannot be loaded without a jwks_uri', async () => {
    op.script.metadata = { jwks_uri: undefined }
    await expect(verify()).rejects.toMatchObject({ name: 'SigninError', code: 'invalid_response' })
  })

  test('reports keys that fail to load as a network error, and retries', async () => {
    op.script.jwks = 'close'
    const provider = providerWith()
    await expect(verify(provider)).rejects.toMatchObject({ message: 'Network Error', code: 'network_error' })
    op.script.jwks = 'respond'
    await expect(verify(provider)).resolves.toMatchObject({ sub: 'ada' })
  })
})
