import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from './problem.ts'

/** What a representation is known by. `etag` is bare, without quotes; `lastModified` is ISO 8601. */
export interface Validators {
  etag: string
  lastModified?: string
}

/** Thrown where the caller has the representation already; answered as 304. */
export class NotModified extends Error {
  readonly validators: Validators
  constructor(validators: Validators) {
    super('Not Modified')
    this.validators = validators
  }
}

/** The conditions of one request. */
export interface Preconditions {
  /** Whether any was sent: a room need not look the current state up otherwise. */
  readonly areSent: boolean
  /**
   * Holds the conditions against what is there now (undefined: nothing is), in the order of RFC 9110, section 13.2.2.
   * Throws 412, or for GET `NotModified`. A write asks inside its transaction, with the row locked.
   */
  check: (current: Validators | undefined) => void
}

/** Reads the conditions from the headers of a request. */
export function preconditionsOf(method: string, headers: IncomingHttpHeaders): Preconditions {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = headers
  const isRead = method === 'GET' || method === 'HEAD'
  return {
    areSent: ifMatch !== undefined || ifNoneMatch !== undefined || (isRead && ifModifiedSince !== undefined),
    check: (current) => {
      if (ifMatch !== undefined && !matches(ifMatch, current, isSameStrong)) throw stale()
      if (ifNoneMatch !== undefined) {
        if (!isKnown(ifNoneMatch, current)) return
        throw isRead && current ? new NotModified(current) : stale()
      }
      if (isRead && ifModifiedSince !== undefined && current && isUnmodified(current, ifModifiedSince)) {
        throw new NotModified(current)
      }
    },
  }
}

/** A tag for something that has no version of its own. */
export const etagOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** The headers that tell a client what to ask with next time. */
export function validatorHeaders({ etag, lastModified }: Validators): Record<string, string> {
  return { ETag: `"${etag}"`, ...(lastModified && { 'Last-Modified': new Date(lastModified).toUTCString() }) }
}

const stale = () => new Problem(412, 'precondition-failed', 'It changed since the version that you have.')

type IsSame = (sent: string, etag: string) => boolean
const isSameStrong: IsSame = (sent, etag) => sent === `"${etag}"`
const isSameWeak: IsSame = (sent, etag) => sent.replace(/^W\//, '') === `"${etag}"`

/** Whether an If-None-Match names what is there. */
export const isKnown = (ifNoneMatch: string | undefined, current: Validators | undefined): boolean =>
  ifNoneMatch !== undefined && matches(ifNoneMatch, current, isSameWeak)

function matches(header: string, current: Validators | undefined, isSame: IsSame): boolean {
  if (header.trim() === '*') return current !== undefined
  const sent = header.match(/(?:W\/)?"[^"]*"/g) ?? []
  return current !== undefined && sent.some((tag) => isSame(tag, current.etag))
}

/** HTTP dates have no fractions of a second. */
function isUnmodified({ lastModified }: Validators, since: string): boolean {
  const asked = Date.parse(since)
  return (
    lastModified !== undefined && !Number.isNaN(asked) && Math.floor(Date.parse(lastModified) / 1000) * 1000 <= asked
  )
}
