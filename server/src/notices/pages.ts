import { linkHeaders } from '@passport/contract/join'
import type { NoticeKind } from '@passport/contract/mail-kinds'
import type { EndedCredentials } from '../accounts/end-sessions.ts'
import { type Html, html, type Page, renderHead } from '../http/page.ts'
import { formatInstant } from '../mail/kind.ts'
import { type Link, type LinkUse, linkDays } from './end-event.ts'
import type { SentNotice } from './store.ts'

interface PageContext {
  /** The path of the page. */
  path: string
  supportContact: Html | string
}

/** Renders the page of a link: the change and what the link ends, or why it ends nothing. */
export function renderLinkPage(link: Link | LinkUse, context: PageContext): Page {
  switch (link.state) {
    case 'open':
      return renderQuestion(link.notice, context)
    case 'ended':
      return renderResult(link.notice, link.ended, context)
    case 'used':
      return renderFailure(410, 'This link was used before', 'It works once. The sessions and tokens have ended.')
    case 'expired':
      return renderFailure(
        410,
        'This link has expired',
        `It works for ${linkDays} days. You can still end your sessions yourself.`,
      )
    case 'unknown':
      return renderFailure(
        404,
        'This link is not valid',
        'Copy the whole link from the email. After a month, it is forgotten.',
      )
  }
}

function renderQuestion(notice: SentNotice, { path }: PageContext): Page {
  const { effect, button } = toEffect(notice)
  const facts = [...notice.facts.filter(([label]) => label !== 'Time'), ['Email sent', formatInstant(notice.sentAt)]]
  const body = html`${renderHead("Wasn't you?", notice.summary)}
    <dl>${facts.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>
    <div class="note"><p>${effect}</p></div>
    <form method="post" action="${path}">
      <p class="actions"><button>${button}</button> <a class="button plain" href="/app/account/logins">It was me</a></p>
    </form>`
  return { title: "Wasn't you?", body, headers: linkHeaders }
}

function toEffect({ browserId, personalTokenId }: SentNotice) {
  if (personalTokenId !== null)
    return {
      effect: 'Revoking the token takes effect immediately, in every program that has it.',
      button: 'Revoke the token',
    }
  if (browserId !== null)
    return {
      effect:
        'This signs the device out, and revokes the access of applications and personal tokens that was given there.',
      button: 'Sign the device out',
    }
  return {
    effect: 'This signs you out in every browser and application, and revokes all your personal tokens.',
    button: 'Sign out everywhere',
  }
}

function renderResult({ kind }: SentNotice, ended: EndedCredentials, { supportContact }: PageContext): Page {
  const body = html`${renderHead('Done', describeEnded(ended))}
    <div class="note"><p>${advice[kind] ?? html`Sign in and check your activity.`}</p>
      <p>If someone else may know your password, change it where you sign in, or contact ${supportContact}.</p></div>
    ${renderSignIn()}`
  return { title: 'Done', body, headers: linkHeaders }
}

/** The next step of the user, for changes that outlast their sessions. */
const advice: Partial<Record<NoticeKind, Html>> = {
  'login-linked': html`Sign in and remove the sign-in method that is not yours.`,
  'login-unlinked': html`Sign in and link the sign-in method again.`,
  'username-changed': html`Sign in and change your username back.`,
  'email-changed': html`Only an administrator can change your email back.`,
}

function describeEnded({ sessions, refreshTokens, personalTokens }: EndedCredentials): string {
  const counts: [number, string][] = [
    [sessions, 'session'],
    [refreshTokens, 'refresh token'],
    [personalTokens.length, 'personal token'],
  ]
  const parts = counts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => `${count} ${noun}${count === 1 ? '' : 's'}`)
  return parts.length > 0 ? `Ended: ${parts.join(', ')}.` : 'Everything had ended before.'
}

function renderFailure(status: number, title: string, description: string): Page {
  const body = html`${renderHead(title, description)} ${renderSignIn()}`
  return { status, title, body, headers: linkHeaders }
}

/** A link, as the page signs nobody in. */
const renderSignIn = () =>
  html`<p class="actions"><a class="button" href="/login?prompt=login&amp;returnUrl=%2Fapp%2Faccount%2Flogins">Sign in</a></p>`
