import { nowInSeconds } from '../clock.ts'
import { signinError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import { type PendingState, parseResponseParameters } from './pending-state.ts'
import { keysOf, type WebStorage } from './web-storage.ts'

const prefix = 'oidc.'

/** The store of pending requests. */
export interface StateStore {
  save: (state: PendingState) => void
  /** Returns the id in a response; the application may have its own `state` parameter in the same URL. */
  findId: (responseUrl: string) => string | undefined
  /** Returns the pending request with this id, if any. */
  peek: (id: string) => PendingState | undefined
  /** Removes and returns a request, which is valid once. Throws `state_already_used` and `state_not_found`. */
  take: (id: string) => PendingState
  /** Removes a request that will get no response; an unknown id is not an error. */
  forget: (id: string) => void
  /** Removes this client's entries of at least `staleStateAge`. Other clients may use the same prefix. */
  sweep: () => void
}

/** `usedKey` is the key in `session` of the last used id. It distinguishes a reloaded page from a forged response. */
export function createStateStore(
  storage: WebStorage,
  session: WebStorage,
  usedKey: string,
  { authority, client_id, staleStateAge }: Pick<Settings, 'authority' | 'client_id' | 'staleStateAge'>,
): StateStore {
  const peek = (id: string) => readState(storage.getItem(prefix + id)) ?? undefined
  const forget = (id: string) => storage.removeItem(prefix + id)
  return {
    save: (state) => storage.setItem(prefix + state.id, JSON.stringify(state)),
    findId: (responseUrl) => {
      const { query, fragment } = parseResponseParameters(responseUrl)
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
        const state = key.startsWith(prefix) && readState(storage.getItem(key))
        const isOwn =
          state && prefix + state.id === key && state.authority === authority && state.client_id === client_id
        if (isOwn && state.created <= oldest) storage.removeItem(key)
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
