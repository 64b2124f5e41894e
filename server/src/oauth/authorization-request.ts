import type { Client } from '../clients/store.ts'
import { OAuthError } from './oauth-error.ts'
import type { Parameters } from './parameters.ts'
import { isPkceValue } from './pkce.ts'
import { isRegistered, type RedirectClient } from './redirect-uri.ts'
import { chooseResponseMode, type ResponseMode, responseModes } from './responses.ts'
import { parseScopes } from './scopes.ts'

/** The endpoints that take an authorization request: that of browsers, of pushed requests (RFC 9126) and of devices. */
type RequestEndpoint = 'authorization' | 'push' | 'device'

/** The client fields that decide about a request. */
export type RequestingClient = RedirectClient & Pick<Client, 'grantTypes' | 'pkce'>

export const promptValues = ['none', 'login', 'select_account', 'consent'] as const

export type PromptValue = (typeof promptValues)[number]

/** A valid authorization request (RFC 6749, section 4.1.1; OpenID Connect Core, section 3.1.2.1). */
export interface AuthorizationRequest {
  clientId: string
  redirectUri: string
  responseMode: ResponseMode
  /** The requested scopes, each once. */
  scopes: string[]
  state: string | undefined
  nonce: string | undefined
  /** The PKCE challenge, by `S256`. */
  challenge: string | undefined
  /** The thumbprint of the key that the code is bound to (RFC 9449, section 10). */
  dpopJkt: string | undefined
  prompts: ReadonlySet<PromptValue>
  /** In seconds. */
  maxAge: number | undefined
  idTokenHint: string | undefined
}

interface Checked {
  endpoint: RequestEndpoint
  client: RequestingClient
  parameters: Parameters
}

interface Rule {
  parameter: string
  /** The endpoints that read the parameter; the others ignore it. */
  at: readonly RequestEndpoint[]
  isRequired?: true
  /** Throws if the value is not valid. */
  check?: (value: string, checked: Checked) => void
  /** Throws if the request needs the parameter, which is missing. */
  checkMissing?: (checked: Checked) => void
}

const everywhere = ['authorization', 'push', 'device'] as const
const browser = ['authorization', 'push'] as const

const invalid = (description: string) => new OAuthError('invalid_request', description)

/** Throws for a request object (OpenID Connect Core, section 6), whose parameters are not read. */
export function rejectRequestObject(): never {
  throw new OAuthError('request_not_supported', 'Request objects are not supported.')
}

/** Requires the scope `openid` for the parameters that only OpenID Connect defines. */
function requireOpenId(parameter: string, { parameters }: Checked) {
  if (!(parameters.get('scope') ?? '').split(' ').includes('openid'))
    throw invalid(`The parameter ${parameter} requires the scope openid.`)
}

const openIdOnly = (parameter: string, at: readonly RequestEndpoint[] = everywhere): Rule => ({
  parameter,
  at,
  check: (_value, checked) => requireOpenId(parameter, checked),
})

/** Every parameter that an endpoint checks, in the order of the checks. */
const rules: readonly Rule[] = [
  { parameter: 'request', at: everywhere, check: rejectRequestObject },
  {
    // The authorization endpoint has replaced one that was pushed by its parameters.
    parameter: 'request_uri',
    at: everywhere,
    check: () => {
      throw new OAuthError('request_uri_not_supported', 'Only the request_uri of a pushed request is supported.')
    },
  },
  {
    parameter: 'response_mode',
    at: browser,
    check: (value) => {
      if (!(responseModes as readonly string[]).includes(value))
        throw new OAuthError(
          'unsupported_response_mode',
          `The supported values of response_mode are ${list(responseModes)}.`,
        )
    },
  },
  {
    parameter: 'response_type',
    at: browser,
    isRequired: true,
    check: (value, { client }) => {
      if (value !== 'code')
        throw new OAuthError('unsupported_response_type', 'The only supported response_type is code.')
      if (!client.grantTypes.includes('authorization_code'))
        throw new OAuthError('unauthorized_client', 'The client may not use the grant authorization_code.')
    },
  },
  {
    parameter: 'registration',
    at: everywhere,
    check: () => {
      throw new OAuthError('registration_not_supported', 'The parameter registration is not supported.')
    },
  },
  {
    parameter: 'redirect_uri',
    at: browser,
    isRequired: true,
    check: (value, { endpoint, client }) => {
      if (isRegistered(client, value)) return
      // A pushed request has no browser that could be redirected (RFC 9126, section 2.3).
      throw new OAuthError(
        endpoint === 'push' ? 'invalid_request' : 'invalid_redirect_uri',
        'The redirect_uri is not registered for the client.',
      )
    },
  },
  {
    parameter: 'prompt',
    at: browser,
    check: (value) => {
      const prompts = value.split(' ')
      if (!prompts.every(isPrompt)) throw invalid(`The supported values of prompt are ${list(promptValues)}.`)
      if (prompts.includes('none') && prompts.length > 1) throw invalid('The prompt none must be the only one.')
    },
  },
  {
    parameter: 'scope',
    at: everywhere,
    check: (value) => {
      if (!parseScopes(value)) throw new OAuthError('invalid_scope', 'The scope is malformed.')
    },
  },
  openIdOnly('acr_values'),
  openIdOnly('claims_locales'),
  openIdOnly('id_token_hint'),
  openIdOnly('max_age'),
  openIdOnly('nonce'),
  {
    parameter: 'code_challenge_method',
    at: browser,
    check: (value, { parameters }) => {
      if (value !== 'S256') throw invalid('The only supported code_challenge_method is S256.')
      if (!parameters.has('code_challenge')) throw invalid('A code_challenge_method requires a code_challenge.')
    },
  },
  {
    parameter: 'code_challenge',
    at: browser,
    check: (value, { parameters }) => {
      // The default of RFC 7636, section 4.3, is `plain`, which is not supported.
      if (!parameters.has('code_challenge_method'))
        throw invalid('A code_challenge requires code_challenge_method=S256.')
      if (!isPkceValue(value))
        throw invalid('The code_challenge must have 43 to 128 characters of A-Z, a-z, 0-9 and -._~.')
    },
    checkMissing: ({ client: { isConfidential, pkce } }) => {
      if (!isConfidential || pkce !== 'optional')
        throw invalid('The client must use PKCE: the code_challenge is missing.')
    },
  },
  {
    parameter: 'max_age',
    at: everywhere,
    check: (value) => {
      if (!/^\d+$/.test(value) || !Number.isSafeInteger(Number(value)))
        throw invalid('The max_age must be a number of seconds.')
    },
  },
  {
    parameter: 'dpop_jkt',
    at: browser,
    check: (value) => {
      if (!/^[\w-]{43}$/.test(value)) throw invalid('The dpop_jkt must be a thumbprint by SHA-256, in base64url.')
    },
  },
]

