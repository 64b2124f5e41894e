import type { AllowedSubject, CaveatParameter } from './schema.ts'

/** A schema as data, for the user interface. */
export interface SchemaReflection {
  definitions: {
    name: string
    comment?: string
    relations: {
      name: string
      comment?: string
      allowed: Omit<AllowedSubject, 'span'>[]
      /** See the permission's `subjects`. */
      subjects: { type: string; relation?: string }[]
    }[]
    permissions: {
      name: string
      comment?: string
      /** The expression with all parentheses: `(a + b) & c`. */
      expression: string
      /** The possible subject types; a userset has its relation. */
      subjects: { type: string; relation?: string }[]
    }[]
  }[]
  caveats: { name: string; comment?: string; parameters: CaveatParameter[]; expression: string }[]
}

/** One change of a new schema. */
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
  /** The text before and after, if it fits on a line. */
  before?: string
  after?: string
  /** The permissions, as `document#view`, whose results may change. */
  affects: string[]
  /** The number of relationships that block the change, if known. */
  blocking?: number
  /** More permissions are affected than listed. */
  isCut?: true
}
