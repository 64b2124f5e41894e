import { endpoints } from '@passport/contract/api'
import type { Endpoint } from '@passport/contract/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import { seedDirectory } from './database/seed.ts'
import { startTestService, type TestService, type Visitor } from './test-service.ts'

/*
 * Every call that lists, searches or shows something of the directory, asked of tens of thousands: by few statements,
 * however much is asked for, and by no statement that reads a large table from one end to the other.
 */

const rooms = /^\/passport\/(?:admin\/(?:users|roles|orgs|search|bin)|groups|orgs|profile|joinlinks)(?:\/|$)/
const calls = [...endpoints].filter(
  ([, { method, path, returns }]) => method === 'GET' && rooms.test(path) && !returns?.fileTypes,
)
const maxStatements = 3
const large = ['users', 'groups', 'group_members', 'group_owners', 'org_members', 'logins']

/** What was sent since it was last emptied, and how the database went about it: functions tell of what is in them. */
const heard = { statements: [] as string[], plans: [] as Plan[] }
interface Plan {
  'Query Text': string
  Plan: PlanNode
}
interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

let service: TestService
let callers: Record<'ada' | 'eve', Visitor>
let ids: Record<'user' | 'group' | 'org', string>

beforeAll(async () => {
  service = await startTestService(
    {},
    {
      settings: {
        session_preload_libraries: 'auto_explain',
        'auto_explain.log_min_duration': '0',
        'auto_explain.log_analyze': 'on',
        'auto_explain.log_timing': 'off',
        'auto_explain.log_nested_statements': 'on',
        'auto_explain.log_format': 'json',
        'auto_explain.log_level': 'notice',
      },
      onStatement: (text) => heard.statements.push(text),
      onNotice: (message) => {
        const [, plan] = /plan:\n(\{[\s\S]*)/.exec(message) ?? []
        if (plan) heard.plans.push(JSON.parse(plan) as Plan)
      },
    },
  )
  const { sql } = service
  callers = { ada: await service.as('ada'), eve: await service.as('eve') }
  await seedDirectory(sql, { users: 50_000, groups: 5_000, orgs: 500 })
  ids = { user: await first('users'), group: await first('groups'), org: await first('orgs') }
  await sql`
    insert into group_members (group_id, user_id)
    select id, ${callers.eve.id} from groups where id = ${ids.group} or sort_name like 'night%' on conflict do nothing`
  await sql`insert into group_owners (group_id, user_id) values (${ids.group}, ${callers.eve.id})`
  await sql`insert into org_members (org_id, user_id, role) values (${ids.org}, ${callers.eve.id}, 'owner')`
})

/** The first of a table, which is a large one of its kind. */
async function first(table: string): Promise<string> {
  const [row] = await service.sql<{ id: string }[]>`
    select id from ${service.sql(table)} where id like '%-7%' order by id limit 1`
  return row?.id ?? ''
}

/** What stands in for a parameter of a path. */
function parameter(path: string, name: string): string {
  if (name === 'userId' || name === 'profileId') return ids.user
  if (name === 'orgId') return ids.org
  if (name === 'groupId' || (name === 'id' && path.startsWith('/passport/groups'))) return ids.group
  return name === 'name' ? 'Passport.Developer' : 'none'
}

/** What the parameters of queries are asked with, beside those that have a choice of words. */
function valuesOf(name: string): string[] {
  const values: Record<string, string[]> = {
    limit: ['10', '200'],
    query: ['ana', 'ana.b', 'lindqvist so', 'zzzzz', ids.user, ids.group, ids.org],
    role: ['Passport.Developer', 'Passport.Admin'],
    org: [ids.org],
    orgId: [ids.org],
    groupId: [ids.group],
    targetId: [ids.group],
    provider: ['harbour', 'local'],
    lastSeen: ['never', '400'],
    updatedSince: [new Date().toISOString()],
    username: ['ana.lind1'],
    page: ['2', '40'],
    after: [],
    preview: [],
    mine: ['true'],
  }
  const found = values[name]
  if (!found) throw new Error(`Say here what ${name} is asked with.`)
  return found
}

interface SchemaShape {
  _zod: { def: { shape?: Record<string, SchemaShape>; entries?: Record<string, string>; innerType?: SchemaShape } }
}

/** Every way to ask: with each value of each parameter, and with each value under a word. */
function queriesOf({ query }: Endpoint): Record<string, string>[] {
  const shape = (query as SchemaShape | undefined)?._zod.def.shape ?? {}
  const ways = Object.entries(shape).flatMap(([name, schema]) =>
    (wordsOf(schema) ?? valuesOf(name)).map((value) => ({ [name]: value })),
  )
  const isSearch = 'query' in shape
  return [{}, ...ways, ...(isSearch ? ways.map((way) => ({ query: 'ana', limit: '200', ...way })) : [])]
}

function wordsOf({ _zod: { def } }: SchemaShape): string[] | undefined {
  return def.entries ? Object.values(def.entries) : def.innerType && wordsOf(def.innerType)
}

/** Asks; returns the answer, and the statements beside the one that tells who calls. */
async function ask(caller: Visitor, path: string) {
  heard.statements = []
  heard.plans = []
  const answer = await caller.fetch(path)
  const text = await answer.text()
  const isOwn = (statement: string) =>
    !/^\s*(?:begin|commit|rollback)|session_callers|pg_type|relationship_(?:head|commits|changes)|update sessions/i.test(
      statement,
    )
  return { status: answer.status, text, statements: heard.statements.filter(isOwn), plans: heard.plans }
}

/** The large tables that were read row by row; what stops after a handful, because it has found enough, is no harm. */
function* scansOf(node: PlanNode): Generator<string> {
  const { 'Relation Name': table = '', 'Rows Removed by Filter': removed = 0 } = node
  const read = (node['Actual Rows'] + removed) * node['Actual Loops']
  if (node['Node Type'] === 'Seq Scan' && large.includes(table) && read > handful) yield `${table} (${read} rows)`
  for (const inner of node.Plans ?? []) yield* scansOf(inner)
}
const handful = 1000

test('the plans of what is asked are heard, in functions too', async () => {
  const { sql } = service
  await sql`create function heard_within() returns bigint language plpgsql as 'begin return (select count(*) from users where email > ''a''); end'`
  heard.plans = []
  await sql`select heard_within()`
  expect(heard.plans.flatMap(({ Plan }) => [...scansOf(Plan)])).toEqual([expect.stringMatching(/^users .5000\d rows/)])
})

for (const [name, endpoint] of calls) {
  describe(name, () => {
    const who = endpoint.access === 'admin' ? (['ada'] as const) : (['ada', 'eve'] as const)
    test.for(who)('asked by %s', async (who) => {
      const path = endpoint.path.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name) => parameter(endpoint.path, name))
      const troubles: string[] = []
      for (const query of queriesOf(endpoint)) {
        const asked = `${path}?${new URLSearchParams(query)}`
        const { status, text, statements, plans } = await ask(callers[who], asked)
        if (status >= 500) troubles.push(`${asked} answered ${status}: ${text}`)
        if (statements.length > maxStatements)
          troubles.push(`${asked} took ${statements.length} statements:\n${statements.join('\n')}`)
        for (const { Plan, ...plan } of plans)
          for (const table of scansOf(Plan))
            troubles.push(`${asked} reads ${table} from one end to the other:\n${plan['Query Text']}`)
      }
      expect(troubles).toEqual([])
    })
  })
}
