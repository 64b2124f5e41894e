import * as sessions from '../accounts/session-store.ts'
import { findUpstream } from '../entra/find-upstream.ts'
import type { Services } from '../feature.ts'
import type { ServePage } from '../http/pages.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { renderSubmittedForm } from '../provider/form-post.ts'
import { prepareEndSession } from './upstream-flow.ts'

/** What the browser needs to end the session at the identity provider. */
interface ProviderSignOut {
  /** Null if the provider has no session that could be ended. */
  endSessionUrl: string | null
  /** To be sent as a form to `endSessionUrl`, which is then a page of this server. */
  endSessionTicket?: string
}

/** The state between the end of a session and the form that ends it at the provider. */
interface Ticket {
  idp: string
  idToken: string
  /** Milliseconds since 1970. */
  issuedAt: number
}

const path = '/login/signout'
const purpose = 'provider-sign-out'
const lifetimeMs = 10 * 60 * 1000
/** ID tokens with many groups are long. */
const maxFormBytes = 128 * 1024

/** Returns what ends the session at the identity provider of a removed session. */
export async function prepareProviderSignOut(
  services: Services,
  { idp, upstreamIdToken }: sessions.RemovedSession,
): Promise<ProviderSignOut> {
  const { vault, config } = services
  const idToken = upstreamIdToken && vault.open(sessions.idTokenPurpose, upstreamIdToken)
  const request = idToken ? await findRequest(services, idp, idToken) : undefined
  if (!idToken || !request) return { endSessionUrl: null }
  if (!request.form) return { endSessionUrl: request.url }
  // The policy of the app allows no forms to other origins.
  const ticket: Ticket = { idp, idToken, issuedAt: Date.now() }
  return { endSessionUrl: `${config.publicUrl}${path}`, endSessionTicket: vault.seal(purpose, JSON.stringify(ticket)) }
}

/** Serves the page that sends the browser to the provider with a form. */
export function serveProviderSignOut(page: ServePage, services: Services): void {
  page(
    'POST',
    path,
    async ({ form }) => {
      const opened = services.vault.open(purpose, form.get('ticket') ?? '')
      const ticket = opened ? (JSON.parse(opened) as Ticket) : undefined
      const isValid = ticket !== undefined && Date.now() - ticket.issuedAt < lifetimeMs
      const request = isValid ? await findRequest(services, ticket.idp, ticket.idToken) : undefined
      if (!request?.form) return { redirect: request?.url ?? '/app/' }
      const shown = renderSubmittedForm(request.url, request.form, 'Sign out of your identity provider')
      // Browsers apply the policy to the redirects of the provider as well.
      return { ...shown, formTargets: 'any' }
    },
    { rateLimit: anonymousLimit('callback'), waitsForOthers: true, maxFormBytes },
  )
}

async function findRequest(services: Services, idp: string, idToken: string) {
  const upstream = await findUpstream(services, idp)
  return upstream && prepareEndSession(services.upstreams, upstream, idToken, services.config.publicUrl)
}
