import { endpoints } from '@passport/contract/api'
import type { Endpoint } from '@passport/contract/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import { seedDirectory } from './seed/seed.ts'
import { startTestService, type TestService, type Visitor } from './test-service.ts'

// Calls every directory endpoint that lists, searches or reads, on tens of thousands of rows. A call may take only a
// few statements, regardless of the page size, and must not scan a large table.

const features = /^\/passport\/(?:admin\/(?:users|roles|orgs|search|trash)|groups|orgs|profile|joinlinks)(?:\/|$)/
const calls = [...endpoints].filter(
  ([, { method, path, returns }]) => method === 'GET' && features.test(path) && !returns?.fileTypes,
)
const maxStatements = 3
/** The organisation, its grants, their definitions and what they are worth at a moment. */
/** An organisation has few set-up links, which are listed with what was created by them. */
const allowedStatements: Record<string, number> = { listOrgEntitlements: 4, listSetupLinks: 4, listOwnSetupLinks: 4 }
const largeTables = ['users', 'groups', 'group_members', 'group_owners', 'org_members', 'logins']

/** The statements and plans since the last reset, including the plans inside functions. */
const recorded = { statements: [] as string[], plans: [] as Plan[] }
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
      onStatement: (text) => recorded.statements.push(text),
      onNotice: (message) => {
        const [, plan] = /plan:\n(\{[\s\S]*)/.exec(message) ?? []
        if (plan) recorded.plans.push(JSON.parse(plan) as Plan)
      },
    },
  )
  const { sql } = service
  callers = { ada: await service.as('ada'), eve: await service.as('eve') }
  // Plans depend on the statistics of the seed, which autovacuum would replace at some moment of the test.
  for (const table of largeTables) await sql`alter table ${sql(table)} set (autovacuum_enabled = false)`
  await seedDirectory(sql, { users: 50_000, groups: 5_000, orgs: 500 })
  ids = { user: await findFirstId('users'), group: await findFirstId('groups'), org: await findFirstId('orgs') }
  await sql`
    insert into group_members (group_id, user_id)
    select id, ${callers.eve.id} from groups where id = ${ids.group} or sort_name like 'night%' on conflict do nothing`
  await sql`insert into group_owners (group_id, user_id) values (${ids.group}, ${callers.eve.id})`
  await sql`insert into org_members (org_id, user_id, role) values (${ids.org}, ${callers.eve.id}, 'owner')`
})

/** Returns the id of the first generated row of a table: in the seed, the first records have the most members. */
async function findFirstId(table: string): Promise<string> {
  const [row] = await service.sql<{ id: string }[]>`
    select id from ${service.sql(table)} where id like '%-7%' order by id limit 1`
  return row?.id ?? ''
}

/** Returns a value for a path parameter. */
function chooseParameter(path: string, name: string): string {
  if (name === 'userId' || name === 'profileId') return ids.user
  if (name === 'orgId') return ids.org
  if (name === 'groupId' || (name === 'id' && path.startsWith('/passport/groups'))) return ids.group
  return name === 'name' ? 'Passport.Developer' : 'none'
}

/** Lists values for a query parameter that is not an enum. */
function listValues(name: string): string[] {
  const values: Record<string, string[]> = {
    limit: ['10', '200'],
    query: ['ana', 'ana.b', 'lindqvist so', 'zzzzz', ids.user, ids.group, ids.org],
    role: ['Passport.Developer', 'Passport.Admin'],
    org: [ids.org],
    orgId: [ids.org],
    groupId: [ids.group],
    userId: [ids.user],
    targetId: [ids.group],
    provider: ['harbour', 'local'],
    lastSeen: ['never', '400'],
    updatedSince: [new Date().toISOString()],
    username: ['ana.lind1'],
    page: ['2', '40'],
    after: [],
    preview: [],
    mine: ['true'],
    at: ['2026-01-01T00:00:00Z', '2200-01-01T00:00:00Z'],
  }
  const candidates = values[name]
  if (!candidates) throw new Error(`Add values for the parameter ${name}.`)
  return candidates
}

