import { hash } from '@node-rs/argon2'
import type { Sql } from '../database/sql.ts'
import { matches } from './imported-hash.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/** argon2id with the parameters that OWASP recommends: 19 MiB and 2 passes, about 8 ms of CPU time. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

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

/** Returns the hash to store, in the PHC string format. */
export const hashPassword = (password: string): Promise<string> => limitConcurrency(() => hash(password, cost))

let dummyHash: Promise<string> | undefined

/**
 * Reports whether a password matches the hash; false without a hash. Takes the same time in both cases, so that it does
 * not reveal which users exist. Throws 503 `too-busy`.
 */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  dummyHash ??= hash('nobody has this password', cost)
  const expectedHash = passwordHash ?? (await dummyHash)
  const isMatch = await limitConcurrency(() => matches(expectedHash, password))
  return isMatch && passwordHash !== undefined
}

const currentPrefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`

/**
 * Replaces the hash of a user who has just entered the right password, if another system made it or new passwords have
 * another cost.
 */
export async function upgradeHash(
  sql: Sql,
  { id, passwordHash }: { id: string; passwordHash: string },
  password: string,
): Promise<void> {
  if (passwordHash.startsWith(currentPrefix)) return
  await store.upgradeHash(sql, id, { from: passwordHash, to: await hashPassword(password) })
}
