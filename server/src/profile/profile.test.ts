import { getCurrentUser } from '@passport/contract/current-user'
import * as api from '@passport/contract/profile'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { searchFew, searchMany } from './store.ts'

let service: TestService
let [ada, dev, eve]: Visitor[] = []
const users = () => ({ ada: ada as Visitor, dev: dev as Visitor, eve: eve as Visitor })

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  dev = await service.as('dev')
  eve = await service.as('eve')
})

/** Resets all names and username releases. */
beforeEach(async () => {
  await service.sql`delete from released_usernames`
  await service.sql`update users set username = null where id = any(${Object.values(users()).map(({ id }) => id)})`
  for (const [name, { id }] of Object.entries(users()))
    await service.sql`update users set username = ${name} where id = ${id}`
})

const me = { params: { profileId: 'me' } }
const pathOf = (rest = '', id = 'me') => `/passport/profile/${id}${rest}`
const send = (visitor: Visitor, method: string, path: string, body: string, type = 'application/json', more = {}) =>
  visitor.fetch(path, { method, body, headers: { 'content-type': type, ...more } })
const claim = (visitor: Visitor, username: string) =>
  send(visitor, 'POST', pathOf('/username'), JSON.stringify(username))

describe('a profile', () => {
  test('is returned with every field as sent', async () => {
    const { eve } = users()
    const before = await eve.call(api.getProfile, me)
    const body = { displayname: 'Éve 👩🏽‍🚀', username: 'eve.2' }
    const put = await eve.call(api.putProfile, { ...me, body })
    expect(put).toEqual({
      profileId: eve.id,
      ...body,
      avatar: null,
      avatarPngUrl: null,
      avatarGlbUrl: null,
      createdAt: before.createdAt,
      updatedAt: expect.any(String),
      version: before.version + 1,
    })
    expect(await eve.call(api.getProfile, me)).toEqual(put)
    expect(await users().dev.call(api.getProfile, { params: { profileId: eve.id } })).toEqual(put)
    expect(await eve.call(api.putProfile, { ...me, body: {} })).toEqual(put)
  })

  test('is reflected in the claims of the user', async () => {
    const { eve } = users()
    await eve.call(api.putProfile, { ...me, body: { displayname: 'Evelyn', username: 'evelyn' } })
    const { claims } = await eve.call(getCurrentUser, {})
    expect(claims).toMatchObject({ name: 'Evelyn', preferred_username: 'evelyn' })
  })

  test('is updated only when If-Match names the current version', async () => {
    const { eve } = users()
    const etag = (await eve.fetch(pathOf())).headers.get('etag') ?? ''
    const put = (name: string) =>
      send(eve, 'PUT', pathOf(), JSON.stringify({ displayname: name }), 'application/json', { 'if-match': etag })
    const [first, second] = await Promise.all([put('One'), put('Other')])
    expect([first.status, second.status].sort()).toEqual([200, 412])
    const again = await eve.fetch(pathOf(), { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(200)
    const same = await eve.fetch(pathOf(), { headers: { 'if-none-match': again.headers.get('etag') ?? '' } })
    expect(same.status).toBe(304)
  })

  test('is updated by its owner and by administrators, and each change is audited with the old values', async () => {
    const { ada, eve, dev } = users()
    const body = JSON.stringify({ displayname: 'Renamed' })
    for (const id of [eve.id, 'nobody']) {
      const rejected = await send(dev, 'PUT', pathOf('', id), body)
      expect([rejected.status, await rejected.json()]).toMatchObject([403, { code: 'not-yours' }])
    }
    await eve.call(api.putDisplayName, { ...me, body: 'Before' })
    expect((await send(ada, 'PUT', pathOf('', eve.id), body)).status).toBe(200)
    const [recorded] = await service.sql`
      select actor_id as actor, target_id as target, before, after from audit_events
      where action = 'profile.changed' order by at desc, id desc limit 1`
    expect(recorded).toEqual({
      actor: ada.id,
      target: eve.id,
      before: { displayname: 'Before' },
      after: { displayname: 'Renamed' },
    })
    const gone = await ada.fetch(pathOf('', 'nobody'))
    expect([gone.status, await gone.json()]).toMatchObject([404, { code: 'profile-not-found' }])
    expect((await send(ada, 'PUT', pathOf('', 'nobody'), body)).status).toBe(404)
  })

  test('is not audited when an update changes nothing', async () => {
    const { eve } = users()
    await eve.call(api.putDisplayName, { ...me, body: 'Same' })
    const count = async () => (await service.sql`select from audit_events where action = 'profile.changed'`).count
    const before = await count()
    await eve.call(api.putProfile, { ...me, body: { displayname: ' Same ', username: 'EVE' } })
    expect(await count()).toBe(before)
  })
})

describe('a single value', () => {
  test.for<[string, string]>([
    ['text/plain', 'Text'],
    ['text/plain; charset=utf-8', '  Téxt '],
    ['application/json', '"Text"'],
    ['application/json', '{"displayname":"Text","other":1}'],
  ])('accepts %s: %s', async ([type, body]) => {
    const { eve } = users()
    const response = await send(eve, 'PUT', pathOf('/displayname'), body, type)
    const displayname = body.includes('é') ? 'Téxt' : 'Text'
    expect([response.status, await response.json()]).toEqual([200, { displayname }])
    expect(await (await eve.fetch(pathOf('/displayname'))).json()).toEqual({ displayname })
    const plain = await eve.fetch(pathOf('/displayname'), { headers: { accept: 'text/plain' } })
    expect(await plain.text()).toBe(displayname)
  })

  test.for<[string, string]>([
    ['application/json', '{}'],
    ['application/json', '{"name":"x"}'],
    ['application/json', '["x"]'],
    ['application/json', 'null'],
    ['application/json', '{"displayname":null}'],
  ])('rejects %s: %s', async ([type, body]) => {
    const response = await send(users().eve, 'PUT', pathOf('/displayname'), body, type)
    expect([response.status, await response.json()]).toMatchObject([400, { errors: [{ field: 'displayname' }] }])
  })

  test.for(['', ' ', '\u200b', 'a\tb', 'a\u202eb', 'x'.repeat(65)])('rejects %j as a display name', async (name) => {
    const { eve } = users()
    for (const [path, body] of [
      ['/displayname', JSON.stringify(name)],
      ['', JSON.stringify({ displayname: name })],
    ] as const) {
      const response = await send(eve, 'PUT', pathOf(path), body)
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { code: 'displayname-invalid', errors: [{ field: 'displayname' }] },
      ])
    }
  })

  test('allows 64 grapheme clusters', async () => {
    const name = '👩‍👩‍👧‍👦'.repeat(64)
    expect(await users().eve.call(api.putDisplayName, { ...me, body: name })).toEqual({ displayname: name })
  })
})

