import { getOverview, overviewDays } from '@passport/contract/overview'
import { beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

let service: TestService
let ada: Visitor
let serial = 0

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
})

async function addAttempts(count: number, action: string, at: string, reason: string | null = null) {
  serial++
  const actorId = reason === null ? 'someone' : null
  await service.sql`
    insert into audit_events (id, at, action, actor_id, target_kind, reason)
    select ${`attempt-${serial}`} || '-' || n, ${at}, ${action}, ${actorId}, 'attempt', ${reason} from generate_series(1, ${count}) n`
}

test('counts only users in a new installation', async () => {
  const { signIns, failures, attention, setup, days } = await ada.call(getOverview, {})
  expect(signIns.previous7Days).toEqual({ succeeded: 0, failed: 0 })
  expect(failures).toEqual([])
  expect(attention).toMatchObject({ claimedInvitations: 0, failingDomains: [], locks: 0 })
  expect(Object.values(setup).every((isDone) => !isDone)).toBe(true)
  expect(days).toHaveLength(overviewDays)
  expect(days.at(-1)?.day).toBe(new Date().toISOString().slice(0, 10))
})

test('counts sign-ins by day and period, and failures by reason', async () => {
  const before = await ada.call(getOverview, {})
  await addAttempts(3, 'signin.succeeded', ago(60_000))
  await addAttempts(4, 'signin.succeeded', ago(3 * dayMs))
  await addAttempts(5, 'signin.failed', ago(3 * dayMs), 'state-unknown')
  await addAttempts(2, 'directory.password-refused', ago(10 * dayMs), 'password-wrong')
  await addAttempts(9, 'signin.succeeded', ago(40 * dayMs))
  const after = await ada.call(getOverview, {})
  const { last24Hours, last7Days, previous7Days } = before.signIns
  expect(after.signIns).toEqual({
    last24Hours: { ...last24Hours, succeeded: last24Hours.succeeded + 3 },
    last7Days: { succeeded: last7Days.succeeded + 7, failed: last7Days.failed + 5 },
    previous7Days: { ...previous7Days, failed: previous7Days.failed + 2 },
  })
  expect(after.failures).toEqual([
    { reason: 'state-unknown', count: 5 },
    { reason: 'password-wrong', count: 2 },
  ])
  expect(after.days.find(({ day }) => day === ago(3 * dayMs).slice(0, 10))).toMatchObject({
    succeeded: 4,
    failed: 5,
    active: 1,
  })
})

test('counts users by state and creation, without deleted ones', async () => {
  const before = await ada.call(getOverview, {})
  await service.sql`
    insert into users (id, created_at, activated_at, last_sign_in_at, disabled_at, deleted_at) values
      ('active', ${ago(45 * dayMs)}, now(), ${ago(dayMs)}, null, null),
      ('idle', ${ago(90 * dayMs)}, now(), ${ago(40 * dayMs)}, null, null),
      ('invited', ${ago(hourMs)}, null, null, null, null),
      ('disabled', ${ago(90 * dayMs)}, now(), null, now(), null),
      ('deleted', ${ago(hourMs)}, now(), now(), null, now())`
  const { users, days } = await ada.call(getOverview, {})
  expect(users).toEqual({
    total: before.users.total + 4,
    active: before.users.active + 1,
    invited: before.users.invited + 1,
    disabled: before.users.disabled + 1,
    created: before.users.created + 1,
    createdBefore: before.users.createdBefore + 1,
  })
  const sum = (overview: { days: { created: number }[] }) =>
    overview.days.reduce((total, { created }) => total + created, 0)
  expect(sum({ days })).toBe(sum(before) + 1)
})

