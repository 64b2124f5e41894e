import type { CheckQuestion } from '@passport/permissions/engine'
import type { Cycles } from '@passport/permissions/evaluator'
import type { Relationship, RelationshipUpdate } from '@passport/permissions/relationship'
import { parseRelationship, printRelationship } from '@passport/permissions/relationship-text'
import { inject } from 'vitest'
import { type DatabaseOptions, openDatabase, type Sql } from '../database/sql.ts'
import { createLog } from '../http/log.ts'
import { atTheEnd } from '../test-endings.ts'
import { createTestDatabase } from '../test-service.ts'
import { createEmbeddedEngine, type EmbeddedEngine } from './embedded.ts'

/** Documents in folders, for teams that may be in teams. */
export const documents = `use expiration

definition user {}

definition team {
  relation member: user | team#member
}

definition folder {
  relation viewer: user | user:* | team#member
  relation banned: user
  permission view = viewer - banned
}

definition document {
  relation parent: folder
  relation viewer: user | team#member | user with expiration | passport/group#member
  permission view = viewer + parent->view
}`

/** Another pool on the database of a test, as another process would have. */
export async function anotherPool(sql: Sql, options: DatabaseOptions = {}): Promise<Sql> {
  const [row] = await sql<{ database: string }[]>`select current_database() as database`
  const address = { socketDirectory: inject('socketDirectory'), database: row?.database ?? '', user: 'passport' }
  const other = openDatabase(address, options)
  atTheEnd(() => other.end({ timeout: 1 }))
  return other
}

/** An engine on a pool, with everything in memory. */
export async function engineOn(sql: Sql, cycles?: Cycles): Promise<EmbeddedEngine> {
  const engine = openEngine(sql, cycles)
  if (!(await engine.loaded(20_000))) throw new Error('The relationships were not loaded.')
  return engine
}

export function openEngine(sql: Sql, cycles?: Cycles): EmbeddedEngine {
  const engine = createEmbeddedEngine(sql, { log: createLog('silent'), version: 'test', ...(cycles && { cycles }) })
  atTheEnd(() => engine.close())
  return engine
}

/** A database of its own with an engine and a schema. */
export async function startEngine(schema: string): Promise<{ sql: Sql; engine: EmbeddedEngine }> {
  const sql = await createTestDatabase()
  const engine = await engineOn(sql)
  await engine.writeSchema(schema)
  return { sql, engine }
}

export const one = (line: string): Relationship => parseRelationship(line)
export const lines = (relationships: Relationship[]): string[] => relationships.map(printRelationship)

/** `+` creates, `~` touches and `-` deletes the relationship after it. */
export const updatesOf = (...texts: string[]): RelationshipUpdate[] =>
  texts.map((text) => ({
    operation: ({ '+': 'create', '~': 'touch', '-': 'delete' } as const)[text[0] as '+' | '~' | '-'],
    relationship: one(text.slice(1)),
  }))

/** `document:a#view@user:b` as a question. */
export function questionOf(line: string): CheckQuestion {
  const { resource, relation, subject } = one(line)
  return { resource, permission: relation, subject }
}
