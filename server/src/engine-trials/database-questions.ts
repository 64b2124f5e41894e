import type { Sql } from '../database/sql.ts'
import { questionCalls } from '../permissions/questions.ts'
import { keepSchemas } from '../permissions/schemas.ts'
import { atSnapshot } from '../permissions/sql-graph.ts'

/** For tests: answers questions as the engine does that has nothing in memory, from the database at its newest revision. */
export function databaseQuestions(sql: Sql): ReturnType<typeof questionCalls> {
  const schemas = keepSchemas()
  return questionCalls({ ask: (_, { ofSnapshot }) => atSnapshot(sql, schemas, undefined, ofSnapshot) })
}
