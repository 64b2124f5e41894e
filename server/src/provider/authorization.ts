import * as consents from '../accounts/consent-store.ts'
import type { Client } from '../clients/store.ts'
import type { Services } from '../feature.ts'
import { type AuthorizationRequest, readAuthorizationRequest } from '../oauth/authorization-request.ts'
import { readIdTokenHint } from '../oauth/id-token-hint.ts'
import { isNative } from '../oauth/redirect-uri.ts'
import {
  coversScopes,
  pickScopes,
  type RequestedScopes,
  resolveScopes,
  uniteScopes,
} from '../oauth/requested-scopes.ts'
import { splitScopes } from '../oauth/scopes.ts'
import type { BrowserRead, BrowserSession } from './authorization-store.ts'
import { type Decision, decidePrompt } from './decide-prompt.ts'
import { epochSeconds } from './lifetimes.ts'
import type { PendingRequest } from './request-store.ts'

/** An authorization request of a client in a browser, with what was decided about it. */
export interface Authorization {
  client: Client
  request: AuthorizationRequest
  /** The scopes that the user is asked for. */
  requested: RequestedScopes
  user: AuthorizingUser | undefined
  decision: Decision
}

/** The user of the browser, with what they have granted the client in this session. */
export interface AuthorizingUser {
  session: BrowserSession
  /** The clients of the session; undefined before the first one. */
  issuerSession: IssuerSession | undefined
  granted: RequestedScopes
  /** The granted scopes together with those that need no further consent. */
  allowed: RequestedScopes
  /** The user has allowed this request, on its page. */
  hasConsented: boolean
}

/** What is stored of a session's clients. */
export interface IssuerSession {
  /** In seconds since 1970. */
  expiresAt: number
  sid: string | undefined
  /** The grant of the client; undefined if it has ended. */
  grant: { id: string; expiresAt: number } | undefined
  /** The client keeps its grant when the session ends. */
  isOffline: boolean
}

/** A request, as it was read from what was sent and stored. */
export interface Assessed {
  /** The id of the pending request, if it is one. */
  uid?: string | undefined
  stored: Omit<PendingRequest, 'clientId'>
  client: Client
  browser: BrowserRead | undefined
  /** Only shows a page, and does not count as a use of the consent. */
  isPage?: boolean
}

/** Decides about an authorization request. Throws the first error of the request. */
export type AssessRequest = (assessed: Assessed) => Promise<Authorization>

export function createAssessment({ sql, config, apis, issuer }: Services): AssessRequest {
  return async ({ uid, stored, client, browser, isPage = false }) => {
    const request = readAuthorizationRequest(new Map(Object.entries(stored.parameters)), client)
    const { clientId, scopes } = { ...request, clientId: client.clientId }
    const requested = resolveScopes(await apis.list(), { clientId, scopes, resources: stored.resources })
    const hintedUserId = await findHintedUser(request, clientId)
    const user = browser && (await findUser({ ...stored, client, browser, requested, isPage }))
    const now = epochSeconds()
    const decision = decidePrompt(
      { ...request, hintedUserId, waitsSince: stored.waitsSince },
      user && {
        userId: user.session.userId,
        authTime: toSeconds(user.session.authTime),
        isForRequest: uid !== undefined && user.session.interaction === uid,
        consent: {
          isGiven: user.hasConsented,
          askReason: isNative(client) ? 'app_on_device' : client.consent === 'always' ? 'asked_each_time' : undefined,
          coversScopes: coversScopes(user.allowed, requested),
        },
      },
      // The authentication was recent enough when the user consented, who may take their time.
      user?.hasConsented && stored.consent ? stored.consent.at : now,
    )
    return { client, request, requested, user, decision }
  }

  async function findHintedUser({ idTokenHint }: AuthorizationRequest, clientId: string) {
    if (idTokenHint === undefined) return undefined
    return readIdTokenHint(idTokenHint, { issuer: config.publicUrl, audience: clientId, keys: await issuer.keys() })
  }

  async function findUser({
    client,
    browser: { session, issuerSession, grant },
    requested,
    consent,
    isPage,
  }: Pick<Assessed, 'client'> &
    Pick<PendingRequest, 'consent'> & { browser: BrowserRead; requested: RequestedScopes; isPage: boolean }): Promise<
    AuthorizingUser | undefined
  > {
    if (!session) return undefined
    const granted = toGrantedScopes(grant ?? {})
    const hasConsented = consent?.userId === session.userId && consent.tokenHash === session.tokenHash
    const free = hasConsented ? requested : await findFreeScopes(client, session.userId, requested, isPage)
    return {
      session,
      issuerSession: issuerSession ? readIssuerSession(issuerSession, client.clientId, grant) : undefined,
      granted,
      allowed: uniteScopes(granted, free),
      hasConsented,
    }
  }

  /** Returns the requested scopes for which the user is not asked. */
  async function findFreeScopes(client: Client, userId: string, requested: RequestedScopes, isPage: boolean) {
    if (client.consent === 'skip') return requested
    if (client.consent === 'always') return pickScopes(requested, [])
    const find = isPage ? consents.find : consents.use
    return pickScopes(requested, (await find(sql, userId, client.clientId)) ?? [])
  }
}

/** Converts a time to seconds since 1970. */
export const toSeconds = (instant: string): number => Math.floor(Date.parse(instant) / 1000)

/** Reads what is stored of a grant. */
function toGrantedScopes({ openid, resources }: Record<string, unknown>): RequestedScopes {
  const { scope = '' } = (openid ?? {}) as { scope?: string }
  const byAudience = Object.entries((resources ?? {}) as Record<string, string>)
  return {
    issuer: splitScopes(scope),
    byAudience: new Map(byAudience.map(([audience, scopes]) => [audience, splitScopes(scopes)])),
  }
}

function readIssuerSession(
  payload: Record<string, unknown>,
  clientId: string,
  grant: Record<string, unknown> | null,
): IssuerSession {
  const all = (payload['authorizations'] ?? {}) as Record<string, StoredClient>
  const { sid, grantId, persistsLogout = false } = Object.hasOwn(all, clientId) ? (all[clientId] ?? {}) : {}
  return {
    expiresAt: Number(payload['exp']),
    sid,
    grant: grant && grantId !== undefined ? { id: grantId, expiresAt: Number(grant['exp']) } : undefined,
    isOffline: persistsLogout,
  }
}

/** What is stored of a client in a session. */
interface StoredClient {
  sid?: string
  grantId?: string
  persistsLogout?: boolean
}
