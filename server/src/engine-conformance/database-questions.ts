import type { Sql } from '../database/sql.ts'
import { createSchemaCache } from '../permissions/directory-schema.ts'
import { questionCalls } from '../permissions/questions.ts'
import { withSnapshot } from '../permissions/sql-graph.ts'

/** For tests: answers from the database at its newest revision, like an engine without an in-memory graph. */
export function createDatabaseCalls(sql: Sql): ReturnType<typeof questionCalls> {
  const schemas = createSchemaCache()
  return questionCalls({
    evaluate: (_, { evaluateInSnapshot: ofSnapshot }) => withSnapshot(sql, schemas, undefined, ofSnapshot),
    options: {},
  })
}
