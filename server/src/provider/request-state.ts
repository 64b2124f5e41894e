import { isDeepStrictEqual } from 'node:util'
import { errors, type InteractionResults, type KoaContextWithOIDC } from 'oidc-provider'
import { idleHours, type SignIn } from '../accounts/session-store.ts'
import type { AuditEvent } from '../audit/store.ts'
import * as audit from '../audit/store.ts'
import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import { createCookies } from '../http/cookies.ts'
import type { HttpContext } from '../http/http-context.ts'
import type { User } from '../users/store.ts'
import { type AuthorizationCaller, readAuthorization, readCode } from './authorization-store.ts'
import { deriveResult, type StoredInteraction } from './interaction.ts'
import { extensionSeconds } from './lifetimes.ts'
import * as store from './store.ts'

/**
 * What a request has read at its start and saves at its end. The protocol library reads and writes artifacts one by one;
 * an authorization request reads all in one statement, and saves all in another.
 */
interface RequestState {
  /** Artifacts that were read and not yet used, by kind and id or uid; null for one that does not exist. */
  read: Map<string, store.Artifact | null>
  caller?: AuthorizationCaller | undefined
  user?: User | undefined
  /** A copy of the session of the library as it is stored. */
  storedSession?: { id: string; payload: Record<string, unknown> }
  isRead: boolean
  /**
   * Another request has continued the same interaction, or the session has ended: this one saves nothing, whatever the
   * library tries.
   */
  isLost: boolean
  saves: store.NewArtifact[]
  /** Events that are recorded with what is saved. */
  events: AuditEvent[]
  /** The spent interaction, which only one request may continue. */
  interactionId?: string
  formerSessionId?: string
  /** The new session of the library, with which that of the browser ends. */
  providerSession?: string
}

const states = new WeakMap<object, RequestState>()
const authorizationRoutes = new Set(['authorization', 'resume'])
const keyOf = (kind: string, id: string) => `${kind} ${id}`

function stateOf(ctx: object): RequestState {
  const state = states.get(ctx) ?? { read: new Map(), isRead: false, isLost: false, saves: [], events: [] }
  states.set(ctx, state)
  return state
}

/** Returns the state of an authorization request; undefined for other requests, which read and write at once. */
export function findAuthorization(ctx: object | undefined): RequestState | undefined {
  const { oidc } = (ctx ?? {}) as Partial<KoaContextWithOIDC>
  return ctx && authorizationRoutes.has(oidc?.route ?? '') ? stateOf(ctx) : undefined
}

export interface RequestReader {
  /** Returns an artifact that was read with others; undefined if the adapter has to read it, null without one. */
  find: (ctx: object | undefined, kind: string, id: string) => Promise<store.Artifact | null | undefined>
  /** Returns the result of an interaction that a request resumes, if the user has just signed in for it. */
  findResult: (
    ctx: object | undefined,
    uid: string,
    interaction: StoredInteraction,
  ) => Promise<InteractionResults | undefined>
  /** Returns the session of the browser, with its user. */
  findCaller: (ctx: KoaContextWithOIDC) => Promise<AuthorizationCaller | undefined>
}

