import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import type { Cloud } from './cloud.ts'

/** An error of the identity platform: the OAuth error, the AADSTS number and its words. */
export interface EntraError {
  status?: 400 | 401
  error: string
  code: number
  message: string
}

export const entraErrors = {
  tenantNotFound: (name: string): EntraError => ({
    error: 'invalid_tenant',
    code: 90002,
    message: `Tenant '${name}' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud. Check with your subscription administrator, this may happen if there are no active subscriptions for the tenant.`,
  }),
  applicationNotFound: (clientId: string, tenant: string): EntraError => ({
    error: 'unauthorized_client',
    code: 700016,
    message: `Application with identifier '${clientId}' was not found in the directory '${tenant}'. This can happen if the application has not been installed by the administrator of the tenant or consented to by any user in the tenant. You may have sent your authentication request to the wrong tenant.`,
  }),
  invalidSecret: (clientId: string): EntraError => ({
    status: 401,
    error: 'invalid_client',
    code: 7000215,
    message: `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${clientId}'.`,
  }),
  invalidRedirectUri: (redirectUri: string, clientId: string): EntraError => ({
    error: 'invalid_request',
    code: 50011,
    message: `The redirect URI '${redirectUri}' specified in the request does not match the redirect URIs configured for the application '${clientId}'.`,
  }),
  noTenant: (): EntraError => ({
    error: 'invalid_request',
    code: 50059,
    message: 'No tenant-identifying information found in either the request or implied by any provided credentials.',
  }),
  missingParameter: (name: string): EntraError => ({
    error: 'invalid_request',
    code: 900144,
    message: `The request body must contain the following parameter: '${name}'.`,
  }),
  invalidScope: (scope: string): EntraError => ({
    error: 'invalid_scope',
    code: 1002012,
    message: `The provided value for scope ${scope} is not valid. Client credential flows must have a scope value with /.default suffixed to the resource identifier (application ID URI).`,
  }),
  resourceNotFound: (resource: string, tenant: string): EntraError => ({
    error: 'invalid_resource',
    code: 500011,
    message: `The resource principal named ${resource} was not found in the tenant named ${tenant}.`,
  }),
  unsupportedGrant: (grant: string): EntraError => ({
    error: 'unsupported_grant_type',
    code: 70003,
    message: `The app requested an unsupported grant type '${grant}'.`,
  }),
  codeUsed: (): EntraError => ({
    error: 'invalid_grant',
    code: 54005,
    message:
      'OAuth2 Authorization code was already redeemed, please retry with a new valid code or use an existing refresh token.',
  }),
  codeExpired: (): EntraError => ({
    error: 'invalid_grant',
    code: 70008,
    message:
      'The provided authorization code or refresh token has expired due to inactivity. Send a new interactive authorization request for this user and resource.',
  }),
  wrongRedirectUri: (): EntraError => ({
    error: 'invalid_grant',
    code: 500112,
    message: 'The reply address does not match the reply address provided when requesting the authorization code.',
  }),
  wrongVerifier: (): EntraError => ({
    error: 'invalid_grant',
    code: 501481,
    message: 'The Code_Verifier does not match the code_challenge supplied in the authorization request.',
  }),
  loginRequired: (): EntraError => ({
    error: 'login_required',
    code: 50058,
    message: 'A silent sign-in request was sent but no user is signed in.',
  }),
  declined: (): EntraError => ({
    error: 'access_denied',
    code: 65004,
    message: 'User declined to consent to access the app.',
  }),
}

/** Returns the error as the identity platform describes it, with trace and correlation ids. */
export function describeError({ code, message }: EntraError) {
  const timestamp = `${new Date().toISOString().slice(0, 19).replace('T', ' ')}Z`
  const ids = { trace_id: randomUUID(), correlation_id: randomUUID(), timestamp }
  const description = `AADSTS${code}: ${message} Trace ID: ${ids.trace_id} Correlation ID: ${ids.correlation_id} Timestamp: ${timestamp}`
  return { description, ids }
}

/** Sends an error of the metadata, key and token endpoints. */
export function sendError(c: Context, { authority }: Cloud, error: EntraError): Response {
  const { description, ids } = describeError(error)
  const body = {
    error: error.error,
    error_description: description,
    error_codes: [error.code],
    ...ids,
    error_uri: `${authority}/error?code=${error.code}`,
  }
  return c.json(body, error.status ?? 400)
}

/** Sends an error of Microsoft Graph. */
export function sendGraphError(
  c: Context,
  status: 400 | 401 | 403 | 404 | 429,
  code: string,
  message: string,
): Response {
  const innerError = { date: new Date().toISOString().slice(0, 19), 'request-id': randomUUID() }
  return c.json({ error: { code, message, innerError: { ...innerError, 'client-request-id': randomUUID() } } }, status)
}
