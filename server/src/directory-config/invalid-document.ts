import type { FieldError } from '@passport/contract/problem'

/** Thrown for an invalid document, with all its errors. */
export class InvalidDocument extends Error {
  readonly errors: FieldError[]
  constructor(errors: FieldError[]) {
    super(errors.map(({ field, message }) => `${field}: ${message}`).join('\n'))
    this.errors = errors
  }
}
