// The problems of every endpoint, and those of several features.

import { type FieldCode, fieldCodes } from '@passport/contract/field-codes'
import { idempotencyErrors } from '@passport/contract/idempotency-key'
import type { FieldError } from '@passport/contract/problem'
import { type ProblemDetails, type ProblemKind, problem } from './problem.ts'

const withHeaders = (headers: Record<string, string> = {}): ProblemDetails => ({ headers })
const withErrors = (detail: string, errors: FieldError[]): ProblemDetails => ({ detail, errors })

// The server and its URL.
export const overloaded = problem(503, 'overloaded', {
  meaning: 'The server is overloaded.',
  remedy: 'Try again in a second.',
  showRemedy: true,
  retryAfterSeconds: 1,
})
export const databaseFull = problem(503, 'database-full', {
  meaning: 'The database disk is full.',
  remedy: 'Ask the operator of the server to free space. Try again afterwards.',
  retryAfterSeconds: 30,
})
export const databaseBusy = problem(503, 'database-busy', {
  meaning: 'The database is busy.',
  remedy: 'Try again in a few seconds.',
  retryAfterSeconds: 5,
})
export const databaseUnavailable = problem(503, 'database-unavailable', {
  meaning: 'The database is not responding.',
  remedy: 'Try again in a few seconds.',
  retryAfterSeconds: 5,
})
export const internalError = problem(500, 'internal-error', {
  meaning: 'Something went wrong.',
  remedy: 'Find details in the log by the trace id.',
  showRemedy: true,
})
export const appNotBuilt = problem(503, 'app-not-built', {
  meaning: 'The web app has not been built.',
  remedy: 'Run `npm run build` where the server runs.',
  details: () => ({ detail: 'The web app has not been built: run npm run build.' }),
})
export const wrongHost = problem(421, 'wrong-host', {
  meaning: 'The request is for another host name than that of the server.',
  remedy: 'Use the URL in PUBLIC_URL, or set PUBLIC_URL to the URL that clients use.',
  details: (publicUrl: string, host: string) => ({
    detail: `This server is ${publicUrl}, but the request is for ${host}. Set PUBLIC_URL to the URL that clients use.`,
  }),
})
export const clientGone = problem(499, 'client-gone', {
  meaning: 'The client closed the connection.',
  remedy: 'Wait longer for the response. This code is only in logs and metrics.',
})

// The request.
export const malformedRequest = problem(400, 'malformed-request', {
  meaning: 'Invalid host, path or message.',
  remedy: 'Correct the URL or the Host header, which must be sent once, and follow the syntax of HTTP/1.1.',
  details: (detail: string | undefined = 'Invalid host or path.') => ({ detail }),
})
export const headersTooLarge = problem(431, 'headers-too-large', {
  meaning: 'The headers of the request have more than 32 KB.',
  remedy: 'Usually these are cookies, also of other applications under the same domain. Delete them.',
  showRemedy: true,
})
export const requestTimeout = problem(408, 'request-timeout', {
  meaning: 'The request was not sent in time.',
  remedy: 'Send the headers within 15 s, and the whole request within 60 s.',
})
export const expectationFailed = problem(417, 'expectation-failed', {
  meaning: 'The Expect header of the request has another value than 100-continue.',
  remedy: 'Send the request without it.',
})
export const notFound = problem(404, 'not-found', {
  meaning: 'Path not found.',
  remedy: 'Compare the path with those in /passport/openapi.json, and encode each parameter.',
  details: (subject: 'Path' | 'File' = 'Path') => ({ detail: `${subject} not found.` }),
})
export const methodNotAllowed = problem(405, 'method-not-allowed', {
  meaning: 'This path does not support the method of the request.',
  remedy: 'Use one of the methods in the Allow header.',
  details: (methods: string) => ({ headers: { Allow: methods } }),
})
export const apiVersionUnsupported = problem(400, 'api-version-unsupported', {
  meaning: 'The requested version of the API does not exist.',
  remedy: 'Send version 1, or none.',
  details: (version: string) => ({
    detail: `API version ${version} does not exist.`,
    errors: [{ field: 'api-version', code: 'unsupported', message: 'The only version is 1.' }],
  }),
})
export const uriTooLong = problem(414, 'uri-too-long', {
  meaning: 'The URL is longer than 16 KB.',
  remedy: 'Send less in the path and the query.',
})
export const tooManyParameters = problem(400, 'too-many-parameters', {
  meaning: 'The query or the form has more than 100 parameters.',
  remedy: 'Send fewer parameters.',
})
export const lengthRequired = problem(411, 'length-required', {
  meaning: 'The Content-Length header is required.',
  remedy: 'Send the body with its length instead of in chunks.',
})
export const tooLarge = problem(413, 'too-large', {
  meaning: 'The body has more bytes or more values than the endpoint accepts.',
  remedy: 'Send less at once. The `detail` has the limit.',
  details: (detail: string) => ({ detail }),
})
export const rangeNotSatisfiable = problem(416, 'range-not-satisfiable', {
  meaning: 'The requested range starts after the end of the file.',
  remedy: 'Request a range within the length in Content-Range.',
  details: (size: number) => ({ headers: { 'Content-Range': `bytes */${size}` } }),
})
export const unsupportedMediaType = problem(415, 'unsupported-media-type', {
  meaning: 'The endpoint does not accept the Content-Type of the body.',
  remedy: 'Send the type that `detail` names.',
  details: (expected: string, sent = 'missing') => {
    const isOtherPicture = String(sent).startsWith('image/') && expected.includes('image/png')
    const advice = isOtherPicture ? ' Export the picture as PNG.' : ''
    return { detail: `The Content-Type must be ${expected}, but it is ${sent}.${advice}` }
  },
})
export const bodyIncomplete = problem(400, 'body-incomplete', {
  meaning: 'Incomplete request body.',
  remedy: 'Send as many bytes as Content-Length says.',
  details: (cause?: unknown) => ({ cause }),
})
export const invalidForm = problem(400, 'invalid-form', {
  meaning: 'The body is not a valid form, or has more than 16 parts.',
  remedy: 'Send parts as of RFC 7578, with the boundary in the Content-Type.',
})
export const invalidEncoding = problem(400, 'invalid-encoding', {
  meaning: 'The body must be UTF-8.',
  remedy: 'Encode the body as UTF-8.',
})
export const invalidJson = problem(400, 'invalid-json', {
  meaning: 'The body is not valid JSON.',
  remedy: 'Correct the body. The `detail` has the position of the error.',
  details: (error: Error) => ({ detail: `The body is not valid JSON: ${error.message}` }),
})
export const invalidText = problem(400, 'invalid-text', {
  meaning: 'The URL and the form must not contain a NUL or an unpaired surrogate.',
  remedy: 'Remove these characters.',
})

