import { createGroup, listGroups } from '@passport/contract/groups'
import { createInvitation } from '@passport/contract/invitations'
import { createJoinLink } from '@passport/contract/join'
import { createOrg } from '@passport/contract/orgs'
import type { Problem } from '@passport/contract/problem'
import { createRole } from '@passport/contract/roles'
import { createUserImport } from '@passport/contract/user-imports'
import { createUser } from '@passport/contract/users'
import { runServer } from '@passport/world/process'
import { beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { testSecret } from '../test-database.ts'
import { holdTransaction } from '../test-hold.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

let service: TestService
let ada: Visitor
let max: Visitor
const statements: string[] = []

beforeAll(async () => {
  service = await startTestService({}, { onStatement: (text) => void statements.push(text) })
  ada = await service.as('ada')
  max = await service.as('max')
})

beforeEach(async () => {
  await service.sql`delete from idempotency_keys`
})

let serial = 0
const generateKey = () => `${++serial}`

const post = (path: string, key: string | undefined, body: unknown, visitor = ada, type = 'application/json') =>
  visitor.fetch(path, {
    method: 'POST',
    headers: { 'content-type': type, ...(key !== undefined && { 'idempotency-key': key }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const postOrg = (key: string | undefined, name: string, visitor = ada) => post(createOrg.path, key, { name }, visitor)

/** Reads the parts of a response that a retry repeats. */
async function snapshot(response: Response) {
  const { headers, status } = response
  const values = ['content-type', 'location', 'etag', 'cache-control'].map((name) => headers.get(name))
  return { status, headers: values, body: await response.text() }
}

async function readProblem(response: Response) {
  const { status, code } = (await response.json()) as Problem
  return [status, code]
}

async function countOrgs(name: string): Promise<number> {
  const orgs = await service.sql`select id from orgs where name = ${name}`
  return orgs.length
}

/** Backdates earlier calls by `time`. */
const advanceClock = (time: string) =>
  service.sql`update idempotency_keys set claimed_at = claimed_at - ${time}::interval - interval '1 ms'`

/** Blocks the creation of organisations until the returned function is called. */
const lockOrgs = () => holdTransaction(service.sql, (sql) => sql`lock table orgs in exclusive mode`)

const waitForClaim = () => expect.poll(() => service.sql`select from idempotency_keys`).toHaveLength(1)

describe('a repeated call with the same key', () => {
  test.for([
    ['an organisation', createOrg.path, { name: 'Again' }],
    ['a group', createGroup.path, { name: 'again' }],
    ['a role', createRole.path, { name: 'Again.Reader', description: 'Reads.' }],
    ['a user', createUser.path, { username: 'again', displayname: 'Again' }],
    ['an invitation', createInvitation.path, { email: 'again@example.com' }],
    ['an import', createUserImport.path, 'email\nagain@example.org\n'],
  ] as const)('creates %s once, and gets the same response', async ([, path, body]) => {
    const type = typeof body === 'string' ? 'text/csv' : 'application/json'
    const first = await snapshot(await post(path, 'a key', body, ada, type))
    expect(first.status).toBe(201)
    expect(first.headers).toEqual(Array(4).fill(expect.any(String)))
    const changes = () => service.sql`select id from audit_events`
    const { length } = await changes()
    expect(await snapshot(await post(path, 'a key', body, ada, type))).toEqual(first)
    expect(await changes()).toHaveLength(length)
  })

  test('has its own trace id', async () => {
    const [first, second] = [await postOrg('k', 'Traced'), await postOrg('k', 'Traced')]
    expect(first.headers.get('x-trace-id')).not.toBe(second.headers.get('x-trace-id'))
  })

  test('creates another record if it has no key', async () => {
    expect([(await postOrg(undefined, 'Twice')).status, (await postOrg(undefined, 'Twice')).status]).toEqual([201, 201])
    expect(await countOrgs('Twice')).toBe(2)
  })

  test.for([
    ['another body', createOrg.path, { name: 'Mismatch 2' }],
    ['another path', createRole.path, { name: 'Mismatch', description: 'Other.' }],
    ['another query', `${createOrg.path}?x=1`, { name: 'Mismatch' }],
  ] as const)('is rejected with %s', async ([, path, body]) => {
    const key = generateKey()
    await postOrg(key, 'Mismatch')
    expect(await readProblem(await post(path, key, body))).toEqual([409, 'idempotency-mismatch'])
  })

  test('by another caller is a different call', async () => {
    const key = generateKey()
    const [adaResponse, maxResponse] = [await postOrg(key, 'Shared key'), await postOrg(key, 'Shared key', max)]
    expect([adaResponse.status, maxResponse.status]).toEqual([201, 201])
    expect(adaResponse.headers.get('location')).not.toBe(maxResponse.headers.get('location'))
    expect((await postOrg(key, 'Another', max)).status).toBe(409)
  })

  test('of a caller without access is rejected and stores no key', async () => {
    const eve = await service.as('eve')
    expect(await readProblem(await postOrg(generateKey(), 'Not for eve', eve))).toEqual([403, 'role-missing'])
    expect(await service.sql`select from idempotency_keys`).toHaveLength(0)
  })

  test('after a day is a new call', async () => {
    const key = generateKey()
    await postOrg(key, 'Tomorrow')
    await advanceClock('23 hours 59 minutes')
    await postOrg(key, 'Tomorrow')
    expect(await countOrgs('Tomorrow')).toBe(1)
    await advanceClock('2 minutes')
    expect((await postOrg(key, 'The day after')).status).toBe(201)
    expect(await readProblem(await postOrg(key, 'Tomorrow'))).toEqual([409, 'idempotency-mismatch'])
  })

  test('is not affected by a preview with the same key', async () => {
    const key = generateKey()
    const user = { displayname: 'Previewed' }
    const preview = () => post(`${createUser.path}?preview=true`, key, user)
    expect(await (await preview()).json()).toEqual({ gains: [], loses: [] })
    expect((await post(createUser.path, key, user)).status).toBe(201)
    expect((await preview()).status).toBe(200)
  })

  test('costs one statement, the first call two, and a call without a key none', async () => {
    const countStatements = async (key?: string) => {
      statements.length = 0
      await postOrg(key, 'Counted')
      return statements.filter((text) => text.includes('idempotency_keys')).length
    }
    const key = generateKey()
    expect([await countStatements(), await countStatements(key), await countStatements(key)]).toEqual([0, 2, 1])
  })
})

describe('concurrent calls with one key', () => {
  test('create one record', async () => {
    const key = generateKey()
    const calls = await Promise.all(Array.from({ length: 10 }, () => postOrg(key, 'Raced')))
    expect(await countOrgs('Raced')).toBe(1)
    const created = calls.filter(({ status }) => status === 201)
    expect(created.length).toBeGreaterThan(0)
    expect(new Set(created.map(({ headers }) => headers.get('location'))).size).toBe(1)
    const rejected = calls.filter(({ status }) => status !== 201)
    for (const response of rejected) expect(await readProblem(response)).toEqual([409, 'idempotency-in-progress'])
  })

  test('get 409 while the first is in progress, and its response afterwards', async () => {
    const key = generateKey()
    const release = await lockOrgs()
    const first = postOrg(key, 'Slow')
    await waitForClaim()
    const second = await postOrg(key, 'Slow')
    expect(second.headers.get('retry-after')).toBe('1')
    expect(await readProblem(second)).toEqual([409, 'idempotency-in-progress'])
    expect(await readProblem(await postOrg(key, 'Other'))).toEqual([409, 'idempotency-mismatch'])
    await advanceClock('5 minutes')
    expect(await readProblem(await postOrg(key, 'Slow'))).toEqual([409, 'idempotency-unknown'])
    await release()
    const response = await snapshot(await first)
    expect(response.status).toBe(201)
    expect(await snapshot(await postOrg(key, 'Slow'))).toEqual(response)
  })

  test('create one further record after a day', async () => {
    const key = generateKey()
    await postOrg(key, 'Raced again')
    await advanceClock('25 hours')
    await Promise.all(Array.from({ length: 10 }, () => postOrg(key, 'Raced again')))
    expect(await countOrgs('Raced again')).toBe(2)
  })
})

describe('a key can be used again', () => {
  test('after a client error', async () => {
    const key = generateKey()
    await post(createRole.path, undefined, { name: 'Taken', description: 'Tried.' })
    const taken = { name: 'Taken', description: 'Tried.' }
    expect((await post(createRole.path, key, taken)).status).toBe(409)
    expect((await ada.fetch('/passport/admin/roles/Taken', { method: 'DELETE' })).status).toBe(204)
    expect((await post(createRole.path, key, taken)).status).toBe(201)
  })

  test('after an invalid request, which does not claim it', async () => {
    const key = generateKey()
    expect((await post(createOrg.path, key, { name: 7 })).status).toBe(400)
    expect(await service.sql`select from idempotency_keys`).toHaveLength(0)
    expect((await postOrg(key, 'Corrected')).status).toBe(201)
  })

  test('after a server error', async () => {
    const key = generateKey()
    await service.sql`alter table orgs add constraint broken check (name <> 'Broken')`
    expect((await postOrg(key, 'Broken')).status).toBe(500)
    await service.sql`alter table orgs drop constraint broken`
    expect((await postOrg(key, 'Broken')).status).toBe(201)
    expect(await countOrgs('Broken')).toBe(1)
  })
})

describe('a key is reported as unknown after 5 minutes', () => {
  test('if the process was killed', async () => {
    const { sql } = service
    const [{ name = '' } = {}] = await sql<{ name: string }[]>`select current_database() as name`
    const server = await runServer({
      DATABASE_URL: `postgres://passport@localhost/${name}?host=${inject('socketDirectory')}`,
      PASSPORT_SECRET: testSecret,
    })
    const key = generateKey()
    const release = await lockOrgs()
    const first = fetch(server.url + createOrg.path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        cookie: ada.cookie,
        'sec-fetch-site': 'same-origin',
      },
      body: JSON.stringify({ name: 'Crashed' }),
    }).catch(() => 'no response')
    await waitForClaim()
    server.kill('SIGKILL')
    await server.exited
    expect(await first).toBe('no response')
    await release()

    expect(await readProblem(await postOrg(key, 'Crashed'))).toEqual([409, 'idempotency-in-progress'])
    await advanceClock('5 minutes')
    expect(await readProblem(await postOrg(key, 'Crashed'))).toEqual([409, 'idempotency-unknown'])
    expect(await readProblem(await postOrg(key, 'Other'))).toEqual([409, 'idempotency-mismatch'])
    expect(await countOrgs('Crashed')).toBe(0)
    expect((await postOrg(generateKey(), 'Crashed')).status).toBe(201)
  })

  test('if the response could not be stored, which the first call got', async () => {
    const key = generateKey()
    await service.sql`alter table idempotency_keys add constraint broken check (sealed_answer is null)`
    expect((await postOrg(key, 'Not stored')).status).toBe(201)
    await service.sql`alter table idempotency_keys drop constraint broken`
    await advanceClock('5 minutes')
    expect(await readProblem(await postOrg(key, 'Not stored'))).toEqual([409, 'idempotency-unknown'])
    expect(await countOrgs('Not stored')).toBe(1)
  })
})

describe('the stored data', () => {
  test('can be decrypted only with the key', async () => {
    const created = await postOrg(undefined, 'Sealed')
    const { id } = (await created.json()) as { id: string }
    const key = 'the key of a link that is shown once'
    const link = await post(createJoinLink.path, key, { kind: 'org', targetId: id })
    const { url } = (await link.json()) as { url: string }
    const token = url.slice(url.lastIndexOf('/') + 1)
    expect(token.length).toBeGreaterThan(20)
    const again = await post(createJoinLink.path, key, { kind: 'org', targetId: id })
    expect(await again.json()).toMatchObject({ url })

    const rows = await service.sql<{ keyHash: string; sealedAnswer: string }[]>`select * from idempotency_keys`
    expect(rows).toHaveLength(1)
    const [row] = rows
    const text = JSON.stringify(rows) + Buffer.from(row?.sealedAnswer ?? '', 'base64url').toString('latin1')
    for (const secret of [token, key, id, ada.id]) expect(text).not.toContain(secret)
    for (const purpose of ['answer', 'idempotency']) {
      expect(service.services.vault.open(purpose, row?.sealedAnswer ?? '')).toBeUndefined()
    }
  })
})

describe('a key', () => {
  test('that is invalid is reported along with all other errors', async () => {
    const response = await post(createOrg.path, 'é', { name: 7 })
    const { errors } = (await response.json()) as Problem
    expect([response.status, errors?.map(({ field }) => field)]).toEqual([400, ['name', 'Idempotency-Key']])
  })

  test('is ignored by a call that creates nothing', async () => {
    const response = await ada.fetch(listGroups.path, { headers: { 'idempotency-key': 'é' } })
    expect(response.status).toBe(200)
  })
})
