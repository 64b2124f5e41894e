import { problem } from '../http/problem.ts'

const startAgain = 'Try again.'
const withCause = (cause: unknown) => ({ cause })

export const connectorNotFound = problem(404, 'connector-not-found', {
  meaning: 'This service cannot be connected here.',
  remedy: 'Use the id of a service from GET /passport/connect.',
})
export const metaNotConfigured = problem(503, 'meta-not-configured', {
  meaning: 'Connecting a Meta account is not available on this stack.',
  remedy: 'Ask the operator of the server to set META_APP_ID, META_APP_SECRET and META_ORGANIZATION_ID.',
})

// The response of the service.
export const linkStateMissing = problem(400, 'link-state-missing', {
  meaning: 'This browser has not started to connect an account, or it blocks cookies.',
  remedy: startAgain,
})
export const linkOfOtherSession = problem(400, 'link-state-missing', {
  meaning: 'The connection was started in another session.',
  remedy: startAgain,
})
export const linkExpired = problem(410, 'link-expired', {
  meaning: 'Connecting the account took longer than 10 minutes.',
  remedy: startAgain,
})
export const linkUsed = problem(409, 'link-used', {
  meaning: 'This response has already been used.',
  remedy: startAgain,
})
export const linkCancelled = problem(400, 'link-cancelled', {
  meaning: 'The service has not shared an account. You may have cancelled.',
  remedy: startAgain,
})
export const linkPayloadInvalid = problem(400, 'link-payload-invalid', {
  meaning: 'The response of the service cannot be read.',
  remedy: startAgain,
})
export const linkNotFound = problem(404, 'link-not-found', {
  meaning: 'There is no such account to confirm.',
  remedy: 'Start again. A new start replaces the last one of the same session.',
})

// The service.
export const metaRefused = problem(502, 'meta-refused', {
  meaning: 'Meta has refused the request.',
  remedy: 'Try again. If it fails again, an operator must check the settings of the app at Meta.',
  details: withCause,
})
export const metaUnreachable = problem(502, 'meta-unreachable', {
  meaning: 'Meta is not responding.',
  remedy: 'Try again in a moment.',
  details: withCause,
})
export const metaNotReady = problem(503, 'meta-not-ready', {
  meaning: 'Meta is not ready to share the account yet.',
  remedy: 'Try again in a moment.',
  retryAfterSeconds: 5,
  details: withCause,
})
export const nonceInvalid = problem(403, 'nonce-invalid', {
  meaning: 'Meta does not accept the nonce for this user.',
  remedy: 'Get a new one from `Users.GetUserProof()`. Each is valid once.',
})
export const serviceUnreachable = problem(502, 'service-unreachable', {
  meaning: 'The service is not responding.',
  remedy: 'Try again in a moment.',
  details: withCause,
})
export const serviceRefused = problem(502, 'service-refused', {
  meaning: 'The service has refused the request, or its response does not follow OpenID Connect.',
  remedy: 'Try again. If it fails again, an operator must check the connector.',
  details: withCause,
})

// The connection.
export const connectionNotFound = problem(404, 'connection-not-found', {
  meaning: 'Connected account not found.',
  remedy: 'List the connected accounts again. It may have been removed or moved.',
})
export const externalAccountInUse = problem(409, 'external-account-in-use', {
  meaning: 'This account is already connected to another user.',
  remedy: 'Move it with `move`, or remove it there.',
})
export const alreadyLinked = problem(409, 'already-linked', {
  meaning: 'Another account of this service is already connected.',
  remedy: 'Remove it first.',
  showRemedy: true,
})
export const movedRecently = problem(409, 'moved-recently', {
  meaning: 'This account was moved in the last 24 hours.',
  remedy: 'It can be moved once a day. Try again tomorrow.',
  showRemedy: true,
})
export const undoGone = problem(409, 'undo-gone', {
  meaning: 'This move can no longer be undone.',
  remedy:
    'A move can be undone once, within 7 days, until the account is moved again. Connect the account again instead.',
})
