import { PermissionFault } from '../fault.ts'

/** An invalid caveat. `offset` is the position in the expression in UTF-16 code units, or 0 if unknown. */
export class CaveatFault extends PermissionFault {
  override name = 'CaveatFault'
  readonly offset: number

  constructor(caveat: string, message: string, offset = 0) {
    super('schema-invalid', `The caveat \`${caveat}\`: ${message}`, 'schema')
    this.offset = offset
  }
}

/** An error in an expression, before the name of its caveat is known. */
export class ExpressionFault extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}
