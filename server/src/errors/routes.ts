import { phraseOf } from '@passport/contract/phrases'
import type { Feature } from '../feature.ts'
import { copyScriptPath, type Html, html, type Page, renderHead } from '../http/page.ts'
import { servePageScript } from '../http/page-script.ts'
import { errorPath } from '../http/problem.ts'
import { type ErrorEntry, findErrors } from './catalogue.ts'

/** The pages that document the error codes; the `type` of a problem is the URL of its page. */
export const errors: Feature = ({ page, mount }) => {
  servePageScript(mount, copyScriptPath, new URL('./copy-support-code.js', import.meta.url))
  page('GET', `${errorPath}/{code}`, ({ params: { code = '' } }) => {
    const entries = findErrors(code)
    return entries.length > 0 ? renderErrorPage(code, entries) : renderUnknownCodePage(code)
  })
}

function renderErrorPage(code: string, entries: ErrorEntry[]): Page {
  const body = html`<h1><code>${code}</code></h1>
    ${entries.map(renderEntry)}
    <p class="quiet">In the response, <code>detail</code> describes the error, <code>errors</code> lists the invalid
      fields, and <code>traceId</code> identifies the request in the log.</p>`
  // Cached only briefly, since the page links to the style sheet of this build.
  return { title: code, body, headers: { 'Cache-Control': 'public, max-age=300' } }
}

const renderEntry = ({ status, meaning, remedy }: ErrorEntry): Html =>
  html`<dl>
    <dt>Status</dt><dd>${status} ${phraseOf(status)}</dd>
    <dt>Meaning</dt><dd>${renderCode(meaning)}</dd>
    <dt>What to do</dt><dd>${renderCode(remedy)}</dd>
  </dl>`

/** Renders text between backticks as code. */
const renderCode = (text: string): Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

function renderUnknownCodePage(code: string): Page {
  const body = html`${renderHead('Unknown error code', html`This version of the server has no error with the code <code>${code}</code>.`)}
    <p class="actions"><a class="button" href="/app/">Go to the home page</a></p>`
  return { status: 404, title: 'Unknown error code', body }
}
