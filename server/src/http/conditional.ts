import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { preconditionFailed } from './problems.ts'

/** The validators of a representation. `etag` is without quotes, `lastModified` is ISO 8601. */
export interface Validators {
  etag: string
  lastModified?: string
}

/** The client has the current representation. The response is 304. */
export class NotModified extends Error {
  readonly validators: Validators
  constructor(validators: Validators) {
    super('Not Modified')
    this.validators = validators
  }
}

/** The preconditions of a request. */
export interface Preconditions {
  /** Whether the request has any; otherwise a handler need not read the current state. */
  readonly areSent: boolean
  /**
   * Evaluates the preconditions for the current state, undefined for a missing resource, in the order of RFC 9110,
   * section 13.2.2. Throws 412, or `NotModified` for GET and HEAD. A write must call it in its transaction, with the
   * row locked.
   */
  check: (current: Validators | undefined) => void
}

/** Reads the preconditions from the headers of a request. */
export function readPreconditions(method: string, headers: IncomingHttpHeaders): Preconditions {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = headers
  const isRead = method === 'GET' || method === 'HEAD'
  return {
    areSent: ifMatch !== undefined || ifNoneMatch !== undefined || (isRead && ifModifiedSince !== undefined),
    check: (current) => {
      if (ifMatch !== undefined && !matches(ifMatch, current, isSameStrong)) throw preconditionFailed()
      if (ifNoneMatch !== undefined) {
        if (!matchesIfNoneMatch(ifNoneMatch, current)) return
        throw isRead && current ? new NotModified(current) : preconditionFailed()
      }
      if (isRead && ifModifiedSince !== undefined && current && isUnmodified(current, ifModifiedSince)) {
        throw new NotModified(current)
      }
    },
  }
}

/** Computes the ETag of a representation without a version. */
export const etagOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** Formats the validators as response headers. */
export function formatValidators({ etag, lastModified }: Validators): Record<string, string> {
  return { ETag: `"${etag}"`, ...(lastModified && { 'Last-Modified': new Date(lastModified).toUTCString() }) }
}

type IsSame = (sent: string, etag: string) => boolean
const isSameStrong: IsSame = (sent, etag) => sent === `"${etag}"`
const isSameWeak: IsSame = (sent, etag) => sent.replace(/^W\//, '') === `"${etag}"`

/** Reports whether an If-None-Match matches the current state. */
export const matchesIfNoneMatch = (ifNoneMatch: string | undefined, current: Validators | undefined): boolean =>
  ifNoneMatch !== undefined && matches(ifNoneMatch, current, isSameWeak)

function matches(header: string, current: Validators | undefined, isSame: IsSame): boolean {
  if (header.trim() === '*') return current !== undefined
  const sent = header.match(/(?:W\/)?"[^"]*"/g) ?? []
  return current !== undefined && sent.some((tag) => isSame(tag, current.etag))
}

/** Reports whether a representation is unchanged since an HTTP date, which has no fractions of a second. */
function isUnmodified({ lastModified }: Validators, since: string): boolean {
  const sinceMs = Date.parse(since)
  return (
    lastModified !== undefined &&
    !Number.isNaN(sinceMs) &&
    Math.floor(Date.parse(lastModified) / 1000) * 1000 <= sinceMs
  )
}
