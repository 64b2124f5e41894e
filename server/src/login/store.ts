import type { Given } from '../accounts/store.ts'
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
  emailVerified: boolean
  /** What the account has from the provider of the login; null for a login that was linked later. */
  given: Given | null
  /** SCIM clients of an organisation govern the account. */
  isProvisioned: boolean
  /** Neither disabled nor deleted. */
  isEnabled: boolean
  /** The user has never signed in before, in any browser. */
  isFirst: boolean
  /** The user has signed in in this browser before. */
  isKnownBrowser: boolean
  /** The user receives emails about sign-ins on new devices. */
  isNotified: boolean
}

/** What a sign-in without a response of an identity provider relies on, such as a password that was right. */
export interface Proof {
  /** Selects a row, and locks it, as long as the proof holds. */
  condition: Fragment
  /** Returns the parts of a statement that saves the consequences of the proof if `condition` is true. */
  toConsequences?: ((condition: Fragment) => Fragment) | undefined
}

/** An attempt to sign in that is spent. */
export interface Spending {
  state: string
  lifetimeSeconds: number
  /** Without one, the attempt is spent in any case. */
  proof?: Proof | undefined
}

export interface SpendingResult {
  /** False if the proof holds no longer: then nothing is written. */
  isProven: boolean
  /** False if an earlier response to the attempt was recorded. */
  isUnspent: boolean
}

/**
 * Returns the parts of a statement that spends an attempt: `proven` has a row if its proof holds, and `spent` if the attempt
 * was unspent, too.
 */
const toSpent = (sql: Sql, { state, lifetimeSeconds, proof }: Spending): Fragment => sql`
  proven as (${proof?.condition ?? sql`select`}), spent as (
    insert into spent_attempts (state_hash, expires_at)
    select ${hashToken(state)}, now() + make_interval(secs => ${lifetimeSeconds}) where exists (select from proven)
    on conflict do nothing
    returning state_hash
  )`

/** Returns the parts of a statement with the consequences of a proof, preceded by a comma; empty without any. */
const toConsequences = (sql: Sql, proof: Proof | undefined, condition: Fragment): Fragment =>
  proof?.toConsequences === undefined ? sql`` : sql`, ${proof.toConsequences(condition)}`

/** Records the first response to an attempt to sign in, with the consequences of its proof. */
export async function spendAttempt(sql: Sql, spending: Spending): Promise<SpendingResult> {
  const [row] = await sql<SpendingResult[]>`
    with ${toSpent(sql, spending)} ${toConsequences(sql, spending.proof, sql`exists (select from proven)`)}
    select exists (select from proven) as is_proven, exists (select from spent) as is_unspent`
  if (!row) throw new Error('A query without a condition returned no row')
  return row
}

/** Reports whether a proof holds, and saves its consequences. */
export async function confirmProof(sql: Sql, proof: Proof): Promise<boolean> {
  const [row] = await sql<{ isProven: boolean }[]>`
    with proven as (${proof.condition}) ${toConsequences(sql, proof, sql`exists (select from proven)`)}
    select exists (select from proven) as is_proven`
  return row?.isProven ?? false
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
  const [row] = await sql<{ account: SignInAccount | null }[]>`
    select ${selectAccount(sql, { issuer, subject: sql`${subject}`, browserToken })} as account`
  return row?.account ?? undefined
}

/** Returns an expression for the account of an identity, whose subject is an expression too; null if there is none. */
export const selectAccount = (
  sql: Sql,
  { issuer, subject, browserToken }: { issuer: string; subject: Fragment; browserToken: string | undefined },
): Fragment => sql`(
  select json_build_object(
    'loginId', a.login_id, 'userId', a.user_id, 'displayName', a.display_name, 'email', a.email,
    'emailVerified', a.email_verified, 'given', a.given, 'isProvisioned', a.is_provisioned,
    'isEnabled', a.is_enabled, 'isFirst', a.is_first, 'isNotified', a.is_notified, 'isKnownBrowser', b.id is not null)
  from sign_in_accounts a
  left join sign_in_browsers b on b.user_id = a.user_id and b.token_hash = ${browserToken === undefined ? null : hashToken(browserToken)}
  where a.issuer = ${issuer} and a.subject = ${subject})`

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

/** The result of a statement that saves a sign-in. */
export interface SavedSignIn extends SpendingResult {
  /** Undefined for a user who is disabled or deleted. */
  browserId: string | undefined
  isNewBrowser: boolean
}

/**
 * Starts a session and saves all that a sign-in leaves, in one statement. It locks the user: if they are disabled
 * concurrently, either this sign-in saves nothing, or its session ends with the others. An attempt that is not spent yet is
 * spent first, and the consequences of its proof are saved last.
 */
export async function saveSignIn(
  sql: Sql,
  { session, label, browserToken, newBrowserId, event, insertNotice }: SignInWrites,
  spending?: Spending,
): Promise<SavedSignIn> {
  const insertions = insertNotice?.(sql`(select from browser where id = ${newBrowserId})`)
  const isSaved = sql`exists (select from proven) and (select count(*) from session) >= 0`
  const [saved] = await sql<(SpendingResult & { browserId: string | null })[]>`
    with ${spending ? toSpent(sql, spending) : sql`proven as (select), spent as (select)`}, signed_in as (
      update sign_in_users set last_sign_in_at = now()
      where id = ${session.userId} and exists (select from spent) returning id
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
      returning id
    ), event as (
      insert into sign_in_events (
        id, action, actor_id, target_kind, target_id, before, after, reason, ip, user_agent, trace_id, support_code
      )
      select e.id, e.action, e.actor, e.kind, e.target, e.before, e.after, e.reason, e.ip, e.agent, e.trace,
        e.code
      from browser, jsonb_to_record(${sql.json(event as never)}) as e (id text, action text, actor text, kind text,
        target text, before jsonb, after jsonb, reason text, ip text, agent text, trace text, code text)
    )${insertions === undefined ? sql`` : sql`, notice as (${insertions.notice}), mail as (${insertions.mail})`}
    ${toConsequences(sql, spending?.proof, isSaved)}
    select exists (select from proven) as is_proven, exists (select from spent) as is_unspent,
      (select id from browser) as browser_id`
  if (!saved) throw new Error('A query without a condition returned no row')
  return { ...saved, browserId: saved.browserId ?? undefined, isNewBrowser: saved.browserId === newBrowserId }
}
