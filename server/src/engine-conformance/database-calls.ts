import type { Sql } from '../database/sql.ts'
import { createSchemaCache } from '../permissions/directory-schema.ts'
import { createRequestMethods } from '../permissions/evaluate-requests.ts'
import { withSnapshot } from '../permissions/sql-graph.ts'

/** For tests: answers from the database at its newest revision, like an engine without an in-memory graph. */
export function createDatabaseCalls(sql: Sql): ReturnType<typeof createRequestMethods> {
  const schemas = createSchemaCache()
  return createRequestMethods({
    evaluate: (_, { evaluateInSnapshot: ofSnapshot }) => withSnapshot(sql, schemas, undefined, ofSnapshot),
    options: {},
  })
}
