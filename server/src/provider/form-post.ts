import type { Mount } from '../http/mount.ts'
import { html, type Page, renderHead } from '../http/page.ts'
import { servePageScript } from '../http/page-script.ts'

const scriptPath = '/connect/formpost.js'

/** Serves the script that submits the form of `renderFormPostPage`. */
export const serveFormPostScript = (mount: Mount): void =>
  servePageScript(mount, scriptPath, new URL('./form-post-submit.js', import.meta.url))

/** Renders a response to a client as a form (OAuth 2.0 Form Post Response Mode). */
export const renderFormPostPage = (redirectUri: string, parameters: Record<string, unknown>): Page => ({
  ...renderSubmittedForm(redirectUri, parameters, 'Continue to the application'),
  status: 'error' in parameters ? 400 : 200,
  formTargets: [redirectUri],
})

/** Renders a form that a script submits at once. Without scripts, the user submits it. */
export function renderSubmittedForm(action: string, parameters: Record<string, unknown>, heading: string): Page {
  const body = html`${renderHead(heading, 'You are being redirected. If nothing happens, select Continue.')}
    <form method="post" action="${action}">
      ${Object.entries(parameters).map(([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`)}
      <p class="actions"><button autofocus>Continue</button></p>
    </form>`
  return {
    title: 'Continue',
    body,
    script: scriptPath,
    // With the policy of other pages, the form would have the origin `null`.
    headers: { 'Referrer-Policy': 'strict-origin' },
  }
}
