import { hash, verify } from '@node-rs/argon2'
import { Problem } from '../http/problem.ts'

/** argon2id as OWASP advises: 19 MiB, 2 passes; about 8 ms of a core. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes are costly on purpose: so many at the same time, so many in the queue, and the rest is asked to come back. */
const maxRunning = 2
const maxWaiting = 32
let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxRunning) {
    if (waiting.length >= maxWaiting) {
      throw new Problem(503, 'too-busy', 'Too many people sign in at the moment. Try again in a few seconds.', {
        headers: { 'Retry-After': '5' },
      })
    }
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

/** The hash to store, in the PHC string format. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, cost))

let dummy: Promise<string> | undefined

/** Whether a password is the one of the hash. Takes as long where there is no hash, so that time tells nothing of who exists. */
export async function isPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  dummy ??= hash('nobody has this password', cost)
  const against = passwordHash ?? (await dummy)
  const isRight = await inTurn(() => verify(against, password))
  return isRight && passwordHash !== undefined
}
