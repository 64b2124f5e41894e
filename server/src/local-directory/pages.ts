import type { PageTexts } from '../content/page-texts.ts'
import type { Brand } from '../http/brand.ts'
import { html, type Page, renderHead, renderSupportLine } from '../http/page.ts'
import { renderSignInHead, type SignInPurpose } from '../login/pages.ts'

interface SignInForm {
  brand: Brand
  purpose: SignInPurpose
  /** The path of the form. */
  path: string
  /** Binds the form to its attempt. */
  seal: string
  name: string
  /** The error message of the previous attempt. */
  errorMessage?: string
  /** The support code of the previous attempt. */
  supportCode?: string
  /** The page on which an invited user creates an account. */
  signUpUrl?: string
  /** The names of existing demo users. */
  demoUsers: string[]
  formTargets: string[]
  texts: PageTexts
}

/** The path of the script that shows the password. Without the script, the form works and the button stays hidden. */
export const showPasswordPath = '/idp/show-password.js'

/** Renders the sign-in form of the built-in directory. */
export function renderSignInPage(form: SignInForm): Page {
  const { brand, purpose, path, seal, name, errorMessage, supportCode, signUpUrl, demoUsers, formTargets, texts } = form
  const describedBy = errorMessage ? html`aria-describedby="form-error"` : ''
  const body = html`${renderSignInHead(brand.name, purpose)}
    ${texts.notice}
    ${errorMessage ? html`<p class="form-error" role="alert" id="form-error">${errorMessage}</p>` : ''}
    <form method="post" action="${path}">
      <input type="hidden" name="seal" value="${seal}">
      <label for="name">Username or email</label>
      <input id="name" name="name" value="${name}" autocomplete="username" autocapitalize="none" spellcheck="false" required ${name ? '' : 'autofocus'} ${describedBy}>
      <label for="password">Password</label>
      <div class="secret">
        <input id="password" name="password" type="password" autocomplete="current-password" required ${name ? 'autofocus' : ''} ${describedBy} ${errorMessage ? html`aria-invalid="true"` : ''}>
        <button id="show-password" type="button" class="plain" hidden><span>Show</span><span class="unseen"> password</span></button>
      </div>
      <p class="actions"><button>Sign in</button> <button class="plain" name="cancel" value="yes" formnovalidate>Cancel</button></p>
    </form>
    ${errorMessage ? html`<p class="quiet centred">Forgot your password? Ask an administrator.</p>` : ''}
    ${signUpUrl ? html`<p class="divider">New here?</p><a class="button secondary" href="${signUpUrl}">Create your account</a>` : ''}
    ${supportCode ? renderSupportLine(supportCode) : ''}
    ${demoUsers.length > 0 ? renderDemoUsers(path, demoUsers) : ''}
    ${texts.links}`
  return { status: errorMessage ? 401 : 200, title: 'Sign in', body, brand, formTargets, script: showPasswordPath }
}

/** Renders each demo user as a link that fills in the name. */
const renderDemoUsers = (path: string, names: string[]) =>
  html`<div class="note">
    <p>Demo users: ${names.map((name, index) => html`${index > 0 ? ', ' : ''}<a href="${path}?name=${encodeURIComponent(name)}">${name}</a>`)}</p>
    <p class="quiet">Their password is in the terminal. A new one: <code class="command">npm run password -- ada</code></p>
  </div>`

export function renderExpiredPage(supportCode: string): Page {
  const body = html`${renderHead('This sign-in has expired', 'It was not completed in time, or was started in another browser.')}
    <p class="actions"><a class="button" href="/login">Start again</a></p>
    ${renderSupportLine(supportCode)}`
  return { status: 400, title: 'Sign-in expired', body }
}
