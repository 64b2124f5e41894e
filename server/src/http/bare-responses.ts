import { createHash } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { html, raw } from 'hono/html'
import type { Problem } from './problem.ts'
import { createStandardHeaders } from './respond.ts'
import { type RequestIds, readRequestIds } from './visit.ts'

/** A response without the application, to a request that it cannot get. */
export interface BareResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** What is known about the request. */
export interface BareRequest {
  /** The request target. */
  url?: string | undefined
  traceparent?: string | string[] | undefined
  /** Whether a browser opens a page. */
  isPage?: boolean
}

export type CreateBareResponse = (problem: Problem, request?: BareRequest) => BareResponse & { ids: RequestIds }

interface BarePage {
  title: string
  text: string
}

/** The pages of some problems, by their codes; the others show their sentence. */
const pages: Record<string, BarePage> = {
  'headers-too-large': {
    title: 'Too many cookies',
    text: 'Your browser sends more than 32 KB of cookies to this address, also those of other applications under the same domain. Delete the cookies of this site in the settings of your browser, then open the page again.',
  },
}

/** Creates problems like those of the application or, for browsers, pages that need no other file. */
export function createBareResponses(publicUrl: string): CreateBareResponse {
  const standardHeaders = createStandardHeaders(publicUrl.startsWith('https:'))
  return (problem, { url = '', traceparent, isPage } = {}) => {
    const ids = readRequestIds(traceparent)
    const content = isPage
      ? { type: 'text/html; charset=utf-8', body: renderPage(toPage(problem)), policy: pagePolicy }
      : {
          type: 'application/problem+json',
          body: JSON.stringify(problem.toBody(publicUrl, url.split('?')[0] ?? '', ids)),
        }
    const headers = {
      ...standardHeaders,
      'x-trace-id': ids.traceId,
      'Content-Type': content.type,
      'Cache-Control': 'no-store',
      ...(content.policy && { 'Content-Security-Policy': content.policy }),
      ...problem.headers,
    }
    return { status: problem.status, headers, body: content.body, ids }
  }
}

/** Describes a request that Node has parsed. */
export const toBareRequest = ({ url, method, headers }: IncomingMessage): BareRequest => ({
  url,
  traceparent: headers['traceparent'],
  // Scripts and clients of the API do not request HTML.
  isPage: (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? ''),
})

/** Converts a response for the framework. */
export const toResponse = ({ status, headers, body }: BareResponse): Response => new Response(body, { status, headers })

/** Sends a response by Node, and closes the connection after it. */
export function sendBareResponse({ status, headers, body }: BareResponse, outgoing: ServerResponse): void {
  outgoing.writeHead(status, { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(body) }).end(body)
}

/** Formats a response for a connection that Node no longer parses, as the last one. */
export function formatBareResponse({ status, headers, body }: BareResponse): string {
  const all = {
    ...headers,
    Date: new Date().toUTCString(),
    Connection: 'close',
    'Content-Length': Buffer.byteLength(body),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

const toPage = ({ code, message }: Problem): BarePage =>
  pages[code] ?? { title: 'This request is not valid', text: message }

const style =
  'body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center}main{max-width:32rem;padding:1rem}'
const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Renders a page. Its style is inline, because no file can be served. */
const renderPage = ({ title, text }: BarePage): string =>
  String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body><main><h1>${title}</h1><p>${text}</p></main></body>
</html>
`)
