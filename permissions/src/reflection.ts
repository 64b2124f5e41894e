import type { AllowedSubject, CaveatParameter } from './schema.ts'

/** A schema as data, for pickers and pages. */
export interface SchemaReflection {
  definitions: {
    name: string
    comment?: string
    relations: {
      name: string
      comment?: string
      allowed: Omit<AllowedSubject, 'span'>[]
      /** As of a permission. */
      subjects: { type: string; relation?: string }[]
    }[]
    permissions: {
      name: string
      comment?: string
      /** As it is read, with all parentheses: `(a + b) & c`. */
      expression: string
      /** The types of subject that it can be had by, each with its relation where it is a set. */
      subjects: { type: string; relation?: string }[]
    }[]
  }[]
  caveats: { name: string; comment?: string; parameters: CaveatParameter[]; expression: string }[]
}

/** One thing that a new schema changes. */
export interface SchemaDifference {
  kind:
    | 'definition-added'
    | 'definition-removed'
    | 'relation-added'
    | 'relation-removed'
    | 'subject-added'
    | 'subject-removed'
    | 'permission-added'
    | 'permission-removed'
    | 'permission-changed'
    | 'caveat-added'
    | 'caveat-removed'
    | 'caveat-changed'
    | 'comment-changed'
  /** `document`, `document#viewer`, or the name of a caveat. */
  name: string
  /** As it was and as it would be, where that can be said in a line. */
  before?: string
  after?: string
  /** Every permission, as `document#view`, whose answers this may change. */
  affects: string[]
  /** How many relationships stand in its way, where whoever compared the schemas knows that. */
  blocking?: number
  /** More are affected than are told. */
  isCut?: true
}
