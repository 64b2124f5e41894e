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
const fresh = () => `${++serial}`

const post = (path: string, key: string | undefined, body: unknown, who = ada, type = 'application/json') =>
  who.fetch(path, {
    method: 'POST',
    headers: { 'content-type': type, ...(key !== undefined && { 'idempotency-key': key }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const postOrg = (key: string | undefined, name: string, who = ada) => post(createOrg.path, key, { name }, who)

/** All of an answer that is not of the moment. */
async function wholeOf(response: Response) {
  const { headers, status } = response
  const told = ['content-type', 'location', 'etag', 'cache-control'].map((name) => headers.get(name))
  return { status, headers: told, body: await response.text() }
}

async function refusalOf(response: Response) {
  const { status, code } = (await response.json()) as Problem
  return [status, code]
}

async function countOrgs(name: string): Promise<number> {
  const found = await service.sql`select id from orgs where name = ${name}`
  return found.length
}

/** As if what was asked before had been asked so long ago. */
const letPass = (time: string) => service.sql`update idempotency_keys set claimed_at = claimed_at - ${time}::interval`

/** Holds whatever makes an organisation back until `release`. */
async function holdOrgs() {
  const held = await service.sql.reserve()
  await held`begin`
  await held`lock table orgs in exclusive mode`
  return async () => {
    await held`rollback`
    held.release()
  }
}

const oneIsTaken = () => expect.poll(() => service.sql`select from idempotency_keys`).toHaveLength(1)

describe('a call that is sent again with its key', () => {
  test.for([
    ['an organisation', createOrg.path, { name: 'Again' }],
    ['a group', createGroup.path, { name: 'again' }],
    ['a role', createRole.path, { name: 'Again.Reader', description: 'Reads.' }],
    ['a person', createUser.path, { username: 'again', displayname: 'Again' }],
    ['an invitation', createInvitation.path, { email: 'again@example.com' }],
    ['an import', createUserImport.path, 'email\nagain@example.org\n'],
  ] as const)('makes %s once, and is answered as at first', async ([, path, body]) => {
    const type = typeof body === 'string' ? 'text/csv' : 'application/json'
    const first = await wholeOf(await post(path, 'a key', body, ada, type))
    expect(first.status).toBe(201)
    expect(first.headers).toEqual(Array(4).fill(expect.any(String)))
    const changes = () => service.sql`select id from audit_events`
    const { length } = await changes()
    expect(await wholeOf(await post(path, 'a key', body, ada, type))).toEqual(first)
    expect(await changes()).toHaveLength(length)
  })

  test('has the trace id of its own', async () => {
    const [first, second] = [await postOrg('k', 'Traced'), await postOrg('k', 'Traced')]
    expect(first.headers.get('x-trace-id')).not.toBe(second.headers.get('x-trace-id'))
  })

  test('without a key makes another one', async () => {
    expect([(await postOrg(undefined, 'Twice')).status, (await postOrg(undefined, 'Twice')).status]).toEqual([201, 201])
    expect(await countOrgs('Twice')).toBe(2)
  })

  test.for([
    ['another body', createOrg.path, { name: 'Mismatch 2' }],
    ['another path', createRole.path, { name: 'Mismatch', description: 'Other.' }],
    ['another query', `${createOrg.path}?x=1`, { name: 'Mismatch' }],
  ] as const)('but with %s is refused', async ([, path, body]) => {
    const key = fresh()
    await postOrg(key, 'Mismatch')
    expect(await refusalOf(await post(path, key, body))).toEqual([409, 'idempotency-mismatch'])
  })

  test('by somebody else is another call', async () => {
    const key = fresh()
    const [mine, theirs] = [await postOrg(key, 'Shared key'), await postOrg(key, 'Shared key', max)]
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect(mine.headers.get('location')).not.toBe(theirs.headers.get('location'))
    expect((await postOrg(key, 'Another', max)).status).toBe(409)
  })

  test('is not answered to one who may not call any more', async () => {
    const eve = await service.as('eve')
    expect(await refusalOf(await postOrg(fresh(), 'Not for eve', eve))).toEqual([403, 'role-missing'])
    expect(await service.sql`select from idempotency_keys`).toHaveLength(0)
  })

  test('after a day is a new one', async () => {
    const key = fresh()
    await postOrg(key, 'Tomorrow')
    await letPass('23 hours 59 minutes')
    await postOrg(key, 'Tomorrow')
    expect(await countOrgs('Tomorrow')).toBe(1)
    await letPass('2 minutes')
    expect((await postOrg(key, 'The day after')).status).toBe(201)
    expect(await refusalOf(await postOrg(key, 'Tomorrow'))).toEqual([409, 'idempotency-mismatch'])
  })

  test('is not the one that was previewed, and a preview is none of them', async () => {
    const key = fresh()
    const person = { displayname: 'Previewed' }
    const preview = () => post(`${createUser.path}?preview=true`, key, person)
    expect(await (await preview()).json()).toEqual({ gains: [], loses: [] })
    expect((await post(createUser.path, key, person)).status).toBe(201)
    expect((await preview()).status).toBe(200)
  })

  test('costs two statements, one where it is answered again, and none without a key', async () => {
    const spent = async (key?: string) => {
      statements.length = 0
      await postOrg(key, 'Counted')
      return statements.filter((text) => text.includes('idempotency_keys')).length
    }
    const key = fresh()
    expect([await spent(), await spent(key), await spent(key)]).toEqual([0, 2, 1])
  })
})

describe('calls at the same time with one key', () => {
  test('make one thing', async () => {
    const key = fresh()
    const calls = await Promise.all(Array.from({ length: 10 }, () => postOrg(key, 'Raced')))
    expect(await countOrgs('Raced')).toBe(1)
    const made = calls.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ headers }) => headers.get('location'))).size).toBe(1)
    const refused = calls.filter(({ status }) => status !== 201)
    for (const response of refused) expect(await refusalOf(response)).toEqual([409, 'idempotency-in-progress'])
  })

  test('are told that the first is under way, then that it takes too long, and its answer when it is there', async () => {
    const key = fresh()
    const release = await holdOrgs()
    const first = postOrg(key, 'Slow')
    await oneIsTaken()
    const second = await postOrg(key, 'Slow')
    expect(second.headers.get('retry-after')).toBe('1')
    expect(await refusalOf(second)).toEqual([409, 'idempotency-in-progress'])
    expect(await refusalOf(await postOrg(key, 'Other'))).toEqual([409, 'idempotency-mismatch'])
    await letPass('5 minutes')
    expect(await refusalOf(await postOrg(key, 'Slow'))).toEqual([409, 'idempotency-unknown'])
    await release()
    const answer = await wholeOf(await first)
    expect(answer.status).toBe(201)
    expect(await wholeOf(await postOrg(key, 'Slow'))).toEqual(answer)
  })

  test('after a day take it once', async () => {
    const key = fresh()
    await postOrg(key, 'Raced anew')
    await letPass('25 hours')
    await Promise.all(Array.from({ length: 10 }, () => postOrg(key, 'Raced anew')))
    expect(await countOrgs('Raced anew')).toBe(2)
  })
})

