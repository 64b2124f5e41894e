import type { AuditRow } from '../audit/store.ts'
import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { NoticeInsertions } from '../mail/notify.ts'
import { hashToken } from '../vault.ts'

/** An identity at a provider, in a browser. */
export interface IdentityInBrowser {
  issuer: string
  subject: string
  /** The token of the browser in which users have signed in; see `known_browsers`. */
  browserToken: string
}

/** The account of a login, as a sign-in needs it. */
export interface SignInAccount {
  loginId: string
  userId: string
  displayName: string | null
  email: string | null
  /** Neither disabled nor deleted. */
  isEnabled: boolean
  /** The user has never signed in before, in any browser. */
  isFirst: boolean
  /** The user has signed in in this browser before. */
  isKnownBrowser: boolean
  /** The user receives emails about sign-ins on new devices. */
  isNotified: boolean
}

/**
 * Records the first response to an attempt to sign in, and reads the account of an identity if it is known at that time.
 * `isUnspent` is false if an earlier response was recorded.
 */
export async function spendAttempt(
  sql: Sql,
  state: string,
  lifetimeSeconds: number,
  identity?: IdentityInBrowser,
): Promise<{ isUnspent: boolean; account: SignInAccount | undefined }> {
  const [row] = await sql<({ isUnspent: boolean } & { [Name in keyof SignInAccount]: SignInAccount[Name] | null })[]>`
    with spent as (
      insert into spent_attempts (state_hash, expires_at)
      values (${hashToken(state)}, now() + make_interval(secs => ${lifetimeSeconds}))
      on conflict do nothing
      returning state_hash
    )
    select exists (select from spent) as is_unspent, a.login_id, a.user_id, a.display_name, a.email, a.is_enabled, a.is_first,
      a.is_notified, b.id is not null as is_known_browser
    from (select 1) as request
    left join sign_in_accounts a on a.issuer = ${identity?.issuer ?? null} and a.subject = ${identity?.subject ?? null}
    left join sign_in_browsers b on b.user_id = a.user_id
      and b.token_hash = ${identity === undefined ? null : hashToken(identity.browserToken)}`
  if (!row) throw new Error('A query without a condition returned no row')
  const { isUnspent, ...account } = row
  return { isUnspent, account: account.loginId === null ? undefined : (account as SignInAccount) }
}

/** Deletes at most `limit` expired records of attempts; returns how many. */
export async function sweepSpentAttempts(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from spent_attempts where state_hash in (
      select state_hash from spent_attempts where expires_at <= now() limit ${limit})`
  return removed.count
}

/** Finds the account of an identity, by issuer and subject. */
export async function findAccount(
  sql: Sql,
  { issuer, subject, browserToken }: IdentityInBrowser,
): Promise<SignInAccount | undefined> {
  const [account] = await sql<SignInAccount[]>`
    select a.login_id, a.user_id, a.display_name, a.email, a.is_enabled, a.is_first, a.is_notified,
      b.id is not null as is_known_browser
    from sign_in_accounts a
    left join sign_in_browsers b on b.user_id = a.user_id and b.token_hash = ${hashToken(browserToken)}
    where a.issuer = ${issuer} and a.subject = ${subject}`
  return account
}

export interface NewSession {
  id: string
  /** The token for the cookie, which is not stored. */
  token: string
  userId: string
  loginId: string
  idp: string
  /**
   * The time at which the identity provider authenticated the user, ISO 8601; 1970 if the provider does not report it.
   */
  authTime: string
  amr: string[]
  /** The authentication context class that the identity provider stated. */
  acr: string | null
  ip: string
  userAgent: string
  /** The id of the authorization request that required this authentication. */
  interaction: string | null
  /** The issuer's session that continues with this one. */
  providerSession: string | null
  /** The ID token of the identity provider, encrypted. */
  upstreamIdToken: string | null
  /** The session ends after this long, regardless of activity. */
  lifetimeDays: number
}

/** What a sign-in writes. */
interface SignInWrites {
  session: NewSession
  /** The name of the login at the provider. */
  label: string
  browserToken: string
  /** The id of the browser if the user has not signed in there before. */
  newBrowserId: string
  event: AuditRow
  /** The email about a new device, which is sent unless the user has signed in in this browser before. */
  insertNotice?: ((source: Fragment) => NoticeInsertions) | undefined
}

/**
 * Starts a session and saves all that a sign-in leaves, in one statement. It locks the user: if they are disabled
 * concurrently, either this sign-in saves nothing, or its session ends with the others. Undefined for a user who is
 * disabled or deleted.
 */
export async function saveSignIn(
  sql: Sql,
  { session, label, browserToken, newBrowserId, event, insertNotice }: SignInWrites,
): Promise<{ browserId: string; isNewBrowser: boolean } | undefined> {
  const insertions = insertNotice?.(sql`(select from browser where id = ${newBrowserId})`)
  const [saved] = await sql<{ browserId: string }[]>`
    with signed_in as (
      update sign_in_users set last_sign_in_at = now() where id = ${session.userId} returning id
    ), used as (
      update sign_in_logins set last_used_at = now(), label = ${label}
      where id = ${session.loginId} and exists (select from signed_in)
    ), browser as (
      insert into sign_in_browsers (id, user_id, token_hash)
      select ${newBrowserId}, id, ${hashToken(browserToken)} from signed_in
      on conflict (user_id, token_hash) do update set last_sign_in_at = now()
      returning id
    ), session as (
      insert into sign_in_sessions (
        token_hash, id, user_id, login_id, browser_id, idp, auth_time, amr, acr, ip, user_agent, interaction,
        provider_session, upstream_id_token, expires_at
      )
      select ${hashToken(session.token)}, ${session.id}, ${session.userId}, ${session.loginId}, id, ${session.idp},
        ${session.authTime}, ${session.amr}, ${session.acr}, ${session.ip}, ${session.userAgent}, ${session.interaction},
        ${session.providerSession}, ${session.upstreamIdToken}, now() + make_interval(days => ${session.lifetimeDays})
      from browser
    ), event as (
      insert into sign_in_events (
        id, action, actor_id, target_kind, target_id, before, after, reason, ip, user_agent, trace_id
      )
      select e.id, e.action, e.actor, e.kind, e.target, e.before, e.after, e.reason, e.ip, e.agent, e.trace
      from browser, jsonb_to_record(${sql.json(event as never)}) as e (id text, action text, actor text, kind text,
        target text, before jsonb, after jsonb, reason text, ip text, agent text, trace text)
    )${insertions === undefined ? sql`` : sql`, notice as (${insertions.notice}), mail as (${insertions.mail})`}
    select id as browser_id from browser`
  return saved && { ...saved, isNewBrowser: saved.browserId === newBrowserId }
}
