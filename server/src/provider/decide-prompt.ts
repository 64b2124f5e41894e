import type { AuthorizationRequest, PromptValue } from '../oauth/authorization-request.ts'
import type { OAuthErrorCode } from '../oauth/oauth-error.ts'

/** What a request demands of the sign-in of its user. */
export interface PromptRequest extends Pick<AuthorizationRequest, 'prompts' | 'maxAge'> {
  /** The user that the client expects, by an ID token. */
  hintedUserId?: string | undefined
  /** When the request began to wait for its user, in seconds since 1970; undefined for one that does not wait yet. */
  waitsSince?: number | undefined
}

/** The user of the browser's session, with what they have allowed the client. */
export interface PromptUser {
  userId: string
  /** The time of the authentication, in seconds since 1970. */
  authTime: number
  /**
   * The user has signed in for this request. The session names it: by time alone, an authentication of the same second
   * would count.
   */
  isForRequest: boolean
  consent: {
    /** The user has allowed this request, on its page. */
    isGiven: boolean
    /** Why the client must ask even for scopes that the user has granted. */
    askReason?: 'asked_each_time' | 'app_on_device' | undefined
    /** The user has granted all requested scopes. */
    coversScopes: boolean
  }
}

/** The request needs its user, for a prompt (OpenID Connect Core, section 3.1.2.1) and its reasons. */
export interface UserNeeded {
  step: 'sign in' | 'reauthenticate' | 'select account' | 'consent'
  prompt: Exclude<PromptValue, 'none'>
  reasons: Reason[]
}

/** How a request continues. */
export type Decision =
  | { step: 'issue' }
  | UserNeeded
  /** The client gets the error. */
  | { step: 'error'; code: OAuthErrorCode; description: string }

/** Why a request needs its user. */
type Reason =
  | 'select_account_prompt'
  | 'id_token_hint'
  | 'login_prompt'
  | 'no_session'
  | 'max_age'
  | 'consent_prompt'
  | 'app_on_device'
  | 'asked_each_time'
  | 'scopes_missing'

interface ReasonRule {
  prompt: UserNeeded['prompt']
  /** The page that the reason leads to. */
  step: UserNeeded['step']
  /** The response to a silent request (OpenID Connect Core, section 3.1.2.6). */
  error: OAuthErrorCode
  description: string
  applies: (request: PromptRequest, user: CheckedUser | undefined, ageSeconds: number) => boolean
}

/**
 * A user who has authenticated for this request is fresh, which satisfies every demand to sign in, however long they take
 * for its pages. For a sign-in that was not forced, a provider may have reused an earlier authentication.
 */
type CheckedUser = PromptUser & { isFresh: boolean }

/**
 * The reasons for which a request needs its user, in the order of their checks. Those of one prompt count together; the
 * first of a prompt that leads furthest decides the page.
 */
const reasons: Record<Reason, ReasonRule> = {
  select_account_prompt: {
    prompt: 'select_account',
    step: 'select account',
    error: 'account_selection_required',
    description: 'The user must select an account.',
    applies: ({ prompts }, user) => prompts.has('select_account') && !user?.isForRequest,
  },
  id_token_hint: {
    prompt: 'login',
    step: 'select account',
    error: 'login_required',
    description: 'The user of the ID token is not signed in.',
    applies: ({ hintedUserId }, user) => hintedUserId !== undefined && user?.userId !== hintedUserId,
  },
  login_prompt: {
    prompt: 'login',
    step: 'reauthenticate',
    error: 'login_required',
    description: 'The user must sign in again.',
    applies: ({ prompts }, user) => prompts.has('login') && !user?.isFresh,
  },
  no_session: {
    prompt: 'login',
    step: 'sign in',
    error: 'login_required',
    description: 'The user is not signed in.',
    applies: (_request, user) => user === undefined,
  },
  max_age: {
    prompt: 'login',
    step: 'reauthenticate',
    error: 'login_required',
    description: 'The user signed in too long ago.',
    applies: ({ maxAge }, user, ageSeconds) =>
      maxAge !== undefined && user !== undefined && !user.isFresh && ageSeconds > maxAge,
  },
  consent_prompt: {
    prompt: 'consent',
    step: 'consent',
    error: 'consent_required',
    description: 'The user must be asked for consent.',
    applies: ({ prompts }, user) => prompts.has('consent') && !user?.consent.isGiven,
  },
  app_on_device: {
    prompt: 'consent',
    step: 'consent',
    error: 'interaction_required',
    description: 'The user of an app on a device must be asked for consent each time.',
    applies: (_request, user) => asksEachTime(user, 'app_on_device'),
  },
  asked_each_time: {
    prompt: 'consent',
    step: 'consent',
    error: 'consent_required',
    description: 'The user must be asked for consent each time.',
    applies: (_request, user) => asksEachTime(user, 'asked_each_time'),
  },
  scopes_missing: {
    prompt: 'consent',
    step: 'consent',
    error: 'consent_required',
    description: 'The user has not granted all requested scopes.',
    applies: (_request, user) => user !== undefined && !user.consent.isGiven && !user.consent.coversScopes,
  },
}

const asksEachTime = (user: PromptUser | undefined, reason: Reason): boolean =>
  user !== undefined && !user.consent.isGiven && user.consent.askReason === reason

const reasonNames = Object.keys(reasons) as Reason[]

/** Decides how an authorization request continues (OpenID Connect Core, section 3.1.2.3). `now` is in seconds since 1970. */
export function decidePrompt(request: PromptRequest, user: PromptUser | undefined, now: number): Decision {
  const { prompts, waitsSince = Number.POSITIVE_INFINITY } = request
  const ageSeconds = user ? now - user.authTime : Number.POSITIVE_INFINITY
  const checked = user && { ...user, isFresh: user.isForRequest && user.authTime >= waitsSince }
  const found = reasonNames.filter((name) => reasons[name].applies(request, checked, ageSeconds))
  const [first] = found
  if (first === undefined) return { step: 'issue' }
  // Another user has signed in than the client expects: to ask again would keep them from ever returning to it.
  const isOtherUser = user?.isForRequest === true && first === 'id_token_hint'
  const { prompt, step, error: code, description } = reasons[first]
  if (prompts.has('none') || isOtherUser) return { step: 'error', code, description }
  return { step, prompt, reasons: found.filter((name) => reasons[name].prompt === prompt) }
}