const correctFields = 'Correct the fields in `errors`; each has a message with the rule.'
export const invalidRequest = problem(400, 'invalid-request', {
  meaning: 'Values of the request are missing or invalid.',
  remedy: correctFields,
  details: withErrors,
})
/** For a request whose errors all have the same code of the contract. */
export const invalidFields = Object.fromEntries(
  Object.entries(fieldCodes).map(([code, meaning]) => [
    code,
    problem(400, code, { meaning, remedy: correctFields, details: withErrors }),
  ]),
) as Record<FieldCode, ProblemKind<[detail: string, errors: FieldError[]]>>

export const cursorInvalid = problem(400, 'cursor-invalid', {
  meaning: 'Invalid cursor.',
  remedy: 'Use the value from `next` of the previous page, with the same order and filter.',
  details: () => ({
    errors: [{ field: 'after', code: 'cursor-invalid', message: 'Use the value from `next` of the previous page.' }],
  }),
})
export const pageTooFar = problem(400, 'page-too-far', {
  meaning: 'The page number is too high.',
  remedy: 'Follow `next`, or narrow the search.',
  details: (maxResults: number) => ({
    detail: `Page numbers are limited to the first ${maxResults} results.`,
    errors: [{ field: 'page', code: 'too-far', message: 'Follow `next`, or narrow the search.' }],
  }),
})
export const preconditionFailed = problem(412, 'precondition-failed', {
  meaning: 'This has changed since you last read it.',
  remedy: 'Reload it and try again.',
  showRemedy: true,
})

export const idempotencyMismatch = problem(409, 'idempotency-mismatch', {
  ...idempotencyErrors['idempotency-mismatch'],
  showRemedy: true,
})
export const idempotencyInProgress = problem(409, 'idempotency-in-progress', {
  ...idempotencyErrors['idempotency-in-progress'],
  showRemedy: true,
  retryAfterSeconds: 1,
})
export const idempotencyUnknown = problem(409, 'idempotency-unknown', {
  ...idempotencyErrors['idempotency-unknown'],
  showRemedy: true,
})
export const idempotencyResponseTooLarge = problem(409, 'idempotency-answer-too-large', {
  ...idempotencyErrors['idempotency-answer-too-large'],
  showRemedy: true,
})

