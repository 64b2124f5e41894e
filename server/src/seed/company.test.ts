import { Email } from '@passport/contract/email'
import { GroupDescription, GroupName } from '@passport/contract/groups'
import { OrgName, Slug } from '@passport/contract/orgs'
import { runAssertions } from '@passport/contract/permissions'
import { RoleDescription, RoleName } from '@passport/contract/roles'
import { Username } from '@passport/contract/username'
import { DisplayName } from '@passport/contract/users'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import * as sessions from '../accounts/session-store.ts'
import type { Sql } from '../database/sql.ts'
import { createTestDatabase, startTestService, type TestService } from '../test-service.ts'
import * as users from '../users/store.ts'
import { generateCompany, toCompanySize } from './company.ts'
import { simulateActivity } from './company-activity.ts'
import { DatabaseNotEmptyError, seedCompany } from './seed-company.ts'

describe('a company of 2,000', () => {
  const size = toCompanySize(2000)
  const company = generateCompany(size)
  const { events, signIns } = simulateActivity(company, size)
  const { users, orgs, groups, roles } = company
  const existing = users.filter(({ deletedAt }) => deletedAt === null)

  test('has the documented numbers of records and events', () => {
    expect(size).toMatchObject({ groups: 60, orgs: 40, roles: 25, signIns: 15_000, events: 5000, sessions: 400 })
    expect([existing.length, orgs.length, groups.length, roles.length + 2]).toEqual([2000, 40, 60, 25])
    const failed = events.filter(({ action }) => action === 'signin.failed')
    expect([signIns.length, failed.length]).toEqual([14_400, 600])
    expect(new Set(failed.map(({ reason }) => reason)).size).toBe(7)
    expect(events.length).toBe(20_000)
  })

  test('has disabled and invited users, users without email, long names, and names in several scripts', () => {
    expect(existing.filter(({ disabledAt }) => disabledAt !== null).length).toBe(60)
    expect(existing.filter(({ activatedAt }) => activatedAt === null).length).toBe(80)
    expect(existing.filter(({ email }) => email === null).length).toBeGreaterThan(10)
    expect(existing.filter(({ name }) => name.length > 40).length).toBeGreaterThan(5)
    const scripts = [
      'Latin',
      'Han',
      'Hiragana',
      'Hangul',
      'Arabic',
      'Cyrillic',
      'Devanagari',
      'Greek',
      'Hebrew',
      'Thai',
    ]
    for (const script of scripts)
      expect(existing.filter(({ name }) => new RegExp(`\\p{Script=${script}}`, 'u').test(name)).length).toBeGreaterThan(
        0,
      )
  })

  test('has groups of one member to a fifth of all users, each with an owner', () => {
    const sizes = groups.map(({ members }) => members.size).sort((a, b) => a - b)
    expect(sizes[0]).toBeLessThan(5)
    expect(sizes.at(-1)).toBeGreaterThan(350)
    expect(sizes.at(-1)).toBeLessThanOrEqual(400)
    for (const { owners } of groups) expect(owners.size).toBeGreaterThan(0)
  })

  test('has groups that changed last in the thirty days or long before, never before their members', () => {
    expect(groups.filter(({ changedAt }) => changedAt >= 0).length).toBeGreaterThan(25)
    expect(groups.filter(({ changedAt }) => changedAt < -20).length).toBeGreaterThan(10)
    for (const { changedAt, members, owners, roles } of groups)
      for (const { at } of [members, owners, roles].flatMap((grants) => [...grants.values()]))
        expect(at).toBeLessThanOrEqual(changedAt)
  })

  test('has only names that the console accepts, each username and email once', () => {
    const usernames = users.flatMap(({ username }) => username ?? [])
    const emails = users.flatMap(({ email }) => email ?? [])
    const texts = [
      [DisplayName, users.map(({ name }) => name)],
      [Username, usernames],
      [Email, emails],
      [OrgName, orgs.map(({ name }) => name)],
      [Slug, orgs.map(({ slug }) => slug)],
      [GroupName, groups.map(({ name }) => name)],
      [GroupDescription, groups.map(({ description }) => description)],
      [RoleName, roles.map(({ name }) => name)],
      [RoleDescription, roles.map(({ description }) => description)],
    ] as const
    for (const [schema, all] of texts) expect(all.filter((text) => schema.safeParse(text).data !== text)).toEqual([])
    expect([new Set(usernames).size, new Set(emails).size]).toEqual([usernames.length, emails.length])
  })

  test('has no events of a user before their creation or after their deletion', () => {
    const wrong = events.filter(({ at, actor, kind, target }) => {
      const concerned = [actor, kind === 'user' ? users.find(({ id }) => id === target) : null]
      return concerned.some((user) => user && (at < user.createdAt || at > (user.deletedAt ?? 1)))
    })
    expect(wrong).toEqual([])
  })
})

