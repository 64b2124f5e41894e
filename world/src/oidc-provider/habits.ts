/** What a provider does in its own way, within the specifications unless it says otherwise. */
export interface Habits {
  /** Where the claims about the user are (OpenID Connect Core, section 5.4). */
  claimsAt: 'id-token' | 'user-info'
  /** The claims about the user; those of the person by default. */
  claims: Record<string, unknown>
  /** The form of `email_verified`: a text is against OpenID Connect Core, section 5.1. */
  verifiedForm: 'boolean' | 'text'
  userInfo: 'json' | 'signed' | 'forged' | 'other-subject' | 'refused' | 'failing'
  /** The announced client authentication, which is the only one; without it Basic and the form are accepted. */
  authMethods: string[] | undefined
  /** Compares the credentials of Basic without decoding them (against RFC 6749, section 2.3.1). */
  comparesRaw: boolean
  /** The announced prompts; others are errors, also if none are announced and `refusesPrompts` is set. */
  prompts: string[] | undefined
  /** The error in response to a prompt that is not announced. */
  refusesPrompts: string | undefined
  scopes: string[]
  /** Responds with `invalid_scope` to other scopes, instead of ignoring them. */
  refusesScopes: boolean
  signingAlg: 'RS256' | 'ES256' | 'PS256' | 'EdDSA' | 'Ed25519'
  hasKeyIds: boolean
  /** Publishes a second key of the same algorithm. */
  hasSpareKey: boolean
  /** Adds a claim of so many characters to each ID token. */
  paddingLength: number
  /** Sends `iss` in authorization responses (RFC 9207). */
  sendsIssuer: boolean
  /** The only addresses to return to after signing out; any by default. */
  postLogoutRedirectUris: string[] | undefined
}

/** The habits of Harbour ID, which are those of Passport itself. */
export const usualHabits: Habits = {
  claimsAt: 'id-token',
  claims: {},
  verifiedForm: 'boolean',
  userInfo: 'json',
  authMethods: undefined,
  comparesRaw: false,
  prompts: undefined,
  refusesPrompts: undefined,
  scopes: ['openid', 'profile', 'email'],
  refusesScopes: false,
  signingAlg: 'RS256',
  hasKeyIds: true,
  hasSpareKey: false,
  paddingLength: 0,
  sendsIssuer: true,
  postLogoutRedirectUris: undefined,
}

/** Habits as different as the specifications allow, and where well-known providers depart from them. */
export const unusualHabits: Habits = {
  claimsAt: 'user-info',
  claims: {},
  verifiedForm: 'text',
  userInfo: 'signed',
  authMethods: ['client_secret_post'],
  comparesRaw: false,
  prompts: ['none', 'login', 'consent'],
  refusesPrompts: 'account_selection_required',
  scopes: ['openid', 'profile', 'email', 'phone'],
  refusesScopes: true,
  signingAlg: 'EdDSA',
  hasKeyIds: true,
  hasSpareKey: true,
  paddingLength: 6000,
  sendsIssuer: false,
  postLogoutRedirectUris: [],
}
