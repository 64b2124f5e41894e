import { clientCredentialsGrant, deviceCodeGrant } from '../clients/grant-types.ts'
import type { Services } from '../feature.ts'
import type { ProtocolEndpoint } from '../http/protocol.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import type { Parameters } from '../oauth/parameters.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { type ClientRequest, createClientEndpoint, requireParameter } from './client-endpoint.ts'
import { createClientCredentialsGrant } from './grant-client-credentials.ts'
import { createCodeGrant } from './grant-code.ts'
import { createDeviceGrant } from './grant-device.ts'
import { createRefreshGrant } from './grant-refresh.ts'
import { createGrantSources } from './grant-store.ts'
import type { IssuedTokens, TokenRequest } from './issue-tokens.ts'
import { readClientProof } from './presentation.ts'

const path = '/connect/token'
const codeGrant = 'authorization_code'
/** The grants that end the sign-in of a user. */
const signInGrants = [codeGrant, deviceCodeGrant]

/** Creates the token endpoint (RFC 6749, section 3.2). A request that is refused spends nothing. */
export function createTokenEndpoint(services: Services): ProtocolEndpoint {
  const { sql, config, issuer, uses, traces } = services
  const findSource = createGrantSources(sql)
  const grants = new Map<string, (request: TokenRequest) => Promise<IssuedTokens>>([
    [codeGrant, createCodeGrant(services, findSource)],
    ['refresh_token', createRefreshGrant(services, findSource)],
    [clientCredentialsGrant, createClientCredentialsGrant(services)],
    [deviceCodeGrant, createDeviceGrant(services, findSource)],
  ])

  const traced = {
    kind: 'token',
    failsAt: 'grant-checked',
    begin: beginTrace,
    isAudited: (parameters: Parameters) => parameters.get('grant_type') === codeGrant,
  } as const
  return createClientEndpoint(services, { traced }, async (request) => {
    const { client } = request
    const grantType = requireParameter(request, 'grant_type')
    const issue = grants.get(grantType)
    if (!issue) throw new OAuthError('unsupported_grant_type', 'The grant_type is not supported.')
    if (!client.grantTypes.includes(grantType))
      throw new OAuthError('unauthorized_client', `The client may not use the grant ${grantType}.`)
    const proof = await readClientProof(request.incoming.headers, config.publicUrl + path)
    await issuer.outage.end()
    const issued = await issue({ ...request, proof })
    uses.recordClient(client.clientId)
    if (signInGrants.includes(grantType)) traces.record(traceSignIn(request, issued))
    return issued.response
  })
}

/** Adds what a request is about to its trace, and its first step. */
const beginTrace = (trace: Trace, parameters: Parameters): Trace =>
  trace
    .link('code', parameters.get('code'))
    .link('code', parameters.get('device_code'))
    .pass('request-received', { grant: parameters.get('grant_type') })

/** Creates the trace of the last request of a sign-in. */
function traceSignIn(
  { client, parameters, visit, startedAt }: ClientRequest,
  { response, userId }: IssuedTokens,
): Trace {
  const tokens = (['id_token', 'access_token', 'refresh_token'] as const).filter((name) => response[name] !== undefined)
  return beginTrace(new Trace('token', visit, startedAt).about({ client: client.clientId, userId }), parameters)
    .pass('client-authenticated', { application: client.name })
    .pass('grant-checked')
    .pass('tokens-issued', { tokens: tokens.join(', '), scope: response.scope })
    .succeed()
}
