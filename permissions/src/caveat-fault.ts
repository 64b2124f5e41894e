import { PermissionFault } from './fault.ts'

/** A caveat that was refused. `offset` is the place in the expression, in UTF-16 units, where one can be told. */
export class CaveatFault extends PermissionFault {
  override name = 'CaveatFault'
  readonly offset: number

  constructor(caveat: string, message: string, offset = 0) {
    super('schema-invalid', `The caveat \`${caveat}\`: ${message}`, 'schema')
    this.offset = offset
  }
}

/** What is wrong with an expression, before it is known of which caveat it is. */
export class ExpressionFault extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}
