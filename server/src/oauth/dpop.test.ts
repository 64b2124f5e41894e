import fc from 'fast-check'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { hashToken } from '../vault.ts'
import { InvalidProof, verifyProof } from './dpop.ts'

const now = 1_800_000_000
const url = 'https://passport.example/connect/token'
const request = { method: 'POST', url, now }
const keys = await generateKeyPair('ES256', { extractable: true })
const jwk = await exportJWK(keys.publicKey)
const privateJwk = await exportJWK(keys.privateKey)
const otherJwk = await exportJWK((await generateKeyPair('ES256')).publicKey)
const jkt = await calculateJwkThumbprint(jwk)

const createProof = (claims: JWTPayload = {}, header: object = {}) =>
  new SignJWT({ jti: 'proof', htm: 'POST', htu: url, iat: now, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
    .sign(keys.privateKey)

describe('verifyProof', () => {
  it('returns the thumbprint of the key and the id of the proof', async () => {
    expect(await verifyProof(await createProof(), request)).toEqual({ jkt, jti: 'proof' })
  })

  it.for([
    ['the query and the fragment of its URL', { htu: `${url}?a=b#c` }, request],
    ['the query of the request', {}, { ...request, url: `${url}?a=b` }],
    ['an age of 300 s', { iat: now - 300 }, request],
    ['a clock 5 s ahead', { iat: now + 5 }, request],
    ['the hash of the access token', { ath: hashToken('token') }, { ...request, accessToken: 'token' }],
    ['a host in capital letters, and the default port', { htu: url.replace('.example', '.EXAMPLE:443') }, request],
  ] as const)('accepts %s', async ([, claims, expected]) => {
    expect(await verifyProof(await createProof(claims), expected)).toEqual({ jkt, jti: 'proof' })
  })

  it.for([
    ['no id', { jti: undefined }, /jti/],
    ['an empty id', { jti: '' }, /jti/],
    ['a number as its id', { jti: 1 as never }, /jti/],
    ['no time', { iat: undefined }, /iat/],
    ['an age of 301 s', { iat: now - 301 }, /not recent/],
    ['a clock 6 s ahead', { iat: now + 6 }, /not recent/],
    ['another method', { htm: 'GET' }, /htm/],
    ['the method in lower case', { htm: 'post' }, /htm/],
    ['no URL', { htu: undefined }, /htu/],
    ['another path', { htu: `${url}/` }, /htu/],
    ['another host', { htu: url.replace('passport', 'other') }, /htu/],
    ['a relative URL', { htu: '/connect/token' }, /htu/],
    ['a URL with a user', { htu: url.replace('//', '//a@') }, /htu/],
  ] as const)('rejects %s', async ([, claims, reason]) => {
    await expect(verifyProof(await createProof(claims as JWTPayload), request)).rejects.toThrow(reason)
  })

  it.for([
    ['no hash', {}],
    ['the hash of another token', { ath: hashToken('other') }],
  ] as const)('rejects %s beside an access token', async ([, claims]) => {
    const presented = { ...request, accessToken: 'token' }
    await expect(verifyProof(await createProof(claims), presented)).rejects.toThrow(/ath/)
  })

  it.for([
    ['another type', { typ: 'jwt' }],
    ['no key', { jwk: undefined }],
    ['a private key', { jwk: privateJwk }],
    ['a key that did not sign it', { jwk: otherJwk }],
  ] as const)('rejects %s in the header', async ([, header]) => {
    await expect(verifyProof(await createProof({}, header), request)).rejects.toThrow(InvalidProof)
  })

  it('rejects an algorithm that the metadata does not list', async () => {
    const rsa = await generateKeyPair('RS256')
    const proof = await new SignJWT({ jti: 'proof', htm: 'POST', htu: url, iat: now })
      .setProtectedHeader({ alg: 'RS256', typ: 'dpop+jwt', jwk: await exportJWK(rsa.publicKey) })
      .sign(rsa.privateKey)
    await expect(verifyProof(proof, request)).rejects.toThrow(InvalidProof)
    expect(await verifyProof(proof, { ...request, algorithms: ['RS256'] })).toMatchObject({ jti: 'proof' })
  })

  it('throws only InvalidProof, whatever the text', async () => {
    const header = fc.json().map((text) => Buffer.from(text).toString('base64url'))
    const text = fc.oneof(
      fc.string(),
      fc.tuple(header, header, header).map((parts) => parts.join('.')),
    )
    await fc.assert(
      fc.asyncProperty(text, async (proof) => {
        await expect(verifyProof(proof, request)).rejects.toThrow(InvalidProof)
      }),
    )
  })
})
