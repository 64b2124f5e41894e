import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** Encrypts values that their holders must not read or change: keys at rest, form fields, ids of artifacts. */
export interface Vault {
  /** AES-256-GCM; `purpose` separates uses, so that a value of one cannot be decrypted for another. */
  seal: (purpose: string, text: string) => string
  /** Decrypts; undefined if no secret matches the value and the purpose. */
  open: (purpose: string, sealed: string) => string | undefined
  /** Derives 32 bytes for a purpose (HKDF-SHA256), the same on every server with the same secret. */
  derive: (purpose: string) => Buffer
  /** Derives the bytes of every secret, the current one first. */
  deriveAll: (purpose: string) => [Buffer, ...Buffer[]]
  /** The prefix of all values encrypted with the current secret; values of old secrets lack it. */
  mark: string
}

/** A multiple of three, so that the mark is a whole number of base64 characters. */
const markBytes = 6
const nonceBytes = 12
const tagBytes = 16

/** Creates a vault that encrypts with the current secret and decrypts values of the current and old secrets. */
export function createVault(secret: string, oldSecrets: string[] = []): Vault {
  const current = createKeyRing(secret)
  const old = oldSecrets.map(createKeyRing)
  const rings = [current, ...old]
  return {
    derive: current.derive,
    deriveAll: (purpose) => [current.derive(purpose), ...old.map(({ derive }) => derive(purpose))],
    mark: current.mark.toString('base64url'),
    seal,
    open,
  }

  function seal(purpose: string, text: string) {
    const nonce = drawRandomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', current.keyOf(purpose), nonce)
    const parts = [current.mark, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
    return Buffer.concat(parts).toString('base64url')
  }

  function open(purpose: string, sealed: string) {
    const bytes = Buffer.from(sealed, 'base64url')
    const matchingRing = rings.find(({ mark }) => bytes.subarray(0, markBytes).equals(mark))
    const opened = matchingRing && decipher(matchingRing.keyOf(purpose), bytes.subarray(markBytes))
    if (opened !== undefined) return opened
    // Earlier releases encrypted without a mark.
    for (const { keyOf } of rings) {
      const text = decipher(keyOf(purpose), bytes)
      if (text !== undefined) return text
    }
    return undefined
  }
}

/** Derives the keys of one secret on demand, and imports each once. */
function createKeyRing(secret: string) {
  const keys = new Map<string, KeyObject>()
  const expand = (purpose: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, 'passport', purpose, bytes))
  const keyOf = (purpose: string) => {
    const key = keys.get(purpose) ?? createSecretKey(expand(purpose, 32))
    keys.set(purpose, key)
    return key
  }
  return { keyOf, derive: (purpose: string) => keyOf(purpose).export(), mark: expand('mark', markBytes) }
}

function decipher(key: KeyObject, bytes: Buffer): string | undefined {
  if (bytes.length < nonceBytes + tagBytes) return undefined
  const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
  cipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    return cipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + cipher.final('utf8')
  } catch {
    return undefined
  }
}

/** Hashes a token for storage and lookup: 32 random bytes need no salt. */
export const hashToken = (token: string): string => hash('sha256', token, 'base64url')

/** Generates a token of 256 random bits, base64url-encoded. */
export const generateToken = (): string => drawRandomBytes(32).toString('base64url')

const drawnAtOnce = 4096
let drawn = Buffer.alloc(0)

/** Returns random bytes of a block that is drawn at once, which costs a fraction. Copy them: they are a part of the block. */
export function drawRandomBytes(length: number): Buffer {
  if (length > drawnAtOnce) return randomBytes(length)
  if (drawn.length < length) drawn = randomBytes(drawnAtOnce)
  const bytes = drawn.subarray(0, length)
  drawn = drawn.subarray(length)
  return bytes
}

/** Compares two secrets in constant time. */
export function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return timingSafeEqual(digest(a), digest(b))
}