/** The parameters that are not checked, but used. */
const uncheckedParameters = ['client_id', 'state', 'login_hint', 'resource']
const knownParameters = new Set([...rules.map(({ parameter }) => parameter), ...uncheckedParameters])

/** Reports whether a parameter counts. All others are ignored, even if they are repeated (RFC 6749, section 3.1). */
export const isKnownParameter = (name: string): boolean => knownParameters.has(name)

const list = (values: readonly string[]) => values.join(', ')
const isPrompt = (value: string): value is PromptValue => (promptValues as readonly string[]).includes(value)

/** Throws the first error of a request to an endpoint, whose client is known. */
export function checkAuthorizationRequest(
  endpoint: RequestEndpoint,
  parameters: Parameters,
  client: RequestingClient,
): void {
  const checked = { endpoint, client, parameters }
  for (const { parameter, at, isRequired, check, checkMissing } of rules) {
    if (!at.includes(endpoint)) continue
    const value = parameters.get(parameter)
    if (value !== undefined) check?.(value, checked)
    else if (isRequired) throw invalid(`The parameter ${parameter} is missing.`)
    else checkMissing?.(checked)
  }
}

/** Reads an authorization request of a browser. Throws its first error. */
export function readAuthorizationRequest(parameters: Parameters, client: RequestingClient): AuthorizationRequest {
  checkAuthorizationRequest('authorization', parameters, client)
  const get = (name: string) => parameters.get(name)
  const prompts = new Set((get('prompt')?.split(' ') ?? []) as PromptValue[])
  const maxAge = get('max_age') === undefined ? undefined : Number(get('max_age'))
  return {
    clientId: get('client_id') ?? '',
    redirectUri: get('redirect_uri') ?? '',
    responseMode: chooseResponseMode(get('response_mode')),
    scopes: readRequestedScopes('authorization', parameters, client),
    state: get('state'),
    nonce: get('nonce'),
    challenge: get('code_challenge'),
    dpopJkt: get('dpop_jkt'),
    // No authentication is younger than this (OpenID Connect Core, section 3.1.2.1).
    prompts: maxAge === 0 ? prompts.add('login') : prompts,
    maxAge: maxAge === 0 ? undefined : maxAge,
    idTokenHint: get('id_token_hint'),
  }
}

/**
 * Returns the scopes of a checked request, each once. `offline_access` is ignored for a client without refresh tokens, and
 * in a browser unless the user is asked for consent (OpenID Connect Core, section 11).
 */
export function readRequestedScopes(
  endpoint: RequestEndpoint,
  parameters: Parameters,
  { grantTypes }: Pick<RequestingClient, 'grantTypes'>,
): string[] {
  const isAsked = endpoint === 'device' || (parameters.get('prompt') ?? '').split(' ').includes('consent')
  const isOffline = isAsked && grantTypes.includes('refresh_token')
  const scopes = parseScopes(parameters.get('scope') ?? '') ?? []
  return scopes.filter((scope) => scope !== 'offline_access' || isOffline)
}
