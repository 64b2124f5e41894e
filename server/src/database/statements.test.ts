import { globSync, readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import type { Sql } from './sql.ts'

/** Every statement in the code, asked of the real database what it takes and gives: a wrong table, column or type fails here. */

const side = new URL('../', import.meta.url).pathname
const files = globSync('**/*.ts', { cwd: side }).filter((file) => !file.includes('test'))
const statements = files.flatMap((file) =>
  statementsOf(readFileSync(side + file, 'utf8')).map((text) => ({ file, text })),
)

let sql: Sql
beforeAll(async () => {
  sql = await createTestDatabase()
})

test('there are statements to check', () => {
  expect(statements.length).toBeGreaterThan(50)
})

test.for(statements.map(({ file, text }, at) => [at, file, text] as const))('%i in %s', async ([, , text]) => {
  await expect(sql.unsafe(text, [], { prepare: true }).describe()).resolves.toBeDefined()
})

/** The tagged templates of a file, each `${value}` as the parameter that it becomes. */
function statementsOf(code: string): string[] {
  return [...code.matchAll(/\bsql(?:<[^`;]*?>)?`/g)].map((found) => {
    let text = ''
    let parameters = 0
    for (let at = found.index + found[0].length; code[at] !== '`'; at++) {
      if (code[at] !== '$' || code[at + 1] !== '{') {
        text += code[at]
        continue
      }
      at = endOfExpression(code, at + 1)
      text += `$${++parameters}`
    }
    return text
  })
}

function endOfExpression(code: string, start: number): number {
  let depth = 0
  for (let at = start; ; at++) {
    if (code[at] === '{') depth++
    if (code[at] === '}' && --depth === 0) return at
  }
}
