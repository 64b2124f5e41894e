import type * as core from '@passport/permissions/types'
import * as z from 'zod/mini'

const typeNames = [
  'any',
  'bool',
  'string',
  'int',
  'uint',
  'double',
  'bytes',
  'duration',
  'timestamp',
  'list',
  'map',
  'ipaddress',
] as const

export type CaveatType = core.CaveatType
export const CaveatType: z.ZodMiniType<CaveatType> = z
  .object({ name: z.enum(typeNames), of: z.exactOptional(z.lazy(() => CaveatType)) })
  .check(z.meta({ id: 'CaveatType' }))

/** An allowed subject of a relation: `user`, `user:*`, `group#member`, each `with` a caveat, an expiration or both. */
const AllowedSubject = z.object({
  type: z.string(),
  relation: z.exactOptional(z.string()),
  isWildcard: z.exactOptional(z.literal(true)),
  caveat: z.exactOptional(z.string()),
  hasExpiration: z.exactOptional(z.literal(true)),
})

const nameAndComment = { name: z.string(), comment: z.exactOptional(z.string()) }

/** The schema as text, and as data. */
export const PermissionSchema = z
  .object({
    text: z.string(),
    readAt: z.string(),
    definitions: z.array(
      z.object({
        ...nameAndComment,
        relations: z.array(z.object({ ...nameAndComment, allowed: z.array(AllowedSubject) })),
        permissions: z.array(
          z.object({
            ...nameAndComment,
            /** The parsed expression, with all parentheses. */
            expression: z.string(),
            /** The types of subjects that can have the permission. */
            subjects: z.array(z.object({ type: z.string(), relation: z.exactOptional(z.string()) })),
          }),
        ),
      }),
    ),
    caveats: z.array(
      z.object({
        ...nameAndComment,
        parameters: z.array(z.object({ name: z.string(), type: CaveatType })),
        expression: z.string(),
      }),
    ),
  })
  .check(z.meta({ id: 'PermissionSchema' }))
export type PermissionSchema = z.infer<typeof PermissionSchema>

/** A semantic difference between two schemas. */
export const SchemaDifference = z
  .object({
    kind: z.enum([
      'definition-added',
      'definition-removed',
      'relation-added',
      'relation-removed',
      'subject-added',
      'subject-removed',
      'permission-added',
      'permission-removed',
      'permission-changed',
      'caveat-added',
      'caveat-removed',
      'caveat-changed',
      'comment-changed',
    ]),
    /** `document`, `document#viewer`, or the name of a caveat. */
    name: z.string(),
    before: z.exactOptional(z.string()),
    after: z.exactOptional(z.string()),
    /** The permissions whose results the change may affect, as `document#view`. */
    affects: z.array(z.string()),
    /** The list of affected permissions is truncated. */
    isCut: z.exactOptional(z.literal(true)),
    /** The number of relationships that block the change, counted up to 1000. */
    blocking: z.int(),
  })
  .check(z.meta({ id: 'SchemaDifference' })) satisfies z.ZodMiniType<core.SchemaDifference>
export type SchemaDifference = core.SchemaDifference & { blocking: number }
