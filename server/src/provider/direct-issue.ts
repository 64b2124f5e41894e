import type { Client } from '../clients/store.ts'
import type { Services } from '../feature.ts'
import { admits } from '../identity-apis/scopes.ts'
import { signAccessToken, toCommonClaims } from '../oauth/access-token.ts'
import { pickClaims, toUserClaims } from '../oauth/claims.ts'
import { toIdTokenClaims } from '../oauth/id-token.ts'
import type { KeySet } from '../oauth/key-set.ts'
import { lifetimeOf, userScopesOf } from '../oauth/resources.ts'
import { createVault, generateToken } from '../vault.ts'
import { epochSeconds, lifetimes } from './lifetimes.ts'
import type { GrantSource, GrantSourceKind, LiveTokenStore } from './live-token-store.ts'
import { sealSuccessor } from './rotation.ts'
import * as store from './store.ts'
import { type GrantedScopes, readGrantPayload, readTokenPayload, type TokenPayload } from './token-payload.ts'

/** An API that the new access token is for. */
type Api = Awaited<ReturnType<Services['apis']['list']>>[number]

/** What the new access token is for; without an API, it is one for user info. */
interface Target {
  api: Api | undefined
  /** Separated by spaces. */
  scope: string
  lifetimeSec: number
}

/** A code or a refresh token, as it was read with everything that it depends on. */
export interface Presented {
  kind: GrantSourceKind
  /** Its value, which is its id. */
  value: string
  found: GrantSource
  payload: TokenPayload
  granted: GrantedScopes
  /** The scopes of the authorization. */
  scopes: string[]
}

interface Issue {
  /** The grant types by which the access token comes into being. */
  gty: string | undefined
  /** What is stored of the new refresh token; undefined for none. */
  refreshPayload: TokenPayload | undefined
}

/** The body of the response to a token request. */
export interface IssuedTokens {
  access_token: string
  expires_in: number
  id_token: string | undefined
  refresh_token: string | undefined
  scope: string
  token_type: 'Bearer'
}

/**
 * Creates the functions that exchange a code or a refresh token for tokens in two statements: `read` reads it with its
 * grant, session and user, and `issue` spends it and saves what is issued for it. Of concurrent requests only one spends
 * it. Both return undefined for what the library has to decide.
 */
