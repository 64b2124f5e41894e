import type { IncomingMessage } from 'node:http'
import { matchesIfNoneMatch } from '../http/conditional.ts'
import type { DirectHandler } from '../http/direct.ts'
import type { Issuer } from './issuer.ts'

/**
 * Creates the handler that answers a request for the discovery document or the keys from memory, with the headers of the
 * library. The first request after a change of the keys, and any other method, is for the library.
 */
export function createDocumentHandler({ findDocument }: Pick<Issuer, 'findDocument'>): DirectHandler {
  return ({ incoming: { method, url = '', headers } }) => {
    const document = method === 'GET' || method === 'HEAD' ? findDocument(url) : undefined
    if (!document) return undefined
    const cors = { Vary: 'Origin', 'Access-Control-Allow-Origin': readOrigin(headers) }
    if (matchesIfNoneMatch(headers['if-none-match'], document))
      return { status: 304, headers: { ...cors, ...document.headers } }
    return {
      status: 200,
      headers: { ...cors, ...document.headers, 'Content-Type': document.type },
      body: document.body,
    }
  }
}

/** Any page may read the documents. */
const readOrigin = ({ origin }: IncomingMessage['headers']) => origin || '*'
