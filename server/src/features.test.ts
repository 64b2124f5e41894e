import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { endpoints } from '@passport/contract/api'
import { describe, expect, test } from 'vitest'

// Structural rules that the linter does not check.

const serverRoot = new URL('./', import.meta.url).pathname
const isTestFile = (file: string) => /\.test\.ts$|(?:^|\/)test-[\w-]+\.ts$/.test(file)
const files = globSync('**/*.ts', { cwd: serverRoot }).filter((file) => !isTestFile(file))
const read = (file: string) => readFileSync(serverRoot + file, 'utf8')

/**
 * The stores of tables and views. Those that a migration such as `0007_accounts.sql` creates default to
 * `accounts/store.ts`.
 */
const storeFiles: Record<string, string> = {
  aws_products: 'marketplace/product-store.ts',
  aws_product_dimensions: 'marketplace/product-store.ts',
  subscription_ledger_entries: 'entitlements/ledger-store.ts',
  aws_subscription_rows: 'marketplace/subscription-list-store.ts',
  aws_product_rows: 'marketplace/product-store.ts',
  aws_subscriptions: 'marketplace/subscription-store.ts',
  aws_entitlement_snapshots: 'marketplace/subscription-store.ts',
  aws_subscription_facts: 'marketplace/subscription-store.ts',
  aws_product_codes: 'marketplace/subscription-store.ts',
  aws_usage: 'marketplace/usage-store.ts',
  aws_entitled_quantities: 'marketplace/usage-store.ts',
  aws_usage_flushes: 'marketplace/usage-store.ts',
  aws_metering: 'marketplace/usage-store.ts',
  metered_dimensions: 'marketplace/usage-store.ts',
  metered_buyers: 'marketplace/usage-store.ts',
  ending_meters: 'marketplace/usage-store.ts',
  aws_events: 'marketplace/event-store.ts',
  aws_event_matching: 'marketplace/event-store.ts',
  aws_queues: 'marketplace/queue-store.ts',
  aws_topics: 'marketplace/product-store.ts',
  billable_subscriptions: 'entitlements/usage-store.ts',
  entitlement_usage: 'entitlements/usage-store.ts',
  entitlement_usage_rows: 'entitlements/usage-store.ts',
  grant_subscriptions: 'entitlements/grant-list-store.ts',
  ending_subscriptions: 'entitlements/effective-store.ts',
  aws_registrations: 'marketplace/registration-store.ts',
  aws_registration_handles: 'marketplace/registration-store.ts',
  aws_registration_rows: 'marketplace/registration-store.ts',
  aws_buyer_notices: 'marketplace/buyer-store.ts',
  buyer_subscriptions: 'marketplace/buyer-store.ts',
  scim_users: 'scim/user-store.ts',
  scim_people: 'scim/user-store.ts',
  scim_listed_users: 'scim/user-store.ts',
  scim_identities: 'scim/user-store.ts',
  scim_groups: 'scim/group-store.ts',
  scim_group_members: 'scim/group-store.ts',
  scim_group_rows: 'scim/group-store.ts',
  scim_counts: 'scim/group-store.ts',
  entra_claims: 'entra/claims-store.ts',
  entra_grants: 'entra/claims-store.ts',
  entra_targets: 'entra/claims-store.ts',
  entra_logins: 'entra/claims-store.ts',
  entra_differences: 'entra/claims-store.ts',
  record_names: 'audit/store.ts',
  sessions: 'accounts/session-store.ts',
  issuer_sessions: 'provider/authorization-store.ts',
  issuer_grants: 'provider/authorization-store.ts',
  pending_interactions: 'provider/authorization-store.ts',
  authorization_requests: 'provider/request-store.ts',
  grant_sources: 'provider/grant-store.ts',
  authorization_callers: 'provider/authorization-store.ts',
  session_bindings: 'provider/store.ts',
  usable_clients: 'provider/store.ts',
  disabled_clients: 'provider/store.ts',
  usable_artifacts: 'provider/store.ts',
  introspecting_clients: 'personal-tokens/store.ts',
  device_clients: 'device-authorization/store.ts',
  session_callers: 'accounts/session-store.ts',
  consents: 'accounts/consent-store.ts',
  live_artifacts: 'provider/token-store.ts',
  live_tokens: 'provider/token-store.ts',
  signing_keys: 'provider/key-store.ts',
  org_domains: 'orgs/domain-store.ts',
  verified_domains: 'orgs/domain-store.ts',
  user_undos: 'users/bulk-store.ts',
  user_undo_rows: 'users/bulk-store.ts',
  user_imports: 'users/import-store.ts',
  user_import_rows: 'users/import-store.ts',
  listed_users: 'users/search-store.ts',
  users_with_role: 'users/search-store.ts',
  users_with_direct_role: 'users/search-store.ts',
  users_with_group_role: 'users/search-store.ts',
  org_users: 'users/search-store.ts',
  provider_users: 'users/search-store.ts',
  entitlement_grants: 'entitlements/grant-store.ts',
  entitlement_kinds: 'entitlements/grant-store.ts',
  current_grants: 'entitlements/grant-list-store.ts',
  grant_details: 'entitlements/grant-list-store.ts',
  valid_grants: 'entitlements/effective-store.ts',
  entitled_users: 'entitlements/effective-store.ts',
  entitlement_names: 'entitlements/effective-store.ts',
  holding_orgs: 'entitlements/effective-store.ts',
  entitlement_ledger: 'entitlements/ledger-store.ts',
  entitlement_versions: 'entitlements/ledger-store.ts',
  ledger_entries: 'entitlements/ledger-store.ts',
  entitlement_mappings: 'entitlements/store.ts',
  entitled_orgs: 'entitlements/grant-store.ts',
  findable_aws_products: 'search/store.ts',
  findable_aws_subscriptions: 'search/store.ts',
  findable_entitlements: 'search/store.ts',
  findable_contents: 'search/store.ts',
  deleted_entitlements: 'trash/store.ts',
  deleted_aws_products: 'trash/store.ts',
  deleted_contents: 'trash/store.ts',
  findable_identity_apis: 'search/store.ts',
  deleted_identity_apis: 'trash/store.ts',
  connected_users: 'users/search-store.ts',
  findable_connections: 'search/store.ts',
  pending_connections: 'connections/pending-store.ts',
  directory_sign_ups: 'local-directory/sign-up-store.ts',
  undelivered_mails: 'overview/store.ts',
  known_browsers: 'login/browser-store.ts',
  new_device_opt_outs: 'notices/store.ts',
  connection_moves: 'connections/move-store.ts',
  recurring_jobs: 'database/jobs.ts',
  activity_minutes: 'health/activity-store.ts',
  activity_hours: 'health/activity-store.ts',
  activity_rows: 'health/activity-store.ts',
  secret_probe: 'secret-probe.ts',
  deleted_clients: 'trash/store.ts',
  findable_tenants: 'search/store.ts',
  findable_clients: 'search/store.ts',
  entra_consent_links: 'entra/consent-store.ts',
  setup_steps: 'overview/store.ts',
  rate_limits: 'http/counters.ts',
  idempotency_keys: 'http/idempotency-store.ts',
  user_rows: 'users/store.ts',
  user_access: 'users/store.ts',
  prepared_accounts: 'users/store.ts',
  acquaintances: 'profile/store.ts',
  archived_avatars: 'profile/avatar-store.ts',
  avatars: 'profile/avatar-store.ts',
  avatar_files: 'profile/avatar-store.ts',
  groups_listed: 'groups/list-store.ts',
  group_changes: 'groups/list-store.ts',
  parts_in_groups: 'groups/list-store.ts',
  group_changes_of_users: 'groups/list-store.ts',
  group_summaries: 'groups/list-store.ts',
  named_members: 'groups/member-store.ts',
  named_owners: 'groups/member-store.ts',
  group_roles: 'groups/store.ts',
  relationship_head: 'permissions/commit-store.ts',
  relationship_commits: 'permissions/commit-store.ts',
  relationship_changes: 'permissions/commit-store.ts',
  permission_schemas: 'permissions/commit-store.ts',
  permission_assertions: 'permissions/assertion-store.ts',
}
const migrations = globSync('../migrations/*.sql', { cwd: serverRoot })

