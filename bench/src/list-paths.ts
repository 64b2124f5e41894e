import type postgres from 'postgres'

/**
 * Adds rows that the generated directory lacks: a role of half the users, invitations, audit events, sessions and
 * deleted records. Their number is in proportion to the users.
 */
export async function addRecords(sql: postgres.Sql, users: number): Promise<void> {
  await sql`insert into roles (name, description) values ('Bench.Common', 'Half of all users'), ('Bench.Rare', 'Forty users')`
  await sql`create temporary table numbered as
    select id, row_number() over (order by id)::integer as n from users where email like '%.example'`
  await sql`insert into role_members (role, user_id) select 'Bench.Common', id from numbered where n % 2 = 0`
  await sql`insert into role_members (role, user_id) select 'Bench.Rare', id from numbered where n % ${Math.round(users / 40)}::integer = 1`
  await sql`
    insert into invitations (id, email, display_name, invited_by, token_hash, mail_id, expires_at, created_at, accepted_at)
    select 'invitation' || n, 'person' || n || '@example.org', 'Person ' || n, id, 'hash' || n, 'mail', now() + interval '7 days',
      now() - make_interval(secs => n), case when n % 3 = 0 then now() end
    from numbered where n % 10 = 0`
  await sql`
    insert into audit_events (id, at, actor_id, action, target_kind, target_id, ip, trace_id)
    select 'event' || e.n, now() - make_interval(secs => e.n), a.id,
      case e.n % 4 when 0 then 'signin.succeeded' when 1 then 'user.changed' when 2 then 'signout' else 'session.revoked' end,
      'user', t.id, '192.0.2.1', md5(e.n::text)
    from numbered e join numbered t on t.n = (e.n::bigint * 7919) % ${users} + 1 join numbered a on a.n = e.n % ${users / 100}::integer + 1`
  await sql`
    insert into sessions (token_hash, id, user_id, login_id, idp, auth_time, ip, user_agent, expires_at)
    select 'token' || n, 'session' || n, l.user_id, l.id, 'harbour', now(), '192.0.2.1', 'Firefox', now() + interval '1 day'
    from numbered p join logins l on l.user_id = p.id where n % 3 = 0`
  for (const table of ['users', 'groups', 'orgs'])
    await sql.unsafe(`
      update ${table} t set deleted_at = now() - make_interval(secs => d.n) from (
        select id, row_number() over (order by md5(id))::integer as n from ${table}
        where ${table === 'users' ? `email like '%.example'` : 'true'}) d
      where d.id = t.id and d.n % 50 = 0`)
  await sql.unsafe('vacuum analyze')
}

