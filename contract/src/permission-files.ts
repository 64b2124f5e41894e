import * as z from 'zod/mini'
import { endpoint, file, json, scalar } from './endpoint.ts'
import { Instant } from './instant.ts'
import { PermissionSchema, SchemaDifference } from './permission-schema.ts'
import {
  CheckRequest,
  ItemError,
  maxBatchBytes,
  ObjectReference,
  readAccess,
  toolsPath,
  writeAccess,
} from './permission-terms.ts'
import { action, entity } from './request-body.ts'

/** The maximum length of a schema, in characters. */
export const maxSchemaLength = 128 * 1024
/** At most this many assertions can be saved. */
export const maxAssertions = 1000

const schemaText = z.object({ text: z.string().check(z.maxLength(maxSchemaLength)) })
/** The ETag covers the text alone. */
export const getPermissionSchema = endpoint('GET', `${toolsPath}/schema`, {
  summary: 'Get the permission schema as text and data',
  ...readAccess,
  returns: json(PermissionSchema),
  conditional: true,
})
export const putPermissionSchema = endpoint('PUT', `${toolsPath}/schema`, {
  summary: 'Replace the permission schema',
  ...writeAccess,
  body: entity(schemaText, { maxBytes: maxBatchBytes }),
  returns: json(z.object({ writtenAt: z.string(), differences: z.array(SchemaDifference) })),
  conditional: true,
  fails: [409],
})
export const diffPermissionSchema = endpoint('POST', `${toolsPath}/schema/diff`, {
  summary: 'Compare a schema with the current one',
  description: 'Returns the changes, each with the number of relationships that block it.',
  ...readAccess,
  body: action(schemaText, { maxBytes: maxBatchBytes }),
  returns: json(z.object({ differences: z.array(SchemaDifference) })),
  rateLimit: { requests: 60, perSeconds: 60, by: 'caller' },
})

/** SpiceDB's validation file, as parsed YAML; `relationships` has one per line. */
export const ValidationFile = z
  .object({
    schema: z.string(),
    relationships: z.string(),
    assertions: z.object({
      assertTrue: z.array(z.string()),
      assertFalse: z.array(z.string()),
      assertCaveated: z.array(z.string()),
    }),
    /** The subjects of permissions such as `document:a#view`. */
    validation: z.record(z.string(), z.array(z.string())),
  })
  .check(z.meta({ id: 'ValidationFile' }))

export const exportPermissions = endpoint('GET', `${toolsPath}/export`, {
  summary: 'Export a validation file',
  description: 'Contains the schema, relationships and assertions.',
  ...readAccess,
  recent: true,
  returns: file({ 'application/yaml': ValidationFile }),
})
/**
 * Touches the relationships, and replaces the schema and the assertions if the file has them: all or nothing if
 * `isAtomic`.
 */
export const importPermissions = endpoint('POST', `${toolsPath}/import`, {
  summary: 'Import a validation file',
  ...writeAccess,
  query: z.object({ dryRun: z.exactOptional(z.stringbool()) }),
  body: scalar('yaml', z.string(), { maxBytes: 64 * 1024 * 1024, alternativeType: 'application/yaml' }),
  returns: json(
    z.object({
      differences: z.array(SchemaDifference),
      relationships: z.int(),
      assertions: z.int(),
      isAtomic: z.boolean(),
      /** Null for a dry run. */
      writtenAt: z.nullable(z.string()),
    }),
  ),
  fails: [409],
})

/** The expected result of a check, or the exact subjects of a permission. */
export const NewAssertion = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.enum(['assertTrue', 'assertFalse', 'assertCaveated']), question: CheckRequest }),
    z.object({
      kind: z.literal('validation'),
      resource: ObjectReference,
      permission: z.string(),
      /** Such as `[user:ada] is <document:a#viewer>`; only the part in brackets is compared. */
      subjects: z.array(z.string()),
    }),
  ])
  .check(z.meta({ id: 'NewPermissionAssertion' }))
export type NewAssertion = z.infer<typeof NewAssertion>

const Assertion = z
  .object({ id: z.string(), assertion: NewAssertion, createdAt: Instant })
  .check(z.meta({ id: 'PermissionAssertion' }))

export const listAssertions = endpoint('GET', `${toolsPath}/assertions`, {
  summary: 'List assertions, oldest first',
  ...readAccess,
  returns: json(z.object({ items: z.array(Assertion) })),
})
export const createAssertion = endpoint('POST', `${toolsPath}/assertions`, {
  summary: 'Create an assertion',
  description: 'At most 1000 assertions can be saved.',
  ...writeAccess,
  body: entity(NewAssertion),
  returns: json(Assertion),
  creates: true,
  fails: [409],
})
export const deleteAssertion = endpoint('DELETE', `${toolsPath}/assertions/{assertionId}`, {
  summary: 'Delete an assertion',
  ...writeAccess,
  params: z.object({ assertionId: z.string() }),
  fails: [404],
})
/** `got` is the permissionship, or the subjects that have the permission. */
export const runAssertions = endpoint('POST', `${toolsPath}/assertions/run`, {
  summary: 'Run all assertions',
  ...readAccess,
  returns: json(
    z.object({
      items: z.array(
        z.object({
          id: z.string(),
          assertion: NewAssertion,
          holds: z.boolean(),
          got: z.array(z.string()),
          error: z.exactOptional(ItemError),
        }),
      ),
      failed: z.int(),
      checkedAt: z.string(),
    }),
  ),
  rateLimit: { requests: 20, perSeconds: 60, by: 'caller' },
})
