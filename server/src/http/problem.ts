import { phraseOf } from '@passport/contract/phrases'
import type { Fault, Problem as ProblemBody } from '@passport/contract/problem'

interface More {
  errors?: Fault[]
  headers?: Record<string, string>
  /** What else the body tells (RFC 9457, section 3.2). */
  members?: Record<string, number | string | string[]>
  /** For the log, never for the caller. */
  cause?: unknown
}

/** A failure that the caller may know about; thrown anywhere, answered as RFC 9457. */
export class Problem extends Error {
  readonly status: number
  /** The stable name of what went wrong, such as `preference-not-found`. */
  readonly code: string
  readonly errors: Fault[] | undefined
  readonly headers: Record<string, string>
  readonly members: Record<string, number | string | string[]>

  constructor(status: number, code: string, detail: string = phraseOf(status), more: More = {}) {
    super(detail, { cause: more.cause })
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.errors = more.errors
    this.headers = more.headers ?? {}
    this.members = more.members ?? {}
  }

  /** The body of the answer; `publicUrl` is where the type of the problem is named from, `path` what was asked for. */
  toBody(publicUrl: string, path: string, traceId: string): ProblemBody {
    return {
      type: `${publicUrl}/problems/${this.code}`,
      title: phraseOf(this.status),
      status: this.status,
      detail: this.message,
      instance: path,
      code: this.code,
      traceId,
      ...(this.errors && { errors: this.errors }),
      ...this.members,
    }
  }
}
