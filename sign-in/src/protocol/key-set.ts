import type { CompactVerifyGetKey } from 'jose'
import { memoize } from '../share-calls.ts'

/** The age at which keys are loaded again, so that withdrawn keys are not accepted for long, ms. */
const maxAge = 600_000
/** How long no other unknown key causes a reload, ms: anyone can write a token that names one. */
const reloadPause = 10_000

/**
 * Selects the keys of a provider by their ids; starts loading at once. An unknown id loads them again at once, at most once
 * in 10 s (OpenID Connect Core, section 10.1.1). `load` rejects with a `SigninError`.
 */
export function createKeySet(load: () => Promise<CompactVerifyGetKey>): CompactVerifyGetKey {
  let loadedAt = Date.now()
  let loads = 0
  let reloadedAt = Number.NEGATIVE_INFINITY
  const keys = memoize(async () => {
    const loaded = await load()
    loadedAt = Date.now()
    loads++
    return loaded
  })
  const age = () => Date.now() - loadedAt
  // A failure is reported on use.
  keys().catch(() => {})
  return async (header, token) => {
    if (age() > maxAge) keys.forget()
    const known = loads
    const used = keys()
    try {
      return await (await used)(header, token)
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw error
      // Neither these keys nor those of a call at the same time are newer than the token.
      if (loads === known && used === keys()) {
        if (Date.now() - reloadedAt < reloadPause) throw error
        reloadedAt = Date.now()
        keys.forget()
      }
      return (await keys())(header, token)
    }
  }
}
