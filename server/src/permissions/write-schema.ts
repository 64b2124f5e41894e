import type { Author, SchemaChange } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import { printRelationship } from '@passport/permissions/relationship-text'
import type { Relation, Schema } from '@passport/permissions/schema'
import { validateRelationship } from '@passport/permissions/validate-relationship'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { applicationPart, compileWithDirectory, withDirectory } from './directory.ts'
import { lost, takeHead } from './hold.ts'
import { type ChangedCaveat, changedCaveats, findMisfits } from './misfits.ts'
import type { Schemas } from './schemas.ts'
import * as store from './store.ts'
import { authorText } from './write.ts'

export interface SchemaWrite {
  text: string
  by: Author | undefined
}

/** A schema that is about to be in force. */
export interface NewSchema {
  schema: Schema
  change: SchemaChange
  /**
   * Puts it in force, as the last step of the transaction: nobody else commits a change from here to its end, and whoever
   * checked theirs against the schema before checks it anew. Throws `schema-in-use` for what came meanwhile.
   */
  enforce: () => Promise<void>
}

/** Checks a schema within a transaction, while others go on. Throws `schema-invalid` and `schema-in-use`. */
export async function newSchemaIn(sql: Sql, schemas: Schemas, { text, by }: SchemaWrite): Promise<NewSchema> {
  const part = applicationPart(text)
  const after = await compileWithDirectory(part)
  const since = await commitStore.readHead(sql)
  await commitStore.beginWrite(sql, authorText(by))
  const before = await schemas.find(sql, since.schemaId)
  const relations = changedRelations(before, after)
  const caveats = changedCaveats(before, after)
  await refuseWhatIsUsed(sql, after, relations, caveats)
  const id = await commitStore.addSchema(sql, part)
  const enforce = async () => {
    const { head, isTouched } = await takeHead(
      sql,
      since,
      ({ resource, relation, caveat }) =>
        relations.includes(`${resource.type}#${relation}`) || caveats.some((one) => one.caveat.name === caveat?.name),
    )
    if (head.schemaId !== since.schemaId) throw lost('The schema was changed meanwhile')
    if (isTouched) await refuseWhatIsUsed(sql, after, relations, caveats)
    await commitStore.putInForce(sql, id)
  }
  return { schema: after, change: { before: before.text, after: withDirectory(part) }, enforce }
}

async function refuseWhatIsUsed(sql: Sql, after: Schema, relations: string[], caveats: ChangedCaveat[]) {
  const uses = relations.length > 0 ? await store.usesOf(sql, relations) : []
  const unfounded = uses.filter((use) => !isAllowed(after, use))
  const misfits = await findMisfits(sql, caveats)
  const refusals = [
    ...refusal(unfounded, 'with nothing to stand on then', (use) => `${use.count} of ${printUse(use)}`),
    ...refusal(
      misfits,
      'with values that the caveat could not take',
      ({ caveat, count, example, reason }) =>
        `${count} of ${caveat}, such as ${printRelationship(example)} (${reason.replace(/\.$/, '')})`,
    ),
  ]
  if (refusals.length > 0) throw new PermissionFault('schema-in-use', refusals.join(' '), 'schema')
}

/** The first kinds of them, and how many they are in all. */
function refusal<T extends { count: number }>(blocking: T[], what: string, print: (one: T) => string): string[] {
  if (blocking.length === 0) return []
  const told = blocking.slice(0, 10).map(print)
  const more = blocking.length > told.length ? [`and ${blocking.length - told.length} more kinds`] : []
  const total = blocking.reduce((sum, { count }) => sum + count, 0)
  const noun = total === 1 ? 'is 1 relationship' : `are ${total} relationships`
  return [`There ${noun} ${what}: ${[...told, ...more].join(', ')}.`]
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
