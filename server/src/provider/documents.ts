import type { IncomingHttpHeaders } from 'node:http'
import type { Services } from '../feature.ts'
import { etagOf, matchesIfNoneMatch } from '../http/conditional.ts'
import { type PreparedResponse, prepareResponse } from '../http/prepared.ts'
import type { ProtocolEndpoint, ProtocolRoutes } from '../http/protocol.ts'
import { pageHeaders } from '../http/respond.ts'
import type { KeySet } from '../oauth/key-set.ts'
import { toPublicJwk } from '../oauth/key-set.ts'
import { describeIssuer } from './discovery.ts'
import { createPreflight } from './protocol-cors.ts'

/** A document of the issuer as it is sent. */
interface Document {
  /** Without quotes. */
  etag: string
  /** Creates the responses for pages of an origin; `*` for requests without one, which most are. */
  prepare: (origin: string) => Prepared
  usual: Prepared
}

interface Prepared {
  found: PreparedResponse
  notModified: PreparedResponse
}

/**
 * Serves the metadata and the keys of the issuer. They change only with the keys, so they are in memory, also for a day
 * while the database is unavailable. Any page may read them.
 */
export function serveDocuments(protocol: ProtocolRoutes['protocol'], { config, http, issuer }: Services): void {
  const { published, findPublished } = issuer.publishedKeys
  const metadata = createDocuments('application/json; charset=utf-8', () => describeIssuer(config.publicUrl))
  const keys = createDocuments('application/jwk-set+json; charset=utf-8', ({ jwks }) => ({
    keys: jwks.map(toPublicJwk),
  }))
  protocol('/.well-known/openid-configuration', metadata)
  protocol('/.well-known/oauth-authorization-server', metadata)
  protocol('/connect/jwks', keys)

  function createDocuments(type: string, describe: (keys: KeySet) => object): ProtocolEndpoint {
    const documents = new WeakMap<KeySet, Document>()

    function find(keys: KeySet): Document {
      const document = documents.get(keys) ?? createDocument(type, JSON.stringify(describe(keys)), http.standardHeaders)
      documents.set(keys, document)
      return document
    }

    return {
      findPrepared: ({ headers }) => {
        const inMemory = findPublished()
        return inMemory && select(find(inMemory), headers)
      },
      methods: { GET: async ({ incoming }) => select(find(await published()), incoming.headers) },
      preflight: createPreflight('GET'),
    }
  }
}

function select(document: Document, { origin, 'if-none-match': tags }: IncomingHttpHeaders): PreparedResponse {
  const { found, notModified } = origin === undefined ? document.usual : document.prepare(origin)
  return matchesIfNoneMatch(tags, document) ? notModified : found
}

/** Creates a document. The standard headers about pages say nothing about it. */
function createDocument(type: string, body: string, standardHeaders: Record<string, string>): Document {
  const etag = etagOf(body)
  const length = Buffer.byteLength(body)
  const encoding = length === body.length ? 'latin1' : 'utf8'
  const shared = Object.entries(standardHeaders).filter(([name]) => !pageHeaders.includes(name))
  const prepare = (origin: string): Prepared => {
    const headers = [
      ...shared.flat(),
      ...['Vary', 'Origin', 'Access-Control-Allow-Origin', origin],
      ...['ETag', `"${etag}"`, 'Cache-Control', 'public, no-cache'],
    ]
    const ofBody = ['Content-Type', type, 'Content-Length', String(length)]
    return {
      found: prepareResponse({ status: 200, headers: [...headers, ...ofBody], body, encoding }),
      notModified: prepareResponse({ status: 304, headers, body: '', encoding }),
    }
  }
  return { etag, prepare, usual: prepare('*') }
}