/** Returns the measured lists and filters: the name and path of each. */
export async function listPaths(sql: postgres.Sql): Promise<Record<string, string>> {
  const requireRow = async <T>(rows: Promise<T[]>): Promise<T> => {
    const [row] = await rows
    if (!row) throw new Error('The directory lacks a record for this measurement')
    return row
  }
  const sampleUser = await requireRow(sql<{ id: string; email: string; username: string }[]>`
    select u.id, u.email, u.username from users u join sessions s on s.user_id = u.id
    where u.deleted_at is null and u.disabled_at is null order by u.id offset 100 limit 1`)
  const [orgs, groups] = await Promise.all([
    sql<
      { id: string }[]
    >`select id from orgs where deleted_at is null and member_count between 30 and 110 order by id limit 1`,
    sql<
      { id: string }[]
    >`select id from groups where deleted_at is null and member_count between 20 and 60 order by id limit 1`,
  ])
  const largestOrg = await requireRow(
    sql<{ id: string }[]>`select id from orgs where deleted_at is null order by member_count desc limit 1`,
  )
  const largestGroup = await requireRow(
    sql<{ id: string }[]>`select id from groups where deleted_at is null order by member_count desc limit 1`,
  )
  const actor = await requireRow(sql<{ id: string }[]>`
    select actor_id as id from audit_events where id like 'event%' order by actor_id limit 1`)
  const [org, group] = [await requireRow(Promise.resolve(orgs)), await requireRow(Promise.resolve(groups))]
  // Changes from before the administrator's promotion are not listed.
  const since = encodeURIComponent(new Date().toISOString())
  const users = (query: string) => `/passport/admin/users?limit=25&${query}`
  return {
    users: users(''),
    'users, page 40': users('page=40'),
    'users, newest first': users('sort=created&direction=desc'),
    'users, by last sign-in': users('sort=lastSignIn&direction=desc'),
    'users, disabled': users('status=disabled'),
    'users, invited': users('status=invited'),
    'users, active': users('status=active'),
    'users, disabled, newest first': users('status=disabled&sort=created&direction=desc'),
    'users, not seen for 90 days': users('lastSeen=90'),
    'users, never seen': users('lastSeen=never'),
    'users, a': users('query=a'),
    'users, mar': users('query=mar'),
    'users, mar, page 4': users('query=mar&page=4'),
    'users, mar, newest first': users('query=mar&sort=created&direction=desc'),
    'users, wei': users('query=wei'),
    'users, zoë b': users(`query=${encodeURIComponent('zoë b')}`),
    'users, ana berg': users('query=ana+berg'),
    'users, part of an email': users(`query=${encodeURIComponent('tomas.ber')}`),
    'users, email': users(`query=${encodeURIComponent(sampleUser.email)}`),
    'users, id': users(`query=${sampleUser.id}`),
    'users, nothing found': users('query=qqqqqq'),
    'users, common role': users('role=Bench.Common'),
    'users, rare role': users('role=Bench.Rare'),
    'users, role of groups': users('role=Passport.Developer'),
    'users, organisation': users(`org=${org.id}`),
    'users, largest organisation': users(`org=${largestOrg.id}`),
    'users, provider': users('provider=harbour'),
    'users, common role, disabled': users('role=Bench.Common&status=disabled'),
    'users, common role, active': users('role=Bench.Common&status=active'),
    'users, mar, disabled': users('query=mar&status=disabled'),
    'users, mar, common role': users('query=mar&role=Bench.Common'),
    'users, largest organisation, active': users(`org=${largestOrg.id}&status=active`),
    'profiles, mar': '/passport/profile?limit=25&query=mar',
    'profiles, a': '/passport/profile?limit=25&query=a',
    groups: '/passport/groups?limit=25',
    'groups, night': '/passport/groups?limit=25&query=night',
    'groups, of an organisation': `/passport/groups?limit=25&orgId=${org.id}`,
    'groups, changed since': `/passport/groups?limit=25&updatedSince=${since}`,
    group: `/passport/groups/${group.id}`,
    'group, the largest': `/passport/groups/${largestGroup.id}`,
    'members of a group': `/passport/groups/${group.id}/members?limit=25`,
    'members of the largest group': `/passport/groups/${largestGroup.id}/members?limit=25`,
    'members of the largest group, mar': `/passport/groups/${largestGroup.id}/members?limit=25&query=mar`,
    organisations: '/passport/admin/orgs?limit=25',
    'organisations, by members': '/passport/admin/orgs?limit=25&sort=-members',
    'organisations, north': '/passport/admin/orgs?limit=25&query=north',
    'members of an organisation': `/passport/admin/orgs/${org.id}/members?limit=25`,
    'members of the largest organisation': `/passport/admin/orgs/${largestOrg.id}/members?limit=25`,
    'members of the largest organisation, mar': `/passport/admin/orgs/${largestOrg.id}/members?limit=25&query=mar`,
    roles: '/passport/admin/roles?limit=25',
    role: '/passport/admin/roles/Bench.Common',
    'members of a common role': '/passport/admin/roles/Bench.Common/members?limit=25',
    'members of a rare role': '/passport/admin/roles/Bench.Rare/members?limit=25',
    'members of a common role, mar': '/passport/admin/roles/Bench.Common/members?limit=25&query=mar',
    invitations: '/passport/admin/users/invitations?limit=25',
    'invitations, accepted': '/passport/admin/users/invitations?limit=25&status=accepted',
    'invitations, person12': '/passport/admin/users/invitations?limit=25&query=person12',
    audit: '/passport/admin/audit?limit=25',
    'audit, by a user': `/passport/admin/audit?limit=25&actor=${actor.id}`,
    'audit, of a user': `/passport/admin/audit?limit=25&target=user:${sampleUser.id}`,
    'audit, an action': '/passport/admin/audit?limit=25&action=signout',
    'sessions of a user': `/passport/admin/users/${sampleUser.id}/sessions`,
    'sign-ins of a user': `/passport/admin/users/${sampleUser.id}/logins`,
    'access of a user': `/passport/admin/users/${sampleUser.id}/access`,
    user: `/passport/admin/users/${sampleUser.id}`,
    trash: '/passport/admin/trash?limit=25',
    'trash, users': '/passport/admin/trash?limit=25&kind=user',
    'trash, groups': '/passport/admin/trash?limit=25&kind=group',
    'search, mar': '/passport/admin/search?query=mar',
    'search, a': '/passport/admin/search?query=a',
    'search, north': '/passport/admin/search?query=north',
  }
}
