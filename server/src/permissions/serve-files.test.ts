import * as api from '@passport/contract/permissions'
import { describe, expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { parseCheck } from './test-engines.ts'
import { fetchProblem, parseWireRelationship, schema, startTools, touch } from './test-tools.ts'

/* The schema and the assertions over HTTP. */

const { ada } = await startTools()

describe('the schema', () => {
  test('is returned as text and as data, with an ETag of the text', async () => {
    const response = await ada.fetch(api.getPermissionSchema.path)
    const body = await response.json()
    expect(body).toMatchObject({ text: expect.stringContaining('definition document') })
    const etag = response.headers.get('etag') ?? ''
    const again = await ada.fetch(api.getPermissionSchema.path, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    const headers = { 'content-type': 'application/json', 'if-match': '"another"' }
    const stale = await ada.fetch(api.putPermissionSchema.path, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ text: schema }),
    })
    expect(stale.status).toBe(412)
  })

  test('is saved for only one of several concurrent changes with the same ETag', async () => {
    const otherService = await startTestService()
    const max = await otherService.as('max')
    const etag = async () => (await max.fetch(api.getPermissionSchema.path)).headers.get('etag') ?? ''
    const initialEtag = await etag()
    const put = (name: string) =>
      max.fetch(api.putPermissionSchema.path, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'if-match': initialEtag },
        body: JSON.stringify({ text: `definition ${name} {}` }),
      })
    const responses = await Promise.all(['one', 'two', 'three', 'four'].map((name) => put(`thing_${name}`)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
    const saved = responses.find(({ status }) => status === 200)
    expect(saved?.headers.get('etag')).toBe(await etag())
  })

  test('is rejected with the position of each problem', async () => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ text: 'definition user {}\ndefinition document {\n  relation viewer: nobody\n}' })
    const response = await ada.fetch(api.putPermissionSchema.path, { method: 'PUT', headers, body })
    expect(await response.json()).toMatchObject({
      status: 400,
      code: 'schema-invalid',
      errors: [{ field: 'text', line: 3 }],
    })
  })

  test('is compared with the current one, with the number of relationships that block it', async () => {
    const text = schema.replace('  relation banned: user\n', '').replace(' - banned', '')
    const { differences } = await ada.call(api.diffPermissionSchema, { body: { text } })
    expect(differences).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'relation-removed', name: 'document#banned', blocking: 1 }),
      ]),
    )
    expect(await fetchProblem(ada, api.putPermissionSchema.path, { text }, 'PUT')).toMatchObject({
      status: 409,
      code: 'schema-in-use',
    })
  })

  test('is compared, with each blocking relationship counted once', async () => {
    const within = touch('group:inner#member@group:crew#member')
    await ada.call(api.writeRelationships, { body: within })
    const { differences } = await ada.call(api.diffPermissionSchema, { body: { text: 'definition user {}' } })
    const stored = [{ resourceType: 'group' }, { subjectType: 'group' }].map((query) =>
      ada.call(api.listRelationships, { query }),
    )
    const lines = (await Promise.all(stored)).flatMap(({ items }) => items.map((item) => JSON.stringify(item)))
    expect(differences).toContainEqual(
      expect.objectContaining({ kind: 'definition-removed', name: 'group', blocking: new Set(lines).size }),
    )
    expect(new Set(lines).size).toBeLessThan(lines.length)
    const updates = within.updates.map((item) => ({ ...item, operation: 'delete' as const }))
    await ada.call(api.writeRelationships, { body: { updates } })
  })
})

