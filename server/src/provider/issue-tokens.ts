import type { Client } from '../clients/store.ts'
import { entClaim } from '../entitlements/effective.ts'
import type { Services } from '../feature.ts'
import { signAccessToken, toCommonClaims } from '../oauth/access-token.ts'
import { pickClaims, toUserClaims } from '../oauth/claims.ts'
import type { Proof } from '../oauth/dpop.ts'
import { toIdTokenClaims } from '../oauth/id-token.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { requireApi, selectAudience, toUserTarget } from '../oauth/resources.ts'
import { generateToken } from '../vault.ts'
import { ClientChanged, type ClientRequest } from './client-endpoint.ts'
import * as grants from './grant-store.ts'
import { epochSeconds, lifetimes } from './lifetimes.ts'
import { requireFirstUse } from './presentation.ts'
import { endGrant } from './store.ts'

/** A request for tokens. */
export interface TokenRequest extends ClientRequest {
  /** The proof of a DPoP key, which was not looked for among those of earlier requests. */
  proof: Proof | undefined
}

/** What tokens are issued for. */
interface Issue extends grants.Authorization {
  client: Client
  /** The requested scopes among those of the grant. */
  scopes: string[]
  /** The requested audiences (RFC 8707, section 2.2). */
  resources: string[]
  /** The thumbprint of the DPoP key of the request. */
  jkt: string | undefined
}

/** The body of the response to a token request (RFC 6749, section 5.1). */
export interface TokenResponse {
  access_token: string
  expires_in: number
  id_token?: string
  refresh_token?: string
  scope: string
  token_type: 'Bearer' | 'DPoP'
}

/** What a token request has issued. */
export interface IssuedTokens {
  response: TokenResponse
  /** Undefined for a client on its own behalf. */
  userId: string | undefined
}

/** Tokens that are signed, and not saved yet. */
interface SignedTokens {
  accessToken: grants.IssuedAccessToken
  response: TokenResponse
}

/** Signs the access token and the ID token of a grant. */
export type SignTokens = (issue: Issue) => Promise<SignedTokens>

/**
 * Creates the function that signs the tokens of a user. An access token for an API is a JWT (RFC 9068), and one for user
 * info is opaque. Throws `invalid_target` and `invalid_scope` if the API does not give the client a token any more.
 */
export function createTokenSigner({ sql, config, apis, issuer }: Services): SignTokens {
  const { publicUrl } = config

  return async ({ grant, user, client, scopes, resources, jkt }) => {
    const { clientId, idTokenSigningAlg } = client
    const audience = selectAudience(grant.audiences, resources)
    const api = audience === undefined ? undefined : requireApi(await apis.list(), audience, clientId)
    const target = toUserTarget(api, scopes, lifetimes.AccessToken)
    const { lifetimeSec } = target
    const [keys, now, jti, scope] = [await issuer.keys(), epochSeconds(), generateToken(), target.scopes.join(' ')]
    const userClaims = toUserClaims(user)
    const { sid, nonce, authTime, amr, acr } = grant
    const signForApi = async (api: NonNullable<typeof target.api>) => {
      const claims = {
        ...toCommonClaims({ jti, aud: api.audience, clientId, scope, now, lifetimeSec, jkt }),
        sub: user.id,
        ...pickClaims(userClaims, scopes, api.claims),
        roles: user.roles,
        orgs: user.orgs.map(({ id }) => id),
        ...(scopes.includes('entitlements') && (await entClaim(sql, user.id))),
        ...(sid !== undefined && { sid }),
        ...(authTime && { auth_time: authTime }),
      }
      return signAccessToken(claims, publicUrl, keys)
    }
    const idToken = scopes.includes('openid')
      ? toIdTokenClaims({
          issuer: publicUrl,
          clientId,
          userClaims,
          // User info has the other claims, unless it does not accept the access token.
          scopes: target.api ? scopes : ['openid'],
          ...{ nonce, sid, authTime, amr, acr, now, lifetimeSec: lifetimes.IdToken },
        })
      : undefined
    return {
      accessToken: { jti, audience, scope, jkt, now, lifetimeSec },
      response: {
        access_token: target.api ? await signForApi(target.api) : jti,
        expires_in: lifetimeSec,
        ...(idToken && { id_token: keys.sign(idToken, idTokenSigningAlg) }),
        scope,
        token_type: jkt === undefined ? 'Bearer' : 'DPoP',
      },
    }
  }
}

/** A refusal of a code or a refresh token (RFC 6749, section 5.2). */
export const invalidGrant = (description: string): OAuthError => new OAuthError('invalid_grant', description)

/**
 * Returns what a client presents, if it was issued to this client, with its authorization. `name` is for the error. Throws
 * `invalid_grant`, and `ClientChanged`.
 */
export function requireAuthorization(
  source: grants.GrantSource | undefined,
  { client: { clientId, version }, subject }: Pick<TokenRequest, 'client' | 'subject'>,
  name: string,
) {
  if (!source) throw invalidGrant(`The ${name} is unknown or has expired.`)
  if (source.clientId !== clientId) throw invalidGrant(`The ${name} was issued to another client.`)
  if (source.clientVersion !== version) throw new ClientChanged()
  const { authorization } = source
  if (!authorization) throw invalidGrant(`The session, the user or the authorization of the ${name} has ended.`)
  subject.userId = authorization.user.id
  return { source, authorization }
}

/** A code that is presented again within this time was sent twice, not stolen (decision 0092). */
const raceSeconds = 3

/**
 * Creates the exchange of a code that is spent once. A second use is refused, and ends the grant with everything that was
 * issued for it, unless both came at the same time. Throws `invalid_grant`.
 */
export function createExchange(services: Services) {
  const { sql } = services
  const sign = createTokenSigner(services)

  return async (
    { client, resources, proof }: TokenRequest,
    source: grants.GrantSource,
    { grant, user }: grants.Authorization,
    { isRefreshable, name }: { isRefreshable: boolean; name: string },
  ): Promise<IssuedTokens> => {
    if (source.spentSeconds !== null) {
      if (source.spentSeconds > raceSeconds) await endGrant(sql, grant)
      throw invalidGrant(`The ${name} was already used.`)
    }
    const { scopes } = grant
    const { accessToken, response } = await sign({ grant, user, client, scopes, resources, jkt: proof?.jkt })
    const refreshToken = isRefreshable
      ? {
          value: generateToken(),
          jkt: client.isConfidential ? undefined : proof?.jkt,
          lifetimeSec: lifetimes.RefreshToken,
        }
      : undefined
    await requireFirstUse(sql, proof)
    if (!(await grants.exchange(sql, source, grant, { accessToken, refreshToken })))
      throw invalidGrant(`The ${name} was already used.`)
    return {
      response: { ...response, ...(refreshToken && { refresh_token: refreshToken.value }) },
      userId: user.id,
    }
  }
}
