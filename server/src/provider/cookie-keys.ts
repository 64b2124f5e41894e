import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

/** The keys that sign cookies, as the library `cookies` calls them. */
export interface CookieKeys {
  sign: (data: string) => string
  /** Returns the index of the key that made a signature, -1 for none. */
  index: (data: string, signature: string) => number
  verify: (data: string, signature: string) => boolean
}

/**
 * Creates the keys that sign cookies, the current one first, with the signatures of Keygrip, which the library uses for an
 * array: it imports its keys for each signature, and two more to compare it, at ten times the cost.
 */
export function createCookieKeys(texts: string[]): CookieKeys {
  const keys = texts.map((text) => createSecretKey(Buffer.from(text)))
  const signWith = (key: (typeof keys)[number] | undefined, data: string) => {
    if (!key) throw new Error('A cookie needs a key')
    return createHmac('sha1', key).update(data).digest('base64url')
  }
  const index = (data: string, signature: string) => {
    const presented = Buffer.from(signature)
    return keys.findIndex((key) => {
      const expected = Buffer.from(signWith(key, data))
      return expected.length === presented.length && timingSafeEqual(expected, presented)
    })
  }
  return {
    sign: (data) => signWith(keys[0], data),
    index,
    verify: (data, signature) => index(data, signature) >= 0,
  }
}
