import type { Author, Recorder, SchemaChange } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { Relation, Schema } from '@passport/permissions/schema'
import { validateRelationship } from '@passport/permissions/validate-relationship'
import type { Sql } from '../database/sql.ts'
import { applicationPart, compileWithDirectory, withDirectory } from './directory.ts'
import type { Schemas } from './schemas.ts'
import * as store from './store.ts'
import { authorText } from './write.ts'

export interface SchemaWrite {
  text: string
  by: Author | undefined
  record?: Recorder<SchemaChange> | undefined
}

/**
 * Puts a schema in force within a transaction. Nobody else commits a change from here to its end, and whoever checked
 * theirs against the schema before this checks it anew. Throws `schema-invalid` and `schema-in-use`.
 */
export async function writeSchemaIn(sql: Sql, schemas: Schemas, { text, by, record }: SchemaWrite): Promise<void> {
  const part = applicationPart(text)
  const after = await compileWithDirectory(part)
  const { schemaId } = await store.lockHead(sql)
  await store.beginWrite(sql, authorText(by))
  const before = await schemas.find(sql, schemaId)
  await refuseWhatIsUsed(sql, before, after)
  await store.putSchema(sql, part)
  await record?.({ before: before.text, after: withDirectory(part) }, sql)
}

async function refuseWhatIsUsed(sql: Sql, before: Schema, after: Schema) {
  const changed = changedRelations(before, after)
  const uses = changed.length > 0 ? await store.usesOf(sql, changed) : []
  const blocking = uses.filter((use) => !isAllowed(after, use))
  if (blocking.length === 0) return
  const told = blocking.slice(0, 10).map((use) => `${use.count} of ${printUse(use)}`)
  const more = blocking.length > told.length ? [`and ${blocking.length - told.length} more kinds`] : []
  const total = blocking.reduce((sum, { count }) => sum + count, 0)
  throw new PermissionFault(
    'schema-in-use',
    `${total} relationships would have nothing to stand on: ${[...told, ...more].join(', ')}.`,
    'schema',
  )
}

/** Relations in which not all may stand any more that might, such as `document#viewer`. */
function changedRelations(before: Schema, after: Schema): string[] {
  return [...before.definitions.values()].flatMap(({ name, relations }) =>
    [...relations.values()]
      .filter((relation) => {
        const now = new Set(subjectsOf(after.definitions.get(name)?.relations.get(relation.name)))
        return subjectsOf(relation).some((subject) => !now.has(subject))
      })
      .map((relation) => `${name}#${relation.name}`),
  )
}

const subjectsOf = (relation: Relation | undefined) =>
  (relation?.allowed ?? []).map(({ span, ...subject }) =>
    JSON.stringify([subject.type, subject.relation, subject.isWildcard, subject.caveat, subject.hasExpiration]),
  )

/** What may be written is what may stay. */
function isAllowed(schema: Schema, use: store.Usage): boolean {
  const relationship = {
    resource: { type: use.resourceType, id: 'any' },
    relation: use.relation,
    subject: {
      type: use.subjectType,
      id: use.isWildcard ? '*' : 'any',
      ...(use.subjectRelation && { relation: use.subjectRelation }),
    },
    ...(use.caveat && { caveat: { name: use.caveat } }),
    ...(use.hasExpiration && { expiresAt: 0 }),
  }
  try {
    validateRelationship(schema, relationship, '')
    return true
  } catch (error) {
    if (error instanceof PermissionFault) return false
    throw error
  }
}

function printUse({
  resourceType,
  relation,
  subjectType,
  subjectRelation,
  isWildcard,
  caveat,
  hasExpiration,
}: store.Usage) {
  const traits = [caveat, hasExpiration && 'expiration'].filter(Boolean).join(' and ')
  const subject = `${subjectType}${isWildcard ? ':*' : ''}${subjectRelation && `#${subjectRelation}`}`
  return `${resourceType}#${relation} with ${subject}${traits && ` with ${traits}`}`
}
