/** An error response of any provider endpoint. */
export interface ErrorResponse {
  error: string
  error_description?: string
  /** The status of the token, user-info and revocation endpoints; 400 by default. */
  status?: number
}

/** The behaviour of an endpoint: a documented response, no response, a closed connection, or an error. */
export type Behaviour = 'respond' | 'hang' | 'close' | ErrorResponse

/** A session at the provider; `state` is the session state for clients (Session Management 1.0, section 3). */
export interface Session {
  sub: string
  sid: string
  state: string
}

/** The behaviour of the provider. `createFaultlessScript` returns the defaults, which have no fault. */
export interface Script {
  /** The current session; without one, `anonymousSessionState` is its session state. */
  session: Session | undefined
  anonymousSessionState: string | undefined
  /** Overrides the metadata; undefined values are removed. */
  metadata: Record<string, unknown>
  discovery: Behaviour
  jwks: Behaviour
  /** `ask` shows a sign-in page, unless prompt is none. */
  authorization: Behaviour | 'ask'
  /** Overrides the parameters of the authorization response; undefined values are removed. */
  authorizationResponse: Record<string, string | undefined>
  /** Sends `Cross-Origin-Opener-Policy: same-origin`. */
  isolatesOpener: boolean
  /** Overrides the claims of ID tokens; undefined values are removed. */
  claims: Record<string, unknown>
  /**
   * `forged` uses an unpublished key under a published key id; `next` uses the next key, which is published only if
   * `publishedKeys` has it; `none` is unsigned; `shared-secret` is HS256 with a guessable secret.
   */
  signature: 'valid' | 'forged' | 'next' | 'none' | 'shared-secret'
  /** The published keys. */
  publishedKeys: ('current' | 'next')[]
  /** Whether tokens and published keys have key ids. */
  hasKeyIds: boolean
  /** `empty` sends an empty body, `null` the JSON value null, and `html` an error page. */
  token: Behaviour | 'empty' | 'null' | 'html'
  /** Overrides the token response; undefined values are removed. */
  tokenResponse: Record<string, unknown>
  /** Requires the server-provided nonce in every DPoP proof (RFC 9449, section 8). */
  requiresDpopNonce: boolean
  userInfo: Behaviour
  /** JSON, a signed JWT, or one with an invalid signature. */
  userInfoForm: 'json' | 'signed' | 'forged'
  userInfoClaims: Record<string, unknown>
  revocation: Behaviour
  /** The result of the check_session_iframe; `honest` compares the session state. */
  sessionCheck: 'honest' | 'unchanged' | 'changed' | 'error'
}

/** Returns a script without faults, with a session of Ada Quist. */
export const createFaultlessScript = (): Script => ({
  session: { sub: 'ada', sid: 'session-1', state: 'state-1' },
  anonymousSessionState: undefined,
  metadata: {},
  discovery: 'respond',
  jwks: 'respond',
  authorization: 'respond',
  authorizationResponse: {},
  isolatesOpener: false,
  claims: {},
  signature: 'valid',
  publishedKeys: ['current'],
  hasKeyIds: true,
  token: 'respond',
  tokenResponse: {},
  requiresDpopNonce: false,
  userInfo: 'respond',
  userInfoForm: 'json',
  userInfoClaims: { name: 'Ada Quist', preferred_username: 'ada' },
  revocation: 'respond',
  sessionCheck: 'honest',
})
