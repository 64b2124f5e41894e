import { AuthorizationResponseError } from 'openid-client'
import type { Config } from '../config.ts'
import type { HttpClient } from '../http/http-client.ts'
import { Problem } from '../http/problem.ts'
import { buildAuthorizationUrl, redeemResponse } from '../identity-providers/authorization.ts'
import { canRetryPlainly } from '../identity-providers/provider-choices.ts'
import { connectProviders } from '../identity-providers/provider-clients.ts'
import { toFailure } from '../login/failure.ts'
import { hashToken } from '../vault.ts'
import type { ProvenAccount } from './meta.ts'
import { readLabel } from './meta-payload.ts'
import * as problems from './problems.ts'

const prompt = 'select_account'

/** The parameters of an authorization response, of a success or an error. */
export type AuthorizationResponse = Record<string, string | undefined>

/** A plain start has nothing that the service may reject. */
export interface BeginOptions {
  isPlain?: boolean | undefined
}

/** The connectors of services with OpenID Connect. */
export interface OpenIdConnectors {
  /** Returns the authorization URL. Throws 502. */
  begin: (id: string, handle: string, options?: BeginOptions) => Promise<string>
  /** Redeems the response. Throws 400 if the user cancelled or the response is to another start, and 502. */
  redeem: (id: string, handle: string, response: AuthorizationResponse) => Promise<ProvenAccount>
}

/** Each value of a flow is derived from the secret handle in the cookie, so that none is stored. */
const deriveSecrets = (handle: string) => ({
  state: hashToken(`state ${handle}`),
  nonce: hashToken(`nonce ${handle}`),
  codeVerifier: hashToken(`code-verifier ${handle}`),
})

/** Creates the connectors of the configuration: the authorization code flow with PKCE, state and nonce. */
export function createOpenIdConnectors(
  { connectors, publicUrl }: Pick<Config, 'connectors' | 'publicUrl'>,
  httpClient: HttpClient,
): OpenIdConnectors {
  const connect = connectProviders(connectors, httpClient)
  const redirectUriOf = (id: string) => `${publicUrl}/app/connect/${id}/callback`

  return {
    begin: (id, handle, { isPlain } = {}) =>
      withProblems(async () => {
        const request = { ...deriveSecrets(handle), redirectUri: redirectUriOf(id), prompt, isPlain } as const
        return (await buildAuthorizationUrl(await connect(id), request)).url.href
      }),
    redeem: (id, handle, response) =>
      withProblems(async () => {
        const secrets = deriveSecrets(handle)
        if (response['state'] !== secrets.state) throw problems.linkOfOtherSession()
        const callbackUrl = new URL(redirectUriOf(id))
        for (const [name, value] of Object.entries(response))
          if (value !== undefined) callbackUrl.searchParams.set(name, value)
        const { claims } = await redeemResponse(await connect(id), { ...secrets, callbackUrl })
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

/** Reports whether the service has rejected what a request has by default, so that a plain one can succeed. */
export const isRequestRefusal = (error: unknown): boolean =>
  error instanceof Problem &&
  error.cause instanceof AuthorizationResponseError &&
  canRetryPlainly(error.cause.error, { prompt })
