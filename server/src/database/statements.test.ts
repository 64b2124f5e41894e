import { globSync, readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import type { Sql } from './sql.ts'

/** Prepares every statement of the code on a real database: a wrong table, column or type fails here. */

const sourceRoot = new URL('../', import.meta.url).pathname
const files = globSync('**/*.ts', { cwd: sourceRoot }).filter((file) => !file.includes('test'))
const statements = files.flatMap((file) =>
  extractStatements(readFileSync(sourceRoot + file, 'utf8')).map((text) => ({ file, text })),
)

let sql: Sql
beforeAll(async () => {
  sql = await createTestDatabase()
})

test('there are statements to check', () => {
  expect(statements.length).toBeGreaterThan(50)
})

test.for(statements.map(({ file, text }, index) => [index, file, text] as const))('%i in %s', async ([, , text]) => {
  await expect(sql.unsafe(text, [], { prepare: true }).describe()).resolves.toBeDefined()
})

/** Extracts the tagged templates of a file, each `${value}` replaced by its parameter. */
function extractStatements(code: string): string[] {
  return [...code.matchAll(/\bsql(?:<[^`;]*?>)?`/g)].map((match) => {
    let text = ''
    let parameters = 0
    for (let index = match.index + match[0].length; code[index] !== '`'; index++) {
      if (code[index] !== '$' || code[index + 1] !== '{') {
        text += code[index]
        continue
      }
      index = findExpressionEnd(code, index + 1)
      text += `$${++parameters}`
    }
    return text
  })
}

function findExpressionEnd(code: string, start: number): number {
  let depth = 0
  for (let index = start; ; index++) {
    if (code[index] === '{') depth++
    if (code[index] === '}' && --depth === 0) return index
  }
}