test('counts the records that need attention, and reports the first steps that are done', async () => {
  const { sql } = service
  await sql`insert into orgs (id, name, slug) values ('o1', 'Harbour', 'harbour')`
  await sql`
    insert into org_domains (org_id, domain, status, challenge, failing_since) values
      ('o1', 'missing.example', 'verified', 'x', now()), ('o1', 'fine.example', 'verified', 'y', null)`
  await sql`insert into mails (id, recipient, subject, state) values ('m1', 'a@b.example', 'Invitation', 'failed')`
  await sql`
    insert into mails (id, recipient, subject, state, kind, sealed_content, valid_until)
    select 'undelivered-' || n, 'a@b.example', 'Notice', 'failed', case n when 3 then 'test' else 'new-device' end,
      'sealed', now() + interval '1 day' from generate_series(1, 3) n`
  await sql`
    insert into invitations (id, email, invited_by, token_hash, mail_id, expires_at, claimed_by) values
      ('i1', 'a@b.example', ${ada.id}, 't1', 'm1', now() + interval '5 days', null),
      ('i2', 'c@b.example', ${ada.id}, 't2', 'm2', now() + interval '2 days', null),
      ('i3', 'd@b.example', ${ada.id}, 't3', 'm3', now() + interval '9 days', ${ada.id})`
  await sql`insert into groups (id, name) values ('g1', 'Night crew')`
  await sql`update branding set name = 'Harbour', updated_at = now()`
  await addAttempts(2, 'directory.locked', ago(hourMs))
  await sql`
    insert into health_states (name, status, since)
    values ('postgres', 'slow', now()), ('mail', 'down', now()), ('media', 'ok', now()), ('meta', 'off', now())`
  const { attention, setup } = await ada.call(getOverview, {})
  expect(attention).toEqual({
    administrators: expect.any(Number),
    claimedInvitations: 1,
    undeliveredInvitations: 1,
    undeliveredMails: 2,
    expiringInvitations: 1,
    failingDomains: [{ domain: 'missing.example', orgId: 'o1', orgName: 'Harbour' }],
    locks: 2,
    checks: [
      { name: 'mail', status: 'down' },
      { name: 'postgres', status: 'slow' },
    ],
  })
  expect(attention.administrators).toBeGreaterThan(0)
  expect(setup).toEqual({
    hasProvider: false,
    hasMail: false,
    hasBranding: true,
    hasOrg: true,
    hasInvited: true,
    hasClient: false,
    hasPermissions: false,
  })
})

test('finds the steps that the configuration has taken, and answers administrators only', async () => {
  const upstream = { id: 'harbour', kind: 'oidc', name: 'Harbour', issuer: 'https://harbour.example', clientId: 'c' }
  const other = await startTestService(
    {
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'a@b.example',
      BRAND_NAME: 'Harbour',
      IDENTITY_PROVIDERS: JSON.stringify([
        { id: 'local', kind: 'local', name: 'Passport' },
        { ...upstream, clientSecret: 'the secret of the registration' },
      ]),
    },
    { sharedWith: service },
  )
  const { setup } = await (await other.as('ada')).call(getOverview, {})
  expect(setup).toMatchObject({ hasProvider: true, hasMail: true, hasBranding: true })
  await expect((await other.as('dev')).call(getOverview, {})).rejects.toMatchObject({ status: 403 })
  await other.stop()
})

test('lists the newest changes, however many sign-ins follow them', async () => {
  const { sql } = service
  for (const [id, at] of [
    ['change-1', ago(-1000)],
    ['change-2', ago(-2000)],
  ] as const)
    await sql`
      insert into audit_events (id, at, action, actor_id, target_kind, target_id)
      values (${id}, ${at}, 'group.created', ${ada.id}, 'group', 'g1')`
  await addAttempts(20, 'signin.succeeded', ago(0))
  const { changes } = await ada.call(getOverview, {})
  expect(changes.map(({ id }) => id).slice(0, 2)).toEqual(['change-2', 'change-1'])
  expect(changes[0]).toMatchObject({ actor: { id: ada.id }, target: { name: 'Night crew' } })
  expect(changes.length).toBe(5)
})

test('has the tokens, errors and sessions of each day from the activity of all servers', async () => {
  const { sql } = service
  const add = (minute: string, route: string, code: string, status: number | null, count: number) => sql`
    insert into activity_minutes (minute, instance, route, code, status, count, buckets)
    values (date_trunc('minute', ${minute}::timestamptz), 'one', ${route}, ${code}, ${status}, ${count}, array_fill(0, array[12]))`
  const before = (await ada.call(getOverview, {})).days
  const at = `${before[20]?.day}T10:00:00Z`
  const later = `${before[20]?.day}T15:00:00Z`
  await add(at, 'POST /connect/token', '', 200, 40)
  await add(later, 'POST /connect/token', '', 200, 2)
  await add(later, 'GET /passport/groups', 'not-found', 404, 3)
  await add(at, 'sessions', 'active', null, 9)
  await add(later, 'sessions', 'active', null, 7)
  const { days } = await ada.call(getOverview, {})
  expect(days[20]).toMatchObject({ tokens: 42, errors: 3, requests: 45, sessions: 9 })
  expect(days[19]).toMatchObject({ tokens: 0, errors: 0, sessions: null })
})

test('costs at most nine statements', async () => {
  expect((await recordStatements(service.sql, () => ada.call(getOverview, {}))).length).toBeLessThanOrEqual(9)
})
