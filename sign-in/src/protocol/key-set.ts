import type { CompactVerifyGetKey } from 'jose'
import { memoize } from '../share-calls.ts'

/** The age at which keys are loaded again, so that withdrawn keys are not accepted for long, ms. */
const maxAge = 600_000
/** The age from which an unknown key causes a reload, ms; tokens with invented keys cannot cause more. */
const minAge = 30_000

/** Selects the keys of a provider by their ids; starts loading at once. `load` rejects with a `SigninError`. */
export function createKeySet(load: () => Promise<CompactVerifyGetKey>): CompactVerifyGetKey {
  let loadedAt = Date.now()
  const keys = memoize(async () => {
    const loaded = await load()
    loadedAt = Date.now()
    return loaded
  })
  const age = () => Date.now() - loadedAt
  // A failure is reported on use.
  keys().catch(() => {})
  return async (header, token) => {
    if (age() > maxAge) keys.forget()
    try {
      return await (await keys())(header, token)
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY' || age() < minAge) throw error
      keys.forget()
      return (await keys())(header, token)
    }
  }
}
