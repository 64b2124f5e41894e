import { generateKeyPairSync, verify } from 'node:crypto'
import { compactVerify } from 'jose'
import { expect, test } from 'vitest'
import { createKeySet, type SigningAlg } from './key-set.ts'

const generate = (alg: SigningAlg) => {
  const pair =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...pair, jwk: { ...pair.privateKey.export({ format: 'jwk' }), alg, kid: alg, use: 'sig' } }
}

test('a signature has the form of JWS, whatever the length of its numbers in DER', async () => {
  for (const alg of ['ES256', 'RS256'] as const) {
    const { jwk, publicKey } = generate(alg)
    const keys = createKeySet([jwk as never])
    // One number in 128 has fewer than 32 bytes, and half of them begin with an additional zero.
    for (let index = 0; index < (alg === 'ES256' ? 1000 : 3); index++) {
      const jwt = keys.sign({ index }, alg, 'at+jwt')
      const [header, claims, signature = ''] = jwt.split('.')
      const isValid = verify(
        'sha256',
        Buffer.from(`${header}.${claims}`),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      )
      expect(isValid).toBe(true)
    }
    const { protectedHeader, payload } = await compactVerify(keys.sign({ a: 1 }, alg), publicKey)
    expect([protectedHeader, JSON.parse(Buffer.from(payload).toString())]).toEqual([{ alg, kid: alg }, { a: 1 }])
  }
})
