import { isDatabaseUnavailable, type Sql } from '../database/sql.ts'
import { createKeySet, type KeySet } from '../oauth/key-set.ts'
import type { Vault } from '../vault.ts'
import { loadKeys } from './keys.ts'
import type { IssuerName } from './store.ts'

/** The maximum age of cached keys; new keys are published a day before they sign. */
const maxAgeMs = 60_000
/** The maximum age of the published keys in an outage of the database, for applications that read them then. */
const outageMaxAgeMs = 24 * 60 * 60_000
/** The interval of the attempts to read the keys in an outage, which would delay every request for them. */
const outageRetryMs = 1_000

/** The keys of an issuer, in memory for a minute. */
export interface KeyCache {
  /** Returns the keys to sign and to verify with. Throws while the database is unavailable. */
  current: () => Promise<KeySet>
  /** Returns the keys to publish: while the database is unavailable, those of at most a day ago, which never sign then. */
  published: () => Promise<KeySet>
  /** Returns the keys to publish, if they are in memory. */
  findPublished: () => KeySet | undefined
}

/** Caches the keys of an issuer. As long as they stay the same, so does their `KeySet`. */
export function createKeyCache(sql: Sql, vault: Vault, issuer: IssuerName): KeyCache {
  let cached: { keys: KeySet; readAt: number } | undefined
  let failedAt = Number.NEGATIVE_INFINITY

  async function current(): Promise<KeySet> {
    const fresh = findYounger(maxAgeMs)
    if (fresh) return fresh
    const jwks = await loadKeys(sql, vault, issuer)
    const isSame = cached && JSON.stringify(cached.keys.jwks) === JSON.stringify(jwks)
    cached = { keys: cached && isSame ? cached.keys : createKeySet(jwks), readAt: Date.now() }
    return cached.keys
  }

  async function published(): Promise<KeySet> {
    const known = findPublished()
    if (known) return known
    try {
      return await current()
    } catch (error) {
      const last = isDatabaseUnavailable(error) ? findYounger(outageMaxAgeMs) : undefined
      if (!last) throw error
      failedAt = Date.now()
      return last
    }
  }

  const findPublished = () => findYounger(Date.now() - failedAt < outageRetryMs ? outageMaxAgeMs : maxAgeMs)
  const findYounger = (ageMs: number) => (cached && Date.now() - cached.readAt < ageMs ? cached.keys : undefined)

  return { current, published, findPublished }
}