export const callInProgress = problem(429, 'call-in-progress', {
  meaning: 'Another such call of yours is in progress.',
  remedy: 'Wait for its response, then try again.',
  showRemedy: true,
  retryAfterSeconds: 1,
})
export const tooManyRequests = problem(429, 'too-many-requests', {
  meaning: 'Too many requests, or too many wrong codes or secrets.',
  remedy: 'Try again after the seconds in Retry-After.',
  details: (seconds: number, { detail = `Try again in ${seconds} s.`, headers = {} }: ProblemDetails = {}) => ({
    detail,
    headers: { ...headers, 'Retry-After': String(seconds) },
  }),
})
export const tooManyStreams = problem(429, 'too-many-streams', {
  meaning: 'You already have as many open streams as allowed.',
  remedy: 'Close one first.',
  retryAfterSeconds: 30,
  details: (count: number) => ({ detail: `You already have ${count} open streams. Close one first.` }),
})
export const streamsExhausted = problem(503, 'streams-exhausted', {
  meaning: 'This server has reached its limit of open streams.',
  remedy: 'Try again later, or poll.',
  retryAfterSeconds: 30,
})

// The caller.
export const notSignedIn = problem(401, 'not-signed-in', {
  meaning: 'The request has no session and no access token.',
  remedy: 'Sign in first.',
  details: () => ({ detail: 'Sign in first.' }),
})
/** For endpoints that accept a token as well as a session (RFC 9110, section 15.5.2). */
export const tokenRequired = problem(401, 'not-signed-in', {
  meaning: 'The request has no session and no access token, and the endpoint accepts either.',
  remedy: 'Sign in first, or send an access token as `Authorization: Bearer`.',
  details: () => ({
    detail: 'Sign in first, or send an access token as `Authorization: Bearer`.',
    headers: { 'WWW-Authenticate': 'Bearer' },
  }),
})
export const tokenInvalid = problem(401, 'token-invalid', {
  meaning: 'The token is invalid, expired or revoked.',
  remedy: 'Refresh the token, or sign in again.',
  details: withHeaders,
})
const sessionNeeded = 'This endpoint requires a session; a token is not enough.'
// Set-up links. Their calls and their opening fail for the same reasons.
export const setupLinkRequired = problem(401, 'setup-link-required', {
  meaning: 'This browser has opened no set-up link, or its access has ended.',
  remedy: 'Open the set-up link that you received.',
  showRemedy: true,
})
export const setupLinkUnknown = problem(404, 'setup-link-unknown', {
  meaning: 'There is no such set-up link.',
  remedy: 'Copy the whole link, or ask for a new one.',
  showRemedy: true,
})
export const setupLinkUsed = problem(410, 'setup-link-used', {
  meaning: 'This set-up link was opened in another browser, and works only there.',
  remedy: 'Continue in that browser, or ask for a new link.',
  showRemedy: true,
})
export const setupLinkExpired = problem(410, 'setup-link-expired', {
  meaning: 'This set-up link has expired.',
  remedy: 'Ask for a new link.',
  showRemedy: true,
})
export const setupLinkRevoked = problem(410, 'setup-link-revoked', {
  meaning: 'This set-up link was revoked.',
  remedy: 'Ask for a new link.',
  showRemedy: true,
})
export const setupLinkEnded = problem(410, 'setup-link-ended', {
  meaning: 'This set-up has ended. `reason` says whether it is complete or the organisation was deleted.',
  remedy: 'Ask the person who sent you the link.',
  details: (reason: 'enabled' | 'deleted') => ({
    detail:
      reason === 'enabled'
        ? 'The set-up is complete: sign-in is enabled.'
        : 'The organisation of this set-up link no longer exists.',
    members: { reason },
  }),
})