/** Matches a statement that names a table, at any position of a list, with or without aliases. */
const tablePattern = (table: string) =>
  new RegExp(`\\b(?:from|join|into|update|using)\\s+(?:\\w+(?:\\s+(?:as\\s+)?\\w+)?\\s*,\\s*)*${table}\\b`, 'i')

test.for([
  ['select 1 from users', true],
  ['select 1 from sessions, users', true],
  ['select 1 from sessions s,\n  logins as l , users u', true],
  ['delete from logins using users', true],
  ['select 1 from sessions where users', false],
  ['select 1 from users_of_orgs', false],
])('in `%s`, naming the table `users` is %s', ([statement, isNamed]) => {
  expect(tablePattern('users').test(String(statement))).toBe(isNamed)
})

test.for([
  ['latest.ts', false],
  ['provider/test-shop.ts', true],
  ['features.test.ts', true],
])('%s as a test file is %s', ([file, isTest]) => {
  expect(isTestFile(String(file))).toBe(isTest)
})

test('a table is named only in the store of its feature', () => {
  const violations: string[] = []
  for (const migration of migrations) {
    const feature = basename(migration, '.sql').replace(/^\d+_/, '').replaceAll('_', '-')
    for (const [, table = ''] of read(migration).matchAll(/create (?:table|view) (\w+)/g)) {
      const storeFile = storeFiles[table] ?? `${feature}/store.ts`
      expect(existsSync(serverRoot + storeFile), `${storeFile} for ${table}`).toBe(true)
      const pattern = tablePattern(table)
      violations.push(
        ...files
          .filter((file) => file !== storeFile && pattern.test(read(file)))
          .map((file) => `${file} names ${table}`),
      )
    }
  }
  expect(violations).toEqual([])
})

