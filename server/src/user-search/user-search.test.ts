import * as api from '@passport/contract/users'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Sql } from '../database/sql.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import * as store from './store.ts'

let service: TestService
let ada: Visitor

/** A few hundred people whose names, times and states come of their numbers. */
beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  const { sql } = service
  await sql`
    insert into users (id, username, display_name, email, created_at, activated_at, last_sign_in_at, disabled_at)
    select 'p' || n, 'user' || n, case when n % 5 = 0 then 'Ána ' else 'Bob ' end || 'Number' || n, 'p' || n || '@example.com',
      now() - make_interval(days => n), case when n % 3 > 0 then now() end,
      case when n % 3 > 0 then now() - make_interval(days => n) end, case when n % 10 = 0 then now() end
    from generate_series(1, 300) n`
  await sql`insert into orgs (id, name, slug) values ('o1', 'Contoso', 'contoso')`
  await sql`insert into org_members (org_id, user_id, role) select 'o1', 'p' || n, 'member' from generate_series(1, 40) n`
  await sql`insert into groups (id, name) values ('g1', 'Developers')`
  await sql`insert into group_roles (group_id, role) values ('g1', 'Passport.Developer')`
  await sql`insert into group_members (group_id, user_id) select 'g1', 'p' || n from generate_series(1, 60) n`
  await sql`insert into role_members (role, user_id) select 'Passport.Developer', 'p' || n from generate_series(50, 70) n`
  await sql`
    insert into logins (id, user_id, provider_id, issuer, subject, label)
    select 'l' || n, 'p' || n, 'harbour', 'https://harbour.example', 'ext-' || n, 'x' from generate_series(1, 30) n`
  await sql`analyze`
})

type Query = Parameters<typeof api.listUsers.query._zod.run>[0]['value'] | Record<string, string | number>
const list = async (query: Query) =>
  ada.call(api.listUsers, { query: { limit: 200, ...(query as Record<string, never>) } })
const idsOf = async (query: Query) => (await list(query)).items.map(({ id }) => id)

/** All of a list by following `next`. */
async function follow(query: Record<string, string | number>) {
  const pages: string[][] = []
  let path: string | null = `/passport/admin/users?${new URLSearchParams(query as Record<string, string>)}`
  while (path) {
    const page = (await (await ada.fetch(path)).json()) as { items: { id: string }[]; next: string | null }
    pages.push(page.items.map(({ id }) => id))
    path = page.next
  }
  return pages
}

const numbers = (test: (n: number) => boolean) =>
  Array.from({ length: 300 }, (_, at) => at + 1)
    .filter(test)
    .map((n) => `p${n}`)
const sorted = (ids: string[]) => ids.toSorted()

describe('a filter', () => {
  const filters: [string, Record<string, string>, (n: number) => boolean][] = [
    ['of an organisation', { org: 'o1' }, (n) => n <= 40],
    ['of a role, also by a group', { role: 'Passport.Developer' }, (n) => n <= 70],
    ['of a provider', { provider: 'harbour' }, (n) => n <= 30],
    ['disabled', { status: 'disabled' }, (n) => n % 10 === 0],
    ['invited', { status: 'invited' }, (n) => n % 3 === 0 && n % 10 > 0],
    ['active', { status: 'active', org: 'o1' }, (n) => n <= 40 && n % 3 > 0 && n % 10 > 0],
    ['never seen', { lastSeen: 'never', org: 'o1' }, (n) => n <= 40 && n % 3 === 0],
    ['not seen for 30 days', { lastSeen: '30', org: 'o1' }, (n) => n <= 40 && n >= 30],
    ['of the beginning of a name', { query: 'an numb', org: 'o1' }, (n) => n <= 40 && n % 5 === 0],
    [
      'of everything',
      { query: 'ana', role: 'Passport.Developer', org: 'o1', provider: 'harbour', status: 'active', lastSeen: '10' },
      (n) => n <= 30 && n >= 10 && n % 5 === 0 && n % 3 > 0 && n % 10 > 0,
    ],
  ]
  test.for(filters)('%s', async ([, filter, isIn]) => {
    const cast = new Set((await list({ query: 'passport.example' })).items.map(({ id }) => id))
    const found = (await list(filter)).items.filter(
      ({ id, email }) => !cast.has(id) && !email?.endsWith('passport.example'),
    )
    expect(sorted(found.map(({ id }) => id))).toEqual(sorted(numbers(isIn)))
  })

  test('that finds nobody', async () => {
    expect(await list({ query: 'nobody at all' })).toMatchObject({ items: [], total: 0, next: null })
    expect(await idsOf({ query: '+++' })).toEqual([])
    expect(await idsOf({ role: 'Nobody', query: 'ana' })).toEqual([])
  })

  test.for([
    ['lastSeen', '0'],
    ['lastSeen', 'ever'],
    ['status', 'gone'],
    ['sort', 'email'],
    ['direction', 'up'],
    ['query', 'x'.repeat(201)],
    ['page', '0'],
  ])('with %s=%s is refused', async ([name, value]) => {
    const response = await ada.fetch(`/passport/admin/users?${name}=${value}`)
    expect(await response.json()).toMatchObject({ status: 400, errors: [{ field: name }] })
  })
})