describe('a username', () => {
  test.for(['ab', 'x'.repeat(33), '.abc', 'abc-', 'a..b', 'a b', 'ä-name', 'me', 'Admin', 'index', 'abc@def'])(
    'cannot be %s',
    async (name) => {
      const response = await claim(users().eve, name)
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { code: 'username-invalid', errors: [{ field: 'username' }] },
      ])
      const { verdict } = await users().eve.call(api.checkUsername, { ...me, query: { username: name } })
      expect(verdict).toBe('invalid')
    },
  )

  test('is stored in lower case, and claiming it again is idempotent', async () => {
    const { eve } = users()
    for (const name of ['New.Name', ' new.name ']) {
      const claimed = await claim(eve, name)
      expect([claimed.status, await claimed.json()]).toEqual([200, { username: 'new.name' }])
    }
    expect(await eve.call(api.getUsername, me)).toEqual({ username: 'new.name' })
    expect(await eve.call(api.checkUsername, { ...me, query: { username: 'NEW.name' } })).toMatchObject({
      verdict: 'yours',
      changesLeft: 2,
    })
  })

  test('returns 404 when it is not set', async () => {
    const { eve } = users()
    await service.sql`update users set username = null where id = ${eve.id}`
    const response = await eve.fetch(pathOf('/username'))
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'username-unset' }])
  })

  test('of another user is taken, and stays reserved for 90 days after its release', async () => {
    const { eve, dev } = users()
    const expectTaken = async () => {
      const response = await claim(eve, 'DEV')
      expect([response.status, await response.json()]).toMatchObject([
        409,
        { code: 'username-taken', errors: [{ field: 'username' }] },
      ])
      const check = await eve.call(api.checkUsername, { ...me, query: { username: 'dev' } })
      expect(check.verdict).toBe('taken')
    }
    await expectTaken()
    expect((await claim(dev, 'devon')).status).toBe(200)
    await expectTaken()
    await service.sql`update released_usernames set released_at = now() - interval '89 days 23 hours'`
    await expectTaken()
    expect((await claim(dev, 'dev')).status).toBe(200)
    expect((await claim(dev, 'devon')).status).toBe(200)
    await service.sql`update released_usernames set released_at = now() - interval '90 days 1 second'`
    expect((await claim(eve, 'dev')).status).toBe(200)
  })

  test('changes at most 3 times in 30 days, except by an administrator', async () => {
    const { ada, eve } = users()
    for (const name of ['one', 'two', 'three']) expect((await claim(eve, name)).status).toBe(200)
    const rejected = await claim(eve, 'four')
    expect([rejected.status, await rejected.json()]).toMatchObject([429, { code: 'username-cooldown' }])
    const days = Number(rejected.headers.get('retry-after')) / (24 * 60 * 60)
    expect(days).toBeGreaterThan(29.9)
    expect(days).toBeLessThanOrEqual(30)
    const check = await eve.call(api.checkUsername, { ...me, query: { username: 'four' } })
    expect(check).toMatchObject({ verdict: 'free', changesLeft: 0, nextChangeAt: expect.any(String) })
    await ada.call(api.claimUsername, { params: { profileId: eve.id }, body: 'four' })
    await service.sql`update released_usernames set released_at = now() - interval '30 days 1 second'`
    expect((await claim(eve, 'five')).status).toBe(200)
  })

  test('goes to exactly one user of many concurrent claims', async () => {
    const all = Object.values(users())
    const responses = await Promise.all(all.flatMap((visitor) => [claim(visitor, 'wanted'), claim(visitor, 'wanted')]))
    const won = responses.filter(({ status }) => status === 200).length
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(responses.length - won)
    const holders = await service.sql`select id from users where username = 'wanted'`
    expect(holders).toHaveLength(1)
    expect(won).toBe(2)
  })

  test('stays taken while its owner releases it', async () => {
    const { eve, dev } = users()
    const [released, claimed] = await Promise.all([claim(dev, 'other'), claim(eve, 'dev')])
    expect([released.status, claimed.status]).toEqual([200, 409])
  })
})

