import type { Sql } from '../database/sql.ts'
import type { Cookies } from '../http/cookies.ts'
import { failureCounter } from '../http/rate-limit.ts'
import { networkOf } from '../http/visit.ts'
import { hashToken, type Vault } from '../vault.ts'

const maxFailures = 10
/** Of whoever is there, on whatever names: a few people who mistype, and no one who goes through a list of names. */
const maxFailuresOfNetwork = 100
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
  /** The password was not looked at: the attempt does not count. */
  takeBack: (attempt: PasswordAttempt) => Promise<void>
}

/** Someone who gives a name and a password, from somewhere. */
export interface PasswordAttempt {
  name: string
  ip: string
  cookies: Cookies
}

/**
 * Counts wrong passwords by name and network, whether there is such a name or not, and by network alone. A device from
 * which the person has signed in before has a count of its own: whoever guesses elsewhere cannot lock them out. Whoever
 * `isNear` is counted by name alone.
 */
export function createLockout(sql: Sql, vault: Vault, isNear: (visit: { ip: string }) => boolean): Lockout {
  const byName = failureCounter(sql, 'password', maxFailures, lockSeconds)
  const byNetwork = failureCounter(sql, 'password-network', maxFailuresOfNetwork, lockSeconds)

  const keysOf = ({ name, ip, cookies }: PasswordAttempt) => {
    const device = knownDevice(cookies, vault, name)
    const key = hashToken(JSON.stringify([name.toLowerCase(), device ?? networkOf(ip)]))
    return { key, network: device || isNear({ ip }) ? undefined : networkOf(ip) }
  }
  return {
    begin: async (attempt) => {
      const { key, network } = keysOf(attempt)
      const networkLocked = network ? await byNetwork.begin(network) : 0
      if (networkLocked > 0) return networkLocked
      const locked = await byName.begin(key)
      if (locked > 0 && network) await byNetwork.takeBack(network)
      return locked
    },
    fail: async (attempt) => {
      const { key, network } = keysOf(attempt)
      if (network) await byNetwork.fail(network)
      return byName.fail(key)
    },
    succeed: async (attempt) => {
      const { key, network } = keysOf(attempt)
      await byName.forgive(key)
      if (network) await byNetwork.takeBack(network)
      rememberDevice(attempt.cookies, vault, attempt.name)
    },
    takeBack: async (attempt) => {
      const { key, network } = keysOf(attempt)
      await byName.takeBack(key)
      if (network) await byNetwork.takeBack(network)
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
