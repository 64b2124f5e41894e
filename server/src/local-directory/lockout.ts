import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { Cookies } from '../http/cookies.ts'
import {
  type CountedAttempt,
  createAddressFailureCounter,
  createAttemptCounters,
  createFailureCounter,
} from '../http/counters.ts'
import { networkOf, siteOf } from '../http/visit.ts'
import { hashToken, type Vault } from '../vault.ts'
import type { DirectoryUser } from './store.ts'

const maxFailures = 10
/** Per network, for all names together: enough for users who mistype, too few for a list of names. */
const maxNetworkFailures = 100
const lockSeconds = 15 * 60
/** Per name, from any network: NIST SP 800-63B-4, section 3.2.2, allows 100. */
export const maxGuesses = 100
const daySeconds = 24 * 60 * 60
const purpose = 'known-device'
const deviceCookieDays = 180

/** A sign-in attempt with a name and a password, which is counted. */
interface LimitedAttempt {
  /**
   * Returns the parts of a statement that count the attempt, for `conclude`. `directoryId` is an expression for the id of
   * the user with the entered name; null for an unknown name.
   */
  count: (directoryId: Fragment) => { parts: Fragment; counted: Fragment }
  /** Returns the seconds until the name is unlocked for this network, 0 if the password may be checked. */
  conclude: (counted: CountedAttempt[]) => Promise<number>
  /** Records a wrong password of a user, or of an unknown name. */
  fail: (user: DirectoryUser | undefined) => Promise<FailureResult>
  /** Returns the parts of a statement that resets the count after the right password, if `condition` is true. */
  succeed: (user: DirectoryUser, condition: Fragment) => Fragment
  /** Removes the attempt from the counts if its password was not checked. */
  cancel: (user: DirectoryUser | undefined) => Promise<void>
}

/** The consequence of a wrong password. */
export interface FailureResult {
  /** The failure locked the name for this network. True for only one of several concurrent failures. */
  isLocked: boolean
  /** The name has no guesses left. True once a day, so that the user gets one notice. */
  isGuessLimitReached: boolean
}

interface PasswordAttempt {
  /** As entered: a name or an email. */
  name: string
  ip: string
  cookies: Cookies
}

/**
 * Limits wrong passwords by name and network, by network alone and by name alone, for known and unknown names. A device
 * with an earlier sign-in of the user has its own count, so that guesses elsewhere cannot lock it out. Visits that
 * `isLocal` accepts are not counted by network.
 */
export function createLockout(
  sql: Sql,
  vault: Vault,
  isLocal: (visit: { ip: string }) => boolean,
): (attempt: PasswordAttempt) => LimitedAttempt {
  const byName = createFailureCounter(sql, 'password', maxFailures, lockSeconds)
  const locks = createFailureCounter(sql, 'password-locked', 1, lockSeconds)
  const network = { name: 'password-network', maxFailures: maxNetworkFailures, lockSeconds }
  const byNetwork = createAddressFailureCounter(sql, { ...network, networkOf })
  const guesses = createGuessCounter(sql)
  const attempts = createAttemptCounters(sql, {
    network,
    name: { name: 'password', maxFailures, lockSeconds },
    account: { name: guessCounter, maxFailures: maxGuesses, lockSeconds: daySeconds },
  })
  const notices = createFailureCounter(sql, 'password-notice', 1, daySeconds)

  return ({ name, ip, cookies }) => {
    const device = findKnownDevice(cookies, vault, name)
    const ownNetwork = networkOf(ip)
    const key = hashToken(JSON.stringify([name.toLowerCase(), device ?? ownNetwork]))
    const isCountedByNetwork = !device && !isLocal({ ip })
    const keys = {
      site: isCountedByNetwork ? siteOf(ip) : undefined,
      network: isCountedByNetwork ? ownNetwork : undefined,
      name: key,
    }
    // Guesses are counted by user, however their name is entered. A name that is not known may be a password.
    const unknown = hashToken(name.toLowerCase())
    const accountOf = (user: DirectoryUser | undefined) => (device ? undefined : (user?.id ?? unknown))
    return {
      count: (directoryId) => attempts.count(keys, device ? undefined : sql`coalesce(${directoryId}, ${unknown})`),
      conclude: (counted) => attempts.conclude(keys, counted),
      fail: async (user) => {
        const account = accountOf(user)
        if (isCountedByNetwork) await byNetwork.fail(ip)
        const hasNoGuesses = account !== undefined && (await guesses.fail(account))
        const isGuessLimitReached = hasNoGuesses && (await notices.begin(account)) === 0
        const isLocked = (await byName.fail(key)) && (await locks.begin(key)) === 0
        return { isLocked, isGuessLimitReached }
      },
      // Guesses are not reset: a guesser must not get 100 more after each sign-in of the user.
      succeed: (user, condition) => attempts.succeed(keys, accountOf(user), condition),
      cancel: async (user) => {
        const account = accountOf(user)
        await byName.cancel(key)
        if (isCountedByNetwork) await byNetwork.cancel(ip)
        if (account) await guesses.cancel(account)
      },
    }
  }
}

const guessCounter = 'password-account'
const createGuessCounter = (sql: Sql) => createFailureCounter(sql, guessCounter, maxGuesses, daySeconds)

/** Resets the count of guesses for a user: guesses at an old password do not count against a new one. */
export const resetGuesses = (sql: Sql, directoryUserId: string): Promise<void> =>
  createGuessCounter(sql).reset(directoryUserId)

const cookieNameOf = (name: string) => `passport-device-${hashToken(name.toLowerCase()).slice(0, 12)}`

function findKnownDevice(cookies: Cookies, vault: Vault, name: string): string | undefined {
  const sealed = cookies.get(cookieNameOf(name))
  const [owner, device] = (sealed && vault.open(purpose, sealed))?.split(' ') ?? []
  return owner === hashToken(name.toLowerCase()) ? device : undefined
}

/** Remembers that the user with this name has signed in with this browser. */
export function rememberDevice(cookies: Cookies, vault: Vault, name: string) {
  if (findKnownDevice(cookies, vault, name)) return
  const sealed = vault.seal(purpose, `${hashToken(name.toLowerCase())} ${crypto.randomUUID()}`)
  cookies.set(cookieNameOf(name), sealed, { path: '/idp', maxAgeSeconds: deviceCookieDays * 24 * 60 * 60 })
}
