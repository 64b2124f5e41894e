import type { Sql } from '../database/sql.ts'
import type { Vault } from '../vault.ts'
import { createKeyCache, type KeyCache } from './key-cache.ts'
import { createOutageTracker, type Outage } from './outage.ts'

/** What the endpoints of the issuer of tokens share. Its identifier is the public URL. */
export interface PassportIssuer {
  /** Returns the keys to sign and to verify with. */
  keys: KeyCache['current']
  publishedKeys: Pick<KeyCache, 'published' | 'findPublished'>
  /** The last outage of its refresh token rotation. */
  outage: Outage
}

/** Creates the issuer of tokens for the company's applications. */
export function createPassportIssuer(sql: Sql, vault: Vault): PassportIssuer {
  const keyCache = createKeyCache(sql, vault, 'passport')
  return { keys: keyCache.current, publishedKeys: keyCache, outage: createOutageTracker(sql, 'passport') }
}
