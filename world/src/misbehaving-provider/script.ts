/** An error as providers tell it, at any of their endpoints. */
export interface ToldError {
  error: string
  error_description?: string
  /** Of the token, user-info and revocation endpoints; 400 unless told. */
  status?: number
}

/** How an endpoint behaves: it answers as documented, never, by closing the connection, or with an error. */
export type Manner = 'answer' | 'hang' | 'close' | ToldError

/** Somebody's session at the provider; `state` is what clients are told of it (Session Management 1.0, section 3). */
export interface Session {
  sub: string
  sid: string
  state: string
}

/** What the provider does until it is told otherwise. Every field but `session` is a way to go wrong. */
export interface Script {
  /** Whose session it has; nobody's if undefined, and what is told of that then. */
  session: Session | undefined
  sessionStateOfNobody: string | undefined
  /** Put over the metadata; what is undefined is left out. */
  metadata: Record<string, unknown>
  discovery: Manner
  keys: Manner
  /** `ask` shows a page to sign in on, unless prompt is none. */
  authorization: Manner | 'ask'
  /** Put over the parameters of the authorization response; what is undefined is left out. */
  response: Record<string, string | undefined>
  /** Isolates its pages from whoever opened them. */
  isIsolated: boolean
  /** Put over the claims of ID tokens; what is undefined is left out. */
  claims: Record<string, unknown>
  /** `forged` by a key that is not published, under the name of one that is; `next` by one that is not published yet. */
  signature: 'right' | 'forged' | 'next' | 'none' | 'shared-secret'
  /** Which keys are published. */
  published: ('current' | 'next')[]
  /** Whether tokens and published keys say which key it is. */
  hasKeyIds: boolean
  /** `empty` and `null` are answers with no more than that in them. */
  token: Manner | 'empty' | 'null' | 'html'
  /** Put over the token response; what is undefined is left out. */
  tokens: Record<string, unknown>
  /** Wants its nonce in every proof of possession (RFC 9449, section 8). */
  wantsNonce: boolean
  userInfo: Manner
  /** As JSON, as a signed JWT, or as one with a wrong signature. */
  userInfoForm: 'json' | 'signed' | 'forged'
  userInfoClaims: Record<string, unknown>
  revocation: Manner
  /** What the frame of the session check answers; `honest` compares with `session`. */
  sessionCheck: 'honest' | 'unchanged' | 'changed' | 'error'
}

/** Nothing goes wrong, and Ada Quist has a session. */
export const wellBehaved = (): Script => ({
  session: { sub: 'ada', sid: 'session-1', state: 'state-1' },
  sessionStateOfNobody: undefined,
  metadata: {},
  discovery: 'answer',
  keys: 'answer',
  authorization: 'answer',
  response: {},
  isIsolated: false,
  claims: {},
  signature: 'right',
  published: ['current'],
  hasKeyIds: true,
  token: 'answer',
  tokens: {},
  wantsNonce: false,
  userInfo: 'answer',
  userInfoForm: 'json',
  userInfoClaims: { name: 'Ada Quist', preferred_username: 'ada' },
  revocation: 'answer',
  sessionCheck: 'honest',
})