describe('the box', () => {
  test.for([
    ['an id', 'p77'],
    ['a username', 'USER77'],
    ['an e-mail', 'P77@Example.com'],
  ])('finds %s in full, marked and first', async ([, query]) => {
    const { items } = await list({ query })
    expect(items[0]).toMatchObject({ id: 'p77', isExact: true })
    expect(items.slice(1).some(({ isExact }) => isExact)).toBe(false)
  })

  test('finds an id of an identity provider', async () => {
    expect((await list({ query: 'ext-7' })).items).toMatchObject([{ id: 'p7', isExact: true }])
  })

  test('shows who is named in full before others that it finds, and not twice', async () => {
    // `user7` is the beginning of ten other words.
    const pages = await follow({ query: 'user7', limit: 4 })
    expect(pages[0]?.[0]).toBe('p7')
    expect(sorted(pages.flat())).toEqual(sorted(['p7', ...Array.from({ length: 10 }, (_, at) => `p7${at}`)]))
    expect(await list({ query: 'user7', limit: 4 })).toMatchObject({ total: 11 })
    const numbered = await Promise.all([1, 2, 3].map((page) => idsOf({ query: 'user7', limit: 4, page })))
    expect(numbered.map((ids) => ids.length)).toEqual([4, 4, 3])
    expect(numbered.flat()).toEqual(pages.flat())
  })

  test('loses nobody where a page ends among those named in full', async () => {
    const whole = await idsOf({ query: 'user7', limit: 200 })
    for (const direction of ['asc', 'desc'] as const) {
      const pages = await follow({ query: 'user7', limit: 1, sort: 'created', direction })
      expect(sorted(pages.flat())).toEqual(sorted(whole))
    }
  })

  test('looks within the other filters', async () => {
    expect(await idsOf({ query: 'p77', org: 'o1' })).toEqual([])
  })
})

describe('an order', () => {
  const orders = (['name', 'created', 'lastSignIn'] as const).flatMap((sort) =>
    (['asc', 'desc'] as const).flatMap((direction) =>
      [{}, { role: 'Passport.Developer' }].map((filter) => ({ sort, direction, ...filter })),
    ),
  )
  test.for(orders)('%o is whole and without repeats by next, and the same by numbers', async (order) => {
    const pages = await follow({ ...order, limit: 33 })
    const followed = pages.flat()
    expect(new Set(followed).size).toBe(followed.length)
    const numbered = await Promise.all(pages.map((_, at) => idsOf({ ...order, limit: 33, page: at + 1 })))
    expect(numbered.flat()).toEqual(followed)
    const { items } = await list({ ...order, limit: 200 })
    const keyOf = ({ displayname, createdAt, lastSignInAt }: api.UserSummary) =>
      order.sort === 'name'
        ? (displayname ?? '')
            .normalize('NFKD')
            .replace(/[\u0300-\u036f]/g, '')
            .toLowerCase()
        : ((order.sort === 'created' ? createdAt : lastSignInAt) ?? '')
    const keys = items.map(keyOf)
    const inOrder = keys.toSorted()
    expect(keys).toEqual(order.direction === 'asc' ? inOrder : inOrder.reverse())
  })

  test('does not take the cursor of another one', async () => {
    const { next } = await list({ limit: 5 })
    const other = await ada.fetch(`${next}&sort=created`.replace('sort=name&', ''))
    expect(await other.json()).toMatchObject({ status: 400, code: 'cursor-invalid' })
  })

  test.for(['1', 'May', '2026', '99999-01-01', 'infinity'])('of time knows no moment %j', async (key) => {
    const after = Buffer.from(JSON.stringify([key, 'p1'])).toString('base64url')
    const answer = await ada.fetch(`/passport/admin/users?sort=created&after=${after}`)
    expect(await answer.json()).toMatchObject({ status: 400, code: 'cursor-invalid' })
  })
})

