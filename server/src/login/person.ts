import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import { enterPrepared } from '../invitations/enter.ts'
import { isHeld } from '../profile/change.ts'
import * as users from '../users/store.ts'
import { SigninFailure } from './failure.ts'

/** What an identity provider says of a person (OpenID Connect Core, section 5.1). */
export interface Claims {
  iss: string
  sub: string
  name?: unknown
  preferred_username?: unknown
  email?: unknown
  email_verified?: unknown
}

/**
 * The account that someone signs in to: the one that their login leads to; the one that was made for them, where they
 * follow their invitation; or a new one where the provider lets strangers in. Never one that merely has the same
 * e-mail. Throws `SigninFailure`.
 */
export async function findPerson(sql: Sql, upstream: Upstream, claims: Claims, returnTo: string, visit: Visit) {
  const known = await accounts.findLogin(sql, upstream.identityIssuer, claims.sub)
  const login = known ?? (await meet(sql, upstream, claims, returnTo, visit))
  const user = await users.find(sql, login.userId)
  if (!user || user.disabledAt !== null) throw new SigninFailure('account-disabled', login.userId)
  await accounts.useLogin(sql, login.id, labelOf(claims))
  await users.noteSignIn(sql, login.userId)
  return { userId: login.userId, loginId: login.id }
}

/** Adds the identity to an account that its person is signed in to. Throws `SigninFailure` where it is someone's already. */
export async function linkPerson(
  sql: Sql,
  upstream: Upstream,
  claims: Claims,
  userId: string,
  visit: Visit,
): Promise<void> {
  await transaction(sql, async (sql) => {
    const loginId = await accounts.addLogin(sql, userId, identityOf(upstream, claims))
    if (!loginId) throw new SigninFailure('external-account-in-use', `${claims.iss} ${claims.sub}`)
    await recordLinked(sql, upstream, claims, userId, visit)
  })
}

/**
 * Somebody comes for the first time. Of two answers for the same stranger at the same time one makes the account, or
 * enters the one that was made, and the other finds it.
 */
async function meet(sql: Sql, upstream: Upstream, claims: Claims, returnTo: string, visit: Visit) {
  const lost = new Error('Someone else was faster')
  try {
    return await transaction(sql, async (sql) => {
      const person = await newUserOf(sql, claims)
      const userId =
        (await enterPrepared(sql, person, returnTo)) ?? (await signUp(sql, upstream, claims, person, visit))
      const loginId = await accounts.addLogin(sql, userId, identityOf(upstream, claims))
      if (!loginId) throw lost
      await recordLinked(sql, upstream, claims, userId, visit)
      return { id: loginId, userId }
    })
  } catch (error) {
    // Whoever comes second finds the prepared account taken: by themselves, in another tab.
    const isBeaten = error === lost || error instanceof SigninFailure
    const winner = isBeaten ? await accounts.findLogin(sql, upstream.identityIssuer, claims.sub) : undefined
    if (!winner) throw error
    return winner
  }
}

async function signUp(sql: Sql, upstream: Upstream, claims: Claims, person: users.NewUser, visit: Visit) {
  if (upstream.signUp === 'invited') throw new SigninFailure('not-invited', `${claims.iss} ${claims.sub}`)
  const userId = await users.create(sql, person)
  await audit.record(sql, {
    action: 'user.created',
    target: { kind: 'user', id: userId },
    after: { idp: upstream.id },
    visit,
  })
  return userId
}

/** A username that was someone else's until lately is left out: they can choose one. */
async function newUserOf(
  sql: Sql,
  { preferred_username, name, email, email_verified }: Claims,
): Promise<users.NewUser> {
  const username = textOf(preferred_username) ?? null
  return {
    username: username !== null && (await isHeld(sql, username)) ? null : username,
    displayName: textOf(name) ?? null,
    email: textOf(email) ?? null,
    emailVerified: email_verified === true,
  }
}

const recordLinked = (sql: Sql, { id, identityIssuer }: Upstream, { sub }: Claims, userId: string, visit: Visit) =>
  audit.record(sql, {
    action: 'login.linked',
    actorId: userId,
    target: { kind: 'user', id: userId },
    after: { idp: id, issuer: identityIssuer, subject: sub },
    visit,
  })

const identityOf = ({ id, identityIssuer }: Upstream, claims: Claims) => ({
  providerId: id,
  issuer: identityIssuer,
  subject: claims.sub,
  label: labelOf(claims),
})

const labelOf = ({ email, preferred_username, name, sub }: Claims): string =>
  textOf(email) ?? textOf(preferred_username) ?? textOf(name) ?? sub

/** Providers may send anything; what cannot be stored or shown counts as not sent. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 256)
  return text === '' ? undefined : text
}