export function createTokenIssue({ sql, config, apis, issuer }: Services, liveTokens: LiveTokenStore) {
  const { publicUrl } = config
  return { read, issue }

  /**
   * Reads a valid code or token of a client; undefined if it is spent, bound to a key, or stored in an unknown way, or the
   * client has changed.
   */
  async function read(
    kind: GrantSourceKind,
    value: string,
    { clientId, version }: Client,
  ): Promise<Presented | undefined> {
    const found = await liveTokens.findGrantSource(kind, value)
    const payload = found && readTokenPayload(kind, found.payload)
    const granted = found && readGrantPayload(found.grantPayload)
    if (!found || !payload?.scope || !granted?.openIdScopes.includes('openid')) return undefined
    if (payload.clientId !== clientId || found.clientVersion !== version) return undefined
    return { kind, value, found, payload, granted, scopes: [...new Set(payload.scope.split(' '))] }
  }

  async function issue(
    presented: Presented,
    client: Client,
    { gty, refreshPayload }: Issue,
  ): Promise<IssuedTokens | undefined> {
    const target = await findTarget(presented, client.clientId)
    if (!target) return undefined
    const keys = await issuer.keys()
    const { api, scope, lifetimeSec } = target
    const accessTokenId = generateToken()
    const accessToken = api ? signForApi(presented, { ...target, api }, accessTokenId, keys) : accessTokenId
    const idToken = presented.scopes.includes('openid')
      ? keys.sign(createIdTokenClaims(presented, api, client.clientId), client.idTokenSigningAlg)
      : undefined
    const refreshToken = refreshPayload && generateToken()
    const issued = [
      toArtifact('AccessToken', accessTokenId, toAccessTokenPayload(presented.payload, target, gty)),
      ...(refreshToken && refreshPayload ? [toArtifact('RefreshToken', refreshToken, refreshPayload)] : []),
    ]
    const { kind, value } = presented
    const successor =
      kind === 'RefreshToken' && refreshToken ? sealSuccessor(createVault(value), undefined, refreshToken) : undefined
    if (!(await store.spendForTokens(sql, 'passport', { kind, id: value }, issued, successor))) return undefined
    return {
      access_token: accessToken,
      expires_in: lifetimeSec,
      id_token: idToken,
      refresh_token: refreshToken,
      scope,
      token_type: 'Bearer',
    }
  }

  /** Finds what the access token is for: the first API of the authorization, or user info if it had none. */
  async function findTarget({ payload, granted, scopes }: Presented, clientId: string): Promise<Target | undefined> {
    const [resource] = [payload.resource ?? []].flat()
    if (resource === undefined) {
      const scope = granted.openIdScopes.filter((name) => scopes.includes(name)).join(' ')
      return scope ? { api: undefined, scope, lifetimeSec: lifetimes.AccessToken } : undefined
    }
    const api = (await apis.list()).find(({ audience }) => audience === resource)
    if (!api || !admits(api, clientId)) return undefined
    const apiScopes = userScopesOf(api)
    const allowed = granted.scopesOf(resource).filter((name) => scopes.includes(name) && apiScopes.includes(name))
    // The claims of entitlements take a statement of their own.
    const hasEntitlements = (api.builtIn ? allowed : scopes).includes('entitlements')
    if (allowed.length === 0 || hasEntitlements) return undefined
    return { api, scope: allowed.join(' '), lifetimeSec: lifetimeOf(api, apiScopes) }
  }

  function signForApi(
    { found, payload: { clientId, sid, authTime }, granted }: Presented,
    { api, scope, lifetimeSec }: Target & { api: Api },
    jti: string,
    keys: KeySet,
  ): string {
    const claims = {
      ...toCommonClaims({ jti, aud: api.audience, clientId, scope, now: epochSeconds(), lifetimeSec }),
      sub: found.userId,
      ...pickClaims(readUserClaims(found), granted.openIdScopes, api.claims),
      roles: found.roles,
      orgs: found.orgs.map(({ id }) => id),
      ...(sid && { sid }),
      ...(authTime && { auth_time: authTime }),
    }
    return signAccessToken(claims, publicUrl, keys)
  }

  /** Returns the claims of the ID token, which has those about the user only if user info does not accept the token. */
  function createIdTokenClaims({ found, payload, granted, scopes }: Presented, api: Api | undefined, clientId: string) {
    const { nonce, sid, authTime, amr, acr } = payload
    return toIdTokenClaims({
      issuer: publicUrl,
      clientId,
      userClaims: readUserClaims(found),
      scopes: api ? granted.openIdScopes.filter((name) => scopes.includes(name)) : ['openid'],
      ...{ nonce, sid, authTime, amr, acr },
      now: epochSeconds(),
      lifetimeSec: lifetimes.IdToken,
    })
  }
}

const readUserClaims = ({ userId, ...user }: GrantSource) => toUserClaims({ id: userId, ...user })

/** Returns the times of a token that is issued now, in seconds since 1970. */
export function startingNow(lifetimeSec: number) {
  const iat = epochSeconds()
  return { iat, exp: iat + lifetimeSec }
}

function toAccessTokenPayload(
  payload: TokenPayload,
  { api, scope, lifetimeSec }: Target,
  gty: string | undefined,
): TokenPayload {
  const { clientId, grantId, sessionUid, expiresWithSession, accountId, sid } = payload
  return {
    ...startingNow(lifetimeSec),
    kind: 'AccessToken',
    clientId,
    gty,
    grantId,
    sessionUid,
    expiresWithSession,
    accountId,
    sid,
    aud: api?.audience,
    scope,
  }
}

const toArtifact = (kind: 'AccessToken' | 'RefreshToken', id: string, payload: TokenPayload): store.NewArtifact => ({
  issuer: 'passport',
  kind,
  id,
  payload: { ...payload },
  sealedId: null,
  accountId: payload.accountId ?? null,
  grantId: payload.grantId ?? null,
  uid: null,
  expiresInSeconds: payload.exp - payload.iat,
})
