import type { Overview } from '@passport/contract/overview'
import type { Sql } from '../database/sql.ts'

/** The number of sign-ins of a day in UTC with the same result and reason. */
export interface AttemptRow {
  day: string
  isSuccess: boolean
  reason: string | null
  count: number
  /** The number of distinct users. */
  users: number
  last24Hours: number
  last7Days: number
  previous7Days: number
}

/** Counts the sign-ins since `since`, the start of a day in UTC, by day, result and reason. */
export const countAttempts = (sql: Sql, since: string): Promise<AttemptRow[]> =>
  sql<AttemptRow[]>`
    select (at at time zone 'UTC')::date::text as day, action = 'signin.succeeded' as is_success,
      case when action = 'signin.succeeded' then null else reason end as reason, count(*)::int as count,
      count(distinct actor_id)::int as users,
      (count(*) filter (where at > now() - interval '24 hours'))::int as "last24Hours",
      (count(*) filter (where at > now() - interval '7 days'))::int as "last7Days",
      (count(*) filter (where at > now() - interval '14 days' and at <= now() - interval '7 days'))::int as "previous7Days"
    from sign_in_attempts where at >= ${since}
    group by 1, 2, 3`

/** The counts of users; `createdByDay` counts the created ones per day in UTC, and omits days without any. */
type UserCounts = Overview['users'] & { createdByDay: Record<string, number> }

export async function countUsers(sql: Sql, since: string): Promise<UserCounts> {
  const [counts] = await sql<[UserCounts]>`
    select count(*)::int as total,
      (count(*) filter (where last_sign_in_at > now() - interval '30 days'))::int as active,
      (count(*) filter (where disabled_at is null and activated_at is null))::int as invited,
      (count(*) filter (where disabled_at is not null))::int as disabled,
      (count(*) filter (where created_at > now() - interval '30 days'))::int as created,
      (count(*) filter (where created_at > now() - interval '60 days' and created_at <= now() - interval '30 days'))::int
        as created_before,
      (select coalesce(jsonb_object_agg(day, count), '{}') from (
        select (created_at at time zone 'UTC')::date::text as day, count(*)::int as count
        from counted_users where created_at >= ${since} group by 1) per_day) as created_by_day
    from counted_users`
  return counts
}

type State = Omit<Overview['attention'], 'checks'> & Omit<Overview['setup'], 'hasProvider' | 'hasMail'>

/** Counts the records that need an administrator, and reads the first steps that are done. */
export async function readState(sql: Sql): Promise<State> {
  const [state] = await sql<[State]>`
    select s.*,
      (select count(*)::int from overview_administrators) as administrators,
      (select coalesce(jsonb_agg(jsonb_build_object('domain', domain, 'orgId', org_id, 'orgName', org_name)), '[]')
        from (select * from failing_domains order by domain limit 5) first) as failing_domains,
      (select count(*)::int from directory_locks where at > now() - interval '24 hours') as locks,
      (select count(*)::int from undelivered_mails) as undelivered_mails,
      i.claimed_invitations, i.undelivered_invitations, i.expiring_invitations
    from setup_steps s, (
      select (count(*) filter (where claimed_by is not null))::int as claimed_invitations,
        (count(*) filter (where mail = 'failed' and expires_at > now()))::int as undelivered_invitations,
        (count(*) filter (where expires_at > now() and expires_at < now() + interval '3 days'))::int
          as expiring_invitations
      from open_invitations) i`
  return state
}

/** Returns the ids of the newest changes. */
export async function listNewestChanges(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from newest_changes order by at desc, id desc limit ${limit}`
  return rows.map(({ id }) => id)
}
