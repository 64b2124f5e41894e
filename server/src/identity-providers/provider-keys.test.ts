import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createProviderKeys, RefusedKey, SignatureFailure, verifyJwtSignature } from './provider-keys.ts'

const url = 'https://id.example/keys'

async function createKey(kid?: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const id = kid === undefined ? {} : { kid }
  const jwk: JWK = { ...(await exportJWK(publicKey)), ...id }
  const sign = () => new SignJWT({ sub: 'ada' }).setProtectedHeader({ alg: 'ES256', ...id }).sign(privateKey)
  return { jwk, sign }
}

/** The keys that the provider publishes now, and how often they were read. */
const provider = { published: [] as JWK[], reads: 0, isDown: false }
const fetchKeys = async () => {
  provider.reads++
  if (provider.isDown) throw new TypeError('fetch failed')
  return Response.json({ keys: provider.published })
}

beforeEach(() => {
  Object.assign(provider, { published: [], reads: 0, isDown: false })
})

const [first, second, third] = [await createKey('1'), await createKey('2'), await createKey('3')]
const noKey = expect.objectContaining({ name: 'SignatureFailure', isUnreachable: false })

describe('the keys of a provider', () => {
  test('are read once for many tokens', async () => {
    provider.published = [first.jwk]
    const keys = createProviderKeys(url, fetchKeys)
    for (let times = 0; times < 3; times++) await verifyJwtSignature(keys, await first.sign())
    expect(provider.reads).toBe(1)
  })

  test('are read again at once for a new key, also directly after the first time', async () => {
    provider.published = [first.jwk]
    const keys = createProviderKeys(url, fetchKeys)
    await verifyJwtSignature(keys, await first.sign())
    provider.published = [second.jwk]
    await verifyJwtSignature(keys, await second.sign())
    expect(provider.reads).toBe(2)
  })

  test('are read once for concurrent tokens with new keys', async () => {
    provider.published = [first.jwk]
    const keys = createProviderKeys(url, fetchKeys)
    await verifyJwtSignature(keys, await first.sign())
    provider.published = [first.jwk, second.jwk, third.jwk]
    const tokens = [await second.sign(), await third.sign(), await second.sign()]
    await Promise.all(tokens.map((token) => verifyJwtSignature(keys, token)))
    expect(provider.reads).toBe(2)
  })

  test('are read for unknown keys at most once in 10 s', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    provider.published = [first.jwk]
    const keys = createProviderKeys(url, fetchKeys)
    await verifyJwtSignature(keys, await first.sign())
    for (let times = 0; times < 5; times++)
      await expect(verifyJwtSignature(keys, await second.sign())).rejects.toEqual(noKey)
    expect(provider.reads).toBe(2)
    vi.setSystemTime(Date.now() + 10_000)
    provider.published = [second.jwk]
    await verifyJwtSignature(keys, await second.sign())
    expect(provider.reads).toBe(3)
  })

  test('are not read twice for the first token', async () => {
    provider.published = [first.jwk]
    await expect(verifyJwtSignature(createProviderKeys(url, fetchKeys), await second.sign())).rejects.toEqual(noKey)
    expect(provider.reads).toBe(1)
  })

  test('are read again if a key was replaced under its id, or one without an id', async () => {
    for (const kid of ['1', undefined]) {
      const [before, after] = [await createKey(kid), await createKey(kid)]
      provider.published = [before.jwk]
      const keys = createProviderKeys(url, fetchKeys)
      await verifyJwtSignature(keys, await before.sign())
      provider.published = [after.jwk]
      await verifyJwtSignature(keys, await after.sign())
    }
  })

  test('are ambiguous for a token without a key id if there are several', async () => {
    const [one, other] = [await createKey(), await createKey()]
    provider.published = [one.jwk, other.jwk]
    await expect(verifyJwtSignature(createProviderKeys(url, fetchKeys), await one.sign())).rejects.toEqual(noKey)
  })

  test('may be of kinds that nobody here knows, and malformed, beside the right one', async () => {
    const odd = [
      { kty: 'odd' },
      { kty: 'RSA', kid: '1' },
      { kty: 'oct', k: 'AAAA' },
      { kty: 'EC', use: 'enc', kid: '1' },
    ]
    provider.published = [...odd, first.jwk]
    await verifyJwtSignature(createProviderKeys(url, fetchKeys), await first.sign())
  })

  test('that are malformed or too weak verify nothing', async () => {
    const modulus = Buffer.alloc(128, 0xff).toString('base64url')
    const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'weak' })).toString('base64url')
    for (const n of [modulus, undefined]) {
      provider.published = [{ kty: 'RSA', kid: 'weak', e: 'AQAB', ...(n && { n }) }]
      const verifying = verifyJwtSignature(createProviderKeys(url, fetchKeys), `${header}.e30.AAAA`)
      await expect(verifying).rejects.toEqual(noKey)
    }
  })

  test.for(['none', 'HS256'])('accept no token with the algorithm %s', async (alg) => {
    provider.published = [{ kty: 'oct', k: 'AAAA', alg }]
    const header = Buffer.from(JSON.stringify({ alg })).toString('base64url')
    const verifying = verifyJwtSignature(createProviderKeys(url, fetchKeys), `${header}.e30.AAAA`)
    await expect(verifying).rejects.toBeInstanceOf(SignatureFailure)
  })

  test('can be refused by their owner, and accepted once that has changed', async () => {
    const accept = ({ issuer }: JWK & { issuer?: unknown }) => {
      if (issuer !== 'own') throw new RefusedKey('of another')
    }
    provider.published = [{ ...first.jwk, issuer: 'other' } as JWK]
    const keys = createProviderKeys(url, fetchKeys, accept)
    await expect(verifyJwtSignature(keys, await first.sign())).rejects.toBeInstanceOf(RefusedKey)
    provider.published = [{ ...first.jwk, issuer: 'own' } as JWK]
    await verifyJwtSignature(keys, await first.sign())
  })

  test('that cannot be read are an error of the network, and are read by the next token', async () => {
    provider.isDown = true
    provider.published = [first.jwk]
    const keys = createProviderKeys(url, fetchKeys)
    await expect(verifyJwtSignature(keys, await first.sign())).rejects.toThrow('fetch failed')
    provider.isDown = false
    await verifyJwtSignature(keys, await first.sign())
    const failing = createProviderKeys(url, async () => new Response('', { status: 503 }))
    await expect(verifyJwtSignature(failing, await first.sign())).rejects.toMatchObject({ isUnreachable: true })
  })
})
