import type { Client } from '../clients/store.ts'
import type { Services } from '../feature.ts'
import { admits } from '../identity-apis/scopes.ts'
import { createVault, generateToken } from '../vault.ts'
import { signAccessToken } from './access-token.ts'
import { claimsOf, pickClaims } from './account.ts'
import type { IssueTokens } from './direct-client.ts'
import { isKnown } from './id-token.ts'
import type { KeySet } from './key-set.ts'
import { lifetimes } from './lifetimes.ts'
import { findRefreshToken, type LiveRefreshToken } from './live-token-store.ts'
import { lifetimeOf, userScopesOf } from './resources.ts'
import { sealSuccessor } from './rotation.ts'
import * as store from './store.ts'
import { toCommonClaims } from './token-claims.ts'
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

/** A refresh token, as it was read with everything that it depends on. */
interface Presented {
  /** Its value, which is its id. */
  value: string
  found: LiveRefreshToken
  payload: TokenPayload
  granted: GrantedScopes
  /** The scopes of the authorization. */
  scopes: string[]
}

/**
 * Creates the refresh of tokens (RFC 6749, section 6) in two statements: one reads the refresh token with its grant,
 * session and user, and the other spends it and saves its successor and the access token. Of concurrent requests with a
 * token, only one spends it. The others, and a token that was spent before, are for the library: it returns the
 * successor (`rotation.ts`), or ends the family of the token.
 */
export function createRefresh({ sql, config, apis, issuer }: Services): IssueTokens {
  const { publicUrl } = config

  return async ({ client, parameters, respond }) => {
    const value = parameters.get('refresh_token')
    // A request for fewer scopes is unusual.
    if (value === undefined || parameters.has('scope')) return undefined
    const presented = await read(value)
    if (!presented || presented.payload.clientId !== client.clientId) return undefined
    const target = await findTarget(presented, client.clientId)
    if (!target) return undefined
    const keys = await issuer.keys()
    const { api, scope, lifetimeSec } = target
    const accessTokenId = generateToken()
    const accessToken = api ? signForApi(presented, { ...target, api }, accessTokenId, keys) : accessTokenId
    const idToken = presented.scopes.includes('openid')
      ? keys.sign(toIdTokenClaims(presented, api, client), client.idTokenSigningAlg)
      : undefined
    const successor = generateToken()
    const issued = [
      toArtifact('RefreshToken', successor, toSuccessorPayload(presented.payload)),
      toArtifact('AccessToken', accessTokenId, toAccessTokenPayload(presented.payload, target)),
    ]
    const spent = { kind: 'RefreshToken', id: value }
    if (
      !(await store.spendForTokens(
        sql,
        'passport',
        spent,
        issued,
        sealSuccessor(createVault(value), undefined, successor),
      ))
    )
      return undefined
    return respond({
      access_token: accessToken,
      expires_in: lifetimeSec,
      id_token: idToken,
      refresh_token: successor,
      scope,
      token_type: 'Bearer',
    })
  }

  /** Reads a valid refresh token; undefined if it is invalid, spent, bound to a key, or stored in an unknown way. */
  async function read(value: string): Promise<Presented | undefined> {
    const found = await findRefreshToken(sql, value)
    const payload = found && readTokenPayload('RefreshToken', found.payload)
    const granted = found && readGrantPayload(found.grantPayload)
    if (!found || !payload?.scope || !granted?.openIdScopes.includes('openid')) return undefined
    return { value, found, payload, granted, scopes: [...new Set(payload.scope.split(' '))] }
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
      ...toCommonClaims({ jti, aud: api.audience, clientId, scope, lifetimeSec }),
      sub: found.userId,
      ...pickClaims(toUserClaims(found), granted.openIdScopes, api.claims),
      roles: found.roles,
      orgs: found.orgs.map(({ id }) => id),
      ...(sid && { sid }),
      ...(authTime && { auth_time: authTime }),
    }
    return signAccessToken(claims, publicUrl, keys)
  }

  /** Returns the claims of the ID token, which has those about the user only if user info does not accept the token. */
  function toIdTokenClaims({ found, payload, granted, scopes }: Presented, api: Api | undefined, client: Client) {
    const claimScopes = api ? granted.openIdScopes.filter((name) => scopes.includes(name)) : ['openid']
    const { nonce, sid, authTime, amr, acr } = payload
    const authentication = Object.entries({ auth_time: authTime, amr, acr }).filter(([, value]) => isKnown(value))
    const iat = Math.floor(Date.now() / 1000)
    return {
      ...pickClaims(toUserClaims(found), claimScopes),
      nonce,
      sid,
      azp: client.clientId,
      ...Object.fromEntries(authentication),
      aud: client.clientId,
      exp: iat + lifetimes.IdToken,
      iat,
      iss: publicUrl,
    }
  }
}

const toUserClaims = ({ userId, ...user }: LiveRefreshToken) => claimsOf({ id: userId, ...user })

/** Adds this grant type to those by which a token came into being. */
const withRefresh = (gty: string | undefined) => (gty && !gty.endsWith('refresh_token') ? `${gty} refresh_token` : gty)

const startingNow = (lifetimeSec: number) => {
  const iat = Math.floor(Date.now() / 1000)
  return { iat, exp: iat + lifetimeSec }
}

function toSuccessorPayload(payload: TokenPayload): TokenPayload {
  const { gty, rotations, iiat, iat } = payload
  return {
    ...payload,
    ...startingNow(lifetimes.RefreshToken),
    gty: withRefresh(gty),
    rotations: (rotations ?? 0) + 1,
    iiat: iiat ?? iat,
  }
}

function toAccessTokenPayload(payload: TokenPayload, { api, scope, lifetimeSec }: Target): TokenPayload {
  const { clientId, gty, grantId, sessionUid, expiresWithSession, accountId, sid } = payload
  return {
    ...startingNow(lifetimeSec),
    kind: 'AccessToken',
    clientId,
    gty: withRefresh(gty),
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
