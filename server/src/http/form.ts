import type { IncomingMessage } from 'node:http'
import { readBufferedBody } from './body.ts'
import { rejectManyParameters } from './target-limits.ts'

const forms = new WeakMap<IncomingMessage, Promise<URLSearchParams>>()

/** Reports whether the body of a request is a form. Media types are case-insensitive (RFC 9110, section 8.3.1). */
const isForm = ({ headers }: IncomingMessage): boolean =>
  /^application\/x-www-form-urlencoded *(?:;|$)/i.test(headers['content-type'] ?? '')

/**
 * Reads the form of a request; undefined if its body is none. It is parsed once, and the body can be read again. Throws
 * 413, and 400 for many parameters, or if the client disconnects.
 */
export async function readForm(incoming: IncomingMessage): Promise<URLSearchParams | undefined> {
  if (!isForm(incoming)) return undefined
  let form = forms.get(incoming)
  if (!form) {
    form = parseForm(incoming)
    forms.set(incoming, form)
  }
  return form
}

async function parseForm(incoming: IncomingMessage): Promise<URLSearchParams> {
  const body = await readBufferedBody(incoming)
  if (body.length > 0) incoming.unshift(body)
  const text = body.toString('utf8')
  rejectManyParameters(text)
  return new URLSearchParams(text)
}