export const bearerNotAccepted = problem(403, 'bearer-not-accepted', {
  meaning: sessionNeeded,
  remedy: 'Call the endpoint with the session of a browser.',
})
export const sessionRequired = problem(403, 'session-required', {
  meaning: sessionNeeded,
  remedy: 'Call the endpoint as a user with a recent sign-in. A client has none.',
})
export const clientNotAccepted = problem(403, 'client-not-accepted', {
  meaning: 'This endpoint requires a user; a client token is not enough.',
  remedy: 'Call the endpoint with a session or with the token of a user.',
})
export const scopeMissing = problem(403, 'scope-missing', {
  meaning: 'The token does not have the scope that the endpoint requires.',
  remedy: 'Request a token with the scope that `detail` names.',
  details: (scope: string, headers: Record<string, string>) => ({
    detail: `This requires a token with the scope ${scope}.`,
    headers,
  }),
})
export const roleMissing = problem(403, 'role-missing', {
  meaning: 'The endpoint requires a role that you do not have.',
  remedy: 'Ask an administrator for the role that `detail` names.',
  details: (role: string) => ({ detail: `This requires the role ${role}.` }),
})
export const notYours = problem(403, 'not-yours', {
  meaning: 'This belongs to another user.',
  remedy: 'Use the user id `me`. Only administrators can access the data of others.',
  details: (detail: string) => ({ detail }),
})
export const csrf = problem(403, 'csrf', {
  meaning: 'Cross-site requests are not allowed.',
  remedy: 'Send the request from a page of this server, or with an access token instead of the cookie.',
  details: (detail?: string) => ({ ...(detail !== undefined && { detail }) }),
})
export const reauthenticationRequired = problem(401, 'reauthentication-required', {
  meaning: 'This requires a recent sign-in.',
  remedy:
    'Sign in again. If `reason` is `provider-cannot-prove`, an operator must change the configuration of the identity provider first.',
  details: (age: string) => ({ detail: `This requires a sign-in within the last ${age}. Sign in again.` }),
})
export const providerCannotProve = problem(401, 'reauthentication-required', {
  meaning: 'This requires a recent sign-in, and the identity provider does not report when you signed in.',
  remedy:
    'An operator must configure the provider to send the claim `auth_time`, or set `"freshness": "prompt"` for it in `identityProviders`. Then sign in again.',
  details: (idp: string) => ({
    detail: `The identity provider “${idp}” does not report when you signed in. An operator must configure it to send the claim auth_time, or set "freshness": "prompt" for it in identityProviders. Then sign in again.`,
    members: { reason: 'provider-cannot-prove' },
  }),
})

// Users, organisations, groups and roles.
export const userNotFound = problem(404, 'user-not-found', {
  meaning: 'User not found.',
  remedy: 'Check the id. The user may have been deleted.',
})
export const unknownProfiles = problem(400, 'unknown-profiles', {
  meaning: 'Some users do not exist.',
  remedy: 'Remove the users in `errors` from the list. Nothing was changed.',
  details: (errors: FieldError[]) => ({ errors }),
})
export const usernameTaken = problem(409, 'username-taken', {
  meaning: 'This username is taken or was used recently.',
  remedy: 'Choose another username.',
  field: 'username',
})
export const sessionNotFound = problem(404, 'session-not-found', {
  meaning: 'Session not found.',
  remedy: 'List the sessions again. It may have ended.',
})
export const groupNotFound = problem(404, 'group-not-found', {
  meaning: 'Group not found.',
  remedy: 'Check the id. Only members and owners of a group and administrators can see it.',
})
export const unknownOrg = problem(400, 'unknown-org', {
  meaning: 'Organisation not found.',
  remedy: 'Check the id in `orgId`.',
  details: (field: string = 'orgId') => ({
    errors: [{ field, code: 'not-found', message: 'Organisation not found.' }],
  }),
})
export const lastOwner = problem(409, 'last-owner', {
  meaning: 'A group or an organisation must have an owner.',
  remedy: 'Add another owner first.',
  details: (subject: 'A group' | 'An organisation') => ({
    detail: `${subject} must have an owner. Add another owner first.`,
  }),
})
export const roleNotFound = problem(404, 'role-not-found', {
  meaning: 'Role not found.',
  remedy: 'Check the name. Roles match by exact name.',
})
/** For a role in the body of a request. */
export const namedRoleNotFound = problem(400, 'role-not-found', {
  meaning: 'A role in the request does not exist.',
  remedy: 'Check the names in `errors`. Roles match by exact name.',
  details: withErrors,
})

// Invitations by email and join links, whose URLs have the same path.
export const joinNotFound = problem(404, 'join-not-found', {
  meaning: 'Invitation not found.',
  remedy: 'Check that you copied the whole link.',
  showRemedy: true,
  details: withHeaders,
})
export const joinUsed = problem(409, 'join-used', {
  meaning: 'This invitation has already been used.',
  remedy: 'Ask for a new one.',
  details: withHeaders,
})
export const joinLimitReached = problem(409, 'join-used', {
  meaning: 'This invitation has reached its limit.',
  remedy: 'Ask for a new one.',
  showRemedy: true,
  details: withHeaders,
})
export const joinRevoked = problem(410, 'join-revoked', {
  meaning: 'This invitation has been revoked.',
  remedy: 'Ask for a new one.',
  showRemedy: true,
  details: withHeaders,
})
export const joinExpired = problem(410, 'join-expired', {
  meaning: 'This invitation has expired.',
  remedy: 'Ask for a new one.',
  showRemedy: true,
  details: withHeaders,
})
