import type { IncomingMessage } from 'node:http'
import type { Refusal } from './admission.ts'
import type { HttpContext } from './http-context.ts'
import { renderDocument, renderFailurePage } from './page.ts'
import type { Problem } from './problem.ts'
import { reportProblem } from './report.ts'
import type { ResponseParts } from './respond.ts'
import type { Visit } from './visit.ts'

/** The response to a request that failed, before the standard headers are added. */
export interface FailureResponse extends ResponseParts {
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer>
  /** The code of the problem, for metrics. */
  code: string
}

/** Reports whether a browser shows the response. */
const acceptsPage = ({ headers }: IncomingMessage): boolean => headers.accept?.includes('text/html') ?? false

/** Reports an error, and renders it for a program. Only a `Problem` discloses details. */
export const renderFailure = (
  error: unknown,
  incoming: IncomingMessage,
  visit: Visit,
  http: HttpContext,
): FailureResponse => renderProblem(reportProblem(error, pathOf(incoming), visit, http), incoming, visit, http)

/** Reports an error, and renders it as a page for a browser, or else for a program. */
export function renderFailureFor(
  error: unknown,
  incoming: IncomingMessage,
  visit: Visit,
  http: HttpContext,
): FailureResponse {
  if (!acceptsPage(incoming)) return renderFailure(error, incoming, visit, http)
  const { page, code } = renderFailurePage(error, incoming, visit, http)
  const { headers, text } = renderDocument(page, http)
  return { status: page.status, headers, body: text, code }
}

/** Renders why a request was refused before any work. */
export function renderRefusal(
  { problem, page }: Refusal,
  incoming: IncomingMessage,
  visit: Visit,
  http: HttpContext,
): FailureResponse {
  if (!acceptsPage(incoming)) return renderProblem(problem, incoming, visit, http)
  if (!page) return renderFailureFor(problem, incoming, visit, http)
  const { headers, text } = renderDocument(page, http)
  return { status: page.status ?? problem.status, headers, body: text, code: problem.code }
}

function renderProblem(
  problem: Problem,
  incoming: IncomingMessage,
  visit: Visit,
  { corsHeaders, publicUrl }: HttpContext,
): FailureResponse {
  const headers = {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    ...corsHeaders(incoming.headers.origin),
    ...problem.headers,
  }
  const body = JSON.stringify(problem.toBody(publicUrl, pathOf(incoming), visit))
  return { status: problem.status, headers, body, code: problem.code }
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?')[0] ?? ''
