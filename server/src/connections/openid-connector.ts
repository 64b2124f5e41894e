import * as client from 'openid-client'
import type { Config } from '../config.ts'
import { requireStorable } from '../http/foreign-json.ts'
import type { HttpClient } from '../http/http-client.ts'
import { Problem } from '../http/problem.ts'
import { connectProviders } from '../identity-providers/provider-clients.ts'
import { toFailure } from '../login/failure.ts'
import { hashToken } from '../vault.ts'
import type { ProvenAccount } from './meta.ts'
import { readLabel } from './meta-payload.ts'
import * as problems from './problems.ts'

/** The parameters of an authorization response, of a success or an error. */
export type AuthorizationResponse = Record<string, string | undefined>

/** The connectors of services with OpenID Connect. */
export interface OpenIdConnectors {
  /** Returns the authorization URL. Throws 502. */
  begin: (id: string, handle: string) => Promise<string>
  /** Redeems the response. Throws 400 if the user cancelled or the response is to another start, and 502. */
  redeem: (id: string, handle: string, response: AuthorizationResponse) => Promise<ProvenAccount>
}

/** Each value of a flow is derived from the secret handle in the cookie, so that none is stored. */
const derive = (handle: string, purpose: 'state' | 'nonce' | 'code-verifier') => hashToken(`${purpose} ${handle}`)

/** Creates the connectors of the configuration: the authorization code flow with PKCE, state and nonce. */
export function createOpenIdConnectors(
  { connectors, publicUrl }: Pick<Config, 'connectors' | 'publicUrl'>,
  httpClient: HttpClient,
): OpenIdConnectors {
  const connect = connectProviders(connectors, httpClient)
  const redirectUriOf = (id: string) => `${publicUrl}/app/connect/${id}/callback`

  return {
    begin: (id, handle) =>
      withProblems(async () => {
        const challenge = await client.calculatePKCECodeChallenge(derive(handle, 'code-verifier'))
        return client.buildAuthorizationUrl(await connect(id), {
          redirect_uri: redirectUriOf(id),
          scope: 'openid profile email',
          response_mode: 'query',
          state: derive(handle, 'state'),
          nonce: derive(handle, 'nonce'),
          code_challenge: challenge,
          code_challenge_method: 'S256',
          prompt: 'select_account',
        }).href
      }),
    redeem: (id, handle, response) =>
      withProblems(async () => {
        const state = derive(handle, 'state')
        if (response['state'] !== state) throw problems.linkOfOtherSession()
        const callbackUrl = new URL(redirectUriOf(id))
        for (const [name, value] of Object.entries(response))
          if (value !== undefined) callbackUrl.searchParams.set(name, value)
        const tokens = await client.authorizationCodeGrant(await connect(id), callbackUrl, {
          expectedState: state,
          expectedNonce: derive(handle, 'nonce'),
          pkceCodeVerifier: derive(handle, 'code-verifier'),
          idTokenExpected: true,
        })
        const claims = requireStorable(tokens.claims())
        if (!claims) throw problems.serviceRefused(new Error('no ID token'))
        const { email, preferred_username: username, name } = claims
        const label = [email, username, name].find((text) => typeof text === 'string') ?? ''
        return { externalId: claims.sub, label: readLabel(String(label), claims.sub) }
      }),
  }
}

async function withProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) throw error
    const failure = toFailure(error)
    if (failure.code === 'cancelled') throw problems.linkCancelled()
    throw failure.code === 'provider-unreachable' ? problems.serviceUnreachable(error) : problems.serviceRefused(error)
  }
}
