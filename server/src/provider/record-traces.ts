import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { deviceCodeGrant } from '../clients/grant-types.ts'
import { normaliseUserCode } from '../device-authorization/user-code.ts'
import type { Services } from '../feature.ts'
import { toStorableText } from '../http/storable-text.ts'
import type { Visit } from '../http/visit.ts'
import { createFailureRecorder } from '../sign-in-traces/record-failure.ts'
import { Trace } from '../sign-in-traces/trace.ts'

/** What the library reports about a request. */
interface Outcome {
  error?: LibraryError
}

type LibraryError = Error & { error?: string; error_description?: string; error_detail?: string }
type TraceServices = Pick<Services, 'sql' | 'http' | 'traces' | 'log'>

/** The responses to a device that waits for its approval. */
const isWaiting = (error: string) => error === 'authorization_pending' || error === 'slow_down'

const kinds = {
  token: 'token',
  device_authorization: 'device-request',
} as const

/**
 * Records the requests of applications as parts of sign-ins. A failed exchange of a code is an event of the audit log
 * too. Call it before other middleware, whose changes of the response it must see.
 */
export function recordTraces(provider: Provider, services: TraceServices): void {
  const { traces, http, log } = services
  const recordFailure = createFailureRecorder(services)
  const outcomes = new WeakMap<object, Outcome>()
  const add = (ctx: object, outcome: Outcome) => void outcomes.set(ctx, { ...outcomes.get(ctx), ...outcome })

  for (const event of ['grant.error', 'device_authorization.error', 'server_error'])
    provider.on(event as 'server_error', (ctx, error) => add(ctx, { error }))

  provider.use(async (context, next) => {
    const ctx = context as KoaContextWithOIDC
    const visit = http.readVisit(ctx.req)
    const startedAt = Date.now()
    await next()
    const kind = kinds[ctx.oidc?.route as keyof typeof kinds]
    if (!kind) return
    const trace = new Trace(kind, visit, startedAt)
    const outcome = outcomes.get(ctx) ?? {}
    if (kind === 'token') traceToken(trace, ctx, outcome)
    else traceDeviceRequest(trace, ctx, outcome)
    const { reason } = trace
    if (reason === null ? kind === 'token' && !isSignIn(ctx) : isWaiting(reason)) return
    traces.record(trace)
    // A client that is refused a token does not wait for the audit log.
    if (reason !== null && isAudited(ctx, reason)) void record(ctx, visit, reason, outcome)
  })

  const record = (ctx: KoaContextWithOIDC, visit: Visit, reason: string, { error }: Outcome) => {
    const client = ctx.oidc.client?.clientId ?? readText(ctx, 'client_id')
    const after = {
      idp: null,
      message: describe(error) ?? reason,
      ...(client && { client: toStorableText(client, 256) }),
    }
    return recordFailure({ target: { kind: 'attempt', id: null }, after, reason, visit }).catch((error) =>
      log.warn({ err: error }, 'failed-sign-in-not-recorded'),
    )
  }
}

/** Reports whether a token request is the end of a sign-in. */
const isSignIn = (ctx: KoaContextWithOIDC) =>
  ['authorization_code', deviceCodeGrant].includes(readText(ctx, 'grant_type') ?? '')

/** A user denies a device on a page that records it. */
const isAudited = (ctx: KoaContextWithOIDC, reason: string): boolean =>
  reason !== 'access_denied' && readText(ctx, 'grant_type') === 'authorization_code'

function readText(ctx: KoaContextWithOIDC, name: string): string | undefined {
  const value = ctx.oidc.params?.[name] ?? ctx.query?.[name]
  return typeof value === 'string' ? value : undefined
}

const describe = (error: LibraryError | undefined): string | undefined =>
  error && [error.error_description, error.error_detail].filter(Boolean).join(': ')

function traceClient(trace: Trace, ctx: KoaContextWithOIDC) {
  const { client } = ctx.oidc
  trace.about({ client: client?.clientId ?? readText(ctx, 'client_id') })
  return client
}

function traceToken(trace: Trace, ctx: KoaContextWithOIDC, { error }: Outcome) {
  const body = ctx.body as Record<string, unknown> | undefined
  const client = traceClient(trace, ctx)
  const { entities } = ctx.oidc
  trace.link('code', readText(ctx, 'code')).link('code', readText(ctx, 'device_code'))
  trace.about({ userId: entities.Account?.accountId })
  trace.pass('request-received', { grant: readText(ctx, 'grant_type') })
  const reason = typeof body?.['error'] === 'string' ? body['error'] : error && (error.error ?? 'server_error')
  if (reason !== undefined && (!client || reason === 'invalid_client'))
    return trace.fail(reason, { message: describe(error) }, 'client-authenticated')
  trace.pass('client-authenticated', { application: client?.clientName })
  if (reason !== undefined) return trace.fail(reason, { message: describe(error) }, 'grant-checked')
  return traceIssuedTokens(trace, body ?? {})
}

/** Adds the last steps of a token request, whose response has this body. */
export function traceIssuedTokens(trace: Trace, body: Record<string, unknown>): Trace {
  const tokens = ['id_token', 'access_token', 'refresh_token'].filter((name) => body[name] !== undefined)
  trace.pass('grant-checked').pass('tokens-issued', { tokens: tokens.join(', '), scope: body['scope'] as string })
  return trace.succeed()
}

function traceDeviceRequest(trace: Trace, ctx: KoaContextWithOIDC, { error }: Outcome) {
  const body = ctx.body as Record<string, unknown> | undefined
  const client = traceClient(trace, ctx)
  trace.pass('request-received', { scope: readText(ctx, 'scope') })
  if (error)
    return trace.fail(
      error.error ?? 'server_error',
      { message: describe(error) },
      client ? 'parameters-checked' : 'client-authenticated',
    )
  trace.pass('client-authenticated', { application: client?.clientName }).pass('device-shown')
  trace.link('code', String(body?.['device_code'] ?? ''))
  return trace.link('device', normaliseUserCode(String(body?.['user_code'] ?? '')))
}
