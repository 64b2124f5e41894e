import { linkHeaders } from '@passport/contract/join'
import { phraseOf } from '@passport/contract/phrases'
import { html, type Page, supportLine } from '../http/page.ts'
import type { Problem } from '../http/problem.ts'

interface Shown {
  title: string
  description: string
  inviter: { displayname: string }
  appUrl: string
}

/** What somebody sees who opens a link: where it leads, and the way on. */
export function invitationPage({ title, description, inviter, appUrl }: Shown): Page {
  const body = html`<h1>You are invited to ${title}</h1>
    <p>${inviter.displayname} invites you.</p>
    ${description ? html`<p>${description}</p>` : ''}
    <p><a class="button" href="${appUrl}">Continue</a></p>`
  return { title: `You are invited to ${title}`, body, headers: linkHeaders }
}

const titles: Record<string, string> = {
  'join-not-found': 'No such invitation',
  'join-used': 'This invitation has been used up',
  'join-revoked': 'This invitation was withdrawn',
  'join-expired': 'This invitation has expired',
}

/** The same with nothing behind it any more. */
export function endedPage({ status, code, message, headers }: Problem, supportCode: string): Page {
  const title = titles[code] ?? phraseOf(status)
  const body = html`<h1>${title}</h1>
    <p>${message}</p>
    ${supportLine(supportCode)}
    <p><a class="button" href="/app/">Go to the start</a></p>`
  return { status, title, body, headers: { ...headers, ...linkHeaders } }
}
