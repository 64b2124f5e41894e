import * as z from 'zod/mini'
import { endpoint, file, json, scalar } from './endpoint.ts'
import { Instant } from './instant.ts'
import { PermissionSchema, SchemaDifference } from './permission-schema.ts'
import { FaultInPlace, manyBytes, ObjectReference, Question, reads, tools, writes } from './permission-terms.ts'

/** In characters. */
export const maxSchemaLength = 128 * 1024

const schemaText = z.object({ text: z.string().check(z.maxLength(maxSchemaLength)) })
/** The ETag is that of the text alone. */
export const getPermissionSchema = endpoint('GET', `${tools}/schema`, {
  summary: 'Get the schema, as text and as data',
  ...reads,
  returns: json(PermissionSchema),
  conditional: true,
})
export const putPermissionSchema = endpoint('PUT', `${tools}/schema`, {
  summary: 'Replace the schema',
  ...writes,
  body: json(schemaText, { maxBytes: manyBytes }),
  returns: json(z.object({ writtenAt: z.string(), differences: z.array(SchemaDifference) })),
  conditional: true,
  fails: [409],
})
export const diffPermissionSchema = endpoint('POST', `${tools}/schema/diff`, {
  summary: 'Tell what another schema would change, and what stands in its way',
  ...reads,
  body: json(schemaText, { maxBytes: manyBytes }),
  returns: json(z.object({ differences: z.array(SchemaDifference) })),
  rateLimit: { requests: 60, perSeconds: 60, by: 'caller' },
})

/** The standard validation file of SpiceDB: YAML with schema, relationships, assertions and validation. */
export const exportPermissions = endpoint('GET', `${tools}/export`, {
  summary: 'Send schema, relationships and assertions as a validation file',
  ...reads,
  returns: file('application/yaml'),
})
/** All or nothing where `isAtomic`; relationships are touched, the schema and the assertions replaced where the file has them. */
export const importPermissions = endpoint('POST', `${tools}/import`, {
  summary: 'Take in a validation file',
  ...writes,
  query: z.object({ dryRun: z.exactOptional(z.stringbool()) }),
  body: scalar('yaml', z.string(), { maxBytes: 64 * 1024 * 1024, alias: 'application/yaml' }),
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
  fails: [409, 503],
})

/** What must come out of a question; or, as `subjects`, who exactly the subjects of a permission must be, as in the file. */
export const NewAssertion = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.enum(['assertTrue', 'assertFalse', 'assertCaveated']), question: Question }),
    z.object({
      kind: z.literal('validation'),
      resource: ObjectReference,
      permission: z.string(),
      /** Such as `[user:ada] is <document:a#viewer>`; only what is in brackets is compared. */
      subjects: z.array(z.string()),
    }),
  ])
  .check(z.meta({ id: 'NewPermissionAssertion' }))
export type NewAssertion = z.infer<typeof NewAssertion>

const Assertion = z
  .object({ id: z.string(), assertion: NewAssertion, createdAt: Instant })
  .check(z.meta({ id: 'PermissionAssertion' }))

export const listAssertions = endpoint('GET', `${tools}/assertions`, {
  summary: 'List what must hold, in the order in which it was saved',
  ...reads,
  returns: json(z.object({ items: z.array(Assertion) })),
})
export const createAssertion = endpoint('POST', `${tools}/assertions`, {
  summary: 'Save what must hold; at most 1000',
  ...writes,
  body: json(NewAssertion),
  returns: json(Assertion),
  creates: true,
  fails: [409],
})
export const deleteAssertion = endpoint('DELETE', `${tools}/assertions/{assertionId}`, {
  summary: 'Delete what must hold no more',
  ...writes,
  params: z.object({ assertionId: z.string() }),
  fails: [404],
})
/** `got` is the answer in a word, or the subjects that were found. */
export const runAssertions = endpoint('POST', `${tools}/assertions/run`, {
  summary: 'Try everything that must hold',
  ...reads,
  returns: json(
    z.object({
      items: z.array(
        z.object({
          id: z.string(),
          assertion: NewAssertion,
          holds: z.boolean(),
          got: z.array(z.string()),
          error: z.exactOptional(FaultInPlace),
        }),
      ),
      failed: z.int(),
      checkedAt: z.string(),
    }),
  ),
  fails: [503],
  rateLimit: { requests: 20, perSeconds: 60, by: 'caller' },
})
