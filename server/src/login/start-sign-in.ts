import { discover } from '@passport/contract/discovery'
import { domainOfEmail } from '@passport/contract/domain-name'
import { findDefaultProvider } from '../discovery/decide-sign-in.ts'
import { findUpstream, findUpstreamOfTenant } from '../entra/find-upstream.ts'
import type { Services } from '../feature.ts'
import type { PageRequest, PageResult } from '../http/page.ts'
import { cutText } from '../http/storable-text.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import { findPendingClient, type PendingClient } from '../provider/pending-request.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { type Attempt, storeAttempt } from './attempt.ts'
import { type CountQuestion, followEmail, showChoice } from './choice.ts'
import { findLoginHint } from './login-hint.ts'
import { createFailureResponder, type RespondWithFailure } from './respond-with-failure.ts'
import { parseReturnUrl } from './return-url.ts'
import { beginFlow, findWantedPrompt, type SignInRequest } from './upstream-flow.ts'

/** Starts a sign-in: the form, the choice of identity providers, or the redirect to one. */
export type StartSignIn = (
  /** With the parameters of `/login`. */
  request: PageRequest,
  /** The pending authorization request, if it was read already. */
  pending?: PendingClient,
) => Promise<PageResult>

/** A sign-in that begins at the built-in directory. */
export interface DirectoryStart {
  attempt: Attempt
  upstream: Upstream
  trace: Trace
}

/** Starts a sign-in at the built-in directory, which stores the attempt or completes it. */
export type StartAtDirectory = (services: Services, request: PageRequest, start: DirectoryStart) => Promise<PageResult>

/** Creates the function that starts sign-ins. */
export function createSignInStart(services: Services, startAtDirectory: StartAtDirectory): StartSignIn {
  const fail = createFailureResponder(services)
  const { rateLimit } = discover
  const countQuestion = services.http.limitAddress({ ...rateLimit, name: rateLimit.sharedAs })
  return (request, pending) => startSignIn(services, request, { countQuestion, fail, pending, startAtDirectory })
}

interface StartContext {
  countQuestion: CountQuestion
  fail: RespondWithFailure
  pending: PendingClient | undefined
  startAtDirectory: StartAtDirectory
}

async function startSignIn(
  services: Services,
  request: PageRequest,
  { countQuestion, fail, pending, startAtDirectory }: StartContext,
): Promise<PageResult> {
  const { config, http, sql, traces, upstreams, vault } = services
  const { searchParams: query } = request.url
  const email = query.has('idp') || query.has('tenant') ? null : getSingleValue(query, 'email')
  if (email !== null) return followEmail(services, request, email, countQuestion)
  const upstream = await findRequestedUpstream(services, query)
  if (!upstream) return showChoice(services, request, {}, pending)
  const interaction = query.get('interaction') ?? undefined
  const client = pending ?? (interaction ? await findPendingClient(services, interaction) : {})
  const promptParameter = query.get('prompt')
  const isFresh = promptParameter === 'login'
  const hint = cutText(getSingleValue(query, 'login_hint') ?? '', 256) || undefined
  const domain = hint === undefined ? undefined : domainOfEmail(hint)
  const signInRequest = {
    returnTo: parseReturnUrl(getSingleValue(query, 'returnUrl')),
    isFresh,
    ...(interaction && { interaction }),
    ...(domain && { domain }),
    ...client,
  }
  const trace = beginTrace(request, signInRequest, promptParameter)
  trace.pass('provider-chosen', { provider: upstream.name, by: describeChoice(query) }).about({ provider: upstream.id })
  try {
    const prompt = findWantedPrompt(promptParameter, request.caller !== undefined && !interaction)
    if (upstream.kind === 'oidc') trace.begin('provider-contacted')
    const ownHint = isFresh ? await findLoginHint(sql, upstream, request.caller) : undefined
    const { attempt, authorizationUrl } = await beginFlow(
      upstreams,
      config.publicUrl,
      { upstream, ...signInRequest },
      { prompt, loginHint: hint ?? ownHint },
    )
    trace.link('state', attempt.state)
    if (upstream.kind === 'local') return await startAtDirectory(services, request, { attempt, upstream, trace })
    storeAttempt(request.cookies, http, vault, attempt)
    trace.pass('redirected', { to: new URL(authorizationUrl).host })
    return { redirect: authorizationUrl }
  } catch (error) {
    return await fail(request, error, { upstream, signInRequest, trace })
  } finally {
    traces.record(trace)
  }
}

/** Begins the trace of a sign-in, with its purpose. */
function beginTrace({ visit }: PageRequest, request: Omit<SignInRequest, 'idp'>, prompt: string | null): Trace {
  const { returnTo, interaction, clientId, clientName, clientOrigin, domain } = request
  const trace = new Trace('start', visit).link('interaction', interaction).about({ client: clientId, domain })
  // A query may have anything.
  trace.pass('request-received', { prompt, to: interaction ? undefined : returnTo.split(/[?#]/)[0] })
  if (clientName) trace.pass('application-found', { application: clientName, origin: clientOrigin })
  if (domain) trace.pass('home-realm', { domain })
  return trace
}

/** Describes what chose the identity provider. */
function describeChoice(query: URLSearchParams): string {
  if (query.has('tenant')) return 'tenant of the organisation'
  return query.has('idp') ? 'user or application' : 'only identity provider'
}

/**
 * Finds the identity provider of a request; undefined if the user must choose one. A tenant counts only while its
 * organisation lets it sign in.
 */
async function findRequestedUpstream(services: Services, query: URLSearchParams): Promise<Upstream | undefined> {
  const upstream = await findNamedUpstream(services, query.get('tenant'), query.get('idp'))
  return upstream?.tenant?.isEnabled === false ? undefined : upstream
}

async function findNamedUpstream(services: Services, tenantId: string | null, idp: string | null) {
  if (tenantId !== null) return findUpstreamOfTenant(services, tenantId)
  return findUpstream(services, idp ?? (await findDefaultProvider(services))?.id ?? '')
}

/** Returns the value of a parameter; null if the parameter is missing or repeated. */
export function getSingleValue(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name)
  return values.length === 1 ? (values[0] ?? null) : null
}
