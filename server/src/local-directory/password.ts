import { hash } from '@node-rs/argon2'
import type { Sql } from '../database/sql.ts'
import { checksWhole, matches } from './imported-hash.ts'
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

/**
 * Longer passwords, of which other systems may have had some, are taken as typed. Unicode sorts the marks of a letter in time
 * that grows with the square of their number, and anyone can send a password.
 */
const maxNormalised = 1024
const normalise = (password: string, form: 'NFC' | 'NFD'): string =>
  password.length > maxNormalised ? password : password.normalize(form)

/**
 * Returns the hash to store, in the PHC string format. The password is hashed in Unicode's normalization form C (NIST SP
 * 800-63B-4, section 3.1.1.2): keyboards and systems differ in how they write the same letter. Throws 503 `too-busy`.
 */
export const hashPassword = (password: string, cost: PasswordCost = defaultCost): Promise<string> =>
  limitConcurrency(() => hash(normalise(password, 'NFC'), cost))

/**
 * Returns the form of a password that matches a hash, or undefined if none does. Hashes of other systems, and older ones of
 * this one, are of whatever was typed then: so what was typed now is compared first, then its composed and its decomposed
 * form. The work depends on the password only, never on the hash. Throws 503 `too-busy`.
 */
export const verifyPassword = (passwordHash: string, password: string): Promise<string | undefined> =>
  limitConcurrency(async () => {
    const forms = new Set([password, normalise(password, 'NFC'), normalise(password, 'NFD')])
    for (const form of forms) if (await matches(passwordHash, form)) return form
    return undefined
  })

/**
 * Replaces the hash of a user who has just entered the right password, if another system made it, if its cost is lower than
 * that of new passwords, or if it is of another form than C. `password` is what `verifyPassword` returned. A hash that did
 * not check all of it stays: its user would get a password of which only a part was known to be right.
 */
export async function upgradeHash(
  sql: Sql,
  { id, passwordHash }: { id: string; passwordHash: string },
  password: string,
  cost: PasswordCost,
): Promise<void> {
  if (!isWeaker(passwordHash, cost) && password === normalise(password, 'NFC')) return
  if (!checksWhole(passwordHash, password)) return
  await store.upgradeHash(sql, id, { from: passwordHash, to: await hashPassword(password, cost) })
}
