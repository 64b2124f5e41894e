import { hash } from '@node-rs/argon2'
import type { Sql } from '../database/sql.ts'
import { matches } from './imported-hash.ts'
import { defaultCost, isWeaker, type PasswordCost } from './password-cost.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/** Hashing is expensive on purpose, so only some hashes run or wait at a time. Further sign-ins get 503. */
const maxRunning = 2
const maxWaiting = 32
let running = 0
const waiting: (() => void)[] = []

async function limitConcurrency<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxRunning) {
    if (waiting.length >= maxWaiting) throw problems.tooBusy()
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

/** Returns the hash to store, in the PHC string format. Throws 503 `too-busy`. */
export const hashPassword = (password: string, cost: PasswordCost = defaultCost): Promise<string> =>
  limitConcurrency(() => hash(password, cost))

/** Reports whether a password matches a hash. Throws 503 `too-busy`. */
export const verifyPassword = (passwordHash: string, password: string): Promise<boolean> =>
  limitConcurrency(() => matches(passwordHash, password))

/**
 * Replaces the hash of a user who has just entered the right password, if another system made it or its cost is lower
 * than that of new passwords.
 */
export async function upgradeHash(
  sql: Sql,
  { id, passwordHash }: { id: string; passwordHash: string },
  password: string,
  cost: PasswordCost,
): Promise<void> {
  if (!isWeaker(passwordHash, cost)) return
  await store.upgradeHash(sql, id, { from: passwordHash, to: await hashPassword(password, cost) })
}
