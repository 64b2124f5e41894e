import { type Html, html, type Page, renderHead, renderSupportLine } from '../http/page.ts'
import { showPasswordPath } from './pages.ts'
import { codeMinutes } from './sign-up-code.ts'
import type { SignUpErrors, SignUpField } from './sign-up-form.ts'

/** Where a sign-up leads: the return URL in the app, and the pending authorization request. */
export interface Destination {
  returnTo: string
  interaction: string | null
}

/** Returns the URL of a page of the sign-up, or of sign-in, with the destination. */
export function formatUrl(path: string, { returnTo, interaction }: Destination, more: Record<string, string> = {}) {
  return `${path}?${new URLSearchParams({ ...more, returnUrl: returnTo, ...(interaction && { interaction }) })}`
}

const title = 'Create your account'

interface SignUpForm {
  purpose: string
  destination: Destination
  email: string
  name: string
  errors: SignUpErrors
  status?: number
}

/** Renders the form for the email, the name and the password of a new user. */
export function renderSignUpPage({ purpose, destination, email, name, errors, status }: SignUpForm): Page {
  const { returnTo, interaction } = destination
  // The focus is on the first field with an error, or else on the first one without a value.
  const fields: SignUpField[] = ['email', 'name', 'password']
  const values: Record<string, string> = { email, name }
  const focused = fields.find((field) => errors[field]) ?? fields.find((field) => !values[field])
  const state = (field: SignUpField) =>
    html`${errors[field] ? html`aria-invalid="true" aria-describedby="${field}-error"` : ''} ${focused === field ? 'autofocus' : ''}`
  const body = html`${renderHead(title, `to ${purpose}`)}
    <form method="post" action="/idp/signup">
      <input type="hidden" name="returnUrl" value="${returnTo}">
      ${interaction ? html`<input type="hidden" name="interaction" value="${interaction}">` : ''}
      <label for="email">Email</label>
      <input id="email" name="email" value="${email}" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required ${state('email')}>
      ${renderError('email', errors)}
      <label for="name">Name</label>
      <input id="name" name="name" value="${name}" autocomplete="name" spellcheck="false" required ${state('name')}>
      ${renderError('name', errors)}
      <label for="password">Password</label>
      <div class="secret">
        <input id="password" name="password" type="password" autocomplete="new-password" required ${state('password')} ${errors.password ? '' : html`aria-describedby="password-help"`}>
        <button id="show-password" type="button" class="plain" hidden><span>Show</span><span class="unseen"> password</span></button>
      </div>
      ${renderError('password', errors) || html`<p class="help" id="password-help">At least 12 characters.</p>`}
      <p class="actions"><button>Continue</button> <a class="button plain" href="${toSignIn(destination)}">I have an account</a></p>
    </form>`
  return { status: status ?? (focused && errors[focused] ? 400 : 200), title, body, script: showPasswordPath }
}

const toSignIn = (destination: Destination) => formatUrl('/login', destination, { idp: 'local' })

const renderError = (field: SignUpField, errors: SignUpErrors): Html | '' =>
  errors[field] ? html`<p class="field-error" id="${field}-error">${errors[field]}</p>` : ''

interface CodeForm {
  email: string
  destination: Destination
  errorMessage?: string
  /** Another code of this mail may be tried. */
  canTry: boolean
  isResent: boolean
  formTargets: string[]
  status?: number
}

/** Renders the form for the code from the mail, with a button for a new code. */
export function renderCodePage(form: CodeForm): Page {
  const { email, destination, errorMessage, canTry, isResent, formTargets, status } = form
  const state = errorMessage ? html`aria-invalid="true" aria-describedby="form-error"` : ''
  const body = html`${renderHead('Check your email', html`We sent an email to <strong>${email}</strong>. Its code is valid for ${codeMinutes} minutes.`)}
    ${errorMessage ? html`<p class="form-error" role="alert" id="form-error">${errorMessage}</p>` : ''}
    ${isResent && !errorMessage ? html`<p class="note" role="status">A new code was sent. Earlier codes are no longer valid.</p>` : ''}
    <form method="post" action="/idp/signup/code">
      ${
        canTry
          ? html`<label for="code">Code</label>
      <input id="code" name="code" class="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required autofocus ${state}>`
          : ''
      }
      <p class="actions">
        ${canTry ? html`<button>Create account</button>` : ''}
        <button ${canTry ? html`class="plain"` : ''} name="resend" value="yes" formnovalidate>Send a new code</button>
      </p>
    </form>
    <p class="quiet centred">Wrong address? <a href="${formatUrl('/idp/signup', destination)}">Change it</a></p>`
  return { status: status ?? (errorMessage ? 400 : 200), title: 'Check your email', body, formTargets }
}

/** Renders the page for a browser without an invitation or a purchase. */
export function renderNotInvitedPage(
  supportContact: Html | string,
  supportCode: string,
  hasMarketplace: boolean,
): Page {
  const advice = html`Ask ${supportContact} to invite you.`
  const again = hasMarketplace
    ? 'Open the link of your invitation again, or choose to set up your account at AWS Marketplace again.'
    : 'Open the link of your invitation again. It may have expired or been used.'
  const body = html`${renderHead('Accounts are created by invitation', again, advice)}
    ${renderSupportLine(supportCode)}
    <p class="actions"><a class="button" href="/login">Sign in</a></p>`
  return { status: 403, title: 'Invitation required', body }
}

/** Renders the page of an installation that cannot send the code. */
export function renderNoMailPage(supportContact: Html | string, destination: Destination): Page {
  const body = html`${renderHead(title, 'This installation cannot send email, so it cannot verify your address.', html`Ask ${supportContact} to create an account for you.`)}
    <p class="actions"><a class="button" href="${toSignIn(destination)}">I have an account</a></p>`
  return { status: 503, title, body }
}

/** Renders the page for a user who created the account in another browser at the same time. */
export function renderTakenPage(destination: Destination): Page {
  const body = html`${renderHead('You have an account already', 'Sign in with it to continue.')}
    <p class="actions"><a class="button" href="${toSignIn(destination)}">Sign in</a></p>`
  return { status: 409, title: 'Account exists', body }
}

/** Renders the page for a browser without a sign-up in progress. */
export function renderSignUpExpiredPage(supportCode: string): Page {
  const body = html`${renderHead('This sign-up has expired', 'It was not completed within an hour, or was started in another browser.', 'Open the page from which you started again.')}
    ${renderSupportLine(supportCode)}
    <p class="actions"><a class="button" href="/login">Sign in</a></p>`
  return { status: 400, title: 'Sign-up expired', body }
}
