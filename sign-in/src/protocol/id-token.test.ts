import fc from 'fast-check'
import { type CompactVerifyGetKey, createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { clientId } from '../test-provider.ts'
import {
  type ExpectedIdToken,
  findChangedClaim,
  findClaimError,
  readUnverifiedClaims,
  verifyIdToken,
} from './id-token.ts'

const issuer = 'https://op.example'
const now = 1_800_000_000
const skew = 300
const expected: ExpectedIdToken = { issuer, clientId, nonce: 'n-1', clockSkew: skew, algorithms: ['ES256'] }
const validClaims = {
  iss: issuer,
  sub: 'ada',
  aud: clientId,
  azp: clientId,
  nonce: 'n-1',
  iat: now,
  nbf: now,
  exp: now + 3600,
  auth_time: now - 60,
  sid: 'session-1',
}

let sign: (claims: Record<string, unknown>) => Promise<string>
let keys: CompactVerifyGetKey
beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  keys = createLocalJWKSet({ keys: [await exportJWK(publicKey)] })
  sign = (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
})
beforeEach(() => void vi.useFakeTimers({ now: now * 1000, toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const expectedError = { name: 'SigninError', message: 'Failed to validate id_token', code: 'invalid_id_token' }

describe('claims', () => {
  test('returns the claims of a valid token', async () => {
    await expect(verifyIdToken(await sign(validClaims), keys, expected)).resolves.toEqual(validClaims)
  })

  // The example of OpenID Connect Core, appendix A.3.
  const accessToken = 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y'
  const atHash = '77QmUPtjPfzWtF2AnpK9RQ'

  test('accepts the hash of the access token, and a token without it', async () => {
    const withToken = { ...expected, accessToken }
    await expect(verifyIdToken(await sign({ ...validClaims, at_hash: atHash }), keys, withToken)).resolves.toBeDefined()
    await expect(verifyIdToken(await sign(validClaims), keys, withToken)).resolves.toBeDefined()
  })

  test.each(['', 'other', 7, null, '77QmUPtjPfzWtF2AnpK9RQ==', '77QmUPtjPfzWtF2AnpK9R'])(
    'rejects the access token hash %j',
    async (at_hash) => {
      const token = await sign({ ...validClaims, at_hash })
      await expect(verifyIdToken(token, keys, { ...expected, accessToken })).rejects.toMatchObject({
        ...expectedError,
        cause: { message: 'at_hash does not match the access token' },
      })
    },
  )

  test.each([
    ['RS384', 'SHA-384'],
    ['PS512', 'SHA-512'],
    ['EdDSA', 'SHA-512'],
  ])('the access token hash of a token signed with %s is half of its %s hash', async (alg, digest) => {
    const pair = await generateKeyPair(alg)
    const half = new Uint8Array(await crypto.subtle.digest(digest, new TextEncoder().encode(accessToken)))
    const at_hash = Buffer.from(half.subarray(0, half.length / 2)).toString('base64url')
    const token = await new SignJWT({ ...validClaims, at_hash }).setProtectedHeader({ alg }).sign(pair.privateKey)
    const keySet = createLocalJWKSet({ keys: [await exportJWK(pair.publicKey)] })
    const result = verifyIdToken(token, keySet, { ...expected, algorithms: [alg], accessToken })
    await expect(result).resolves.toMatchObject({ at_hash })
  })

  test.each([
    ['another issuer', { iss: 'https://elsewhere.example' }, 'iss does not match the issuer'],
    ['the issuer with a slash', { iss: `${issuer}/` }, 'iss does not match the issuer'],
    ['no issuer', { iss: undefined }, 'iss does not match the issuer'],
    ['another audience', { aud: 'other' }, 'aud does not include the client_id'],
    ['other audiences', { aud: ['other', 'more'] }, 'aud does not include the client_id'],
    ['no audience', { aud: undefined }, 'aud does not include the client_id'],
    ['another azp', { azp: 'other' }, 'azp does not match the client_id'],
    [
      'another azp among several audiences',
      { aud: [clientId, 'other'], azp: 'other' },
      'azp does not match the client_id',
    ],
    ['several audiences and no azp', { aud: [clientId, 'other'], azp: undefined }, 'azp does not match the client_id'],
    ['no subject', { sub: undefined }, 'sub is missing'],
    ['an empty subject', { sub: '' }, 'sub is missing'],
    ['a subject that is not a string', { sub: 7 }, 'sub is missing'],
    ['no iat', { iat: undefined }, 'iat is missing or in the future'],
    ['an iat that is not a number', { iat: String(now) }, 'iat is missing or in the future'],
    ['an iat beyond the skew', { iat: now + skew + 1 }, 'iat is missing or in the future'],
    ['an nbf beyond the skew', { nbf: now + skew + 1 }, 'nbf is in the future'],
    ['an nbf that is not a number', { nbf: 'soon' }, 'nbf is in the future'],
    ['no exp', { exp: undefined }, 'exp is missing or in the past'],
    ['an exp beyond the skew', { exp: now - skew - 1 }, 'exp is missing or in the past'],
    ['an exp that is not a number', { exp: '2999-01-01' }, 'exp is missing or in the past'],
    ['another nonce', { nonce: 'n-2' }, 'nonce does not match'],
    ['no nonce', { nonce: undefined }, 'nonce does not match'],
  ])('rejects a token with %s', async (_, change, reason) => {
    const token = await sign({ ...validClaims, ...change })
    await expect(verifyIdToken(token, keys, expected)).rejects.toMatchObject({
      ...expectedError,
      cause: { message: reason },
    })
  })

  test.each([
    ['a list with this client alone', { aud: [clientId], azp: undefined }],
    ['several audiences with azp for this client', { aud: ['other', clientId] }],
    ['no azp', { azp: undefined }],
    ['no nbf', { nbf: undefined }],
  ])('accepts a token with %s', async (_, change) => {
    await expect(verifyIdToken(await sign({ ...validClaims, ...change }), keys, expected)).resolves.toMatchObject({
      sub: 'ada',
    })
  })

  test.each([
    ['exp 300 s ago', { exp: now - skew }],
    ['iat 300 s ahead', { iat: now + skew }],
    ['nbf 300 s ahead', { nbf: now + skew }],
  ])('accepts a token with %s', async (_, change) => {
    await expect(verifyIdToken(await sign({ ...validClaims, ...change }), keys, expected)).resolves.toMatchObject(
      change,
    )
  })

  test('rejects an infinite number as a time', () => {
    expect(findClaimError({ ...validClaims, exp: JSON.parse('1e999') }, expected)).toBe('exp is missing or in the past')
    expect(findClaimError({ ...validClaims, iat: JSON.parse('-1e999') }, expected)).toBe(
      'iat is missing or in the future',
    )
  })
})

describe('any claims', () => {
  const time = fc.oneof(
    fc.integer({ min: now - 2 * skew, max: now + 2 * skew }),
    fc.constantFrom(now - skew, now - skew - 1, now + skew, now + skew + 1, undefined, null, 'x', Number.NaN),
  )
  const party = fc.oneof(fc.constantFrom(clientId, 'other', '', undefined, null), fc.string())
  const claims = fc.record({
    iss: fc.constantFrom(issuer, `${issuer}/`, 'https://elsewhere.example', undefined),
    sub: fc.oneof(fc.string(), fc.constantFrom('ada', undefined, 7)),
    aud: fc.oneof(party, fc.array(party, { maxLength: 3 }), fc.constant([clientId])),
    azp: party,
    nonce: fc.constantFrom('n-1', 'n-2', '', undefined),
    iat: time,
    nbf: time,
    exp: time,
  })

  /** Restates the rules of OpenID Connect Core, section 3.1.3.7, independently. */
  function isAcceptable(candidate: Record<string, unknown>): boolean {
    const { iss, sub, aud, azp, nonce, iat, nbf, exp } = candidate
    const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value)
    const includesClient = aud === clientId || (Array.isArray(aud) && aud.some((audience) => audience === clientId))
    const isMultiple = Array.isArray(aud) && aud.length > 1
    return (
      iss === issuer &&
      includesClient &&
      (azp === clientId || (azp === undefined && !isMultiple)) &&
      typeof sub === 'string' &&
      sub.length > 0 &&
      nonce === 'n-1' &&
      isNumber(iat) &&
      iat - now <= skew &&
      (nbf === undefined || (isNumber(nbf) && nbf - now <= skew)) &&
      isNumber(exp) &&
      now - exp <= skew
    )
  }

  test('are accepted exactly when every rule holds', () => {
    fc.assert(
      fc.property(claims, (candidate) => {
        expect(findClaimError(candidate as never, expected) === undefined).toBe(isAcceptable(candidate))
      }),
    )
  })

  test('are rejected for one wrong claim', () => {
    const wrong = fc.oneof(
      fc.record({ iss: fc.webUrl().filter((iss) => iss !== issuer) }),
      fc.record({ aud: fc.string().filter((aud) => aud !== clientId) }),
      fc.record({ azp: fc.string().filter((azp) => azp !== clientId) }),
      fc.record({ nonce: fc.string().filter((nonce) => nonce !== 'n-1') }),
      fc.record({ iat: fc.integer({ min: now + skew + 1 }) }),
      fc.record({ nbf: fc.integer({ min: now + skew + 1 }) }),
      fc.record({ exp: fc.integer({ max: now - skew - 1 }) }),
    )
    fc.assert(
      fc.property(wrong, (change) => {
        expect(findClaimError({ ...validClaims, ...change }, expected)).toBeTypeOf('string')
      }),
    )
  })

  test('rejects arbitrary text as a token', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        await expect(verifyIdToken(text, keys, expected)).rejects.toMatchObject(expectedError)
      }),
    )
  })

  test('rejects a token with any one character changed', async () => {
    const token = await sign(validClaims)
    const indexes = fc.integer({ min: 0, max: token.length - 1 })
    await fc.assert(
      fc.asyncProperty(indexes, fc.constantFrom('A', 'z', '9', '-', '.'), async (index, character) => {
        const changed = token.slice(0, index) + character + token.slice(index + 1)
        fc.pre(changed !== token && !isSameSignature(changed, token))
        await expect(verifyIdToken(changed, keys, expected)).rejects.toMatchObject(expectedError)
      }),
    )
  })

  /** The last base64 character has bits that are not part of the signature. */
  const isSameSignature = (left: string, right: string) => {
    const bytes = (token: string) => Buffer.from(token.split('.')[2] ?? '', 'base64url').toString('hex')
    return left.slice(0, -1) === right.slice(0, -1) && bytes(left) === bytes(right)
  }
})

