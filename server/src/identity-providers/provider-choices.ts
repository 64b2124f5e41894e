import type { ServerMetadata } from 'openid-client'

/* What Passport, as a client, does at an OpenID Provider. The metadata decides (OpenID Connect Discovery 1.0, section 3). */

/**
 * The ways to send the client secret: those of OpenID Connect Core, section 9, and `client_secret_basic_raw` for
 * providers that compare the credentials of Basic without decoding them (against RFC 6749, section 2.3.1).
 */
export const authMethods = [
  'client_secret_basic',
  'client_secret_basic_raw',
  'client_secret_post',
  'client_secret_jwt',
] as const
export type AuthMethod = (typeof authMethods)[number]

/** Returns what the metadata lists under a name; undefined if it announces nothing. */
function listAnnounced(metadata: Partial<ServerMetadata>, name: string): unknown[] | undefined {
  const announced: unknown = metadata[name]
  return Array.isArray(announced) ? announced : undefined
}

/** In the order of preference: the specification advises against secrets in forms. */
const announcedMethods = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'] as const

/**
 * Chooses the client authentication: the setting, or else a method that the provider announces. Basic is the default of
 * providers that announce none, and the attempt at those that announce none of ours.
 */
export function chooseAuthMethod(metadata: Partial<ServerMetadata>, setting?: AuthMethod): AuthMethod {
  const announced = listAnnounced(metadata, 'token_endpoint_auth_methods_supported')
  return setting ?? announcedMethods.find((method) => announced?.includes(method)) ?? 'client_secret_basic'
}

/** A value of the parameter `prompt` that Passport can ask for. */
export type Prompt = 'login' | 'select_account'

/** A plain request has nothing that the provider might reject, for a second attempt. */
interface RequestForm {
  isPlain?: boolean | undefined
}

/**
 * Returns the prompt to send: none in a plain request, nor one that is missing from `prompt_values_supported` (Initiating
 * User Registration via OpenID Connect 1.0, section 4.1).
 */
export function choosePrompt(
  metadata: Partial<ServerMetadata>,
  wanted: Prompt | undefined,
  { isPlain }: RequestForm = {},
): Prompt | undefined {
  if (isPlain || wanted === undefined) return undefined
  const announced = listAnnounced(metadata, 'prompt_values_supported')
  return !announced || announced.includes(wanted) ? wanted : undefined
}

const scopes = ['openid', 'profile', 'email']

/**
 * Returns the scopes to request. Providers need not announce every scope, so only a plain request leaves out the others.
 */
export function chooseScopes(metadata: Partial<ServerMetadata>, { isPlain }: RequestForm = {}): string {
  const announced = listAnnounced(metadata, 'scopes_supported')
  if (!isPlain || !announced) return scopes.join(' ')
  return scopes.filter((scope) => scope === 'openid' || announced.includes(scope)).join(' ')
}

/** The errors of providers that do not know a prompt (OpenID Connect Core, section 3.1.2.6). */
const promptErrors = ['account_selection_required', 'interaction_required', 'login_required', 'invalid_request']

/** Reports whether a plain request can succeed after an error in the response to another. */
export const canRetryPlainly = (error: string, { prompt, isPlain }: RequestForm & { prompt?: Prompt | undefined }) =>
  !isPlain && (error === 'invalid_scope' || (prompt !== undefined && promptErrors.includes(error)))

/** The claims about a user that Passport reads (OpenID Connect Core, section 5.1). */
export interface UserClaims {
  name?: unknown
  preferred_username?: unknown
  email?: unknown
  email_verified?: unknown
}

/** A claim of another type says nothing. */
const isMissing = (value: unknown) => typeof value !== 'string' || value === ''
const isUnstated = (verified: unknown) => typeof verified !== 'boolean' && isMissing(verified)

/**
 * Reports whether an ID token says too little about its user, while the provider has user info: providers need not repeat
 * claims in ID tokens of the code flow (OpenID Connect Core, section 5.4). For a username alone it is asked only where
 * the provider announces that claim, or announces none.
 */
export function needsUserInfo(metadata: Partial<ServerMetadata>, claims: UserClaims): boolean {
  if (!metadata.userinfo_endpoint) return false
  if (lacksStatement(claims)) return true
  const announced = listAnnounced(metadata, 'claims_supported')
  return isMissing(claims.preferred_username) && (!announced || announced.includes('preferred_username'))
}

/**
 * Reports whether the name, the email or its verification is missing. Without the verification, an address that was
 * verified would lose it.
 */
export const lacksStatement = ({ name, email, email_verified }: UserClaims): boolean =>
  isMissing(name) || isMissing(email) || isUnstated(email_verified)

/**
 * Adds to the claims of an ID token those that only user info has. `email_verified` counts for the address beside it
 * alone.
 */
export function mergeUserInfo<C extends UserClaims>(claims: C, userInfo: UserClaims): C & UserClaims {
  const { name, preferred_username, email, email_verified } = userInfo
  const address = isMissing(claims.email)
    ? { email, email_verified }
    : { email: claims.email, email_verified: claims.email_verified }
  if (isUnstated(address.email_verified) && address.email === email) address.email_verified = email_verified
  return {
    ...claims,
    name: isMissing(claims.name) ? name : claims.name,
    preferred_username: isMissing(claims.preferred_username) ? preferred_username : claims.preferred_username,
    ...address,
  }
}

/** Returns claims with `email_verified` as a boolean: some providers send it as a text (Apple, Amazon Cognito). */
export function normalizeClaims<C extends UserClaims>(claims: C): C {
  const { email_verified: verified } = claims
  return typeof verified === 'string' ? { ...claims, email_verified: verified.toLowerCase() === 'true' } : claims
}

/** Some browsers, proxies and servers reject longer URLs. */
const maxUrlLength = 2000

/** Reports whether parameters must be sent as a form, because the URL with them would be too long. */
export const isTooLong = (url: URL): boolean => url.href.length > maxUrlLength
