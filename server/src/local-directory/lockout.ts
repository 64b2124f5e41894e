import type { Sql } from '../database/sql.ts'
import type { Cookies } from '../http/cookies.ts'
import { failureCounter } from '../http/rate-limit.ts'
import { networkOf } from '../http/visit.ts'
import { hashToken, type Vault } from '../vault.ts'

const maxFailures = 10
const lockSeconds = 15 * 60
const purpose = 'known-device'
const knownForDays = 180

export interface Lockout {
  /** Counts the attempt; seconds until the name may be tried again from here, 0 where the password may be looked at. */
  begin: (attempt: PasswordAttempt) => Promise<number>
  /** True where it was the last one before the name is locked. */
  fail: (attempt: PasswordAttempt) => Promise<boolean>
  /** Starts the count anew and remembers the device. */
  succeed: (attempt: PasswordAttempt) => Promise<void>
}

/** Someone who gives a name and a password, from somewhere. */
export interface PasswordAttempt {
  name: string
  ip: string
  cookies: Cookies
}

/**
 * Counts wrong passwords by name and network, whether there is such a name or not. A device from which the person has
 * signed in before has a count of its own: whoever guesses elsewhere cannot lock them out.
 */
export function createLockout(sql: Sql, vault: Vault): Lockout {
  const counter = failureCounter(sql, 'password', maxFailures, lockSeconds)
  const keyOf = ({ name, ip, cookies }: PasswordAttempt) => {
    const device = knownDevice(cookies, vault, name)
    return hashToken(JSON.stringify([name.toLowerCase(), device ?? networkOf(ip)]))
  }
  return {
    begin: (attempt) => counter.begin(keyOf(attempt)),
    fail: (attempt) => counter.fail(keyOf(attempt)),
    succeed: async (attempt) => {
      await counter.forgive(keyOf(attempt))
      rememberDevice(attempt.cookies, vault, attempt.name)
    },
  }
}

const cookieOf = (name: string) => `passport-device-${hashToken(name.toLowerCase()).slice(0, 12)}`

function knownDevice(cookies: Cookies, vault: Vault, name: string): string | undefined {
  const sealed = cookies.get(cookieOf(name))
  const [owner, device] = (sealed && vault.open(purpose, sealed))?.split(' ') ?? []
  return owner === hashToken(name.toLowerCase()) ? device : undefined
}

function rememberDevice(cookies: Cookies, vault: Vault, name: string) {
  if (knownDevice(cookies, vault, name)) return
  const sealed = vault.seal(purpose, `${hashToken(name.toLowerCase())} ${crypto.randomUUID()}`)
  cookies.set(cookieOf(name), sealed, { path: '/idp', maxAgeSeconds: knownForDays * 24 * 60 * 60 })
}
