import * as api from '@passport/contract/users'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Sql } from '../database/sql.ts'
import { toAddressQuery, toAddressWordQuery, toNameQuery, toWordQuery } from '../database/word-search.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import * as store from './search-store.ts'

let service: TestService
let ada: Visitor

/** Adds 300 users whose names, times and states are derived from their numbers. */
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
const listIds = async (query: Query) => (await list(query)).items.map(({ id }) => id)

/** Reads a whole list by following `next`. */
async function followPages(query: Record<string, string | number>) {
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
  Array.from({ length: 300 }, (_, index) => index + 1)
    .filter(test)
    .map((n) => `p${n}`)
const sorted = (ids: string[]) => ids.toSorted()

describe('a filter', () => {
  const filters: [string, Record<string, string>, (n: number) => boolean][] = [
    ['an organisation', { org: 'o1' }, (n) => n <= 40],
    ['a role, direct or through a group', { role: 'Passport.Developer' }, (n) => n <= 70],
    ['a provider', { provider: 'harbour' }, (n) => n <= 30],
    ['the status disabled', { status: 'disabled' }, (n) => n % 10 === 0],
    ['the status invited', { status: 'invited' }, (n) => n % 3 === 0 && n % 10 > 0],
    ['the status active', { status: 'active', org: 'o1' }, (n) => n <= 40 && n % 3 > 0 && n % 10 > 0],
    ['no sign-in ever', { lastSeen: 'never', org: 'o1' }, (n) => n <= 40 && n % 3 === 0],
    ['no sign-in for 30 days', { lastSeen: '30', org: 'o1' }, (n) => n <= 40 && n >= 30],
    ['name prefixes', { query: 'an numb', org: 'o1' }, (n) => n <= 40 && n % 5 === 0],
    [
      'all fields at once',
      { query: 'ana', role: 'Passport.Developer', org: 'o1', provider: 'harbour', status: 'active', lastSeen: '10' },
      (n) => n <= 30 && n >= 10 && n % 5 === 0 && n % 3 > 0 && n % 10 > 0,
    ],
  ]
  test.for(filters)('by %s returns exactly the matching users', async ([, filter, isMatch]) => {
    const demoIds = new Set((await list({ query: 'passport.example' })).items.map(({ id }) => id))
    const matches = (await list(filter)).items.filter(
      ({ id, email }) => !demoIds.has(id) && !email?.endsWith('passport.example'),
    )
    expect(sorted(matches.map(({ id }) => id))).toEqual(sorted(numbers(isMatch)))
  })

  test('without matches returns an empty list', async () => {
    expect(await list({ query: 'nobody at all' })).toMatchObject({ items: [], total: 0, next: null })
    expect(await listIds({ query: '+++' })).toEqual([])
    expect(await listIds({ role: 'Nobody', query: 'ana' })).toEqual([])
  })

  test.for([
    ['lastSeen', '0'],
    ['lastSeen', 'ever'],
    ['status', 'gone'],
    ['sort', 'email'],
    ['direction', 'up'],
    ['query', 'x'.repeat(201)],
    ['page', '0'],
  ])('with %s=%s is rejected', async ([name, value]) => {
    const response = await ada.fetch(`/passport/admin/users?${name}=${value}`)
    expect(await response.json()).toMatchObject({ status: 400, errors: [{ field: name }] })
  })
})

describe('a search', () => {
  test.for([
    ['an id', 'p77'],
    ['a username', 'USER77'],
    ['an email', 'P77@Example.com'],
  ])('by %s marks the exact match and lists it first', async ([, query]) => {
    const { items } = await list({ query })
    expect(items[0]).toMatchObject({ id: 'p77', isExact: true })
    expect(items.slice(1).some(({ isExact }) => isExact)).toBe(false)
  })

  test('by a subject at an identity provider finds its user', async () => {
    expect((await list({ query: 'ext-7' })).items).toMatchObject([{ id: 'p7', isExact: true }])
  })

  test('lists an exact match first, and not again', async () => {
    // `user7` is the prefix of ten other words.
    const pages = await followPages({ query: 'user7', limit: 4 })
    expect(pages[0]?.[0]).toBe('p7')
    expect(sorted(pages.flat())).toEqual(sorted(['p7', ...Array.from({ length: 10 }, (_, index) => `p7${index}`)]))
    expect(await list({ query: 'user7', limit: 4 })).toMatchObject({ total: 11 })
    const numberedPages = await Promise.all([1, 2, 3].map((page) => listIds({ query: 'user7', limit: 4, page })))
    expect(numberedPages.map((ids) => ids.length)).toEqual([4, 4, 3])
    expect(numberedPages.flat()).toEqual(pages.flat())
  })

  test('skips no user when a page ends among the exact matches', async () => {
    const whole = await listIds({ query: 'user7', limit: 200 })
    for (const direction of ['asc', 'desc'] as const) {
      const pages = await followPages({ query: 'user7', limit: 1, sort: 'created', direction })
      expect(sorted(pages.flat())).toEqual(sorted(whole))
    }
  })

  test('returns only users that match the other filters', async () => {
    expect(await listIds({ query: 'p77', org: 'o1' })).toEqual([])
  })
})

describe('an order', () => {
  const orders = (['name', 'created', 'lastSignIn'] as const).flatMap((sort) =>
    (['asc', 'desc'] as const).flatMap((direction) =>
      [{}, { role: 'Passport.Developer' }].map((filter) => ({ sort, direction, ...filter })),
    ),
  )
  test.for(orders)('%o lists each user once by `next`, and in the same order by page number', async (order) => {
    const pages = await followPages({ ...order, limit: 33 })
    const followed = pages.flat()
    expect(new Set(followed).size).toBe(followed.length)
    const numberedPages = await Promise.all(pages.map((_, index) => listIds({ ...order, limit: 33, page: index + 1 })))
    expect(numberedPages.flat()).toEqual(followed)
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

  test('rejects the cursor of another order', async () => {
    const { next } = await list({ limit: 5 })
    const response = await ada.fetch(`${next}&sort=created`.replace('sort=name&', ''))
    expect(await response.json()).toMatchObject({ status: 400, code: 'cursor-invalid' })
  })

  test.for(['1', 'May', '2026', '99999-01-01', 'infinity'])('by time rejects a cursor with the key %j', async (key) => {
    const after = Buffer.from(JSON.stringify([key, 'p1'])).toString('base64url')
    const response = await ada.fetch(`/passport/admin/users?sort=created&after=${after}`)
    expect(await response.json()).toMatchObject({ status: 400, code: 'cursor-invalid' })
  })
})

describe('with many users', () => {
  /** Wraps a connection so that it records its statements, for EXPLAIN. */
  function recordStatements(sql: Sql) {
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
  const byName = { sort: 'name', direction: 'asc' } as const
  const firstPage = { after: undefined, offset: 0, limit: 26 }

  beforeAll(async () => {
    const { sql } = service
    await sql`
      insert into users (id, username, display_name, activated_at)
      select 'm' || n, 'many' || n, 'Many ' || md5(n::text), now() from generate_series(1, 30000) n`
    await sql`insert into roles (name, description) values ('Common', ''), ('Rare', '')`
    await sql`insert into role_members (role, user_id) select 'Common', 'm' || n from generate_series(1, 15000) n`
    await sql`insert into role_members (role, user_id) select 'Rare', 'm' || n from generate_series(1, 3) n`
    await sql`insert into org_members (org_id, user_id, role) select 'o1', 'm' || n, 'member' from generate_series(1, 12000) n`
    await sql`vacuum analyze`
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
  test.for(filters)(
    'the filter %o scans no table of users or memberships, and takes at most three statements',
    async (filter) => {
      const { statements, sql } = recordStatements(service.sql)
      const plan = await store.plan(sql, filter, byName)
      await store.find(sql, plan, firstPage)
      await store.find(sql, plan, { ...firstPage, after: ['many 5', 'm5'] })
      expect(statements.length).toBeLessThanOrEqual(3)
      for (const { text, values } of statements) {
        // At this size the planner may prefer a scan; without scans it shows whether there is an index.
        const rows = await service.sql.begin(async (sql) => {
          await sql`set local enable_seqscan = off`
          return sql.unsafe<{ 'QUERY PLAN': string }[]>(`explain ${text}`, values)
        })
        const queryPlan = rows.map((row) => Object.values(row)[0]).join('\n')
        expect(queryPlan).not.toMatch(
          /Seq Scan on (users|role_members|org_members|group_members|groups|group_roles|logins)\b/,
        )
      }
    },
  )

  test.for(filters)('the filter %o reads fewer than 6,000 blocks', async (filter) => {
    const { statements, sql } = recordStatements(service.sql)
    const plan = await store.plan(sql, filter, byName)
    await store.find(sql, plan, firstPage)
    let buffers = 0
    for (const { text, values } of statements) {
      const rows = await service.sql.unsafe<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }[]>(
        `explain (analyze, buffers, format json) ${text}`,
        values,
      )
      const { Plan } = rows[0]?.['QUERY PLAN'][0] ?? { Plan: {} }
      buffers += (Plan['Shared Hit Blocks'] ?? 0) + (Plan['Shared Read Blocks'] ?? 0)
    }
    // A concurrent transaction makes index reads visit the table; looking up every user would be at least 45,000.
    expect(buffers).toBeLessThan(6000)
  })

  test('a query of several words looks up the rarest word, in any order of words', async () => {
    for (const query of ['many many77', 'many77 many', 'many 1 many77 a b c']) {
      const { nameQuery } = await store.plan(service.sql, { query }, byName)
      expect([query, nameQuery.beginning]).toEqual([query, 'many77'])
      expect([...nameQuery.others, nameQuery.beginning].toSorted()).toEqual(query.split(' ').toSorted())
    }
    const same = await listIds({ query: 'many777' })
    expect((await listIds({ query: 'many many777' })).toSorted()).toEqual(same.toSorted())
  })

  test('a total is exact up to 1,000 and an estimate from 1,001 on', async () => {
    const { sql } = service
    await sql`insert into roles (name, description) values ('Boundary', '')`
    await sql`insert into role_members (role, user_id) select 'Boundary', 'm' || n from generate_series(1, 1000) n`
    const exact = await list({ role: 'Boundary' })
    expect([exact.total, exact.totalIsExact]).toEqual([1000, undefined])
    await sql`insert into role_members (role, user_id) values ('Boundary', 'm1001')`
    const estimated = await list({ role: 'Boundary' })
    expect(estimated.total).toBeGreaterThanOrEqual(1001)
    expect(estimated.totalIsExact).toBe(false)
    const last = await list({ role: 'Boundary', limit: 200, page: 6 })
    expect([last.items.length, last.total, last.totalIsExact, last.next]).toEqual([1, 1001, undefined, null])
    const beyond = await list({ role: 'Boundary', limit: 200, page: 7 })
    expect([beyond.items, beyond.next]).toEqual([[], null])
  })

  test.for([
    [{}, 30_307],
    [{ role: 'Common' }, 15_000],
    [{ query: 'many' }, 30_000],
    [{ status: 'active' }, 30_205],
    [{ org: 'o1' }, 12_040],
    [{ provider: 'harbour' }, 30],
    [{ role: 'Rare' }, 3],
    [{ role: 'Common', org: 'o1' }, 12_000],
  ] as const)('the total of %o is near %i', async ([query, count]) => {
    const { total } = await list(query)
    if (count <= 1000) expect(total).toBe(count)
    expect(total).toBeGreaterThan(count * 0.4)
    expect(total).toBeLessThan(count * 1.6)
  })

  test('page numbers reach the first 10,000 users', async () => {
    expect((await list({ limit: 50, page: 200 })).items).toHaveLength(50)
    expect((await ada.fetch('/passport/admin/users?page=201&limit=50')).status).toBe(400)
  })

  test('the pages of a common role have no user twice', async () => {
    const first = await list({ role: 'Common', limit: 200 })
    const second = (await (await ada.fetch(first.next ?? '')).json()) as typeof first
    expect(second.items).toHaveLength(200)
    expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(400)
  })
})

describe('the word index of users', () => {
  const queries = [
    'wordy',
    'wordy x',
    'x wordy',
    'wor',
    'same',
    'same sam',
    'tail',
    'wordy tail',
    'gone',
    'né',
    'zz9',
    '',
  ]

  test('finds each user once by the words of their names', async () => {
    const { sql } = service
    const long = Array.from({ length: 80 }, (_, index) => `x${index}`).join(' ')
    await sql`
      insert into users (id, username, display_name) values
        ('w1', 'wordy.one', 'Wordy Wordsmith'), ('w2', 'same.samer', 'Same Samest'), ('w3', null, ${`Wordy ${long} Tail`}),
        ('w4', 'gone', 'Gone Away'), ('w5', 'back', 'Gone Back'), ('w6', 'renamed', 'Zz9 Old'), ('w7', null, ${`${'né'.repeat(90)} x`})`
    await sql`update users set deleted_at = now() where id in ('w4', 'w5')`
    await sql`update users set deleted_at = null where id = 'w5'`
    await sql`update users set display_name = 'New Name' where id = 'w6'`
    for (const query of queries) {
      const { beginning, others } = toNameQuery(query)
      const found = await sql`select user_id as id from users_by_words(${beginning}, ${others}) order by user_id`
      const expected = await sql`
        select id from users where deleted_at is null and search_words @@ to_tsquery('simple', ${toWordQuery(query)}) order by id`
      expect([query, found.map(({ id }) => id)]).toEqual([query, expected.map(({ id }) => id)])
    }
  })

  test('finds each user once by the words of their names and addresses', async () => {
    const { sql } = service
    const long = `${'l'.repeat(60)}.${'m'.repeat(60)}.example`
    await sql`
      insert into users (id, username, display_name, email) values
        ('e1', 'iris.kern', 'Iris Kern', 'iris.kern+news@lab-nord.kern.example'), ('e2', 'kern2', 'Otto Kern', null),
        ('e3', null, 'Kern Kernel', ${`kernel@${long}`}), ('e4', null, 'Lab Norden', 'o@KERN.example')`
    const all = [
      'kern',
      'iris kern',
      'news',
      '@lab',
      'iris @lab',
      '@kern',
      'kern @kern',
      'iris@lab-nord.kern.example',
      'nord lab',
      'lll kern',
      '@lll',
    ]
    const found: Record<string, string> = {}
    for (const query of all) {
      const { beginning, others } = toAddressQuery(query)
      const ids = await sql`
        select user_id as id from users_by_words(${beginning}, ${others})
        union all select user_id from users_by_address_words(${[beginning, ...others]}) order by id`
      const expected = await sql`
        select id from users where (search_words || address_words) @@ ${toAddressWordQuery(query)}::tsquery order by id`
      expect([query, ids]).toEqual([query, expected])
      found[query] = ids.map(({ id }) => id).join(' ')
    }
    expect(found).toEqual({
      kern: 'e1 e2 e3 e4',
      'iris kern': 'e1',
      news: 'e1',
      '@lab': 'e1',
      'iris @lab': 'e1',
      '@kern': 'e4',
      'kern @kern': 'e4',
      'iris@lab-nord.kern.example': 'e1',
      'nord lab': 'e1 e4',
      'lll kern': 'e3',
      '@lll': 'e3',
    })
    const { beginning, others } = toNameQuery('news')
    expect(await sql`select from users_by_words(${beginning}, ${others})`).toEqual([])
  })
})

describe('a search', () => {
  const people = [
    ['søren', 'Søren Ærø', 'soren SOREN aero ærø soeren'],
    ['łukasz', 'Łukasz Żółć', 'lukasz zolc ŁUKASZ'],
    ['strauß', 'Jörg Strauß', 'strauss STRAUSS strauß jorg joerg'],
    ['ışık', 'İpek Işık', 'isik ışık ipek İPEK'],
    ['obrien', 'Siobhán O’Brien', "o'brien obrien o’brien brien siobhan"],
    ['odysseus', 'ΟΔΥΣΣΕΥΣ Σίσυφος', 'οδυσσευς Οδυσσεύς σισυφος ΣΊΣΥΦΟΣ'],
    ['đorđe', 'Đorđe Þór', 'dorde thor đorđe'],
    ['əliyev', 'Əliyev Ŋgũgĩ', 'eliyev ngugi'],
    ['ahmad', 'أَحْمَد', 'احمد أحمد'],
    ['zoe', 'Zo\u200be\u0308 Müller', 'zoe ZOË mueller muller'],
    ['ole', 'Åse Œuvre', 'aase ase oeuvre'],
    ['taro', '山田太郎', '山田 太郎 山 郎'],
    ['minsu', '김민수', '민수 김'],
    ['fullwidth', 'Ｔａｎａｋａ ﬁn', 'tanaka fin'],
  ] as const

  test.for(people)('finds %s as people type the name', async ([id, displayName, queries]) => {
    await service.sql`insert into users (id, display_name) values (${`typed-${id}`}, ${displayName})`
    for (const query of queries.split(' '))
      expect([query, await listIds({ query })]).toEqual([query, expect.arrayContaining([`typed-${id}`])])
  })

  test('finds an internationalised address as it is typed, and as it is sent', async () => {
    const email = 'ada@bücher.example'
    const { id } = await ada.call(api.createUser, {
      query: {},
      body: { username: 'buecher', displayname: 'Ada', email },
    })
    expect((await ada.call(api.getUser, { params: { userId: id } })).email).toBe(email)
    const [stored] = await service.sql`select email from users where id = ${id}`
    expect(stored).toEqual({ email: 'ada@xn--bcher-kva.example' })
    for (const query of [email, 'ADA@BÜCHER.example', 'ada@xn--bcher-kva.example'])
      expect([query, await listIds({ query })]).toEqual([query, [id]])
    const again = ada.call(api.createUser, { query: {}, body: { username: 'buecher2', displayname: 'Ada', email } })
    await expect(again).rejects.toMatchObject({ body: { code: 'email-taken' } })
  })

  test('folds a text as the database does', async () => {
    const { sql } = service
    const texts = fc.string({
      unit: fc.constantFrom(..."aZ9 .@-'’´`ÅäøØŁßẞæŒÞðĐıİŋƏςΣёЙﬁＴ가山ｶﾞאָأًـ\u0301\u200b\u00ad"),
      maxLength: 30,
    })
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const [row] = await sql`
          select words_of(${text}) @@ to_tsquery('simple', ${toWordQuery(text)}) as names,
            words_of(${text}) || words_of_address(${text}) @@ ${toAddressWordQuery(text.replaceAll('@', ' '))}::tsquery as addresses`
        const isEmpty = toWordQuery(text) === ''
        expect([text, row]).toEqual([text, { names: !isEmpty, addresses: !isEmpty }])
      }),
    )
  })

  test('by a member of a group does not look into addresses', async () => {
    const { sql } = service
    await sql`insert into users (id, username, email) values ('hidden', 'plain-name', 'secret.part@hidden.example')`
    await sql`insert into orgs (id, name, slug) values ('o9', 'Nine', 'nine')`
    await sql`insert into org_members (org_id, user_id, role) values ('o9', 'hidden', 'member')`
    await sql`insert into group_members (group_id, user_id) values ('g1', 'hidden')`
    const members = async (path: string, query: string) =>
      ((await (await ada.fetch(`${path}/members?query=${query}`)).json()) as { items: { id: string }[] }).items.map(
        ({ id }) => id,
      )
    for (const path of ['/passport/admin/orgs/o9', '/passport/groups/g1']) {
      expect([path, await members(path, 'plain')]).toEqual([path, ['hidden']])
      for (const query of ['secret', '@hidden', 'hidden.example'])
        expect([query, await members(path, query)]).toEqual([query, []])
    }
  })
})
