import { hash, verify } from '@node-rs/argon2'
import * as problems from './problems.ts'

/** argon2id as OWASP advises: 19 MiB, 2 passes; about 8 ms of a core. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes are costly on purpose: limits those running and those queued; further requests must retry later. */
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

let dummy: Promise<string> | undefined

/**
 * Reports whether a password matches the hash. Takes as long without a hash, so that timing does not reveal who exists.
 */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  dummy ??= hash('nobody has this password', cost)
  const expectedHash = passwordHash ?? (await dummy)
  const isMatch = await limitConcurrency(() => verify(expectedHash, password))
  return isMatch && passwordHash !== undefined
}