test('the features with endpoints are the same in the contract and on the server', () => {
  const serving = files.filter((file) => layerOf(file) === 'routes' && /\bserve\(api\./.test(read(file))).map(dirname)
  const inContract = [...endpoints.values()].map(({ feature }) => feature)
  expect([...new Set(serving)].sort()).toEqual([...new Set(inContract)].sort())
})

/** Stores execute SQL, rules decide, routes connect both to endpoints; ARCHITECTURE.md explains the layers. */
type Layer = 'store' | 'rule' | 'routes'

function layerOf(file: string): Layer {
  if (/\/(?:[\w-]+-)?store\.ts$/.test(file)) return 'store'
  return /\/(?:routes|serve-[\w-]+)\.ts$/.test(file) ? 'routes' : 'rule'
}

interface Import {
  from: string
  to: string
  isTypeOnly: boolean
}

/** Returns the relative imports of a file, including type imports. */
function readImports(file: string, text: string): Import[] {
  const pattern = /^(?:import|export)( type)? [^;]*? from '(\.[^']+)'/gms
  return [...text.matchAll(pattern)].map(([, type, specifier = '']) => ({
    from: file,
    to: join(dirname(file), specifier),
    isTypeOnly: type !== undefined,
  }))
}
const imports = files.flatMap((file) => readImports(file, read(file)))
const isInFeature = (file: string) => file.includes('/')
const isOfOtherFeature = ({ from, to }: Import) => isInFeature(from) && isInFeature(to) && dirname(from) !== dirname(to)
const format = ({ from, to }: Import) => `${from} → ${to}`

