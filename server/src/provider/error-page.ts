import { phraseOf } from '@passport/contract/phrases'
import { supportCodeOf } from '@passport/contract/support-code'
import type { HttpContext } from '../http/http-context.ts'
import { html, type Page, renderHead, renderSupportLine } from '../http/page.ts'
import { reportRejection } from '../http/report.ts'
import type { Visit } from '../http/visit.ts'

/** An error of a request that has no application to return to. */
interface ShownError {
  code: string
  description: string
  status: number
  /** Headers of the response, such as `Retry-After`. */
  headers?: Record<string, string>
}

/** Renders the error of an authorization request. Errors of the server are logged where they occur. */
export function renderErrorPage(
  { code, description, status, headers = {} }: ShownError,
  { visit, path, log }: { visit: Visit; path: string; log: HttpContext['log'] },
): Page {
  const supportCode = supportCodeOf(visit.requestId)
  if (status >= 500) {
    const title = status === 503 ? 'Not available at the moment' : 'Something went wrong'
    const body = html`${renderHead(title, `${description} Try again in a moment.`)}
      ${renderSupportLine(supportCode, `${status} ${phraseOf(status)}`)}
      <p class="actions"><a class="button" href="">Try again</a></p>`
    return { status, title, body, headers }
  }
  reportRejection(log, visit, { code, message: description, path })
  const advice =
    code === 'invalid_client'
      ? 'This service does not know the application. You can close this page.'
      : 'The request is invalid or has expired. Go back to the application and start again.'
  const body = html`${renderHead('The application sent an invalid request', advice)}
    ${renderSupportLine(supportCode)}
    <p class="actions"><a class="button plain" href="/app/">Go to the home page</a></p>
    <details class="quiet centred"><summary>Details for developers</summary>
      <p><code>${code}</code>${description ? html`: ${description}` : ''}</p></details>`
  return { status, title: 'Invalid request', body }
}
