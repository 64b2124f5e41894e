import { html, type Page, supportLine } from '../http/page.ts'

interface SignInForm {
  uid: string
  /** Binds the form to its authorization request. */
  seal: string
  name: string
  /** The error message of the previous attempt. */
  complaint?: string
  /** The names of existing demo users. */
  demoUsers: string[]
  formTargets: string[]
}

/** The sign-in form of the built-in directory. */
export function renderSignInPage({ uid, seal, name, complaint, demoUsers, formTargets }: SignInForm): Page {
  const body = html`<h1>Sign in</h1>
    ${complaint ? html`<p class="complaint" role="alert" id="complaint">${complaint}</p>` : ''}
    <form method="post" action="/idp/login/${uid}">
      <input type="hidden" name="seal" value="${seal}">
      <label for="name">Name</label>
      <input id="name" name="name" value="${name}" autocomplete="username" autocapitalize="none" spellcheck="false" required ${name ? '' : 'autofocus'} ${complaint ? 'aria-describedby=complaint' : ''}>
      <label for="password">Password</label>
      <input id="password" name="password" type="password" autocomplete="current-password" required ${name ? 'autofocus' : ''} ${complaint ? 'aria-describedby=complaint' : ''}>
      <p class="actions"><button>Sign in</button> <button class="plain" name="cancel" value="yes" formnovalidate>Cancel</button></p>
    </form>
    ${
      demoUsers.length > 0
        ? html`<p class="quiet">Demo users: ${demoUsers.join(', ')}. The terminal showed their password at the first start.
      <code>npm run password -- ada</code> sets a new one.</p>`
        : ''
    }`
  return { status: complaint ? 401 : 200, title: 'Sign in', body, formTargets }
}

export function renderExpiredPage(supportCode: string): Page {
  const body = html`<h1>This sign-in has expired</h1>
    <p>It was not completed in time, or was started in another browser.</p>
    ${supportLine(supportCode)}
    <p><a class="button" href="/login">Start again</a></p>`
  return { status: 400, title: 'Sign-in expired', body }
}