describe('layers', () => {
  test('a store imports only types from other features, besides the database and `http`', () => {
    const violations = imports.filter(
      (candidate) =>
        layerOf(candidate.from) === 'store' &&
        isOfOtherFeature(candidate) &&
        !candidate.isTypeOnly &&
        !['database', 'http'].includes(dirname(candidate.to)),
    )
    expect(violations.map(format)).toEqual([])
  })

  test('only routes import routes, and only those of their feature', () => {
    const violations = imports.filter(
      (candidate) =>
        layerOf(candidate.to) === 'routes' &&
        isInFeature(candidate.from) &&
        (isOfOtherFeature(candidate) || layerOf(candidate.from) !== 'routes'),
    )
    expect(violations.map(format)).toEqual([])
  })

  test('the imports between rules of features form no cycle', () => {
    const edges = imports.filter(
      (candidate) =>
        isOfOtherFeature(candidate) && layerOf(candidate.from) === 'rule' && layerOf(candidate.to) === 'rule',
    )
    expect(findCycle(edges.map(({ from, to }) => [dirname(from), dirname(to)]))).toEqual([])
  })

  test('the imports between files form no cycle in any workspace, even with types', () => {
    const root = `${serverRoot}../../`
    const sources = globSync('{contract,permissions,server,sign-in,web,world,bench,e2e}/{src/,}**/*.{ts,tsx}', {
      cwd: root,
      exclude: ['**/node_modules/**', '**/dist/**'],
    })
    const edges = sources.flatMap((file) => readImports(file, readFileSync(root + file, 'utf8')))
    expect(edges.length).toBeGreaterThan(1000)
    expect(findCycle(edges.map(({ from, to }) => [from, to]))).toEqual([])
  })

  test('findCycle finds a cycle, and none in a graph without one', () => {
    expect(
      findCycle([
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'd'],
        ['d', 'b'],
      ]),
    ).toEqual(['b', 'c', 'd', 'b'])
    expect(
      findCycle([
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'd'],
        ['c', 'd'],
      ]),
    ).toEqual([])
  })
})

/** Returns the nodes of a cycle, the first one again at the end; empty if there is none. */
function findCycle(edges: (readonly [string, string])[]): string[] {
  const targets = Map.groupBy(edges, ([from]) => from)
  const finished = new Set<string>()
  const visit = (node: string, path: string[]): string[] => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (finished.has(node)) return []
    for (const [, to] of targets.get(node) ?? []) {
      const cycle = visit(to, [...path, node])
      if (cycle.length > 0) return cycle
    }
    finished.add(node)
    return []
  }
  for (const node of targets.keys()) {
    const cycle = visit(node, [])
    if (cycle.length > 0) return cycle
  }
  return []
}

test('every feature is registered in app.ts', () => {
  const features = files.filter((file) => file.endsWith('/routes.ts')).map(dirname)
  const appSource = read('app.ts')
  for (const feature of features) expect(appSource).toContain(`'./${feature}/routes.ts'`)
})

test('only one file decides whether a caller is an administrator', () => {
  expect(files.filter((file) => /\broles\.has\(/.test(read(file)))).toEqual(['http/caller.ts'])
})

test('only http/event-stream.ts, which limits and reauthorizes streams, sends the headers of a stream', () => {
  expect(files.filter((file) => read(file).includes("'Content-Type': 'text/event-stream'"))).toEqual([
    'http/event-stream.ts',
  ])
})

test('only http/http-client.ts, which guards the addresses of the own network, sends HTTP requests', () => {
  const sending =
    /^import (?!type)[^']*? from '(?:node:https|node:http2|node:tls|undici)'|\bnew (?:WebSocket|EventSource)\(/m
  const requesting = /^import (?!type)\{[^}]*?\b(?<!type )(?:request|get)\b[^}]*\} from 'node:http'/m
  const found = files.filter((file) => sending.test(read(file)) || requesting.test(read(file)))
  // The connection to the database has TLS, too.
  expect(found.sort()).toEqual(['database/socket.ts', 'http/http-client.ts'])
})