interface SchemaShape {
  _zod: { def: { shape?: Record<string, SchemaShape>; entries?: Record<string, string>; innerType?: SchemaShape } }
}

/** Returns the queries to test: each value of each parameter, and each value combined with a search word. */
function listQueries({ query }: Endpoint): Record<string, string>[] {
  const shape = (query as SchemaShape | undefined)?._zod.def.shape ?? {}
  const filters = Object.entries(shape).flatMap(([name, schema]) =>
    (enumValuesOf(schema) ?? listValues(name)).map((value) => ({ [name]: value })),
  )
  const isSearch = 'query' in shape
  return [{}, ...filters, ...(isSearch ? filters.map((filter) => ({ query: 'ana', limit: '200', ...filter })) : [])]
}

function enumValuesOf({ _zod: { def } }: SchemaShape): string[] | undefined {
  return def.entries ? Object.values(def.entries) : def.innerType && enumValuesOf(def.innerType)
}

/** Sends a request; returns the response and the statements other than authentication. */
async function send(caller: Visitor, path: string) {
  recorded.statements = []
  recorded.plans = []
  const response = await caller.fetch(path)
  const text = await response.text()
  const isFromEndpoint = (statement: string) =>
    !/^\s*(?:begin|commit|rollback)|session_callers|pg_type|relationship_(?:head|commits|changes)|update sessions/i.test(
      statement,
    )
  return {
    status: response.status,
    text,
    statements: recorded.statements.filter(isFromEndpoint),
    plans: recorded.plans,
  }
}

/** Yields the large tables that were scanned, unless the scan stopped after a few rows. */
function* listLargeScans(node: PlanNode): Generator<string> {
  const { 'Relation Name': table = '', 'Rows Removed by Filter': removed = 0 } = node
  const read = (node['Actual Rows'] + removed) * node['Actual Loops']
  if (node['Node Type'] === 'Seq Scan' && largeTables.includes(table) && read > maxScannedRows)
    yield `${table} (${read} rows)`
  for (const inner of node.Plans ?? []) yield* listLargeScans(inner)
}
const maxScannedRows = 1000

test('the test records plans, including those inside functions', async () => {
  const { sql } = service
  await sql`create function count_within_function() returns bigint language plpgsql as 'begin return (select count(*) from users where email > ''a''); end'`
  recorded.plans = []
  await sql`select count_within_function()`
  expect(recorded.plans.flatMap(({ Plan }) => [...listLargeScans(Plan)])).toEqual([
    expect.stringMatching(/^users .5000\d rows/),
  ])
})

for (const [name, endpoint] of calls) {
  describe(name, () => {
    const users = endpoint.access === 'admin' ? (['ada'] as const) : (['ada', 'eve'] as const)
    test.for(users)('takes a few statements and scans no large table for %s', async (user) => {
      const path = endpoint.path.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name) => chooseParameter(endpoint.path, name))
      const problems: string[] = []
      for (const query of listQueries(endpoint)) {
        const url = `${path}?${new URLSearchParams(query)}`
        const { status, text, statements, plans } = await send(callers[user], url)
        if (status >= 500) problems.push(`${url} returned ${status}: ${text}`)
        // A query of several words takes one more statement, which estimates how rare each word is.
        const hasSeveralWords = /[^\p{L}\p{N}]/u.test(query.query ?? '')
        if (statements.length > (allowedStatements[name] ?? maxStatements) + Number(hasSeveralWords))
          problems.push(`${url} took ${statements.length} statements:\n${statements.join('\n')}`)
        for (const { Plan, ...plan } of plans)
          for (const table of listLargeScans(Plan)) problems.push(`${url} scans ${table}:\n${plan['Query Text']}`)
      }
      expect(problems).toEqual([])
    })
  })
}
