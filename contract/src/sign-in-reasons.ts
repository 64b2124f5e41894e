/** Why a sign-in fails, for administrators: what happened, and what to do. */
export interface SignInExplanation {
  title: string
  cause: string
  fix: string
}

const explain = (title: string, cause: string, fix: string): SignInExplanation => ({ title, cause, fix })

const retryAtProvider = 'Check the status of the provider, and that this server can reach it. Then try again.'
const startAgain = 'The user starts again from the application.'

/** The explanations of the codes with which sign-ins fail; those with underscores are codes of OAuth 2.0. */
export const signInReasons: Readonly<Record<string, SignInExplanation>> = {
  // The identity provider.
  'provider-unreachable': explain(
    'Provider unreachable',
    'The identity provider did not respond, or its response was incomplete.',
    retryAtProvider,
  ),
  'provider-refused': explain(
    'Refused by the provider',
    'The identity provider returned an error instead of a code.',
    'Read the message of the failed step: it has the error of the provider. Its own sign-in log has the details.',
  ),
  'provider-misconfigured': explain(
    'Provider misconfigured',
    'The identity provider rejected Passport as its client.',
    'Compare client id, client secret and callback URL at the provider with IDENTITY_PROVIDERS. If they are right, set "tokenEndpointAuthMethod" for it.',
  ),
  cancelled: explain(
    'Cancelled',
    'The user or the provider cancelled the sign-in.',
    'Nothing, if the user meant to. Otherwise check that the provider assigns the application to the user.',
  ),
  'code-refused': explain(
    'Code rejected',
    'The identity provider did not accept its own code: it was used before, or was older than allowed.',
    'Try again. If it happens often, a proxy or a browser extension sends the callback twice.',
  ),
  'issuer-wrong': explain(
    'Wrong issuer',
    'The response or the metadata came from another issuer than the configured one.',
    'Set the issuer of the provider to exactly the `issuer` of its discovery document.',
  ),
  'answer-invalid': explain(
    'Invalid response',
    'A check of the ID token or of user info failed; the failed step names it.',
    'Compare the expected and the received value of the failed check with the configuration of the provider.',
  ),
  'clock-skew': explain(
    'Clock differs',
    'The clock of the provider differs from that of this server by more than five minutes.',
    'Synchronise the clock of this server, for example with NTP.',
  ),
  'not-fresh': explain(
    'Sign-in too old',
    'A new sign-in was required, but the provider reused an earlier one.',
    'The user signs out of the provider first. Check that the provider honours `prompt=login` and `max_age`.',
  ),
  'provider-cannot-prove': explain(
    'No recent sign-in proved',
    'The ID token has no `auth_time`, so a recent sign-in cannot be confirmed.',
    'Configure the provider to send `auth_time`, or set "freshness": "prompt" for it.',
  ),

  // The attempt.
  'state-unknown': explain(
    'Unknown attempt',
    'The response does not belong to a sign-in that this browser started.',
    'The user starts again in one browser, with cookies allowed. A repeated failure may be a forged link.',
  ),
  'attempt-expired': explain(
    'Took too long',
    'The response of the provider came more than 10 minutes after the start.',
    startAgain,
  ),
  'answer-replayed': explain(
    'Response sent twice',
    'The response of the provider was used before, as after a reload or with the Back button.',
    'Nothing, if the user is signed in. Otherwise the user starts again.',
  ),
  'interaction-expired': explain(
    'Sign-in expired',
    'The request of the application is older than 10 minutes, or was started in another browser.',
    startAgain,
  ),
  'directory-sign-in-expired': explain(
    'Sign-in expired',
    'The password form is older than 10 minutes, or was opened in another browser.',
    startAgain,
  ),
  'sign-up-expired': explain(
    'Sign-up expired',
    'The code was not entered in time, or in another browser.',
    'The user opens the invitation again.',
  ),

  // The account.
  'not-invited': explain(
    'No account',
    'The provider authenticated the user, but no account has this login, and the provider has no open sign-up.',
    'Invite the user, or link this login from the session of their account.',
  ),
  'account-disabled': explain(
    'Account disabled',
    'An administrator or the directory of the organisation disabled the account.',
    'Enable the user if they should have access.',
  ),
  'login-unlinked': explain(
    'Login unlinked',
    'The login was unlinked from the account, which has roles that the organisation of the tenant does not give.',
    'The user signs in another way and links the login. Otherwise an administrator removes the roles, and gives them again after the next sign-in.',
  ),
  'external-account-in-use': explain(
    'Login in use elsewhere',
    'The login is already linked to another account.',
    'Remove the login from the other account first.',
  ),
  'session-changed': explain(
    'Session changed',
    'The session ended, or is that of another user, since the login was to be linked or tested.',
    'Start again in the current session.',
  ),
  'password-wrong': explain(
    'Wrong password',
    'The password does not match. After too many wrong ones the account is locked for a while.',
    'The user tries again, or an administrator sets a new password.',
  ),
  'password-locked': explain(
    'Locked after wrong passwords',
    'There were too many wrong passwords for this name, or from this network.',
    'Wait until the lock ends, or set a new password. Many of them from one network may be guesses.',
  ),

  // Tenants of Microsoft Entra.
  'tenant-not-enabled': explain(
    'Sign-in of the tenant disabled',
    'Sign-in through the tenant of the organisation is not enabled.',
    'Test and enable the sign-in on the page of the organisation.',
  ),
  'tenant-mismatch': explain(
    'Wrong tenant',
    'The user signed in to another tenant than that of the organisation.',
    'The user signs in with the account of the organisation.',
  ),
  'key-issuer-wrong': explain(
    "Another tenant's key",
    'The ID token was signed with a key that does not belong to the issuer of the tenant.',
    'Check the authority of the cloud in ENTRA_CLOUDS. If it is correct, treat the response as forged.',
  ),
  'guest-refused': explain(
    'Guest of the tenant',
    'The user is a guest in the tenant, and the organisation does not allow guests.',
    'Allow guests in the settings of the organisation, or invite the user with their own account.',
  ),
  'groups-unavailable': explain(
    'Groups unavailable',
    'The user has too many groups for the ID token, and Microsoft Graph did not list them.',
    'Grant `GroupMember.Read.All` to the application in the tenant, and check the status of Graph.',
  ),
  'consent-denied': explain(
    'Consent denied',
    'The administrator of the tenant did not grant the permissions.',
    'Send a new consent link, and explain what the permissions are for.',
  ),
  'consent-state-unknown': explain(
    'Unknown consent link',
    'The response belongs to no consent link of this installation.',
    'Create a new consent link on the page of the organisation.',
  ),
  'consent-state-expired': explain(
    'Consent link expired',
    'The link is older than 60 minutes, or a newer one replaced it.',
    'Create a new consent link on the page of the organisation.',
  ),
  'consent-state-used': explain(
    'Consent link used',
    'The link was used before.',
    'See the result on the page of the organisation; create a new link if it failed.',
  ),
  'consent-tenant-mismatch': explain(
    'Consent of another tenant',
    'An administrator of another tenant consented.',
    'Open the link again with an administrator of the right tenant.',
  ),
  'consent-proof-failed': explain(
    'Consent not proved',
    'Passport could not read the record of the tenant with a token of the tenant.',
    'Grant `Organization.Read.All` as an application permission, then open a new link.',
  ),

  // The application, by the codes of OAuth 2.0 and OpenID Connect.
  invalid_request: explain(
    'Invalid request',
    'A parameter of the request is missing, repeated or wrong; the failed step names it.',
    'Correct the request in the application. Most often it lacks PKCE: send `code_challenge` and `code_challenge_method=S256`.',
  ),
  invalid_client: explain(
    'Unknown application, or wrong secret',
    'No enabled application has this client id, or its secret is wrong.',
    'Compare the client id with the page of the application. Create a new secret if it was lost or has been deleted.',
  ),
  invalid_redirect_uri: explain(
    'Redirect URI not registered',
    'The redirect URI of the request is not exactly one of those registered for the application.',
    'Add the received redirect URI on the page of the application, if the application really uses it.',
  ),
  unauthorized_client: explain(
    'Grant not allowed',
    'The application may not use this grant or response type.',
    'Enable the grant on the page of the application.',
  ),
  unsupported_response_type: explain(
    'Unsupported response type',
    'Only the response type `code` is supported.',
    'Use the authorization code flow with PKCE.',
  ),
  unsupported_response_mode: explain(
    'Unsupported response mode',
    'The response mode of the request is not supported for this response type.',
    'Use `query`, `fragment` or `form_post`, or omit the parameter.',
  ),
  request_not_supported: explain(
    'Request object not supported',
    'The application sent its request as a signed object (`request`).',
    'Send the parameters themselves, or push the request to `/connect/par`.',
  ),
  request_uri_not_supported: explain(
    'Request URI not supported',
    'The `request_uri` is not one of a pushed request.',
    'Push the request to `/connect/par`, and use the `request_uri` of the response.',
  ),
  registration_not_supported: explain(
    'Registration not supported',
    'The application sent its own settings with the request (`registration`).',
    'Register the application in the console, and omit the parameter.',
  ),
  invalid_request_uri: explain(
    'Pushed request not valid any more',
    'The `request_uri` is unknown, older than 60 seconds, already used, or of another application.',
    'Push a new request for each sign-in. A reload after the sign-in uses the former one again.',
  ),
  invalid_dpop_proof: explain(
    'DPoP proof rejected',
    'The proof is not for this request, is too old, was used before, or is not signed by its key.',
    'Create a new proof for each request, and check the clock of the application.',
  ),
  unsupported_grant_type: explain(
    'Unsupported grant',
    'The token endpoint does not have the requested grant type.',
    'Use one of `grant_types_supported` in the discovery document.',
  ),
  invalid_scope: explain(
    'Scope not available',
    'A requested scope does not exist, or the application may not have it.',
    'Allow the scope for the application, or remove it from the request.',
  ),
  invalid_target: explain(
    'API not available',
    'The requested API is disabled, unknown, or not allowed for the application.',
    'Enable the API, and allow the application on its page.',
  ),
  invalid_grant: explain(
    'Code or refresh token rejected',
    'The code, refresh token or device code is unknown, used or expired, or belongs to another application. A wrong `code_verifier` or `redirect_uri` has the same effect.',
    'Redeem each code once and within 60 seconds, with the `redirect_uri` and `code_verifier` of its request. After a revoked session the user signs in again.',
  ),
  invalid_token: explain(
    'Token rejected',
    'The token is expired, revoked, or of another issuer.',
    'Refresh the token, or sign the user in again.',
  ),
  access_denied: explain(
    'Denied by the user',
    'The user denied the consent or the device.',
    'Nothing, if the user meant to. Otherwise start again.',
  ),
  login_required: explain(
    'No session',
    'The application asked silently (`prompt=none`), but the browser has no session here, or one of another user.',
    'Sign in with a redirect or popup. If there is a session, the browser blocks third-party cookies: serve the application from the same site, or use refresh tokens.',
  ),
  consent_required: explain(
    'Consent missing',
    'The application asked silently, but the user has not consented to all of its scopes.',
    'Sign in once with a redirect or popup, so that the user can consent.',
  ),
  interaction_required: explain(
    'Interaction needed',
    'The application asked silently, but the user has to do something first.',
    'Sign in with a redirect or popup.',
  ),
  account_selection_required: explain(
    'Account choice needed',
    'The application asked silently, but the user has to choose an account.',
    'Sign in with a redirect or popup.',
  ),
  authorization_pending: explain(
    'Not approved yet',
    'The user has not approved the device yet.',
    'The device keeps polling at the interval of the response.',
  ),
  expired_token: explain(
    'Device code expired',
    'The user did not approve the device within 10 minutes.',
    'Start again on the device.',
  ),
  server_error: explain(
    'Server error',
    'Passport failed unexpectedly.',
    'Find the error in the server log by the trace id.',
  ),
  temporarily_unavailable: explain(
    'Not available',
    'The database did not respond, or the server is overloaded.',
    'Try again. Check the health page.',
  ),

  // Devices.
  'device-code-not-found': explain(
    'Code not found',
    'No device waits with this code, or another user decided on it.',
    'Compare the code with the device; it is valid for 10 minutes.',
  ),
  'device-code-expired': explain(
    'Device code expired',
    'The user opened the code more than 10 minutes after the device showed it.',
    'Start again on the device.',
  ),
  'device-code-used': explain('Already decided', 'The user has approved or denied this device before.', 'Nothing.'),
  'device-code-denied': explain(
    'Device denied',
    'The number or the PIN was wrong three times.',
    'Start again on the device. If nobody tried, it may have been phishing.',
  ),
  'match-wrong': explain(
    'Wrong number',
    'The number does not match that on the device.',
    'Enter the number that the device shows.',
  ),
  'pin-wrong': explain('Wrong PIN', 'The PIN does not match that of the approval.', 'Enter the PIN of the approval.'),
}

/** Returns the explanation of a code; undefined for an unknown one. */
export const explainReason = (code: string): SignInExplanation | undefined =>
  Object.hasOwn(signInReasons, code) ? signInReasons[code] : undefined
