import { html, type Page, renderHead, renderSupportLine } from '../http/page.ts'
import type { Problem } from '../http/problem.ts'
import { showPasswordPath } from '../local-directory/pages.ts'
import { enrolPath } from './open.ts'

/** The path of the script that reads the secret of a link. */
export const readLinkPath = `${enrolPath}/read-link.js`
/** The path of the form of a browser that has opened a link. */
export const passwordPath = `${enrolPath}/password`
/** The path of the form of an invitation by email, to which its token is added. */
export const invitedPath = `${enrolPath}/join`

export const formatInvitedUrl = (token: string): string => `${invitedPath}/${encodeURIComponent(token)}`

const headers = { 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' }

/** The page of every link. Its script opens the link; it shows nothing about an account. */
export const linkPage: Page = {
  title: 'Set your password',
  body: html`${renderHead('Set your password')}
    <form method="post" action="${enrolPath}"><input type="hidden" name="token"></form>
    <p class="centred" id="opening" role="status">Opening the link…</p>
    <div id="incomplete" hidden>
      <p class="centred" role="alert">The link is incomplete. Open the whole link that you were given.</p>
      <p class="actions"><a class="button secondary" href="${passwordPath}">I have opened it in this browser</a></p>
    </div>
    <noscript><p class="form-error">This page needs JavaScript to read the link.</p></noscript>`,
  script: readLinkPath,
  headers,
}

interface PasswordForm {
  brandName: string
  /** The path of the form. */
  path: string
  signInName: string
  /** What the user joins, and who invites them; undefined for an account alone. */
  invitation?: { title: string; inviter: string; roles: string[] } | undefined
  /** Where users sign in instead, with an account that they have. */
  signInUrl?: string | undefined
  /** The name of the user who is signed in to this browser, and will be signed out. */
  signedInAs?: string | undefined
  error?: string | undefined
}

/** Renders the form for the password of an account. */
export function renderPasswordPage(form: PasswordForm): Page {
  const { brandName, path, signInName, invitation, signInUrl, signedInAs, error } = form
  const title = invitation ? `Join ${invitation.title}` : 'Set your password'
  const lead = invitation ? `${invitation.inviter} invites you.` : `You have an account at ${brandName}.`
  const access = invitation && invitation.roles.length > 0 ? `You get ${formatList(invitation.roles)}.` : undefined
  const state = error
    ? html`aria-invalid="true" aria-describedby="password-error"`
    : html`aria-describedby="password-help"`
  const body = html`${renderHead(title, lead, access)}
    ${signedInAs ? html`<p class="note">You are signed in as ${signedInAs} in this browser, and will be signed out.</p>` : ''}
    <form method="post" action="${path}">
      <label for="name">You sign in as</label>
      <input id="name" name="name" value="${signInName}" autocomplete="username" readonly>
      <label for="password">Password</label>
      <div class="secret">
        <input id="password" name="password" type="password" autocomplete="new-password" required autofocus ${state}>
        <button id="show-password" type="button" class="plain" hidden><span>Show</span><span class="unseen"> password</span></button>
      </div>
      ${
        error
          ? html`<p class="field-error" id="password-error">${error}</p>`
          : html`<p class="help" id="password-help">At least 12 characters.</p>`
      }
      <p class="actions"><button>${invitation ? 'Join' : 'Set password'}</button></p>
    </form>
    ${signInUrl ? html`<p class="quiet centred">Have an account? <a href="${signInUrl}">Sign in to join with it</a></p>` : ''}`
  return { status: error ? 400 : 200, title, body, headers, script: showPasswordPath }
}

const endTitles: Record<string, string> = {
  'enrolment-link-unknown': 'Unknown link',
  'enrolment-link-opened': 'Opened in another browser',
  'enrolment-link-used': 'This link has been used',
  'enrolment-link-expired': 'This link has expired',
  'enrolment-link-revoked': 'This link no longer works',
  'enrolment-link-required': 'Open your link',
}

/** Reports whether an error is the end of a link, which has a page of its own. */
export const isEnd = ({ code }: Problem): boolean => code in endTitles

/** Renders the page of a link that cannot be used. */
export function renderEndPage({ status, code, message }: Problem, supportCode: string): Page {
  const title = endTitles[code] ?? ''
  const body = html`${renderHead(title, message)}
    <p class="actions"><a class="button" href="/login">Sign in</a></p>
    ${renderSupportLine(supportCode)}`
  return { status, title, body, headers }
}

const formatList = (names: string[]) => new Intl.ListFormat('en-GB').format(names)

/** Returns the URL of the page on which a signed-in user accepts an invitation. */
export const formatJoinUrl = (token: string): string => `/app/join/${encodeURIComponent(token)}`

/** Returns the URL by which the holder of an invitation signs in to accept it. */
export const formatSignInUrl = (token: string): string =>
  `/login?${new URLSearchParams({ returnUrl: formatJoinUrl(token) })}`
