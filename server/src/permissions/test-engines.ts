import {
  type CheckRequest,
  type Cycles,
  parseRelationship,
  printRelationship,
  type Relationship,
  type RelationshipUpdate,
} from '@passport/permissions'
import { inject } from 'vitest'
import { type DatabaseOptions, openDatabase, type Sql } from '../database/sql.ts'
import { createLog } from '../log.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { createTestDatabase } from '../test-service.ts'
import { createEmbeddedEngine, type EmbeddedEngine } from './engine.ts'

/** Documents in folders, and nested teams. */
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

/** Opens another pool on a test's database, as another process would. */
export async function openPool(sql: Sql, options: DatabaseOptions = {}): Promise<Sql> {
  const [row] = await sql<{ database: string }[]>`select current_database() as database`
  const address = { socketDirectory: inject('socketDirectory'), database: row?.database ?? '', user: 'passport' }
  const pool = openDatabase(address, options)
  onFileEnd(() => pool.end({ timeout: 1 }))
  return pool
}

/** Opens an engine on a pool, with everything in memory. */
export async function openLoadedEngine(sql: Sql, cycles?: Cycles): Promise<EmbeddedEngine> {
  const engine = openEngine(sql, cycles)
  if (!(await engine.loaded(20_000))) throw new Error('The relationships were not loaded.')
  return engine
}

export function openEngine(sql: Sql, cycles?: Cycles): EmbeddedEngine {
  const engine = createEmbeddedEngine(sql, { log: createLog('silent'), version: 'test', ...(cycles && { cycles }) })
  onFileEnd(() => engine.close())
  return engine
}

/** Creates a database with an engine and a schema. */
export async function startEngine(schema: string): Promise<{ sql: Sql; engine: EmbeddedEngine }> {
  const sql = await createTestDatabase()
  const engine = await openLoadedEngine(sql)
  await engine.writeSchema(schema)
  return { sql, engine }
}

export const formatRelationships = (relationships: Relationship[]): string[] => relationships.map(printRelationship)

/** `+` creates, `~` touches and `-` deletes the relationship after it. */
export const parseUpdates = (...texts: string[]): RelationshipUpdate[] =>
  texts.map((text) => ({
    operation: ({ '+': 'create', '~': 'touch', '-': 'delete' } as const)[text[0] as '+' | '~' | '-'],
    relationship: parseRelationship(text.slice(1)),
  }))

/** Parses `document:a#view@user:b` as a check. */
export function parseCheck(line: string): CheckRequest {
  const { resource, relation, subject } = parseRelationship(line)
  return { resource, permission: relation, subject }
}