describe('JSON of other systems is checked where it enters', () => {
  /** Files that parse JSON which this server wrote itself, sealed, into its own files or to its child process. */
  const readingOwn = [
    'database/embedded-home.ts',
    'database/embedded-owner.ts',
    'device-authorization/approval.ts',
    'directory-import/keycloak-roles.ts',
    'http/idempotency.ts',
    'info/build.ts',
    'login/attempt.ts',
    'login/provider-sign-out.ts',
    'mail/deliver.ts',
    'permissions/copied-rows.ts',
    'profile/decode-picture.ts',
    'provider/adapter.ts',
    'provider/keys.ts',
    'provider/request-store.ts',
  ]

  test('by http/foreign-json.ts, or, in a body of the contract, by http/parse.ts; responses of the HTTP client have it', () => {
    const parsing = files.filter((file) => /\bJSON\.parse\b|\breq\.(?:json|parseBody)\(/.test(read(file)))
    expect(parsing.sort()).toEqual([...readingOwn, 'http/foreign-json.ts', 'http/parse.ts'].sort())
    const yaml = files.filter((file) => /from '(?:js-)?yaml'/.test(read(file)))
    expect(yaml).toEqual(['identity-apis/import-scopes.ts'])
  })

  test('and so are the claims of a token, which a library has parsed', () => {
    /** Tokens of this server, and proofs of which only a hash is stored. */
    const readingOwnTokens = [
      'oauth/access-token.ts',
      'oauth/dpop.ts',
      'oauth/id-token-hint.ts',
      'provider/end-session.ts',
    ]
    const reading = files.filter((file) => /\bjwtVerify[(<]|\bdecodeJwt\(|\.claims\(\)/.test(read(file)))
    const unchecked = reading.filter((file) => !/requireStorable\((?:payload|tokens\.claims\(\))\)/.test(read(file)))
    expect(reading.length).toBeGreaterThan(unchecked.length)
    expect(unchecked.sort()).toEqual(readingOwnTokens)
  })
})

test('only two files call AWS, by its SDK, which is loaded at the first call', () => {
  const callers = files.filter((file) => read(file).includes("'@aws-sdk/"))
  expect(callers.sort()).toEqual(['marketplace/aws.ts', 'marketplace/sqs.ts'])
})

test('features have no subfolders, and no file name is vague', () => {
  expect(files.filter((file) => file.split('/').length > 2)).toEqual([])
  const allFiles = globSync('{contract,server,web,world,e2e,bench,scripts}/**/*.{ts,tsx,mjs}', {
    cwd: `${serverRoot}../../`,
    exclude: ['**/node_modules/**', '**/dist/**'],
  })
  expect(allFiles.length).toBeGreaterThan(100)
  const vagueName = /(?:^|\/)(?:utils?|helpers?|common|misc|base|manager|service-?impl|handlers?|dto)(?:\.|\/)/i
  expect(allFiles.filter((file) => vagueName.test(file))).toEqual([])
})

test('no file refers to a path outside the project', () => {
  const root = `${serverRoot}../../`
  const buildOutput = ['node_modules', '.git', '.tsc', '.passport', 'test-results', '**/node_modules', '**/dist']
  const texts = globSync(['**/*.{ts,tsx,md,json,sql,css,html,mjs}', '.ci/*'], { cwd: root, exclude: buildOutput })
  expect(texts).toEqual(expect.arrayContaining(['README.md', '.ci/run', 'server/src/main.ts', 'web/index.html']))
  const machinePath = new RegExp(['/work/', '/home/', '/root/', 'C:\\\\\\\\Users'].join('|'))
  expect(texts.filter((file) => machinePath.test(readFileSync(root + file, 'utf8')))).toEqual([
    'server/src/features.test.ts',
  ])
})
