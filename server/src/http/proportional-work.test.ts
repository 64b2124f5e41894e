import { hash } from '@node-rs/bcrypt'
import { expect, test } from 'vitest'
import { readCsv } from '../directory-import/csv.ts'
import { readKeycloak } from '../directory-import/keycloak.ts'
import { verifyPassword } from '../local-directory/password.ts'
import { toLoggedFailure } from '../mail/deliver.ts'
import { normaliseSubject } from '../permissions/run-assertions.ts'
import { deriveSlug } from '../slug.ts'

// Work that grows with the square of its input shows when the input grows eightfold: 64 times the time instead of 8. A ratio
// does not depend on the speed of the machine, and the time of this thread not on other processes.

const growth = 8
const maxRatio = 24
/** Less is noise. */
const leastMs = 2

/** Returns the CPU time of this thread in milliseconds: the least of some runs, since collections of garbage only add. */
async function measure(run: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const before = process.threadCpuUsage()
    await run()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

async function expectProportional(run: (length: number) => unknown, length: number) {
  await run(length)
  const [short, long] = [await measure(() => run(length)), await measure(() => run(length * growth))]
  expect(long, `${short} ms became ${long} ms`).toBeLessThan(Math.max(short, leastMs) * maxRatio)
}

/** A letter with marks that are not in the order of Unicode. */
const accented = (length: number) => `a${'\u0301\u0316'.repeat(length / 2)}`

const csv = (length: number, cell: string) =>
  readCsv(Buffer.from(`username,organisations,groups\nada,${cell},${cell}`), `${length}.csv`, [])

test.for<[string, (length: number) => unknown, number]>([
  ['a message of a mail server', (length) => toLoggedFailure(new Error('x'.repeat(length))), 8_000],
  ['the name of which a slug is derived', (length) => deriveSlug(accented(length), 'org'), 8_000],
  ['a cell of a CSV file', (length) => csv(length, accented(length)), 3_000],
  [
    'a role of Keycloak',
    (length) => readKeycloak({ realm: 'r', roles: { realm: [{ name: accented(length) }] } }, []),
    8_000,
  ],
  [
    'a hash of Keycloak',
    (length) => {
      const value = `${'='.repeat(length)}x`
      const secretData = JSON.stringify({ value, salt: value })
      const additionalParameters = { type: ['id'], version: ['1.3'], memory: ['65536'], parallelism: ['1'] }
      const credentialData = JSON.stringify({ algorithm: 'argon2', hashIterations: 3, additionalParameters })
      return readKeycloak(
        { realm: 'r', users: [{ username: 'ada', credentials: [{ type: 'password', secretData, credentialData }] }] },
        [],
      )
    },
    4_000,
  ],
  ['a password', async (length) => verifyPassword(await hash('another', { cost: 4 }), accented(length)), 8_000],
  ['an expected subject', (length) => normaliseSubject(`x${' '.repeat(length)}x`), 4_000],
])('%s costs time in proportion to its length', async ([, run, length]) => {
  await expectProportional(run, length)
})
