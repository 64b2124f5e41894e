import { OAuthError } from './oauth-error.ts'
import type { Parameters } from './parameters.ts'

/** How a client says who it is. */
export interface ClientCredentials {
  clientId: string
  /** Undefined for a client without a secret. */
  secret: string | undefined
}

/** The characters of client ids and secrets (RFC 6749, appendices A.1 and A.2). */
const isVisible = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/**
 * Reads the client id and the secret of a request: by HTTP Basic or parameters (RFC 6749, section 2.3.1), or the id alone
 * of a public client (section 3.2.1). Throws `invalid_request` for more than one of them and for a malformed one, and
 * `invalid_client` for a method that is not supported.
 */
export function readClientCredentials(authorization: string | undefined, parameters: Parameters): ClientCredentials {
  const [clientId, secret] = [parameters.get('client_id'), parameters.get('client_secret')]
  if (parameters.has('client_assertion') || parameters.has('client_assertion_type'))
    throw new OAuthError('invalid_client', 'client assertions are not supported')
  if (authorization === undefined) {
    if (clientId === undefined) throw new OAuthError('invalid_request', 'no client authentication mechanism provided')
    return { clientId, secret }
  }
  if (secret !== undefined)
    throw new OAuthError('invalid_request', 'client authentication must only be provided using one mechanism')
  const basic = readBasic(authorization)
  if (clientId !== undefined && clientId !== basic.clientId)
    throw new OAuthError('invalid_request', 'client_id mismatch')
  return basic
}

/** Reads the header of HTTP Basic (RFC 7617), whose two parts are form-encoded (RFC 6749, section 2.3.1). */
function readBasic(authorization: string): ClientCredentials {
  const [, base64] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? []
  const text = base64 === undefined ? undefined : decodeBase64(base64)
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || colon < 0)
    throw new OAuthError('invalid_request', 'invalid authorization header value format')
  const [clientId, secret] = [decode(text.slice(0, colon)), decode(text.slice(colon + 1))]
  if (clientId === undefined || secret === undefined)
    throw new OAuthError(
      'invalid_request',
      'client_id and client_secret in the authorization header are not properly encoded',
    )
  if (clientId === '') throw new OAuthError('invalid_request', 'no client authentication mechanism provided')
  if (secret === '')
    throw new OAuthError('invalid_request', 'client_secret must be provided in the Authorization header')
  return { clientId, secret }
}

/** Decodes base64 with the right padding, or without any; undefined for any other text. */
function decodeBase64(base64: string): string | undefined {
  const characters = base64.replace(/=+$/, '').length
  const padding = base64.length - characters
  const isValid = characters % 4 !== 1 && (padding === 0 || (characters + padding) % 4 === 0)
  return isValid ? Buffer.from(base64, 'base64').toString('utf8') : undefined
}

/** Decodes a form-encoded value; undefined if it is malformed, or has characters that no client has. */
function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', '%20'))
    return isVisible(decoded) ? decoded : undefined
  } catch {
    return undefined
  }
}
