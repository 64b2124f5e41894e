import { etagOf } from '../http/conditional.ts'

/** A document of the protocol library, serialised once. */
export interface Document {
  body: string
  /** `latin1` for ASCII characters only. */
  encoding: 'latin1' | 'utf8'
  /** Without quotes. */
  etag: string
  /** The headers about caching. */
  headers: { ETag: string; 'Cache-Control': string }
  /** The media type. */
  type: string
}

/**
 * The discovery document and the keys of an issuer, which change only with its keys. The library creates each one once
 * for a key set, at its first request; later requests are answered from memory (`direct-document.ts`).
 */
export interface Documents {
  find: (path: string) => Document | undefined
  keep: (path: string, type: string, content: unknown) => Document
}

export function createDocuments(): Documents {
  const documents = new Map<string, Document>()
  return {
    find: (path) => documents.get(path),
    keep: (path, type, content) => {
      const body = JSON.stringify(content)
      const etag = etagOf(body)
      const headers = { ETag: `"${etag}"`, 'Cache-Control': 'public, no-cache' }
      const encoding = Buffer.byteLength(body) === body.length ? 'latin1' : 'utf8'
      const document: Document = { body, encoding, etag, headers, type }
      documents.set(path, document)
      return document
    },
  }
}
