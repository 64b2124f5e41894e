import * as api from '@passport/contract/permissions'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type Visitor } from '../test-service.ts'

/* A dry run and an import agree, and report every invalid line. */

const schema = `use expiration

caveat on_day(day string) {
  day == "fri"
}

definition user {}

definition document {
  relation viewer: user
  relation careful: user with on_day
  relation reader: passport/group#member
  permission view = viewer + careful
}`

let ada: Visitor
beforeAll(async () => {
  const service = await startTestService()
  ada = await service.as('ada')
  await ada.call(api.putPermissionSchema, { body: { text: schema } })
})

interface Problem {
  status: number
  code: string
  errors: { field: string; code: string; line?: number }[]
}
async function send(file: string, isDryRun: boolean) {
  const headers = { 'content-type': 'application/yaml' }
  const path = `${api.importPermissions.path}${isDryRun ? '?dryRun=true' : ''}`
  const response = await ada.fetch(path, { method: 'POST', headers, body: file })
  return { status: response.status, body: (await response.json()) as Problem & Record<string, unknown> }
}
const count = async () => (await ada.call(api.listRelationships, { query: { resourceType: 'document' } })).items.length

const block = (lines: string[]) => `relationships: |-\n${lines.map((line) => `  ${line}\n`).join('')}`
const invalidLines = [
  'document:a#viewer@user:ann',
  'document:a#view@user:ann',
  '',
  'letter:a#viewer@user:ann',
  '// a remark',
  'document:a#viewer@user:ann#member',
  'document:a#careful@user:ann',
  'document:a#careful@user:ben[on_day:{"day":5}]',
  'document:a#viewer@user:dan[expiration:2099-01-01T00:00:00Z]',
  'passport/group:g#member@passport/user:u',
  'document:a#viewer@user:zoe',
]
const errors = [
  [3, 'write-to-permission'],
  [5, 'unknown-type'],
  [7, 'unknown-relation'],
  [8, 'caveat-required'],
  [9, 'context-type'],
  [10, 'subject-not-allowed'],
  [11, 'directory-owned'],
] as const

describe.for([
  ['a dry run', true],
  ['an import', false],
] as const)('%s', ([, isDryRun]) => {
  test('reports every relationship that does not fit the current schema, by line', async () => {
    const { status, body } = await send(block(invalidLines), isDryRun)
    expect([status, body.code]).toEqual([400, 'file-invalid'])
    expect(body.errors.map(({ field, line, code }) => [field, line, code])).toEqual(
      errors.map(([line, code]) => ['yaml', line, code]),
    )
    expect(await count()).toBe(0)
  })

  test('checks against the schema of the file if it has one', async () => {
    const text = schema.replace('relation viewer: user', 'relation viewer: user with on_day')
    const head = `schema: |-\n${text
      .split('\n')
      .map((line) => `  ${line}\n`)
      .join('')}`
    const headLines = head.split('\n').length - 1
    const { status, body } = await send(
      `${head}${block(['document:a#viewer@user:ann[on_day]', 'document:a#viewer@user:ben'])}`,
      isDryRun,
    )
    expect([status, body.errors.map(({ line, code }) => [line, code])]).toEqual([
      400,
      [[headLines + 3, 'caveat-required']],
    ])
    expect((await ada.call(api.getPermissionSchema, {})).text).toContain('relation viewer: user\n')
  })

  test('reports the first hundred problems', async () => {
    const lines = Array.from({ length: 2500 }, (_, index) => `document:a#view@user:u${index}`)
    const { body } = await send(block(lines), isDryRun)
    expect(body.errors.map(({ line }) => line)).toEqual(Array.from({ length: 100 }, (_, index) => index + 2))
  })

  test('reports invalid assertions', async () => {
    const yaml = `assertions:\n  assertTrue:\n    - document:a#nope@user:ann\n    - document:a#view@user:ann\nvalidation:\n  nothing:a#view: []\n`
    const { status, body } = await send(yaml, isDryRun)
    expect([status, body.code, body.errors.map(({ line, code }) => [line, code])]).toEqual([
      400,
      'file-invalid',
      [
        [2, 'unknown-permission'],
        [6, 'unknown-type'],
      ],
    ])
    const misspelt = await send('assertions:\n  assertTru: []\n', isDryRun)
    expect([misspelt.status, misspelt.body.code]).toEqual([400, 'file-invalid'])
    expect((await ada.call(api.listAssertions, {})).items).toEqual([])
  })

  test('rejects more assertions than can be saved', async () => {
    const lines = Array.from({ length: 1001 }, (_, index) => `    - document:a#view@user:u${index}\n`)
    const { status, body } = await send(`relationships: ""\nassertions:\n  assertTrue:\n${lines.join('')}`, isDryRun)
    expect([status, body.code]).toEqual([400, 'too-many'])
    expect((await ada.call(api.listAssertions, {})).items).toEqual([])
  })
})

test('a successful dry run writes nothing, and the import then succeeds', async () => {
  const file = `${block(['document:a#viewer@user:ann', 'document:a#careful@user:ben[on_day]'])}assertions:\n  assertTrue:\n    - document:a#view@user:ann\n`
  expect(await send(file, true)).toMatchObject({
    status: 200,
    body: { relationships: 2, assertions: 1, writtenAt: null },
  })
  expect([await count(), (await ada.call(api.listAssertions, {})).items]).toEqual([0, []])
  expect(await send(file, false)).toMatchObject({ status: 200, body: { relationships: 2, assertions: 1 } })
  expect([await count(), (await ada.call(api.listAssertions, {})).items.length]).toEqual([2, 1])
})
