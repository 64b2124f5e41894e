import type { Sql } from '../database/sql.ts'
import { createSchemaCache } from '../permissions/directory-schema.ts'
import { createRequestMethods } from '../permissions/evaluate-requests.ts'
import { withSnapshot } from '../permissions/sql-graph.ts'

/** Creates methods for tests that evaluate in the database at its newest revision, without a graph in memory. */
export function createDatabaseCalls(sql: Sql): ReturnType<typeof createRequestMethods> {
  const schemas = createSchemaCache()
  return createRequestMethods({
    evaluate: (_, { evaluateInSnapshot }) => withSnapshot(sql, schemas, undefined, evaluateInSnapshot),
    options: {},
  })
}
