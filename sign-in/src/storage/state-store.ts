import { nowInSeconds } from '../clock.ts'
import { signinError } from '../errors.ts'
import { type PendingState, parametersOf } from './pending-state.ts'
import { keysOf, type WebStorage } from './web-storage.ts'

const prefix = 'oidc.'

/** The requests that wait for their answer. */
export interface StateStore {
  save: (state: PendingState) => void
  /** The id in an answer; an application may have a `state` of its own in the same address. */
  idOf: (address: string) => string | undefined
  /** What waits under this id, if anything does. */
  peek: (id: string) => PendingState | undefined
  /** Takes it out: an answer is good for once. Throws `state_already_used` and `state_not_found`. */
  take: (id: string) => PendingState
  /** As `take` without a complaint, for what will not be answered any more. */
  forget: (id: string) => void
  /** Removes what has waited for `staleStateAge` or longer, and what cannot be read. */
  sweep: () => void
}

/**
 * `usedKey` is where in `session` the id of the last answer is noted, so that a page that is loaded once more with it can
 * be told from one that was made up.
 */
export function createStateStore(
  storage: WebStorage,
  session: WebStorage,
  usedKey: string,
  staleStateAge: number,
): StateStore {
  const peek = (id: string) => readState(storage.getItem(prefix + id)) ?? undefined
  const forget = (id: string) => storage.removeItem(prefix + id)
  return {
    save: (state) => storage.setItem(prefix + state.id, JSON.stringify(state)),
    idOf: (address) => {
      const { query, fragment } = parametersOf(address)
      const ids = [query.get('state'), fragment.get('state')].filter((id) => id !== null)
      return ids.find(peek) ?? ids[0]
    },
    peek,
    take: (id) => {
      const state = peek(id)
      if (!state) throw signinError(session.getItem(usedKey) === id ? 'state_already_used' : 'state_not_found')
      forget(id)
      session.setItem(usedKey, id)
      return state
    },
    forget,
    sweep: () => {
      const oldest = nowInSeconds() - staleStateAge
      for (const key of keysOf(storage)) {
        if (key.startsWith(prefix) && isStale(storage.getItem(key), oldest)) storage.removeItem(key)
      }
    },
  }
}

function readState(text: string | null): PendingState | null {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

/** A user that is kept in the same storage has no `created`, and stays. */
function isStale(text: string | null, oldest: number): boolean {
  const state = readState(text)
  return state === null || state.created <= oldest
}