/** Creates the reader of the issuer of tokens. */
export function createRequestReader(sql: Sql, http: HttpContext): RequestReader {
  async function readOnce(ctx: KoaContextWithOIDC, state: RequestState, sessionId?: string) {
    if (state.isRead) return
    state.isRead = true
    const clientId = ctx.query['client_id']
    const keys = {
      sessionId,
      interactionId: ctx.oidc.route === 'resume' ? ctx.path.split('/').at(-1) : undefined,
      clientId: typeof clientId === 'string' ? clientId : undefined,
      token: createCookies(ctx.req.headers.cookie, http.isSecure).get(http.sessionCookie),
    }
    if (!keys.sessionId && !keys.interactionId && !keys.token) return
    const { session, sessionSealedId, grant, interaction, caller } = await readAuthorization(sql, keys, idleHours)
    state.caller = caller
    if (caller) state.user = { ...caller, id: caller.userId, disabledAt: null }
    if (keys.sessionId) state.read.set(keyOf('Session', keys.sessionId), toArtifact(session, sessionSealedId))
    if (keys.sessionId && session) state.storedSession = { id: keys.sessionId, payload: structuredClone(session) }
    if (keys.interactionId) state.read.set(keyOf('Interaction', keys.interactionId), toArtifact(interaction))
    const grantId = session && keys.clientId && findGrantId(session, keys.clientId)
    if (grantId) state.read.set(keyOf('Grant', grantId), toArtifact(grant))
  }

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
      if (!context?.oidc) return undefined
      const { route } = context.oidc
      if (route === 'token') {
        const state = stateOf(context)
        return kind === 'AuthorizationCode' ? readCodeOnce(state, id) : take(state, kind, id)
      }
      const state = findAuthorization(context)
      if (!state) return undefined
      const saved = state.saves.findLast((artifact) => artifact.kind === kind && artifact.id === id)
      if (saved) return { payload: saved.payload, sealedId: saved.sealedId, spentSeconds: null }
      if (kind === 'Session' || kind === 'Interaction')
        await readOnce(context, state, kind === 'Session' ? id : undefined)
      return take(state, kind, id)
    },
    findResult: async (ctx, uid, interaction) => {
      const { oidc } = (ctx ?? {}) as Partial<KoaContextWithOIDC>
      const state = oidc?.route === 'resume' ? findAuthorization(ctx) : undefined
      return state && deriveResult(uid, interaction, state.caller, Date.now())
    },
    findCaller: async (ctx) => {
      const state = findAuthorization(ctx)
      if (!state) return undefined
      await readOnce(ctx, state)
      return state.caller
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

function findGrantId(session: Record<string, unknown>, clientId: string): string | undefined {
  const authorizations = session['authorizations'] as Record<string, { grantId?: string }> | undefined
  return authorizations && Object.hasOwn(authorizations, clientId) ? authorizations[clientId]?.grantId : undefined
}

/** Returns the user of a request, if it has read them already. */
export const findReadUser = (ctx: object, id: string): User | undefined => {
  const user = states.get(ctx)?.user
  return user?.id === id ? user : undefined
}

/** Records the sign-in in which an authorization request has created or extended a grant. */
export function noteSignIn(ctx: object, grantId: string, { loginId, browserId }: SignIn): void {
  const grant = findAuthorization(ctx)?.saves.findLast(({ kind, id }) => kind === 'Grant' && id === grantId)
  if (grant) grant.signIn = { loginId, browserId }
}

/** Records an event with what an authorization request saves. Returns false for other requests, which save at once. */
export function noteEvent(ctx: object, event: AuditEvent): boolean {
  const authorization = findAuthorization(ctx)
  authorization?.events.push(event)
  return authorization !== undefined
}

/** Reports whether the library saves its session as it is stored, except for a short extension. */
export function isStoredSession({ storedSession }: RequestState, id: string, payload: object): boolean {
  if (storedSession?.id !== id) return false
  const { exp: storedExp, ...stored } = storedSession.payload
  // A missing field of the library is undefined.
  const { exp, ...saved } = JSON.parse(JSON.stringify(payload)) as Record<string, unknown>
  return Number(exp) - Number(storedExp) < extensionSeconds && isDeepStrictEqual(stored, saved)
}

/**
 * Saves what an authorization request has collected, in one statement, with the session of the library if it changed.
 * Throws if another request has continued the same interaction, or the session of the browser has ended.
 */
export async function commitAuthorization(
  { sql, issuer }: { sql: Sql; issuer: store.IssuerName },
  state: RequestState,
  session?: store.NewArtifact,
): Promise<void> {
  const { saves, events, interactionId, formerSessionId, providerSession, caller, isLost } = state
  if (isLost) return
  const artifacts = session ? [...saves, session] : saves
  if (artifacts.length === 0 && events.length === 0 && !interactionId && !formerSessionId && !providerSession) return
  state.saves = []
  state.events = []
  delete state.interactionId
  delete state.formerSessionId
  delete state.providerSession
  const [code, ...others] = artifacts
  const isCodeOnly = code?.kind === 'AuthorizationCode' && others.length === 0 && events.length === 0
  if (isCodeOnly && !interactionId && !formerSessionId && !providerSession) return store.saveCode(sql, code)
  const insertEvents = events.length === 0 ? undefined : (source: Fragment) => audit.toInsertion(sql, events, source)
  const callerHash = caller?.tokenHash
  const writes = { artifacts, insertEvents, interactionId, formerSessionId, callerHash, providerSession }
  const isFirst = await store.saveAuthorization(sql, issuer, writes)
  // On a page, as if it came later: the application gets the response of the first request.
  if (isFirst) return
  state.isLost = true
  throw Object.assign(new errors.SessionNotFound('interaction session not found'), { allow_redirect: false })
}

/** Commits a request whose session did not change: one that failed, or that needs the user. */
export async function commitRest(sql: Sql, ctx: object): Promise<void> {
  const state = findAuthorization(ctx)
  if (!state) return
  await commitAuthorization({ sql, issuer: 'passport' }, state).catch((error) => {
    // The response of a request that issues nothing does not depend on the interaction.
    if (!(error instanceof errors.SessionNotFound)) throw error
  })
}
