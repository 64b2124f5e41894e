import { check } from '@passport/permissions/check'
import { diffSchemas } from '@passport/permissions/diff'
import type {
  Author,
  BulkAnswer,
  CheckQuestion,
  Consistency,
  HistoryEntry,
  PermissionEngine,
  Recorder,
  RelationshipChange,
  ResourcesQuestion,
  SchemaChange,
  SubjectsQuestion,
  Token,
} from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import { lookupResources } from '@passport/permissions/lookup-resources'
import { lookupSubjects } from '@passport/permissions/lookup-subjects'
import { reflectSchema } from '@passport/permissions/reflect'
import type { Precondition, Relationship, RelationshipUpdate } from '@passport/permissions/relationship'
import { type Sql, transaction } from '../database/sql.ts'
import type { Log } from '../http/log.ts'
import { type Ask, createAsk, ofGraph, ofRelationships } from './ask.ts'
import { cursorOf, placeOf } from './cursor.ts'
import { applicationPart, compileWithDirectory } from './directory.ts'
import { type Follower, follow } from './log.ts'
import { relationshipOf } from './rows.ts'
import { keepSchemas, type Schemas } from './schemas.ts'
import * as store from './store.ts'
import { suppose } from './suppose.ts'
import { revisionOf, tokenOf } from './token.ts'
import { watch } from './watch.ts'
import { authorOf, changeOf, deleteIn, loadIn, writeIn } from './write.ts'
import { writeSchemaIn } from './write-schema.ts'

/** The engine in this process, on the relationships of this database. */
export interface EmbeddedEngine extends PermissionEngine {
  /**
   * Writes within a transaction of another room, as its last step: from there on others wait for its end. The token
   * counts once that has come.
   */
  writeIn: (sql: Sql, updates: RelationshipUpdate[], by?: Author, preconditions?: Precondition[]) => Promise<Token>
  /** Forgets what is over, and what is too old to be told; each tells how many. */
  sweeps: ((limit: number) => Promise<number>)[]
  /** Resolves when all relationships are in memory, false where that took longer than the time in milliseconds. */
  loaded: (withinMs: number) => Promise<boolean>
}

interface Parts {
  sql: Sql
  schemas: Schemas
  follower: Follower
  ask: Ask
}

/** How long a write may take to be seen in the process that wrote. */
const ownWriteMs = 5000
const unlimited = 2 ** 31 - 1

/** Opens the engine; relationships are loaded in the background, and until then the database is asked. */
export function createEmbeddedEngine(sql: Sql, { log, version }: { log: Log; version: string }): EmbeddedEngine {
  const schemas = keepSchemas()
  const follower = follow(sql, log, schemas)
  const parts = { sql, schemas, follower, ask: createAsk(sql, schemas, follower) }
  return {
    kind: 'embedded',
    version,
    ...schemaCalls(parts),
    ...questionCalls(parts),
    ...relationshipCalls(parts),
    ...insightCalls(parts),
    writeIn: async (sql, updates, by, preconditions = []) => {
      const { epoch, rev } = await writeIn(sql, schemas, { updates, preconditions, by })
      return tokenOf(epoch, rev)
    },
    sweeps: [(limit) => store.sweepExpired(sql, limit), (limit) => store.sweepLog(sql, limit)],
    loaded: (withinMs) => follower.reach(0, withinMs),
    close: () => follower.close(),
  }
}

/** Writes in a transaction of its own, which is known to this process when it is done. */
async function commit<T extends { head: store.Head }>({ sql, follower }: Parts, body: (sql: Sql) => Promise<T>) {
  const written = await transaction(sql, body)
  const { epoch, rev } = written.head
  // Where all is not loaded yet the database is asked, which knows it.
  if (follower.current()) await follower.reach(rev, ownWriteMs)
  return { ...written, token: tokenOf(epoch, rev) }
}

function schemaCalls(parts: Parts): Pick<PermissionEngine, 'readSchema' | 'writeSchema' | 'reflectSchema' | 'diffSchema'> {
  const { sql, schemas } = parts
  async function current() {
    const { epoch, rev, schemaId } = await store.readHead(sql)
    return { schema: await schemas.find(sql, schemaId), token: tokenOf(epoch, rev) }
  }
  return {
    readSchema: async () => {
      const { schema, token } = await current()
      return { text: schema.text, readAt: token }
    },
    writeSchema: async (text, { by, record } = {}) => {
      const { token } = await commit(parts, async (sql) => {
        await writeSchemaIn(sql, schemas, { text, by, record })
        return { head: await store.numberWrite(sql) }
      })
      return { writtenAt: token }
    },
    reflectSchema: async () => reflectSchema((await current()).schema),
    diffSchema: async (text) =>
      diffSchemas((await current()).schema, compileWithDirectory(applicationPart(text))),
  }
}

type Questions = Pick<PermissionEngine, 'check' | 'checkBulk' | 'lookupResources' | 'lookupSubjects'>

function questionCalls({ ask }: Parts): Questions {
  return {
    check: (question, { consistency, withTrace = false } = {}) =>
      ask(
        consistency,
        ofGraph(
          ({ forCheck }) => forCheck(question),
          ({ schema, epoch, rev }, graph) => {
            const { hasCycle, ...verdict } = check(schema, graph, question, { now: Date.now(), withTrace })
            return { ...verdict, checkedAt: tokenOf(epoch, rev) }
          },
        ),
      ),
    checkBulk: (questions, { consistency } = {}) => {
      if (questions.length > 1000) throw new PermissionFault('too-many', 'At most 1000 at once.', 'items')
      const now = Date.now()
      return ask(consistency, {
        ofMemory: ({ schema, graph, epoch, rev }) => ({
          answers: questions.map((question) => answerOne(() => check(schema, graph, question, { now }))),
          checkedAt: tokenOf(epoch, rev),
        }),
        ofSnapshot: async ({ schema, epoch, rev, forCheck }) => {
          const answers: BulkAnswer[] = []
          for (const question of questions) {
            const graph = await forCheck(question).catch((error: unknown) => error)
            answers.push(
              answerOne(() => {
                if (graph instanceof Error) throw graph
                return check(schema, graph as never, question, { now })
              }),
            )
          }
          return { answers, checkedAt: tokenOf(epoch, rev) }
        },
      })
    },
    lookupResources: (question, { consistency } = {}) =>
      lookUp(ask, question, consistency, ({ forResources }) => forResources(question), lookupResources),
    lookupSubjects: (question, { consistency } = {}) =>
      lookUp(ask, question, consistency, ({ forSubjects }) => forSubjects(question), lookupSubjects),
  }
}

function answerOne(answer: () => { permissionship: BulkAnswer extends infer A ? never : never } | never): BulkAnswer
function answerOne(answer: () => unknown): BulkAnswer {
  return answer() as BulkAnswer
}
