import * as audit from '../audit/store.ts'
import { combineWrites } from '../database/combine.ts'
import type { Services } from '../feature.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { coversScopes, listScopes, pickScopes, type RequestedScopes } from '../oauth/requested-scopes.ts'
import { generateToken, hashToken } from '../vault.ts'
import { type Authorization, type AuthorizingUser, toSeconds } from './authorization.ts'
import { epochSeconds, extensionSeconds, lifetimes } from './lifetimes.ts'
import * as store from './store.ts'

/** What the authorization spends. */
interface Spent {
  /** The pending request. */
  uid?: string | undefined
  /** The pushed request. */
  pushedId?: string | undefined
}

/** Creates a code; returns undefined, and saves nothing, if what decided about it has changed. */
export type IssueCode = (
  authorization: Authorization,
  browser: { clientVersion: number | null },
  spent: Spent,
) => Promise<string | undefined>

/**
 * Creates the function that issues the code of an authorization (RFC 6749, section 4.1.2), in one statement. If neither the
 * grant nor the session changes, requests at the same time share it.
 */
export function createCodeIssue({ sql }: Pick<Services, 'sql'>): IssueCode {
  const saveCode = combineWrites((codes: store.NewArtifact[]) => store.saveCodes(sql, codes))

  return async (authorization, { clientVersion }, spent) => {
    const { client, requested, user } = authorization
    if (!user) throw new Error('A code requires a user')
    const scopes = pickScopes(user.allowed, authorization.request.scopes)
    if (listScopes(scopes).length === 0)
      throw new OAuthError('access_denied', 'The user has granted none of the requested scopes.')
    const { session, issuerSession, granted } = user
    const now = epochSeconds()
    const grantId = issuerSession?.grant?.id ?? generateToken()
    const linked: Linked = {
      uid: session.providerSession ?? deriveUid(session.tokenHash),
      sid: issuerSession?.sid ?? generateToken(),
      grantId,
      now,
    }
    const code = generateToken()
    const codeArtifact = toCode(code, authorization, user, linked)
    const isGrantKept = issuerSession?.grant !== undefined && coversScopes(granted, requested)
    const isOffline = authorization.request.scopes.includes('offline_access')
    const isSessionKept =
      issuerSession !== undefined &&
      session.providerSession !== null &&
      issuerSession.sid !== undefined &&
      now + lifetimes.Session - issuerSession.expiresAt < extensionSeconds &&
      (issuerSession.isOffline || !isOffline)
    if (isGrantKept && isSessionKept && spent.uid === undefined && spent.pushedId === undefined) {
      if (clientVersion !== client.version) return undefined
      await saveCode(codeArtifact)
      return code
    }
    const event = toAuthorizationEvent(session.userId, client.clientId, listScopes(user.allowed).join(' '))
    const isSaved = await store.saveAuthorization(sql, {
      artifacts: [
        codeArtifact,
        toSession(client.clientId, user, linked, isOffline || issuerSession?.isOffline === true),
        ...(isGrantKept ? [] : [toGrant(client.clientId, user, linked)]),
      ],
      // The page of a consent has recorded it.
      insertEvents: isGrantKept || user.hasConsented ? undefined : (source) => audit.toInsertion(sql, [event], source),
      interactionId: spent.uid,
      pushedId: spent.pushedId,
      callerHash: session.tokenHash,
      providerSession: linked.uid,
      client,
    })
    return isSaved ? code : undefined
  }
}

/** The ids by which a code, its grant and its session belong together. */
interface Linked {
  /** The id of the row that has the clients of the session. */
  uid: string
  /** The public id of the session, for the client. */
  sid: string
  grantId: string
  /** In seconds since 1970. */
  now: number
}

/** Requests of a browser at the same time create the same row. */
const deriveUid = (tokenHash: string): string => hashToken(`clients of ${tokenHash}`)

/** Creates the event of a user's grant to a client; `scopes` are separated by spaces. */
export const toAuthorizationEvent = (userId: string, clientId: string, scopes: string): audit.AuditEvent => ({
  action: 'client.authorized',
  actorId: userId,
  target: { kind: 'user', id: userId },
  after: { client: clientId, scopes },
})

const common = { issuer: 'passport', sealedId: null, grantId: null, uid: null } as const

function toCode(
  code: string,
  { client, request, requested }: Authorization,
  { session, allowed }: AuthorizingUser,
  { uid, sid, grantId, now }: Linked,
): store.NewArtifact {
  const [resource, ...others] = requested.byAudience.keys()
  const { redirectUri, nonce, challenge, dpopJkt, scopes } = request
  const granted: RequestedScopes = {
    issuer: allowed.issuer,
    byAudience: new Map([...requested.byAudience.keys()].map((each) => [each, allowed.byAudience.get(each) ?? []])),
  }
  const payload = {
    iat: now,
    exp: now + lifetimes.AuthorizationCode,
    kind: 'AuthorizationCode',
    clientId: client.clientId,
    accountId: session.userId,
    grantId,
    sessionUid: uid,
    ...(!scopes.includes('offline_access') && { expiresWithSession: true }),
    sid,
    ...(session.acr !== null && { acr: session.acr }),
    amr: session.amr,
    authTime: toSeconds(session.authTime),
    ...(nonce !== undefined && { nonce }),
    redirectUri,
    scope: listScopes(pickScopes(granted, scopes)).join(' '),
    ...(resource !== undefined && { resource: others.length > 0 ? [resource, ...others] : resource }),
    ...(challenge !== undefined && { codeChallenge: challenge, codeChallengeMethod: 'S256' }),
    ...(dpopJkt !== undefined && { dpopJkt }),
  }
  return {
    ...common,
    kind: 'AuthorizationCode',
    id: code,
    payload,
    accountId: session.userId,
    grantId,
    expiresInSeconds: lifetimes.AuthorizationCode,
  }
}

function toSession(
  clientId: string,
  { session }: AuthorizingUser,
  { uid, sid, grantId, now }: Linked,
  isOffline: boolean,
): store.NewArtifact {
  const payload = {
    iat: now,
    exp: now + lifetimes.Session,
    kind: 'Session',
    uid,
    accountId: session.userId,
    loginTs: toSeconds(session.authTime),
    amr: session.amr,
    ...(session.acr !== null && { acr: session.acr }),
    authorizations: { [clientId]: { sid, grantId, ...(isOffline && { persistsLogout: true }) } },
  }
  return {
    ...common,
    kind: 'Session',
    id: uid,
    payload,
    accountId: session.userId,
    uid,
    expiresInSeconds: lifetimes.Session,
  }
}

function toGrant(
  clientId: string,
  { session, issuerSession, allowed }: AuthorizingUser,
  { grantId, now }: Linked,
): store.NewArtifact {
  const { userId, loginId, browserId } = session
  // A grant that gets more scopes does not live longer.
  const exp = issuerSession?.grant?.expiresAt ?? now + lifetimes.Grant
  const resources = [...allowed.byAudience].filter(([, scopes]) => scopes.length > 0)
  const payload = {
    iat: now,
    exp,
    accountId: userId,
    clientId,
    ...(allowed.issuer.length > 0 && { openid: { scope: allowed.issuer.join(' ') } }),
    ...(resources.length > 0 && {
      resources: Object.fromEntries(resources.map(([audience, scopes]) => [audience, scopes.join(' ')])),
    }),
    kind: 'Grant',
  }
  return {
    ...common,
    kind: 'Grant',
    id: grantId,
    payload,
    accountId: userId,
    signIn: { loginId, browserId },
    expiresInSeconds: exp - now,
  }
}