describe('renewal', () => {
  const profile = { sub: 'ada', auth_time: now - 60, azp: clientId }

  test.each([
    ['another sub', { sub: 'eve' }, 'sub_changed', 'sub in id_token does not match current sub'],
    ['no sub', { sub: undefined }, 'sub_changed', 'sub in id_token does not match current sub'],
    [
      'another auth_time',
      { auth_time: now },
      'auth_time_changed',
      'auth_time in id_token does not match original auth_time',
    ],
    ['another azp', { azp: 'other' }, 'azp_changed', 'azp in id_token does not match original azp'],
    ['no azp', { azp: undefined }, 'azp_missing', 'azp not in id_token, but present in original id_token'],
  ])('reports %s before any other error', async (_, change, code, message) => {
    const token = await sign({ ...validClaims, iss: 'https://elsewhere.example', ...change })
    const renewal = { ...expected, renews: profile }
    await expect(verifyIdToken(token, keys, renewal)).rejects.toMatchObject({ code, message })
  })

  test('rejects an auth_time or azp that the first token did not have', () => {
    expect(findChangedClaim({ sub: 'ada' }, { sub: 'ada', auth_time: now })).toBe('auth_time_changed')
    expect(findChangedClaim({ sub: 'ada' }, { sub: 'ada', azp: clientId })).toBe('azp_changed')
  })

  test('accepts a token without auth_time', () => {
    expect(findChangedClaim(profile, { sub: 'ada', azp: clientId })).toBeUndefined()
  })

  test('verifies the signature before comparing claims', async () => {
    const forged = `${(await sign({ ...validClaims, sub: 'eve' })).slice(0, -6)}AAAAAA`
    await expect(verifyIdToken(forged, keys, { ...expected, renews: profile })).rejects.toMatchObject(expectedError)
  })

  test('validates a renewed token like any other', async () => {
    const token = await sign({ ...validClaims, exp: now - skew - 1 })
    await expect(verifyIdToken(token, keys, { ...expected, renews: profile })).rejects.toMatchObject(expectedError)
  })

  test('accepts a missing nonce and rejects a different one', async () => {
    const renewal = { ...expected, renews: profile }
    const without = await sign({ ...validClaims, nonce: undefined })
    await expect(verifyIdToken(without, keys, renewal)).resolves.toMatchObject({ sub: 'ada' })
    const another = await sign({ ...validClaims, nonce: 'n-2' })
    await expect(verifyIdToken(another, keys, renewal)).rejects.toMatchObject(expectedError)
  })

  test('reads the nonce of the first token if possible', async () => {
    expect(readUnverifiedClaims(await sign(validClaims)).nonce).toBe('n-1')
    expect([readUnverifiedClaims(undefined), readUnverifiedClaims('not a token')]).toEqual([{}, {}])
  })
})
