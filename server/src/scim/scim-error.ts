import { toStorableText } from '../http/storable-text.ts'

/** The error types of RFC 7644, section 3.12, and of RFC 9865, section 2. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidCursor'
  | 'invalidCount'

/** The longest detail, in UTF-16 code units: it may repeat what was sent. */
const maxLength = 2000

interface ScimErrorOptions {
  scimType?: ScimType
  /** What the administrator of the identity provider can do, in one sentence. */
  help?: string
  headers?: Record<string, string>
}

/** An error of the SCIM protocol. Its message is the `detail` of the response, followed by the help. */
export class ScimError extends Error {
  readonly status: number
  readonly scimType: ScimType | undefined
  readonly help: string | undefined
  readonly headers: Record<string, string>

  constructor(status: number, detail: string, { scimType, help, headers = {} }: ScimErrorOptions = {}) {
    super(toStorableText(detail, maxLength))
    this.name = 'ScimError'
    this.status = status
    this.scimType = scimType
    this.help = help
    this.headers = headers
  }

  /** Returns the body of the response (RFC 7644, section 3.12). */
  toBody() {
    const detail = this.help === undefined ? this.message : `${this.message} ${this.help}`
    return {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(this.status),
      ...(this.scimType && { scimType: this.scimType }),
      detail,
    }
  }
}

/** Creates the error of a value that cannot be accepted: 400 `invalidValue`. */
export const invalidValue = (detail: string, help?: string): ScimError =>
  new ScimError(400, detail, { scimType: 'invalidValue', ...(help && { help }) })

/** Creates the error of a name or an address that another record has: 409 `uniqueness`. */
export const uniqueness = (detail: string, help?: string): ScimError =>
  new ScimError(409, detail, { scimType: 'uniqueness', ...(help && { help }) })

/** Creates the error of a record that the organisation's SCIM clients do not govern, or that does not exist. */
export const resourceNotFound = (kind: string, id: string): ScimError =>
  new ScimError(404, `${kind} ${id.slice(0, 100)} not found.`, {
    help: 'It was deleted, or this organisation does not provision it.',
  })
