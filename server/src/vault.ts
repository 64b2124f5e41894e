import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Seals what must not be read or changed by whoever holds it: keys at rest, cookies, ids that must be found again. */
export interface Vault {
  /** AES-256-GCM; `purpose` separates uses, so that what was sealed for one cannot be opened for another. */
  seal: (purpose: string, text: string) => string
  /** The text, or undefined where it was not sealed by this vault for this purpose. */
  open: (purpose: string, sealed: string) => string | undefined
  /** 32 bytes that belong to the purpose (HKDF-SHA256), the same on every server with the same secret. */
  derive: (purpose: string) => Buffer
}

const nonceBytes = 12
const tagBytes = 16

/** A vault over one secret of the installation. */
export function createVault(secret: string): Vault {
  const keys = new Map<string, Buffer>()
  const derive = (purpose: string) => {
    let key = keys.get(purpose)
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', secret, 'passport', purpose, 32))
      keys.set(purpose, key)
    }
    return key
  }
  return { derive, seal, open }

  function seal(purpose: string, text: string) {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', derive(purpose), nonce)
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    )
  }

  function open(purpose: string, sealed: string) {
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length < nonceBytes + tagBytes) return undefined
    const decipher = createDecipheriv('aes-256-gcm', derive(purpose), bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    try {
      return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      return undefined
    }
  }
}

/** How a token that only its holder knows is stored and found: 32 random bytes need no salt. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** 256 random bits for a token, a cookie or a state. */
export const randomToken = (): string => randomBytes(32).toString('base64url')

/** Compares two secrets in a time that tells nothing of where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