describe('a call that fails gives its key back', () => {
  test('where the caller can do something about it', async () => {
    const key = fresh()
    await post(createRole.path, undefined, { name: 'Taken', description: 'Tried.' })
    const taken = { name: 'Taken', description: 'Tried.' }
    expect((await post(createRole.path, key, taken)).status).toBe(409)
    expect((await ada.fetch('/passport/admin/roles/Taken', { method: 'DELETE' })).status).toBe(204)
    expect((await post(createRole.path, key, taken)).status).toBe(201)
  })

  test('before it is taken where the call is none', async () => {
    const key = fresh()
    expect((await post(createOrg.path, key, { name: 7 })).status).toBe(400)
    expect(await service.sql`select from idempotency_keys`).toHaveLength(0)
    expect((await postOrg(key, 'Right now')).status).toBe(201)
  })

  test('where the server is at fault', async () => {
    const key = fresh()
    await service.sql`alter table orgs add constraint broken check (name <> 'Broken')`
    expect((await postOrg(key, 'Broken')).status).toBe(500)
    await service.sql`alter table orgs drop constraint broken`
    expect((await postOrg(key, 'Broken')).status).toBe(201)
    expect(await countOrgs('Broken')).toBe(1)
  })
})

describe('where nobody knows whether it was done', () => {
  test('because the process died, the key says so', async () => {
    const { sql } = service
    const [{ name = '' } = {}] = await sql<{ name: string }[]>`select current_database() as name`
    const server = await runServer({
      DATABASE_URL: `postgres://passport@localhost/${name}?host=${inject('socketDirectory')}`,
      PASSPORT_SECRET: testSecret,
    })
    const key = fresh()
    const release = await holdOrgs()
    const first = fetch(server.url + createOrg.path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        cookie: ada.cookie,
        'sec-fetch-site': 'same-origin',
      },
      body: JSON.stringify({ name: 'Crashed' }),
    }).catch(() => 'no answer')
    await oneIsTaken()
    server.kill('SIGKILL')
    await server.ended
    expect(await first).toBe('no answer')
    await release()

    expect(await refusalOf(await postOrg(key, 'Crashed'))).toEqual([409, 'idempotency-in-progress'])
    await letPass('5 minutes')
    expect(await refusalOf(await postOrg(key, 'Crashed'))).toEqual([409, 'idempotency-unknown'])
    expect(await refusalOf(await postOrg(key, 'Other'))).toEqual([409, 'idempotency-mismatch'])
    expect(await countOrgs('Crashed')).toBe(0)
    expect((await postOrg(fresh(), 'Crashed')).status).toBe(201)
  })

  test('because the answer could not be kept, the first call has it all the same', async () => {
    const key = fresh()
    await service.sql`alter table idempotency_keys add constraint broken check (sealed_answer is null)`
    expect((await postOrg(key, 'Not kept')).status).toBe(201)
    await service.sql`alter table idempotency_keys drop constraint broken`
    await letPass('5 minutes')
    expect(await refusalOf(await postOrg(key, 'Not kept'))).toEqual([409, 'idempotency-unknown'])
    expect(await countOrgs('Not kept')).toBe(1)
  })
})

describe('what is stored', () => {
  test('opens with the key alone', async () => {
    const made = await postOrg(undefined, 'Sealed')
    const { id } = (await made.json()) as { id: string }
    const key = 'the key of a link that is told once'
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
  test('that is refused is told with all else that is wrong', async () => {
    const response = await post(createOrg.path, 'é', { name: 7 })
    const { errors } = (await response.json()) as Problem
    expect([response.status, errors?.map(({ field }) => field)]).toEqual([400, ['name', 'Idempotency-Key']])
  })

  test('means nothing to a call that creates nothing', async () => {
    const response = await ada.fetch(listGroups.path, { headers: { 'idempotency-key': 'é' } })
    expect(response.status).toBe(200)
  })
})
