import {
  type Author,
  isAllowedBySchema,
  PermissionFault,
  printRelationship,
  type Relation,
  type Schema,
  type SchemaChange,
} from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { applicationPart, compileWithDirectory, withDirectory } from './directory.ts'
import { type ChangedCaveat, findChangedCaveats, findIncompatibleValues } from './incompatible-values.ts'
import { lockHead, retryError } from './optimistic-lock.ts'
import type { SchemaCache } from './schemas.ts'
import * as store from './store.ts'
import { formatAuthor } from './write.ts'

export interface SchemaWrite {
  text: string
  by: Author | undefined
}

/** A schema that is about to be activated. */
export interface NewSchema {
  schema: Schema
  change: SchemaChange
  /**
   * Activates it, as the last step of the transaction: no other change commits until its end, and writes checked
   * against the old schema are retried. Throws `schema-in-use` for concurrent changes.
   */
  activate: () => Promise<void>
}

/** Checks a schema within a transaction without blocking others. Throws `schema-invalid` and `schema-in-use`. */
export async function prepareSchema(sql: Sql, schemas: SchemaCache, { text, by }: SchemaWrite): Promise<NewSchema> {
  const part = applicationPart(text)
  const after = await compileWithDirectory(part)
  const since = await commitStore.readHead(sql)
  await commitStore.beginWrite(sql, formatAuthor(by))
  const before = await schemas.find(sql, since.schemaId)
  const relations = findChangedRelations(before, after)
  const caveats = findChangedCaveats(before, after)
  await rejectSchemaInUse(sql, after, relations, caveats)
  const id = await commitStore.addSchema(sql, part)
  const activate = async () => {
    const { head, hasConflict } = await lockHead(
      sql,
      since,
      ({ resource, relation, caveat }) =>
        relations.includes(`${resource.type}#${relation}`) ||
        caveats.some((changed) => changed.caveat.name === caveat?.name),
    )
    if (head.schemaId !== since.schemaId) throw retryError('The schema was changed concurrently')
    if (hasConflict) await rejectSchemaInUse(sql, after, relations, caveats)
    await commitStore.activateSchema(sql, id)
  }
  return { schema: after, change: { before: before.text, after: withDirectory(part) }, activate }
}

async function rejectSchemaInUse(sql: Sql, after: Schema, relations: string[], caveats: ChangedCaveat[]) {
  const uses = relations.length > 0 ? await store.findUses(sql, relations) : []
  const disallowed = uses.filter((use) => !isAllowed(after, use))
  const incompatible = await findIncompatibleValues(sql, caveats)
  const refusals = [
    ...describeBlocking(
      disallowed,
      ['is', 'are'],
      'not allowed by the new schema',
      (use) => `${use.count} of ${printUse(use)}`,
    ),
    ...describeBlocking(
      incompatible,
      ['has', 'have'],
      'values that the new caveat does not accept',
      ({ caveat, count, example, reason }) =>
        `${count} of ${caveat}, such as ${printRelationship(example)} (${reason.replace(/\.$/, '')})`,
    ),
  ]
  if (refusals.length > 0) throw new PermissionFault('schema-in-use', refusals.join(' '), 'schema')
}

/** Formats the first kinds, and the total number. */
function describeBlocking<T extends { count: number }>(
  blocking: T[],
  [singular, plural]: [string, string],
  description: string,
  print: (item: T) => string,
): string[] {
  if (blocking.length === 0) return []
  const listed = blocking.slice(0, 10).map(print)
  const more = blocking.length > listed.length ? [`and ${blocking.length - listed.length} more`] : []
  const total = blocking.reduce((sum, { count }) => sum + count, 0)
  const subject = total === 1 ? `1 relationship ${singular}` : `${total} relationships ${plural}`
  return [`${subject} ${description}: ${[...listed, ...more].join(', ')}.`]
}

/** Returns relations that no longer allow all previous subjects, as `document#viewer`. */
function findChangedRelations(before: Schema, after: Schema): string[] {
  return [...before.definitions.values()].flatMap(({ name, relations }) =>
    [...relations.values()]
      .filter((relation) => {
        const allowedAfter = new Set(listSubjects(after.definitions.get(name)?.relations.get(relation.name)))
        return listSubjects(relation).some((subject) => !allowedAfter.has(subject))
      })
      .map((relation) => `${name}#${relation.name}`),
  )
}

const listSubjects = (relation: Relation | undefined) =>
  (relation?.allowed ?? []).map(({ span, ...subject }) =>
    JSON.stringify([subject.type, subject.relation, subject.isWildcard, subject.caveat, subject.hasExpiration]),
  )

/** A stored relationship may stay if it could be written. */
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
  return isAllowedBySchema(schema, relationship)
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
