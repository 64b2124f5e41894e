import { phraseOf } from '@passport/contract/phrases'
import type { FieldError, Problem as ProblemBody } from '@passport/contract/problem'
import { supportCodeOf } from '@passport/contract/support-code'
import { cutText } from './storable-text.ts'
import type { RequestIds } from './visit.ts'

/** The maximum lengths of a field and of a message, in UTF-16 code units: both may repeat the caller's input. */
const maxFieldLength = 200
const maxSentenceLength = 2000
/** The maximum total size of the errors in a response. */
const maxErrorBytes = 40 * 1024

/** The path of the pages that explain the codes; the `type` of a problem is the URL of its page. */
export const errorPath = '/problems'

interface ProblemOptions {
  errors?: FieldError[] | undefined
  headers?: Record<string, string>
  /** Extension members of the body (RFC 9457, section 3.2). */
  members?: Record<string, number | string | string[]>
  /** The cause, for the log only. */
  cause?: unknown
}

/** The parts of a problem that differ from one occurrence to another. */
export interface ProblemDetails extends ProblemOptions {
  /** The `detail` of the response; defaults to the sentences of the entry. */
  detail?: string
}

interface ProblemEntry<Values extends unknown[]> {
  /** The error, in one or two sentences. */
  meaning: string
  /** The remedy for the caller, in one or two sentences. */
  remedy: string
  /** Appends the remedy to `detail`, since the user can apply it at once. */
  showRemedy?: true
  /** The invalid field, which is added to `errors` with the code of the problem. */
  field?: string
  retryAfterSeconds?: number
  details?: (...values: Values) => ProblemDetails
}

/** Creates a problem to throw, from the values in its sentences. The properties are for the documentation. */
export interface ProblemKind<Values extends unknown[] = never[]> {
  (...values: Values): Problem
  readonly status: number
  readonly code: string
  readonly meaning: string
  readonly remedy: string
}

/**
 * Defines an error for callers: an entry in the table of a feature, its `problems.ts`. Programs use the code, which
 * never changes; the sentences are for people.
 */
export function problem<Values extends unknown[] = []>(
  status: number,
  code: string,
  { meaning, remedy, showRemedy, field, retryAfterSeconds, details }: ProblemEntry<Values>,
): ProblemKind<Values> {
  const sentences = showRemedy ? `${meaning} ${remedy}` : meaning
  const create = (...values: Values) => {
    const { detail = sentences, headers, errors, ...more } = details?.(...values) ?? {}
    return new Problem(status, code, detail, {
      errors: field === undefined ? errors : [{ field, code, message: detail }],
      headers: { ...(retryAfterSeconds && { 'Retry-After': String(retryAfterSeconds) }), ...headers },
      ...more,
    })
  }
  return Object.assign(create, { status, code, meaning, remedy })
}

/** An error that the caller may see, sent as problem details (RFC 9457). */
export class Problem extends Error {
  readonly status: number
  /** The stable error code, such as `preference-not-found`. */
  readonly code: string
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string>
  readonly members: Record<string, number | string | string[]>

  constructor(status: number, code: string, detail: string = phraseOf(status), options: ProblemOptions = {}) {
    super(detail, { cause: options.cause })
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.errors = options.errors
    this.headers = options.headers ?? {}
    this.members = options.members ?? {}
  }

  /** Formats the response body; `publicUrl` is the base of the problem type, `path` the request path. */
  toBody(publicUrl: string, path: string, { traceId, requestId }: RequestIds): ProblemBody {
    const errors = this.errors && truncateErrors(this.errors)
    const isTruncated = errors !== undefined && errors.length < (this.errors?.length ?? 0)
    return {
      type: `${publicUrl}${errorPath}/${this.code}`,
      title: phraseOf(this.status),
      status: this.status,
      detail: truncateText(this.message, maxSentenceLength) + (isTruncated ? ' More errors are not listed.' : ''),
      instance: path,
      code: this.code,
      traceId,
      supportCode: supportCodeOf(requestId),
      ...(errors && { errors }),
      ...this.members,
    }
  }
}

/** Truncates a text to this many UTF-16 code units, never within a character. */
export function truncateText(text: string, length: number): string {
  return text.length > length ? `${cutText(text, length)}…` : text
}

/** Returns as many of the first errors as fit into `maxErrorBytes`: a response must not be larger than its request. */
function truncateErrors(errors: FieldError[]): FieldError[] {
  const included: FieldError[] = []
  let left = maxErrorBytes
  for (const error of errors) {
    const field = truncateText(error.field, maxFieldLength)
    const short = { ...error, field, message: truncateText(error.message, maxSentenceLength) }
    left -= Buffer.byteLength(JSON.stringify(short))
    if (left < 0) break
    included.push(short)
  }
  return included
}
