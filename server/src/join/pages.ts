import { linkHeaders } from '@passport/contract/join'
import { phraseOf } from '@passport/contract/phrases'
import type { PageTexts } from '../content/page-texts.ts'
import { html, type Page, renderHead, renderSupportLine } from '../http/page.ts'
import type { Problem } from '../http/problem.ts'

interface OpenInvitation {
  title: string
  description: string
  inviter: { displayname: string }
  appUrl: string
  texts: PageTexts
}

/** Renders the page of an open link, with its target and a button to join. */
export function renderInvitationPage({ title, description, inviter, appUrl, texts }: OpenInvitation): Page {
  const body = html`${renderHead(`You are invited to ${title}`, `${inviter.displayname} invites you.`, description)}
    ${texts.notice}
    <p class="actions"><a class="button" href="${appUrl}">Continue</a></p>
    ${texts.links}`
  return { title: `You are invited to ${title}`, body, headers: linkHeaders }
}

const titles: Record<string, string> = {
  'join-not-found': 'Invitation not found',
  'join-used': 'This invitation has reached its limit',
  'join-revoked': 'This invitation has been revoked',
  'join-expired': 'This invitation has expired',
}

/** Renders the page of a link that cannot be used. */
export function renderErrorPage({ status, code, message, headers }: Problem, supportCode: string): Page {
  const title = titles[code] ?? phraseOf(status)
  const body = html`${renderHead(title, message)}
    ${renderSupportLine(supportCode)}
    <p class="actions"><a class="button" href="/app/">Go to the home page</a></p>`
  return { status, title, body, headers: { ...headers, ...linkHeaders } }
}