describe('a company in a database', () => {
  let service: TestService
  let sql: Sql
  beforeAll(async () => {
    service = await startTestService()
    sql = service.sql
    await seedCompany({ sql, usesSpiceDb: false }, 300)
  })

  test('has all records, and the events and sessions of the last 30 days', async () => {
    const [counts] = await sql`
      select (select count(*)::integer from users where deleted_at is null) as users,
        (select count(*)::integer from groups) as groups, (select count(*)::integer from orgs) as orgs,
        (select count(*)::integer from roles) as roles, (select count(*)::integer from sessions) as sessions,
        (select count(*)::integer from audit_events where action like 'signin.%') as sign_ins`
    expect(counts).toMatchObject({ users: 304, groups: 9, orgs: 6, roles: 25, signIns: 2250 })
    const [period] = await sql`
      select min(at) > now() - interval '30 days' and max(at) <= now() as is_recent,
        count(*) filter (where action not like 'signin.%')::integer as others
      from audit_events where actor_id not in (select user_id from logins where provider_id = 'local')
        or actor_id is null and action like 'signin.%'`
    expect(period).toEqual({ isRecent: true, others: 750 })
  })

  test('has the responses of each hour, and the steps of each sign-in under its support code', async () => {
    const [hours] = await sql`
      select count(distinct hour)::integer > 200 as has_hours,
        (sum(count) filter (where route = 'sign-in'))::integer as sign_ins,
        sum(count) filter (where status >= 400) * 20 < sum(count) filter (where status is not null) as is_mostly_ok,
        bool_and(status is null or count = (select sum(bucket) from unnest(buckets) bucket)) as has_all_in_buckets
      from activity_hours`
    expect(hours).toEqual({ hasHours: true, signIns: 2250, isMostlyOk: true, hasAllInBuckets: true })
    const [wrong] = await sql`
      select count(*)::integer from audit_events e left join sign_in_traces t using (trace_id)
      where e.action in ('signin.succeeded', 'signin.failed')
        and (t.reason is distinct from e.reason or (t.result = 'failed') <> (e.action = 'signin.failed')
          or (t.result = 'failed') <> jsonb_path_exists(t.steps, '$[*] ? (@.isFailed == true)'))`
    expect(wrong).toEqual({ count: 0 })
  })

  test('has a sample a minute of each health check in the last day, and the state that they left', async () => {
    const rows = await sql`
      select name, count(*)::integer as samples, bool_and(minute > now() - interval '25 hours' and minute <= now()) as is_recent,
        count(*) filter (where s.status <> 'ok')::integer as slow, max(t.status) as state,
        bool_and(s.status = 'ok' or s.minute < t.since) as is_over
      from health_samples s join health_states t using (name) group by name order by name`
    const check = (name: string, slow = 0) => ({ name, samples: 1440, isRecent: true, slow, state: 'ok', isOver: true })
    expect([...rows]).toEqual([
      check('idp:local'),
      check('jobs'),
      check('media'),
      check('permissions'),
      check('postgres', 6),
    ])
  })

  test('has groups with the times of their last changes, which later changes update', async () => {
    const wrong = await sql`
      select id from groups g
      where updated_at < (select max(added_at) from group_members m where m.group_id = g.id)
        or last_modified <= updated_at or last_modified > updated_at + interval '1 second'`
    expect([...wrong]).toEqual([])
    const [first] = await sql<{ id: string; isOld: boolean }[]>`
      select id, updated_at < now() - interval '30 days' as is_old from groups order by updated_at limit 1`
    expect(first?.isOld).toBe(true)
    const [changed] = await sql`
      update groups set version = version where id = ${first?.id ?? ''} returning updated_at > now() - interval '1 minute' as is_now`
    expect(changed).toEqual({ isNow: true })
  })

  test('has every actor, target and role of its events, and correct counts', async () => {
    const wrong = await sql`
      select 'target' as what, action, target_id as id from audit_events where target_kind in ('user', 'org', 'group', 'role', 'invitation')
        and target_id is not null and target_id not in (
          select id from users union all select id from orgs union all select id from groups
          union all select name from roles union all select id from invitations)
      union all
      select 'actor', action, actor_id from audit_events where actor_id is not null and actor_id not in (select id from users)
      union all
      select 'role', 'granted', after ->> 'role' from audit_events
      where action = 'role.granted' and after ->> 'role' not in (select name from roles)
      union all
      select 'count', name, id from groups g where member_count <> (select count(*) from group_members m where m.group_id = g.id)
        or owner_count <> (select count(*) from group_owners o where o.group_id = g.id) or owner_count = 0
      union all
      select 'count', name, id from orgs o where member_count <> (select count(*) from org_members m where m.org_id = o.id)
      union all
      select 'email', email, id from users where email_verified and email is null`
    expect([...wrong]).toEqual([])
  })

  test('agrees with the last event of each group membership, role and field', async () => {
    const wrong = await sql`
      with changes as (
        select e.target_id as record, person, e.action, e.at, e.id
        from audit_events e, jsonb_array_elements_text(coalesce(e.after -> 'members', e.before -> 'members')) person
        where e.action in ('group.members-added', 'group.members-removed')
      ), last as (select distinct on (record, person) * from changes order by record, person, at desc, id desc)
      select action, record, person from last join users u on u.id = person and u.deleted_at is null
      where (action = 'group.members-added')
        <> exists (select from group_members m where m.group_id = record and m.user_id = person)
      union all
      select action, target_id, coalesce(after, before) ->> 'role' from (
        select distinct on (target_id, coalesce(after, before) ->> 'role') * from audit_events
        where action in ('role.granted', 'role.taken')
        order by target_id, coalesce(after, before) ->> 'role', at desc, id desc) e
      join users u on u.id = target_id and u.deleted_at is null
      where (action = 'role.granted')
        <> exists (select from role_members m where m.user_id = target_id and m.role = coalesce(after, before) ->> 'role')
      union all
      select action, target_id, after ->> 'email' from (
        select distinct on (target_id) * from audit_events where action = 'user.changed' order by target_id, at desc, id desc) e
      where after ->> 'email' <> (select email from users where id = target_id)
      union all
      select action, target_id, after ->> 'disabled' from (
        select distinct on (target_id) * from audit_events where action in ('user.disabled', 'user.enabled')
        order by target_id, at desc, id desc) e
      where (action = 'user.disabled') <> (select disabled_at is not null from users where id = target_id)
      union all
      select action, target_id, null from audit_events
      where action = 'user.deleted' and (select deleted_at is null from users where id = target_id)
      union all
      select action, target_id, after ->> 'description' from (
        select distinct on (target_id) * from audit_events where action = 'group.changed' order by target_id, at desc, id desc) e
      where after ->> 'description' <> (select description from groups where id = target_id)`
    expect([...wrong]).toEqual([])
  })

  test('agrees with the last event of each organisation membership, preference and domain', async () => {
    const wrong = await sql`
      with changes as (
        select target_id as org, person, after ->> 'role' as role, at, id
        from audit_events, jsonb_array_elements_text(after -> 'members') person where action = 'org.member-added'
        union all
        select target_id, person, null, at, id
        from audit_events, jsonb_object_keys(before -> 'members') person where action = 'org.member-removed'
        union all
        select target_id, after ->> 'member', after ->> 'role', at, id from audit_events where action = 'org.member-changed'
      ), last as (select distinct on (org, person) * from changes order by org, person, at desc, id desc)
      select org, person, role from last join users u on u.id = person and u.deleted_at is null
      where role is distinct from (select m.role from org_members m where m.org_id = org and m.user_id = person)
      union all
      select target_id, after ->> 'value', null from (
        select distinct on (target_id) * from audit_events where action = 'preference.saved' order by target_id, at desc, id desc) e
      where after ->> 'value' is distinct from (select value from preferences where user_id || '/' || key = target_id)
      union all
      select target_id, after ->> 'status', null from audit_events
      where action = 'org.domain-verified' and target_id not in (select org_id from org_domains where status = 'verified')`
    expect([...wrong]).toEqual([])
  })

  test('has sessions of active users, each after a sign-in from the same address, that cannot be used', async () => {
    const [all] = await sql`
      select count(*)::integer as count, count(*) filter (
        where u.disabled_at is null and u.deleted_at is null and s.last_seen_at > now() - interval '12 hours'
          and s.expires_at > now() and s.token_hash like '%:%'
          and exists (select from audit_events e where e.action = 'signin.succeeded' and e.actor_id = s.user_id
            and e.at = s.created_at and e.ip = s.ip and e.user_agent = s.user_agent))::integer as valid
      from sessions s join users u on u.id = s.user_id where s.idp <> 'local'`
    expect(all).toEqual({ count: 60, valid: 60 })
    for (const { tokenHash } of await sql<{ tokenHash: string }[]>`select token_hash from sessions`)
      expect(await sessions.findByToken(sql, tokenHash)).toBeUndefined()
  })

  test('has a commit of memberships without an author, and one of permissions by an administrator', async () => {
    const authorsOf = async (type: string) => {
      const rows = await sql<{ by: string | null }[]>`
        select distinct by from relationship_commits c join relationship_changes h on h.commit_id = c.id
        where resource_type = ${type}`
      return rows.map(({ by }) => by)
    }
    expect(await authorsOf('passport/group')).toEqual([null])
    expect(await authorsOf('document')).toEqual([expect.stringMatching(/^user:/)])
  })

  test('has deleted users, who can be restored with their memberships', async () => {
    const ada = await service.as('ada')
    const [deleted] = await sql<{ id: string; orgs: number }[]>`
      select id, jsonb_array_length(left_behind -> 'orgs') as orgs from users where deleted_at is not null`
    const path = `/passport/admin/users/${deleted?.id}`
    const headers = { 'content-type': 'application/json' }
    const { status } = await ada.fetch(`${path}/restore`, { method: 'POST', headers, body: '{}' })
    expect(status).toBe(200)
    const restored = (await (await ada.fetch(path)).json()) as { orgs: unknown[] }
    expect(restored.orgs.length).toBe(deleted?.orgs)
  })

  test('has permissions whose assertions hold', async () => {
    const { items, failed } = await (await service.as('ada')).call(runAssertions, {})
    expect({ tried: items.length, failed }).toEqual({ tried: 8, failed: 0 })
  })

  test('rejects a second company, and is unchanged by it', async () => {
    const read = () => sql`select count(*)::integer as events from audit_events`
    const before = await read()
    await expect(seedCompany({ sql, usesSpiceDb: false }, 300)).rejects.toThrow(
      /^Nothing was added: besides the demo users, the database already has users \(302\), organisations \(6\), groups \(9\), roles \(23\), /,
    )
    expect(await read()).toEqual(before)
  })
})