describe('on many people', () => {
  /** Counts statements, and keeps them to be explained. */
  function watched(sql: Sql) {
    const statements: { text: string; values: string[] }[] = []
    const unsafe = (text: string, values: string[]) => {
      statements.push({ text, values })
      return sql.unsafe(text, values)
    }
    return {
      statements,
      sql: new Proxy(sql, { get: (target, name) => (name === 'unsafe' ? unsafe : target[name as never]) }),
    }
  }
  const plainly = { sort: 'name', direction: 'asc' } as const
  const begin = { after: undefined, offset: 0, limit: 26 }

  beforeAll(async () => {
    const { sql } = service
    await sql`
      insert into users (id, username, display_name, activated_at)
      select 'm' || n, 'many' || n, 'Many ' || md5(n::text), now() from generate_series(1, 30000) n`
    await sql`insert into roles (name, description) values ('Common', ''), ('Rare', '')`
    await sql`insert into role_members (role, user_id) select 'Common', 'm' || n from generate_series(1, 15000) n`
    await sql`insert into role_members (role, user_id) select 'Rare', 'm' || n from generate_series(1, 3) n`
    await sql`insert into org_members (org_id, user_id, role) select 'o1', 'm' || n, 'member' from generate_series(1, 12000) n`
    await sql`analyze`
  })

  const filters: api.UserFilter[] = [
    {},
    { role: 'Common' },
    { role: 'Rare' },
    { role: 'Common', org: 'o1' },
    { query: 'm' },
    { query: 'many77' },
    { query: 'm', role: 'Common' },
    { status: 'active' },
    { status: 'disabled' },
    { lastSeen: 'never' },
    { lastSeen: '30', org: 'o1' },
    { provider: 'local' },
  ]
  test.for(filters)('%o reads no table of people or memberships from end to end, in two statements', async (filter) => {
    const { statements, sql } = watched(service.sql)
    const plan = await store.plan(sql, filter, plainly)
    await store.find(sql, plan, begin)
    await store.find(sql, plan, { ...begin, after: ['many 5', 'm5'] })
    expect(statements.length).toBeLessThanOrEqual(3)
    for (const { text, values } of statements) {
      // At this size the planner may find that a scan is cheap; without them it shows whether there is an index.
      const rows = await service.sql.begin(async (sql) => {
        await sql`set local enable_seqscan = off`
        return sql.unsafe<{ 'QUERY PLAN': string }[]>(`explain ${text}`, values)
      })
      const explained = rows.map((row) => Object.values(row)[0]).join('\n')
      expect(explained).not.toMatch(
        /Seq Scan on (users|role_members|org_members|group_members|groups|group_roles|logins)\b/,
      )
    }
  })

  test('totals are told as far as they are counted', async () => {
    expect(await list({ role: 'Common' })).toMatchObject({ total: 10_000, totalIsExact: false })
    expect(await list({})).toMatchObject({ total: 10_000, totalIsExact: false })
    const rare = await list({ role: 'Rare' })
    expect(rare).toMatchObject({ total: 3 })
    expect(rare.totalIsExact).toBeUndefined()
    expect(await list({ role: 'Common', org: 'o1' })).toMatchObject({ total: 10_000, totalIsExact: false })
    expect((await ada.fetch('/passport/admin/users?page=201&limit=50')).status).toBe(400)
  })

  test('a common role is followed from page to page as a rare one is', async () => {
    const first = await list({ role: 'Common', limit: 200 })
    const second = (await (await ada.fetch(first.next ?? '')).json()) as typeof first
    expect(second.items).toHaveLength(200)
    expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(400)
  })
})