describe('assertions', () => {
  test('are saved, run, exported, imported and deleted', async () => {
    const holding = { kind: 'assertTrue' as const, question: parseCheck('document:plan#view@user:ada') }
    const failing = { kind: 'assertTrue' as const, question: parseCheck('document:plan#view@user:eve') }
    const validation = {
      kind: 'validation' as const,
      resource: { type: 'folder', id: 'all' },
      permission: 'view',
      subjects: ['[user:frida] is <folder:all#viewer>'],
    }
    for (const body of [holding, failing, validation]) await ada.call(api.createAssertion, { body })
    const run = await ada.call(api.runAssertions, {})
    expect(run.items.map(({ holds, got }) => [holds, got])).toEqual([
      [true, ['hasPermission']],
      [false, ['noPermission']],
      [true, ['user:frida']],
    ])
    expect(run.failed).toBe(1)

    const file = await (await ada.fetch(api.exportPermissions.path)).text()
    expect(file).toContain('document:plan#viewer@group:crew#member')
    expect(file).not.toMatch(/[#@]passport\//)
    const otherService = await startTestService()
    const max = await otherService.as('max')
    const dry = await max.call(api.importPermissions, { query: { dryRun: true }, body: file } as never)
    expect(dry).toMatchObject({ assertions: 3, writtenAt: null })
    expect((await max.call(api.listAssertions, {})).items).toEqual([])
    await max.call(api.importPermissions, { query: {}, body: file })
    expect((await max.call(api.runAssertions, {})).failed).toBe(1)
    expect(await (await max.fetch(api.exportPermissions.path)).text()).toBe(file)

    const { items } = await ada.call(api.listAssertions, {})
    for (const { id: assertionId } of items) await ada.call(api.deleteAssertion, { params: { assertionId } })
    expect((await ada.call(api.listAssertions, {})).items).toEqual([])
  })

  test('compare excluded subjects in any order, for relations and permissions', async () => {
    await ada.call(api.putPermissionSchema, {
      body: {
        text: schema
          .replace(
            'relation viewer: user | user:*',
            'relation fan: user | group#member\n  relation viewer: user | user:*',
          )
          .replace('relation banned: user', 'relation banned: user | user with only_friday'),
      },
    })
    const caveat = { name: 'only_friday' }
    const updates = [
      ...touch('document:open#viewer@user:*', 'document:open#banned@user:eve', 'document:open#fan@group:crew#member')
        .updates,
      {
        operation: 'touch' as const,
        relationship: { ...parseWireRelationship('document:open#banned@user:dev'), caveat },
      },
    ]
    await ada.call(api.writeRelationships, { body: { updates } })
    const resource = { type: 'document', id: 'open' }
    const expectedSubjects = [
      ['view', ['[user:* - {user:eve,  user:dev[...]}] is <document:open#viewer>']],
      ['fan', ['[group:crew#member] is <document:open#fan>', '[user:ada] is <group:crew#member>', '[user:mallory]']],
    ] as const
    const before = (await ada.call(api.listAssertions, {})).items.length
    for (const [permission, subjects] of expectedSubjects)
      await ada.call(api.createAssertion, {
        body: { kind: 'validation', resource, permission, subjects: [...subjects] },
      })
    const { items } = await ada.call(api.runAssertions, {})
    expect(items.slice(before).map(({ holds, got }) => [holds, got])).toEqual([
      [true, ['user:* - {user:dev[...], user:eve}']],
      [true, ['group:crew#member', 'user:ada', 'user:mallory']],
    ])
  })

  test('expect only the usersets that a relationship on the way to the subjects names, as SpiceDB does', async () => {
    const file = `schema: |-
  definition user {}
  definition team {
    relation lead: user
    relation direct: user | team#member | team#lead
    permission member = direct + lead
  }
  definition plan {
    relation viewer: team#member | team#lead
    permission view = viewer
  }
relationships: |-
  team:red#lead@user:ann
  team:red#direct@team:blue#member
  team:blue#direct@team:red#member
  plan:p1#viewer@team:red#member
  plan:p2#viewer@team:red#lead
validation:
  plan:p1#view:
    - "[team:red#member] is <plan:p1#viewer>"
    - "[team:blue#member] is <team:red#direct>"
    - "[user:ann] is <team:red#lead>"
  plan:p2#view:
    - "[team:red#lead] is <plan:p2#viewer>"
    - "[user:ann] is <team:red#lead>"
`
    const max = await (await startTestService()).as('max')
    await max.call(api.importPermissions, { query: {}, body: file })
    const { items, failed } = await max.call(api.runAssertions, {})
    expect(items.map(({ got }) => [...got].sort())).toEqual([
      ['team:blue#member', 'team:red#member', 'user:ann'],
      ['team:red#lead', 'user:ann'],
    ])
    expect(failed).toBe(0)
  })

  test('are rejected if invalid, and an invalid file is rejected with its line', async () => {
    const body = { kind: 'assertTrue', question: parseCheck('document:plan#edit@user:ada') }
    expect(await fetchProblem(ada, `${api.createAssertion.path}`, body)).toMatchObject({ code: 'unknown-permission' })
    const yaml = 'relationships: |-\n  group:crew#member@user:ada\n  nonsense\n'
    const headers = { 'content-type': 'text/plain' }
    const response = await ada.fetch(api.importPermissions.path, { method: 'POST', headers, body: yaml })
    expect(await response.json()).toMatchObject({
      status: 400,
      code: 'file-invalid',
      errors: [{ field: 'yaml', line: 3 }],
    })
  })
})
