import { html, type Page, supportLine } from '../http/page.ts'

interface Form {
  uid: string
  /** What binds the form to the request it was shown for. */
  seal: string
  name: string
  /** Why it is shown again. */
  complaint?: string
  /** The demonstration people, where they are here. */
  cast: string[]
  formTargets: string[]
}

/** The sign-in form of the built-in directory. */
export function signInPage({ uid, seal, name, complaint, cast, formTargets }: Form): Page {
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
      cast.length > 0
        ? html`<p class="quiet">Try ${cast.join(', ')}: the terminal showed their password at the first start.
      <code>npm run password -- ada</code> sets a new one.</p>`
        : ''
    }`
  return { status: complaint ? 401 : 200, title: 'Sign in', body, formTargets }
}

export function expiredPage(supportCode: string): Page {
  const body = html`<h1>This sign-in has expired</h1>
    <p>It was not finished in time, or not in the browser where it began.</p>
    ${supportLine(supportCode)}
    <p><a class="button" href="/login">Start again</a></p>`
  return { status: 400, title: 'Sign-in expired', body }
}
