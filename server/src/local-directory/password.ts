import { hash } from '@node-rs/argon2'
import type { Sql } from '../database/sql.ts'
import { matches } from './imported-hash.ts'
import { defaultCost, isWeaker, type PasswordCost, prefixOf } from './password-cost.ts'
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

const dummyHashes = new Map<string, Promise<string>>()

/**
 * Reports whether a password matches the hash; false without a hash. Takes the same time in both cases, so that it does
 * not reveal which users exist. Throws 503 `too-busy`.
 */
export async function verifyPassword(
  passwordHash: string | undefined,
  password: string,
  cost: PasswordCost,
): Promise<boolean> {
  const dummyHash = dummyHashes.get(prefixOf(cost)) ?? hash('nobody has this password', cost)
  dummyHashes.set(prefixOf(cost), dummyHash)
  const expectedHash = passwordHash ?? (await dummyHash)
  const isMatch = await limitConcurrency(() => matches(expectedHash, password))
  return isMatch && passwordHash !== undefined
}

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
