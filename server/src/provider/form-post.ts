import type { Mount } from '../http/mount.ts'
import { html, type Page } from '../http/page.ts'
import { servePageScript } from '../http/page-script.ts'

const scriptPath = '/connect/formpost.js'

/** Serves the script that submits the form of `renderFormPostPage`. */
export const serveFormPostScript = (mount: Mount): void =>
  servePageScript(mount, scriptPath, new URL('./form-post-submit.js', import.meta.url))

/**
 * Sends the response to a client as a form (OAuth 2.0 Form Post Response Mode); without scripts the user submits it.
 */
export function renderFormPostPage(redirectUri: string, parameters: Record<string, unknown>): Page {
  const body = html`<h1>Continue to the application</h1>
    <p>You are being redirected. If nothing happens, select Continue.</p>
    <form method="post" action="${redirectUri}">
      ${Object.entries(parameters).map(([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`)}
      <p class="actions"><button autofocus>Continue</button></p>
    </form>`
  return {
    status: 'error' in parameters ? 400 : 200,
    title: 'Continue',
    body,
    script: scriptPath,
    formTargets: [toCspSource(redirectUri)],
    // With the policy of other pages the form would come from the origin `null`.
    headers: { 'Referrer-Policy': 'strict-origin' },
  }
}

/** Returns the CSP source of an address; app schemes and IPv6 have none, so it is their scheme. */
function toCspSource(address: string): string {
  const { origin, protocol, hostname } = new URL(address)
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin
}
