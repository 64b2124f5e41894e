import { createHash } from 'node:crypto'
import type { SignInTest } from '@passport/contract/client-sign-in-test'
import * as consents from '../accounts/consent-store.ts'
import type { Client } from '../clients/store.ts'
import type { Services } from '../feature.ts'
import { findApisWithScopes, scopeNamesOf } from '../identity-apis/scopes.ts'
import { claimsByScope, toUserClaims } from '../oauth/claims.ts'
import * as users from '../users/store.ts'
import { generateToken } from '../vault.ts'
import { previewToken } from './token-preview.ts'

interface TestRequest {
  clientId: string
  redirectUri: string
  /** Separated by spaces. */
  scope: string
  pkce: boolean
}

const nothingIssued = { consent: null, idToken: null, accessToken: null, userInfo: null, hasRefreshToken: false }

/**
 * Tests the sign-in of a client as a user. The provider itself validates the authorization request, without a session and
 * with `prompt=none`, so that it creates neither a code nor anything else; the claims come from the functions that
 * issue tokens.
 */
export async function testSignIn(services: Services, request: TestRequest, userId: string): Promise<SignInTest> {
  const { url, refusal } = await requestAuthorization(services, request)
  const client = await services.clients.find(request.clientId)
  const user = await users.find(services.sql, userId)
  if (refusal || !client || !user) return { request: url, refusal, ...nothingIssued }

  const scopes = [...new Set(request.scope.split(/\s+/).filter(Boolean))]
  const identityScopes = scopes.filter((scope) => scope in claimsByScope)
  const [api] = findApisWithScopes(await services.apis.list(), scopes)
  const accessToken = api
    ? await previewToken(services, {
        apiId: api.id,
        clientId: client.clientId,
        userId,
        scope: scopes.filter((scope) => identityScopes.includes(scope) || scopeNamesOf(api).includes(scope)).join(' '),
      })
    : { claims: null }
  // Claims of a user whose access token is opaque are at the user-info endpoint (OpenID Connect Core, section 5.4).
  const userClaims = selectClaims(user, api ? identityScopes : ['openid'])
  const hasIdToken = scopes.includes('openid')
  return {
    request: url,
    refusal: null,
    consent: await readConsent(services, client, userId, scopes),
    idToken: hasIdToken
      ? {
          alg: client.idTokenSigningAlg,
          claims: { iss: services.config.publicUrl, aud: client.clientId, azp: client.clientId, ...userClaims },
        }
      : null,
    accessToken: { claims: accessToken.claims },
    // The user-info endpoint accepts no tokens of other APIs.
    userInfo: hasIdToken && (!api || api.builtIn) ? selectClaims(user, identityScopes) : null,
    hasRefreshToken: client.grantTypes.includes('refresh_token'),
  }
}

function selectClaims(user: users.User, scopes: string[]): Record<string, unknown> {
  const names = new Set<string>(scopes.flatMap((scope) => claimsByScope[scope as keyof typeof claimsByScope] ?? []))
  return Object.fromEntries(Object.entries(toUserClaims(user)).filter(([name]) => names.has(name)))
}

/** Sends the request to the provider. A valid one is refused only because there is no session: `login_required`. */
async function requestAuthorization({ config, httpClient }: Services, request: TestRequest) {
  const { clientId, redirectUri, scope, pkce } = request
  const challenge = createHash('sha256').update(generateToken()).digest('base64url')
  const parameters = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    ...(pkce && { code_challenge: challenge, code_challenge_method: 'S256' }),
  })
  const url = `${config.publicUrl}/connect/authorize?${parameters}`
  const response = await httpClient.fetch(`${url}&prompt=none`, { headers: { accept: 'application/json' } })
  const location = response.headers.get('location')
  const returned = location === null ? undefined : Object.fromEntries(new URL(location).searchParams)
  const { error = 'server_error', error_description: description = '' } =
    returned ?? ((await response.json()) as Partial<Record<string, string>>)
  const isValid = returned !== undefined && error === 'login_required'
  return { url, refusal: isValid ? null : { error, description, isReturned: returned !== undefined } }
}

async function readConsent({ sql }: Services, client: Client, userId: string, scopes: string[]) {
  if (client.consent === 'skip') return 'never'
  const given = (await consents.list(sql, userId)).find(({ clientId }) => clientId === client.clientId)
  const isCovered = given !== undefined && scopes.every((scope) => given.scopes.includes(scope))
  return client.consent === 'once' && isCovered ? 'remembered' : 'asked'
}
