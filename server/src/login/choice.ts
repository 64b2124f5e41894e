import { domainOfEmail } from '@passport/contract/domain-name'
import { parseHomeRealm } from '@passport/contract/home-realm'
import { readPageTexts } from '../content/page-texts.ts'
import { type Decision, decideSignIn } from '../discovery/decide-sign-in.ts'
import type { Services } from '../feature.ts'
import type { Page, PageRequest, PageResult } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { cutText } from '../http/storable-text.ts'
import type { Visit } from '../http/visit.ts'
import { findPendingClient, type PendingClient } from '../provider/pending-request.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { renderChoicePage } from './pages.ts'

/** Counts a question about an email address; throws 429 above the limit. */
export type CountQuestion = (visit: Visit) => Promise<unknown>

/** What the page says about an email address that led nowhere. */
interface Detour {
  email?: string
  /** Why the user has to choose. */
  notice?: string
  /** The address itself is wrong. */
  isInvalid?: boolean
}

const tenantDisabled = 'Sign-in through this organisation is not enabled.'
const chooseAnother = 'Choose another way to sign in.'

/** Shows the choice of identity providers, with a field for an email address that chooses the user's organisation. */
export async function showChoice(
  services: Services,
  request: PageRequest,
  { email, ...detour }: Detour = {},
  pending?: PendingClient,
): Promise<Page> {
  const { config, sql, branding, upstreams } = services
  const query = request.url.searchParams
  const notice = query.has('tenant') ? `${tenantDisabled} ${chooseAnother}` : undefined
  const interaction = query.get('interaction')
  const { clientName } = pending ?? (interaction ? await findPendingClient(services, interaction) : {})
  const hint = email ?? findEmailHint(query)
  return renderChoicePage({
    ...(notice && { notice }),
    ...detour,
    brand: await branding.findForEmail(sql, hint),
    upstreams: upstreams.all,
    texts: await readPageTexts(services, 'login.notice', request),
    urlOf: (id) => `/login?${replaceChoice(query, { idp: id, ...hintOf(email) })}`,
    // Without a cloud, no address would lead anywhere.
    ...((config.entraClouds.length > 0 || email !== undefined) && {
      emailForm: { email: hint, parameters: [...replaceChoice(query, {})] },
    }),
    purpose: { ...(clientName && { clientName }), isFresh: query.get('prompt') === 'login' },
  })
}

/**
 * Continues a sign-in with an email address: to the tenant of its organisation, to an identity provider, or back to the
 * choice with the address kept. An office may share one network address, so the limit leads to the choice too.
 */
export async function followEmail(
  services: Services,
  request: PageRequest,
  input: string,
  countQuestion: CountQuestion,
): Promise<PageResult> {
  const email = cutText(input.trim(), 320)
  const query = request.url.searchParams
  try {
    await countQuestion(request.visit)
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 429) throw error
    return showChoice(services, request, {
      email,
      notice: 'Too many attempts from your network. Choose how to sign in.',
    })
  }
  const decision = await decideSignIn(services, input)
  const { tenantId, provider, outcome } = decision
  recordDecision(services, request, email, decision)
  if (tenantId) return { redirect: `/login?${replaceChoice(query, { tenant: tenantId, ...hintOf(email) })}` }
  if (provider) return { redirect: `/login?${replaceChoice(query, { idp: provider, ...hintOf(email) })}` }
  return showChoice(services, request, { email, notice: explain(decision, email), isInvalid: outcome === 'refused' })
}

/** Records the rules that decided, if the sign-in has a request by which its trace is found. */
function recordDecision({ traces }: Services, { url, visit }: PageRequest, email: string, decision: Decision) {
  const interaction = url.searchParams.get('interaction')
  if (!interaction) return
  const { domain } = parseHomeRealm(email) ?? {}
  const trace = new Trace('email', visit).link('interaction', interaction).about({ domain })
  for (const { rule, result } of decision.steps) trace.pass('home-realm', { rule, result })
  traces.record(trace)
}

function explain({ outcome, reason }: Decision, email: string): string {
  if (outcome === 'refused') return 'Enter an email address, such as ada@example.com.'
  const { domain } = parseHomeRealm(email) ?? {}
  const isDisabled = reason === 'sign-in-disabled' || reason === 'cloud-not-configured'
  // The id of a tenant is no secret, and discloses nothing about its organisation.
  const fact = domain === undefined || isDisabled ? tenantDisabled : `No organisation signs in with ${domain} here.`
  return `${fact} ${chooseAnother}`
}

/** Returns the parameters of a sign-in with another choice; the rest, such as `returnUrl`, stays. */
function replaceChoice(query: URLSearchParams, choice: Record<string, string>): URLSearchParams {
  const changed = new URLSearchParams(query)
  for (const name of ['email', 'idp', 'tenant']) changed.delete(name)
  for (const [name, value] of Object.entries(choice)) changed.set(name, value)
  return changed
}

/** Returns the email address that an application suggests; empty without one. */
function findEmailHint(query: URLSearchParams): string {
  const hint = query.get('login_hint') ?? ''
  return domainOfEmail(hint) === undefined ? '' : cutText(hint, 320)
}

/** A domain or a tenant id is no name of a user. */
const hintOf = (email: string | undefined): Record<string, string> =>
  email?.includes('@') ? { login_hint: email } : {}
