/** An error response of any provider endpoint. */
export interface ErrorResponse {
  error: string
  error_description?: string
  /** The status of the token, user-info and revocation endpoints; 400 by default. */
  status?: number
}

/** The behaviour of an endpoint: a documented response, no response, a closed connection, or an error. */
export type Behaviour = 'answer' | 'hang' | 'close' | ErrorResponse

/** A session at the provider; `state` is the session state for clients (Session Management 1.0, section 3). */
export interface Session {
  sub: string
  sid: string
  state: string
}

/** The behaviour of the provider. Every field but `session` is a possible fault. */
export interface Script {
  /** The current session; without one, `anonymousSessionState` is its session state. */
  session: Session | undefined
  anonymousSessionState: string | undefined
  /** Overrides the metadata; undefined values are removed. */
  metadata: Record<string, unknown>
  discovery: Behaviour
  keys: Behaviour
  /** `ask` shows a sign-in page, unless prompt is none. */
  authorization: Behaviour | 'ask'
  /** Overrides the parameters of the authorization response; undefined values are removed. */
  response: Record<string, string | undefined>
  /** Isolates its pages from their opener. */
  isIsolated: boolean
  /** Overrides the claims of ID tokens; undefined values are removed. */
  claims: Record<string, unknown>
  /** `forged` uses an unpublished key under a published key id; `next` uses a key not published yet. */
  signature: 'valid' | 'forged' | 'next' | 'none' | 'shared-secret'
  /** The published keys. */
  published: ('current' | 'next')[]
  /** Whether tokens and published keys have key ids. */
  hasKeyIds: boolean
  /** `empty` and `null` are complete response bodies. */
  token: Behaviour | 'empty' | 'null' | 'html'
  /** Overrides the token response; undefined values are removed. */
  tokens: Record<string, unknown>
  /** Requires its nonce in every proof of possession (RFC 9449, section 8). */
  requiresNonce: boolean
  userInfo: Behaviour
  /** JSON, a signed JWT, or one with an invalid signature. */
  userInfoForm: 'json' | 'signed' | 'forged'
  userInfoClaims: Record<string, unknown>
  revocation: Behaviour
  /** The answer of the session check frame; `honest` compares with `session`. */
  sessionCheck: 'honest' | 'unchanged' | 'changed' | 'error'
}

/** Returns a script without faults, with a session of Ada Quist. */
export const createFaultlessScript = (): Script => ({
  session: { sub: 'ada', sid: 'session-1', state: 'state-1' },
  anonymousSessionState: undefined,
  metadata: {},
  discovery: 'answer',
  keys: 'answer',
  authorization: 'answer',
  response: {},
  isIsolated: false,
  claims: {},
  signature: 'valid',
  published: ['current'],
  hasKeyIds: true,
  token: 'answer',
  tokens: {},
  requiresNonce: false,
  userInfo: 'answer',
  userInfoForm: 'json',
  userInfoClaims: { name: 'Ada Quist', preferred_username: 'ada' },
  revocation: 'answer',
  sessionCheck: 'honest',
})
