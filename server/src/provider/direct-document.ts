import { matchesIfNoneMatch } from '../http/conditional.ts'
import type { FindPrepared } from '../http/direct.ts'
import type { HttpContext } from '../http/http-context.ts'
import { type PreparedResponse, prepareResponse } from '../http/prepared.ts'
import { pageHeaders } from '../http/respond.ts'
import type { Document } from './documents.ts'
import type { Issuer } from './issuer.ts'

/** The responses to requests without an origin, which most are. */
interface Prepared {
  found: PreparedResponse
  notModified: PreparedResponse
}

/**
 * Creates the handler that answers a request for the discovery document or the keys from memory, with the headers of the
 * library. The first request after a change of the keys, and any other method, is for the library.
 */
export function createDocumentHandler(
  { findDocument }: Pick<Issuer, 'findDocument'>,
  { standardHeaders }: Pick<HttpContext, 'standardHeaders'>,
): FindPrepared {
  const prepared = new WeakMap<Document, Prepared>()
  const sharedHeaders = Object.entries(standardHeaders)
    .filter(([name]) => !pageHeaders.includes(name))
    .flat()

  function prepare(document: Document, origin: string): Prepared {
    const { body, encoding, headers, type } = document
    const both = [
      ...sharedHeaders,
      ...['Vary', 'Origin', 'Access-Control-Allow-Origin', origin],
      ...Object.entries(headers).flat(),
    ]
    const ofBody = ['Content-Type', type, 'Content-Length', String(Buffer.byteLength(body))]
    return {
      found: prepareResponse({ status: 200, headers: [...both, ...ofBody], body, encoding }),
      notModified: prepareResponse({ status: 304, headers: both, body: '', encoding }),
    }
  }

  function prepareOnce(document: Document): Prepared {
    const existing = prepared.get(document)
    if (existing) return existing
    const usual = prepare(document, '*')
    prepared.set(document, usual)
    return usual
  }

  return ({ method, url = '', headers }) => {
    const document = method === 'GET' || method === 'HEAD' ? findDocument(url) : undefined
    if (!document) return undefined
    const { origin, 'if-none-match': tags } = headers
    // Any page may read the documents.
    const { found, notModified } = origin ? prepare(document, origin) : prepareOnce(document)
    return tags !== undefined && matchesIfNoneMatch(tags, document) ? notModified : found
  }
}
