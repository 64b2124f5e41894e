import type { SignInExplanation } from './sign-in-reasons.ts'

/** A message of the sign-in client in the browser. */
export interface SignInMessage extends SignInExplanation {
  message: string
  /** The codes with which the attempts behind it fail on the server; none if only the browser knows. */
  reasons: readonly string[]
}

const describe = (
  message: string,
  title: string,
  cause: string,
  fix: string,
  reasons: readonly string[] = [],
): SignInMessage => ({ message, title, cause, fix, reasons })

const tokenFailures = ['invalid_grant', 'invalid_client', 'invalid_scope', 'invalid_target', 'server_error']
const otherUser = 'The browser now has the session of another user than the application.'
const signInAgain = 'Remove the user in the application, and sign in again with a redirect.'

/** The messages of the sign-in client, with their causes. */
export const signInMessages: readonly SignInMessage[] = [
  describe(
    'No popup_redirect_uri or redirect_uri configured',
    'No address for the popup',
    'The settings of the sign-in client have neither `popup_redirect_uri` nor `redirect_uri`.',
    'Set one of them, and register it for the application.',
  ),
  describe(
    'No silent_redirect_uri configured',
    'No address for the silent sign-in',
    'The settings of the sign-in client have neither `silent_redirect_uri` nor `redirect_uri`.',
    'Set one of them, and register it for the application.',
  ),
  describe(
    'No redirect_uri configured',
    'No address for the response',
    'The settings of the sign-in client have no `redirect_uri`.',
    'Set it, and register it for the application.',
  ),
  describe(
    'No response returned from token endpoint',
    'Empty response',
    'The response of the token endpoint had no content: a proxy dropped it, or answered in its place.',
    'Call `/connect/token` directly, and compare. Check the proxies between browser and server.',
    tokenFailures,
  ),
  describe(
    'No access token returned from token endpoint',
    'No access token',
    'The token endpoint responded without `access_token`; with an error, if an attempt is listed below.',
    'Look at the failed token request. Check that `authority` is the address of Passport.',
    tokenFailures,
  ),
  describe('sub in id_token does not match current sub', 'Another user', otherUser, signInAgain),
  describe(
    'auth_time in id_token does not match original auth_time',
    'The user signed in again',
    'The user has signed in again since, so the refreshed ID token is of another sign-in.',
    signInAgain,
  ),
  describe(
    'azp in id_token does not match original azp',
    'Another authorized party',
    'The refreshed ID token was issued to another application.',
    'Use the same client id for every request of the application.',
  ),
  describe(
    'azp not in id_token, but present in original id_token',
    'Authorized party missing',
    'The first ID token had the claim `azp`, the refreshed one has none. Passport never does that: another issuer answered.',
    'Check that `authority` and `metadata` of the client name one issuer.',
  ),
  describe(
    'Failed to validate id_token',
    'ID token rejected by the browser',
    'Issuer, audience, signature or times of the ID token are not those that the client expects.',
    'Compare `authority` with the `issuer` of the discovery document, and the clock of the device: it may differ by 5 minutes.',
  ),
  describe(
    'login_required',
    'No session',
    'The silent sign-in found no session, or that of another user. Some browsers block the cookie in a frame.',
    'Sign in with a redirect or popup. Use refresh tokens, or serve the application from the same site.',
    ['login_required'],
  ),
  describe(
    'consent_required',
    'Consent missing',
    'The silent sign-in needs a consent that the user has not given.',
    'Sign in once with a redirect or popup.',
    ['consent_required'],
  ),
  describe(
    'interaction_required',
    'Interaction needed',
    'The silent sign-in needs the user.',
    'Sign in with a redirect or popup.',
    ['interaction_required'],
  ),
  describe(
    'account_selection_required',
    'Account choice needed',
    'The silent sign-in needs the user to choose an account.',
    'Sign in with a redirect or popup.',
    ['account_selection_required'],
  ),
  describe(
    'No url provided',
    'No address to open',
    'The application opened a popup or frame, or handled a callback, without an address.',
    'Call the callback on the page of the redirect URI, with its full address.',
  ),
  describe(
    'Popup window closed',
    'Popup closed',
    'The user closed the popup before the sign-in ended, or the popup showed an error.',
    'Try again. If users close it at an error, its page has a support code.',
    ['cancelled', 'access_denied', 'invalid_redirect_uri', 'invalid_client'],
  ),
  describe(
    'Error opening popup window',
    'Popup blocked',
    'The browser blocked the popup, because it was not opened by a click.',
    'Open it in the handler of a click, or use a redirect.',
  ),
  describe(
    'Invalid response from popup',
    'Unexpected page in the popup',
    'The page of the redirect URI did not hand its address to the application.',
    'Call `signinPopupCallback()` on the page of `popup_redirect_uri`, on the same origin.',
  ),
  describe(
    'Frame window timed out',
    'Silent sign-in timed out',
    'The frame did not answer within 10 seconds: its page does not call the callback, may not be framed, or the server was slow.',
    'Open `silent_redirect_uri` by hand: it must load, allow frames of its own origin, and call `signinSilentCallback()`.',
    ['login_required', 'invalid_redirect_uri', 'temporarily_unavailable'],
  ),
  describe(
    'invalid response_type in state',
    'Unknown kind of request',
    'The state of the callback was not created by this client, or is of another version.',
    startOver(),
  ),
  describe('No state in response', 'State missing', 'The callback was opened without a response.', startOver()),
  describe(
    'No matching state found in storage',
    'State not found',
    'The callback was opened twice, in another browser, or more than 15 minutes after the start.',
    startOver(),
  ),
  describe(
    'State does not match',
    'Another state',
    'The response is of another request than the stored one.',
    startOver(),
  ),
  describe('No client_id on state', 'State incomplete', 'The stored state was changed, or is damaged.', startOver()),
  describe(
    'authority mismatch on settings vs. signin state',
    'Another authority',
    'The application changed its `authority` between request and response.',
    'Use the same settings on the page of the callback.',
  ),
  describe(
    'client_id mismatch on settings vs. signin state',
    'Another client id',
    'The application changed its `client_id` between request and response.',
    'Use the same settings on the page of the callback.',
  ),
  describe(
    'No id_token in response',
    'ID token missing',
    'The response has no ID token.',
    'Request the scope `openid`.',
  ),
  describe(
    'Unexpected id_token in response',
    'Unexpected ID token',
    'The authorization response has an ID token that was not requested.',
    'Check that `authority` is the address of Passport.',
  ),
  describe(
    'No code in response',
    'Code missing',
    'The authorization response has neither a code nor an error.',
    'Use the response type `code`.',
  ),
  describe(
    'Unexpected code in response',
    'Unexpected code',
    'The authorization response has a code that was not requested.',
    'Use the response type `code`.',
  ),
  describe(
    'sub from user info endpoint does not match sub in id_token',
    'Another user',
    'User-info returned another user than the ID token.',
    signInAgain,
  ),
  describe(
    'Revocation not supported',
    'No revocation endpoint',
    'The metadata of the client has no revocation endpoint.',
    'Remove `metadata` from the settings, so that the client reads the discovery document.',
  ),
  describe(
    'no end session endpoint',
    'No sign-out endpoint',
    'The metadata of the client has no end-session endpoint.',
    'Remove `metadata` from the settings, so that the client reads the discovery document.',
  ),
  describe(
    'No client_id configured on settings',
    'No client id',
    'The settings of the sign-in client have no `client_id`.',
    'Set it to the client id of the application.',
  ),
  describe(
    'No authority or metadataUrl configured on settings',
    'No authority',
    'The settings of the sign-in client have no `authority`.',
    'Set it to the address of Passport.',
  ),
  describe(
    'The storage of the browser is full or forbidden',
    'No storage',
    'The browser does not let the application store the state.',
    'Allow storage for the site; some private windows forbid it.',
  ),
  describe(
    'Only the response types code and id_token are supported',
    'Unsupported response type',
    'The settings name another response type.',
    'Use `code`.',
    ['unsupported_response_type'],
  ),
  describe(
    'Only https URLs are allowed, or http on localhost',
    'Insecure address',
    'An address of the settings begins with http.',
    'Use https.',
  ),
  describe(
    'Network Error',
    'No connection',
    'The browser could not read a response: no connection, a time-out, or an origin that is not allowed.',
    'Allow the origin of the application, and check the connection.',
  ),
  describe('The request was aborted', 'Aborted', 'The application aborted the request.', 'Nothing.'),
  describe(
    'ignoring invalid return URL',
    'Return address ignored',
    'The `returnUrl` of `/app/login` was missing, repeated, or did not begin with `/`.',
    'Link to `/login?returnUrl=` with a path of this site, encoded once.',
  ),
]

function startOver(): string {
  return 'Start the sign-in again from the application, and open its callback only once.'
}

const normalise = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[“”"'‘’`]/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** Finds the message in a text, such as a line of a console: `Error: Popup window closed`. The longest match wins. */
export function findSignInMessage(text: string): SignInMessage | undefined {
  const searched = normalise(text).slice(0, 2000)
  return signInMessages
    .filter(({ message }) => searched.includes(normalise(message)))
    .toSorted((a, b) => b.message.length - a.message.length)[0]
}

/** Returns the messages with all of the words, for suggestions; at most `limit`. */
export function searchSignInMessages(text: string, limit: number): SignInMessage[] {
  const words = normalise(text).split(' ').filter(Boolean)
  if (words.length === 0) return []
  return signInMessages
    .filter(({ message, title }) => words.every((word) => normalise(`${message} ${title}`).includes(word)))
    .slice(0, limit)
}
