import { linkHeaders } from '@passport/contract/join'
import { phraseOf } from '@passport/contract/phrases'
import { html, type Page, renderSupportLine } from '../http/page.ts'
import type { Problem } from '../http/problem.ts'

interface OpenInvitation {
  title: string
  description: string
  inviter: { displayname: string }
  appUrl: string
}

/** The page of an open link: its target, and the button to join. */
export function renderInvitationPage({ title, description, inviter, appUrl }: OpenInvitation): Page {
  const body = html`<h1>You are invited to ${title}</h1>
    <p>${inviter.displayname} invites you.</p>
    ${description ? html`<p>${description}</p>` : ''}
    <p class="actions"><a class="button" href="${appUrl}">Continue</a></p>`
  return { title: `You are invited to ${title}`, body, headers: linkHeaders }
}

const titles: Record<string, string> = {
  'join-not-found': 'Invitation not found',
  'join-used': 'This invitation has reached its limit',
  'join-revoked': 'This invitation has been revoked',
  'join-expired': 'This invitation has expired',
}

/** The page of a closed link. */
export function renderEndedPage({ status, code, message, headers }: Problem, supportCode: string): Page {
  const title = titles[code] ?? phraseOf(status)
  const body = html`<h1>${title}</h1>
    <p>${message}</p>
    ${renderSupportLine(supportCode)}
    <p class="actions"><a class="button" href="/app/">Go to home</a></p>`
  return { status, title, body, headers: { ...headers, ...linkHeaders } }
}
