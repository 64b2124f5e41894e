import { hash } from 'node:crypto'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import type { Vault } from '../vault.ts'
import { type PasswordCost, prefixOf } from './password-cost.ts'
import * as store from './store.ts'

/** Returns the hash against which the password of an unknown name is checked. */
export type FindDummyHash = (name: string) => Promise<string>

const maxAgeMs = 10 * 60_000
const sampleSize = 2000

/**
 * Returns a hash with the scheme and the costs of a stored one, which no password matches. Its salt and key are as long,
 * but zero.
 */
export function toDummyHash(stored: string): string {
  if (stored.startsWith('$2')) return stored.slice(0, '$2b$12$'.length) + '.'.repeat(53)
  const parts = stored.split('$')
  return [...parts.slice(0, -2), ...parts.slice(-2).map((part) => 'A'.repeat(part.length))].join('$')
}

/** A kind of hash, and the share of names up to which it is used. */
interface Kind {
  dummyHash: string
  upTo: number
}

/**
 * Returns the kinds of stored hashes with their shares, summed up in a fixed order. Hashes of the current cost are last, so
 * that a name changes to them once, as a user does, while they replace the others.
 */
export function countKinds(storedHashes: string[], current: string): Kind[] {
  const counts = new Map<string, number>()
  for (const stored of storedHashes) {
    const dummyHash = toDummyHash(stored)
    counts.set(dummyHash, (counts.get(dummyHash) ?? 0) + 1)
  }
  const former = [...counts.keys()].filter((dummyHash) => dummyHash !== current).sort()
  let sum = 0
  const kinds = former.map((dummyHash) => {
    sum += counts.get(dummyHash) ?? 0
    return { dummyHash, upTo: sum / storedHashes.length }
  })
  return counts.has(current) || kinds.length === 0 ? [...kinds, { dummyHash: current, upTo: 1 }] : kinds
}

/**
 * Creates the choice of a dummy hash for a name. Stored hashes may differ in cost: those of an import, or from before
 * `PASSWORD_COST` was changed. Were unknown names all checked at one cost, a check that takes another time would reveal a
 * user. So each name has a kind of hash, the same each time, and as many names have a kind as users do.
 */
export function createDummyHashes(sql: Sql, vault: Vault, log: Log, cost: PasswordCost): FindDummyHash {
  const key = vault.derive('unknown-names').toString('base64url')
  const current = `${prefixOf(cost)}${'A'.repeat(22)}$${'A'.repeat(43)}`
  const load = async () => countKinds(await store.sampleHashes(sql, sampleSize), current)
  let kinds: Promise<Kind[]> | undefined
  let readAt = 0

  function refresh() {
    readAt = Date.now()
    const loaded = load()
    // The former shares last until the new ones are read.
    const former = kinds
    loaded.then(
      () => {
        kinds = loaded
      },
      (err: unknown) => {
        kinds = former
        log.warn({ err }, 'password-hashes-not-read')
      },
    )
    kinds ??= loaded
  }
  return async (name) => {
    if (kinds === undefined || Date.now() - readAt > maxAgeMs) refresh()
    const place = hash('sha256', key + name.toLowerCase(), 'buffer').readUInt32BE() / 2 ** 32
    return (await kinds)?.find(({ upTo }) => place < upTo)?.dummyHash ?? current
  }
}
