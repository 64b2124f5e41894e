import type { IdentityApi } from '@passport/contract/identity-apis'
import * as consents from '../accounts/consent-store.ts'
import { idleHours } from '../accounts/session-store.ts'
import * as audit from '../audit/store.ts'
import type { Services } from '../feature.ts'
import { createCookies } from '../http/cookies.ts'
import type { DirectHandler } from '../http/direct.ts'
import { userScopesOf } from '../oauth/resources.ts'
import { issuerScopes } from '../oauth/scopes.ts'
import { generateToken } from '../vault.ts'
import { purposeOfArtifact } from './adapter.ts'
import { createPendingReader, type PendingRead } from './authorization-store.ts'
import { createPendingRequests, neededPrompt } from './direct-interaction.ts'
import { startingNow } from './direct-issue.ts'
import { toAuthorizationEvent } from './grants.ts'
import { buildResumeUrl, deriveResult } from './interaction.ts'
import { type Authorization, toCodeArtifact, toCodeRedirect, traceRequest } from './issued-code.ts'
import { lifetimes } from './lifetimes.ts'
import { findRequestedApis, isAskedEachTime, isValidFor, type PlainRequest } from './plain-request.ts'
import { traceIssuedCode } from './record-traces.ts'
import { type NewArtifact, saveAuthorization } from './store.ts'

/** What the continued request of a user who has just signed in creates. */
interface Created extends Authorization {
  sessionId: string
  grant: NewArtifact
  librarySession: NewArtifact
}

/**
 * Creates the handler that continues the usual request of a browser whose first session has just started for it: with a
 * new grant, for a client whose users are not asked or have consented to all scopes, and a new session of the library. It
 * reads in one statement, which requests at the same time share, and saves in another, which spends the pending request.
 * Any other is for the library.
 */
export function createResumeHandler(services: Services): DirectHandler {
  const { sql, http, vault, clients, apis, issuer, traces } = services
  const { cookies: issuerCookies } = issuer
  const pendingRequests = createPendingRequests(services)
  const findPending = createPendingReader(sql, idleHours)

  return async ({ incoming: { method, url = '', headers }, visit }) => {
    const startedAt = Date.now()
    const uid = url.slice(url.lastIndexOf('/') + 1)
    const cookies = createCookies(headers.cookie, http.isSecure)
    const token = cookies.get(http.sessionCookie)
    const isBodyless = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
    const isUsual = method === 'GET' && isBodyless && headers['content-type'] === undefined && token !== undefined
    if (!isUsual || issuerCookies.hasSession(cookies) || issuerCookies.readResume(cookies) !== uid) return undefined
    const caller = await findPending(uid, token)
    const pending = caller && pendingRequests.read(caller.pending)
    if (!pending) return undefined
    const { request, resource } = pending
    const stored = { prompt: neededPrompt, params: {} }
    const client = deriveResult(uid, stored, caller, Date.now()) && (await clients.find(request.clientId))
    if (!client || !isValidFor(client, request) || isAskedEachTime(client)) return undefined
    const requestedApis = findRequestedApis(await apis.list(), request, client)
    const audiences = requestedApis?.map(({ audience }) => audience)
    if (!requestedApis || JSON.stringify(audiences) !== JSON.stringify([resource].flat())) return undefined
    if (client.consent !== 'skip') {
      const allowed = await consents.use(sql, caller.userId, client.clientId)
      if (!request.scopes.every((scope) => allowed?.includes(scope))) return undefined
    }
    const created = create(request, requestedApis, caller)
    const code = generateToken()
    const { grant, librarySession, sessionId, session } = created
    const event = toAuthorizationEvent(caller.userId, client.clientId, created.scopes.join(' '))
    const isFirst = await saveAuthorization(sql, 'passport', {
      artifacts: [grant, toCodeArtifact(code, request, created), librarySession],
      insertEvents: (source) => audit.toInsertion(sql, [event], source),
      interactionId: uid,
      formerSessionId: undefined,
      callerHash: caller.tokenHash,
      providerSession: session.uid,
      client,
    })
    // Another request has continued, the session has ended, or the client has changed: the library says so.
    if (!isFirst) return undefined
    const traced = { client, visit, startedAt, userId: caller.userId, uid, isContinued: true } as const
    traces.record(traceIssuedCode(traceRequest(request, traced), code))
    const otherCookies = issuerCookies.clearResume(buildResumeUrl(uid))
    return toCodeRedirect(request, { http, cookies: issuerCookies, browser: { sessionId, token }, code, otherCookies })
  }

  function create({ clientId, scopes }: PlainRequest, apis: IdentityApi[], caller: PendingRead): Created {
    const { userId: accountId, amr, acr, authTime, loginId, browserId } = caller
    const [sessionId, uid, grantId, sid] = [generateToken(), generateToken(), generateToken(), generateToken()]
    const openIdScopes = scopes.filter((scope) => issuerScopes.includes(scope))
    const apiScopes = apis.map((api) => scopes.filter((scope) => userScopesOf(api).includes(scope)))
    const grantPayload = {
      ...startingNow(lifetimes.Grant),
      accountId,
      clientId,
      openid: { scope: openIdScopes.join(' ') },
      ...(apis.length > 0 && {
        resources: Object.fromEntries(apis.map(({ audience }, index) => [audience, apiScopes[index]?.join(' ')])),
      }),
      kind: 'Grant',
    }
    const user = {
      uid,
      accountId,
      loginTs: Math.floor(Date.parse(authTime) / 1000),
      amr,
      acr: acr ?? undefined,
    }
    const sessionPayload = {
      ...startingNow(lifetimes.Session),
      ...user,
      authorizations: { [clientId]: { sid, grantId } },
      kind: 'Session',
    }
    const common = { issuer: 'passport', accountId, grantId: null } as const
    return {
      session: { ...user, grantId, sid },
      sessionId,
      audiences: apis.map(({ audience }) => audience),
      scopes: [...new Set([...openIdScopes, ...apiScopes.flat()])],
      grant: {
        ...common,
        kind: 'Grant',
        id: grantId,
        payload: grantPayload,
        sealedId: null,
        uid: null,
        signIn: { loginId, browserId },
        expiresInSeconds: lifetimes.Grant,
      },
      librarySession: {
        ...common,
        kind: 'Session',
        id: sessionId,
        payload: sessionPayload,
        sealedId: vault.seal(purposeOfArtifact('passport', 'Session'), sessionId),
        uid,
        expiresInSeconds: lifetimes.Session,
      },
    }
  }
}