test('what a server has measured before is kept, and its activity is added to', async () => {
  const sql = await createTestDatabase()
  await sql`
    insert into health_samples (name, minute, status, latency_ms)
    select 'jobs', date_trunc('minute', now() - make_interval(mins => n)), 'down', 7 from generate_series(0, 4) n`
  await sql`insert into health_states (name, status, since) values ('jobs', 'down', '2026-01-02T00:00:00Z')`
  await sql`
    insert into activity_hours (hour, route, code, status, count, buckets)
    select date_trunc('hour', now(), 'UTC') - make_interval(hours => n), route, code, null, 100000, array_fill(0, array[12])
    from generate_series(24, 480) n, (values ('sign-in', 'succeeded'), ('sessions', 'active')) kind (route, code)`
  await seedCompany({ sql, usesSpiceDb: false }, 50)
  const [kept] = await sql`
    select (select count(*)::integer from health_samples where status = 'down' and latency_ms = 7) as samples,
      (select status || ' ' || since from health_states where name = 'jobs') as state,
      (select count(*)::integer from activity_hours where route = 'sign-in' and count > 100000) > 100 as are_added,
      (select max(count)::integer from activity_hours where route = 'sessions') as sessions`
  expect(kept).toEqual({
    samples: 5,
    state: expect.stringMatching(/^down 2026-01-02/),
    areAdded: true,
    sessions: 100_000,
  })
})

