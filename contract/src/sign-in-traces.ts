import * as z from 'zod/mini'
import { UserAgent } from './accounts.ts'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { CursorQuery, cursorPage } from './page.ts'

/** The parts of a sign-in. Each is one request, by the browser, the application or the device. */
export const tracePartKinds = [
  'start',
  'email',
  'directory',
  'sign-up',
  'callback',
  'authorization',
  'interaction',
  'consent',
  'token',
  'device-request',
  'device-approval',
  'tenant-consent',
] as const
export type TracePartKind = (typeof tracePartKinds)[number]

/** The steps of all parts, in the order in which they usually occur. */
export const traceSteps = [
  'request-received',
  'application-found',
  'parameters-checked',
  'home-realm',
  'provider-chosen',
  'choice-shown',
  'provider-contacted',
  'redirected',
  'form-shown',
  'password-checked',
  'sign-up-shown',
  'response-received',
  'attempt-matched',
  'response-unused',
  'in-time',
  'tenant-enabled',
  'code-redeemed',
  'claim-checked',
  'user-info-read',
  'tenant-checked',
  'account-found',
  'account-admitted',
  'mappings-applied',
  'session-started',
  'login-linked',
  'test-passed',
  'user-needed',
  'session-found',
  'consent-asked',
  'consent-decided',
  'code-issued',
  'error-returned',
  'client-authenticated',
  'grant-checked',
  'tokens-issued',
  'device-shown',
  'device-decided',
  'consent-proved',
] as const
export type TraceStepName = (typeof traceSteps)[number]

/** A step of a sign-in. Its details have no tokens, codes, passwords or local parts of email addresses. */
export const TraceStep = z
  .object({
    name: z.enum(traceSteps),
    at: Instant,
    isFailed: z.boolean(),
    detail: z.record(z.string(), z.string()),
  })
  .check(z.meta({ id: 'SignInTraceStep' }))
export type TraceStep = z.infer<typeof TraceStep>

const Result = z.enum(['succeeded', 'failed', 'pending'])

/** A request of a sign-in, with its steps. */
export const TracePart = z
  .object({
    id: z.string(),
    kind: z.enum(tracePartKinds),
    at: Instant,
    supportCode: z.string(),
    traceId: z.string(),
    /** `pending` if the sign-in continues with another request. */
    result: Result,
    /** The code of the failure. */
    reason: z.nullable(z.string()),
    steps: z.array(TraceStep),
  })
  .check(z.meta({ id: 'SignInTracePart' }))
export type TracePart = z.infer<typeof TracePart>

const Name = z.nullable(z.string())

const Summary = z.object({
  supportCode: z.string(),
  at: Instant,
  result: Result,
  reason: Name,
  /** The id of the identity provider. */
  provider: Name,
  client: z.nullable(z.object({ id: z.string(), name: z.string() })),
  user: z.nullable(z.object({ id: z.string(), name: z.string() })),
  /** The domain of the email address that the user entered. */
  domain: Name,
})

/** A request of a sign-in, in a list. */
export const SignInTraceSummary = z
  .extend(Summary, { id: z.string(), kind: z.enum(tracePartKinds) })
  .check(z.meta({ id: 'SignInTraceSummary' }))
export type SignInTraceSummary = z.infer<typeof SignInTraceSummary>

/** A whole sign-in, of which a support code names one request. */
export const SignInTrace = z
  .extend(Summary, {
    ip: Name,
    userAgent: z.nullable(UserAgent),
    /** Why it failed, and what to do. */
    explanation: z.nullable(z.object({ title: z.string(), cause: z.string(), fix: z.string() })),
    /** All requests of the sign-in, oldest first. */
    parts: z.array(TracePart),
  })
  .check(z.meta({ id: 'SignInTrace' }))
export type SignInTrace = z.infer<typeof SignInTrace>

/** The days for which traces are kept. */
export const traceDays = 30

/** Lists the failed requests of sign-ins. */
export const listSignInTraces = endpoint('GET', '/passport/admin/signintraces', {
  summary: 'List failed sign-in requests, newest first',
  description: `Includes those that the audit log omits, such as silent ones without a session. They are kept for ${traceDays} days.`,
  access: 'admin',
  query: z.extend(CursorQuery, {
    /** Codes of failures, separated by spaces. */
    reasons: z.optional(z.string().check(z.regex(/^[a-z_-]{1,60}(?: [a-z_-]{1,60}){0,19}$/))),
    client: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
  }),
  returns: json(cursorPage(SignInTraceSummary)),
})

/** Gets a sign-in by the support code of any of its requests, with every step. */
export const getSignInTrace = endpoint('GET', '/passport/admin/signintraces/{supportCode}', {
  summary: 'Get a sign-in step by step',
  description: 'Takes a support code such as 4BF9-2F35, or a whole trace id.',
  access: 'admin',
  params: z.object({ supportCode: z.string() }),
  returns: json(SignInTrace),
  fails: [404],
})