describe('profile search', () => {
  let org: string
  beforeAll(async () => {
    const { eve, dev } = users()
    org = crypto.randomUUID()
    await service.sql`insert into orgs (id, name, slug) values (${org}, 'Harbour', 'harbour')`
    await service.sql`insert into org_members (org_id, user_id, role) values (${org}, ${eve.id}, 'member'), (${org}, ${dev.id}, 'owner')`
    for (const [id, name, username] of [
      ['p1', 'Ána María Li', 'aml'],
      ['p2', 'Anabel Stone', 'ana'],
      ['p3', 'Disabled Ana', 'ana-off'],
      ['p4', 'Deleted Ana', 'ana-gone'],
    ] as const)
      await service.sql`insert into users (id, display_name, username, email) values
        (${id}, ${name}, ${username}, ${`${id}@Corp.example`})`
    await service.sql`update users set disabled_at = now() where id = 'p3'`
    await service.sql`update users set deleted_at = now() where id = 'p4'`
    await service.sql`insert into groups (id, name) values ('g1', 'Group'), ('g2', 'Gone')`
    await service.sql`insert into group_members (group_id, user_id) values ('g1', ${eve.id}), ('g1', 'p3'), ('g2', ${eve.id}), ('g2', 'p2')`
    await service.sql`insert into group_owners (group_id, user_id) values ('g1', 'p1')`
    await service.sql`update groups set deleted_at = now() where id = 'g2'`
    await service.sql`update users set display_name = initcap(username) where id = any(${[eve.id, dev.id]})`
  })

  const find = async (visitor: Visitor, query: string) =>
    (await visitor.call(api.listProfiles, { query: { query } })).items.map(({ profileId }) => profileId)

  test('matches word prefixes without accents, exact usernames first, and parts of emails for administrators', async () => {
    const { ada } = users()
    expect(await find(ada, 'ana')).toEqual(['p2', 'p1', 'p3'])
    expect(await find(ada, 'MARÍA an')).toEqual(['p1'])
    expect(await find(ada, 'p1@corp.EXAMPLE')).toEqual(['p1'])
    for (const query of ['p1@corp', '@corp', 'CORP', 'ana corp']) expect(await find(ada, query)).toContain('p1')
    expect(await find(ada, '@example')).not.toContain('p1')
    expect(await find(ada, 'nobody at all')).toEqual([])
    expect(await find(ada, '!!!')).toEqual([])
    expect((await find(ada, '')).length).toBe(7)
  })

  test('matches the exact username, or prefixes among members of shared orgs and groups for other users', async () => {
    const { eve, dev, ada } = users()
    expect(await find(eve, 'an')).toEqual(['p1'])
    expect(await find(eve, 'ana')).toEqual(['p2', 'p1'])
    expect(await find(eve, 'ada')).toEqual([ada.id])
    expect(await find(eve, 'lovelace')).toEqual([])
    expect(await find(eve, 'de')).toEqual([dev.id])
    expect(await find(eve, 'ana-off')).toEqual([])
    expect(await find(eve, 'ana-gone')).toEqual([])
    expect(await find(eve, 'ada@passport.example')).toEqual([])
    for (const query of ['p1@corp.example', '@corp', 'corp', 'ana corp']) expect(await find(eve, query)).toEqual([])
    expect(await find(dev, 'an')).toEqual([])
    for (const query of ['', ' ', 'd', ' d ']) expect(await find(eve, query)).toEqual([])
  })

  test('pages without duplicates or gaps', async () => {
    const { ada } = users()
    const path = '/passport/profile?limit=2'
    for (const [start, count] of [
      [path, 7],
      [`${path}&query=an`, 3],
    ] as const) {
      const ids: string[] = []
      let next: string | null = start
      while (next) {
        const page = (await (await ada.fetch(next)).json()) as {
          items: { profileId: string }[]
          next: string | null
          total: number
        }
        expect(page.total).toBe(count)
        ids.push(...page.items.map(({ profileId }) => profileId))
        next = page.next
      }
      expect([ids.length, new Set(ids).size]).toEqual([count, count])
      const second = (await (await ada.fetch(`${start}&page=2`)).json()) as { items: { profileId: string }[] }
      expect(second.items.map(({ profileId }) => profileId)).toEqual(ids.slice(2, 4))
    }
  })

  test('returns the same order for sorting and for reading an index', async () => {
    for (const query of ['an', 'ana', 'p1@corp.example', '@corp', 'zzz']) {
      for (const after of [undefined, ['0anabel stone', 'p2'], ['1ana maria li', 'p1']] as const) {
        const part = { limit: 10, offset: 0, after }
        expect(await searchMany(service.sql, query, part)).toEqual(await searchFew(service.sql, query, part))
      }
    }
  })

  test('takes two statements besides authentication', async () => {
    for (const visitor of [users().ada, users().eve]) {
      const search = () => visitor.fetch('/passport/profile?query=an&limit=200')
      expect(await recordStatements(service.sql, search)).toHaveLength(3)
    }
  })

  test('rejects queries of more than 100 characters', async () => {
    expect((await users().eve.fetch(`/passport/profile?query=${'x'.repeat(101)}`)).status).toBe(400)
  })
})