test('of two seeds at the same time, the second waits and then adds nothing', async () => {
  const sql = await createTestDatabase()
  const lines: string[][] = [[], []]
  const seeds = lines.map((reported) => seedCompany({ sql, usesSpiceDb: false }, 50, (line) => reported.push(line)))
  const results = await Promise.allSettled(seeds)
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const refused = results.findIndex(({ status }) => status === 'rejected')
  expect(lines[refused]).toEqual(['30 days of activity computed', 'waiting for another seed of this database'])
  expect(results[refused]).toMatchObject({ reason: expect.any(DatabaseNotEmptyError) })
  expect(await users.count(sql)).toBe(51)
})

test('two databases get the same rows, except for times, on different days and at different hours', async () => {
  const read = async (daysAgo: number) => {
    const { sql } = await startTestService()
    const demoUsers = (await sql<{ id: string }[]>`select id from users`).map(({ id }) => id)
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - daysAgo * 86_400_000)
    onTestFinished(() => now.mockRestore())
    await seedCompany({ sql, usesSpiceDb: false }, 50)
    now.mockRestore()
    return {
      users:
        await sql`select id, username, display_name, email, email_verified, version, disabled_at is null as is_enabled
        from users where id <> all(${demoUsers}) order by id`,
      groups: await sql`select id, name, description, org_id, member_count, version from groups order by id`,
      members: await sql`select group_id, user_id, added_by from group_members order by 1, 2`,
      orgs: await sql`select org_id, user_id, role, added_by from org_members order by 1, 2`,
      roles:
        await sql`select role, user_id, granted_by from role_members where user_id <> all(${demoUsers}) order by 1, 2`,
      sessions: await sql`select token_hash, id, user_id, login_id, amr, ip, user_agent from sessions order by id`,
      invitations: await sql`select id, email, user_id, invited_by, accepted_by from invitations order by id`,
      preferences: await sql`select user_id, key, value from preferences order by 1, 2`,
      // The order of time too. The import of the permissions has a random trace id.
      events: await sql`
        select id, actor_id, action, target_id, before, after, reason, ip, user_agent, trace_id from audit_events
        where action <> 'permissions.imported' and target_id is distinct from null and target_id <> all(${demoUsers})
        order by at, id`,
      relationships: await sql`select * from stored_relationships order by 1, 2, 3, 4, 5, 6`,
    }
  }
  const [one, other] = [await read(0), await read(3.3)]
  for (const table of Object.keys(one) as (keyof typeof one)[]) {
    expect(one[table].length).toBeGreaterThan(0)
    expect([...one[table]]).toEqual([...other[table]])
  }
})
