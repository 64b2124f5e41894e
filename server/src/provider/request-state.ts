import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import type { User } from '../users/store.ts'
import { readCode } from './authorization-store.ts'
import type * as store from './store.ts'

/** What a token request has read with its code, in one statement; the protocol library reads artifacts one by one. */
interface RequestState {
  /** Artifacts that were read and not yet used, by kind and id or uid; null for one that does not exist. */
  read: Map<string, store.Artifact | null>
  user?: User | undefined
}

const states = new WeakMap<object, RequestState>()
const keyOf = (kind: string, id: string) => `${kind} ${id}`

function stateOf(ctx: object): RequestState {
  const state = states.get(ctx) ?? { read: new Map() }
  states.set(ctx, state)
  return state
}

export interface RequestReader {
  /** Returns an artifact that was read with others; undefined if the adapter has to read it, null without one. */
  find: (ctx: object | undefined, kind: string, id: string) => Promise<store.Artifact | null | undefined>
}

/** Creates the reader of the issuer of tokens. */
export function createRequestReader(sql: Sql): RequestReader {
  async function readCodeOnce(state: RequestState, id: string): Promise<store.Artifact | null> {
    const code = await readCode(sql, id)
    if (!code) return null
    const { payload, session, sessionSealedId, grant, user } = code
    state.user = user
    const { sessionUid, grantId } = payload
    if (typeof sessionUid === 'string')
      state.read.set(keyOf('Session', sessionUid), toArtifact(session, sessionSealedId))
    if (typeof grantId === 'string') state.read.set(keyOf('Grant', grantId), toArtifact(grant))
    return code
  }

  return {
    find: async (ctx, kind, id) => {
      const context = ctx as KoaContextWithOIDC | undefined
      if (context?.oidc?.route !== 'token') return undefined
      const state = stateOf(context)
      return kind === 'AuthorizationCode' ? readCodeOnce(state, id) : take(state, kind, id)
    },
  }
}

/** Returns an artifact at its first use. A later use reads it again: the library changes what it has read. */
function take(state: RequestState, kind: string, id: string) {
  const key = keyOf(kind, id)
  const artifact = state.read.get(key)
  state.read.delete(key)
  return artifact
}

const toArtifact = (payload: store.Artifact['payload'] | null, sealedId: string | null = null) =>
  payload && { payload, sealedId, spentSeconds: null }

/** Returns the user of a request, if it has read them already. */
export const findReadUser = (ctx: object, id: string): User | undefined => {
  const user = states.get(ctx)?.user
  return user?.id === id ? user : undefined
}
