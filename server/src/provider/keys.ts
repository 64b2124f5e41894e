import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { SigningJwk } from '../oauth/key-set.ts'
import type { Vault } from '../vault.ts'
import * as store from './key-store.ts'
import type { IssuerName } from './store.ts'

const dayMs = 24 * 60 * 60 * 1000
const signingPeriodMs = 90 * dayMs
/** Keys are published before they sign, for clients that cache the keys. */
const publishedAheadMs = dayMs
/** Keys stay published after they last signed, for longer than any token is valid. */
const publishedAfterMs = 7 * dayMs

/** ES256 signs everything, in a sixth of the time of RS256, which is for clients that are registered with it. */
const algorithms = ['ES256', 'RS256'] as const

const issuers = ['passport', 'directory'] as const

/**
 * Creates the keys that an issuer needs and deletes retired ones, so that one always signs and the next is published a
 * day ahead. Any number of servers may run it at the same time.
 */
export async function rotateKeys(sql: Sql, vault: Vault, issuer: IssuerName, now = Date.now()): Promise<void> {
  // Generated outside the transaction, which may be retried; an RSA key takes a while.
  const due = await Promise.all(
    findNeededKeys(await store.listKeys(sql, issuer), now).map((neededKey) => generate(vault, issuer, neededKey)),
  )
  const retired = findRetiredKeys(await store.listKeys(sql, issuer), now)
  if (due.length === 0 && retired.length === 0) return
  await transaction(
    sql,
    async (sql) => {
      const needed = findNeededKeys(await store.listKeys(sql, issuer), now).map(({ alg }) => alg)
      for (const key of due.filter(({ alg }) => needed.includes(alg))) {
        await store.addKey(sql, issuer, key)
        const after = { issuer, alg: key.alg, signsFrom: key.signsFrom }
        await audit.record(sql, { action: 'key.rotated', target: { kind: 'key', id: key.kid }, after })
      }
      for (const { kid } of retired) await store.removeKey(sql, kid)
    },
    { isolation: 'serializable' },
  )
}

/** Rotates the keys of both issuers of this server. */
export async function rotateAllKeys(sql: Sql, vault: Vault): Promise<void> {
  for (const issuer of issuers) await rotateKeys(sql, vault, issuer)
}

export interface PublishedKey {
  kid: string
  issuer: IssuerName
  alg: string
  use: 'signs since' | 'signs from' | 'published, signed from'
  /** ISO 8601. */
  at: string
}

/** Lists the published keys of both issuers with their use. */
export async function listPublishedKeys(sql: Sql, now = Date.now()): Promise<PublishedKey[]> {
  const all = await Promise.all(
    issuers.map(async (issuer) => {
      const keys = await store.listKeys(sql, issuer)
      return keys.map((key): PublishedKey => {
        const { kid, alg, signsFrom: at } = key
        const isNext = Date.parse(at) > now
        const use = isNext
          ? 'signs from'
          : findSigningKey(keys, alg, now) === key
            ? 'signs since'
            : 'published, signed from'
        return { kid, issuer, alg, use, at }
      })
    }),
  )
  return all.flat()
}

/**
 * Removes a key at once, so that no token signed with it is accepted. If it was the current key, the next published one
 * succeeds it, or a new one. Returns undefined for an unknown key.
 */
export async function revokeKey(
  sql: Sql,
  vault: Vault,
  kid: string,
  actor: audit.ActorFields,
  now = Date.now(),
): Promise<{ successor: string | undefined } | undefined> {
  const revoked = (await listPublishedKeys(sql, now)).find((key) => key.kid === kid)
  if (!revoked) return undefined
  const { issuer, alg, at } = revoked
  const signsFrom = new Date(now).toISOString()
  const replacement = await generate(vault, issuer, { alg, signsFrom })
  return transaction(
    sql,
    async (sql) => {
      const keys = await store.listKeys(sql, issuer)
      await store.removeKey(sql, kid)
      const before = { issuer, alg, signsFrom: at }
      await audit.record(sql, { ...actor, action: 'key.revoked', target: { kind: 'key', id: kid }, before })
      if (findSigningKey(keys, alg, now)?.kid !== kid) return { successor: undefined }
      // Clients may already know the published key.
      const next = keys.findLast((key) => key.alg === alg && Date.parse(key.signsFrom) > now)
      if (next) await store.setSignsFrom(sql, next.kid, signsFrom)
      else await store.addKey(sql, issuer, replacement)
      const successor = (next ?? replacement).kid
      const after = { issuer, alg, signsFrom }
      await audit.record(sql, { ...actor, action: 'key.rotated', target: { kind: 'key', id: successor }, after })
      return { successor }
    },
    { isolation: 'serializable' },
  )
}

/** Returns the newest key that has started to sign. */
const findSigningKey = (keys: store.SigningKey[], alg: string, now: number) =>
  keys.find((key) => key.alg === alg && Date.parse(key.signsFrom) <= now)

/** Returns the published keys of an issuer; of each algorithm, the current one is first. */
export async function loadKeys(sql: Sql, vault: Vault, issuer: IssuerName, now = Date.now()): Promise<SigningJwk[]> {
  const keys = await store.listKeys(sql, issuer)
  const isSigning = ({ signsFrom }: store.SigningKey) => Date.parse(signsFrom) <= now
  const sorted = [...keys.filter(isSigning), ...keys.filter((key) => !isSigning(key))]
  return sorted.map(({ kid, sealedJwk }) => {
    const opened = vault.open(purposeOfKeys(issuer), sealedJwk)
    if (!opened)
      throw new Error(`The signing key ${kid} was encrypted with another PASSPORT_SECRET. Start with that secret.`)
    return JSON.parse(opened)
  })
}

/** Returns the id of a key that none of the vault's secrets can decrypt, if any. */
export async function findUndecryptableKey(sql: Sql, vault: Vault): Promise<string | undefined> {
  for (const issuer of issuers) {
    const keys = await store.listKeys(sql, issuer)
    const undecryptable = keys.find(({ sealedJwk }) => vault.open(purposeOfKeys(issuer), sealedJwk) === undefined)
    if (undecryptable) return undecryptable.kid
  }
  return undefined
}

interface NeededKey {
  alg: string
  signsFrom: string
}

function findNeededKeys(keys: store.SigningKey[], now: number): NeededKey[] {
  return algorithms.flatMap((alg) => {
    const newest = keys.find((key) => key.alg === alg)
    if (!newest) return { alg, signsFrom: new Date(now).toISOString() }
    const isEnding = Date.parse(newest.signsFrom) + signingPeriodMs - publishedAheadMs <= now
    return isEnding ? { alg, signsFrom: new Date(now + publishedAheadMs).toISOString() } : []
  })
}

/** Returns the keys to delete. A key last signed when its successor started. */
function findRetiredKeys(keys: store.SigningKey[], now: number): store.SigningKey[] {
  return keys.filter((key) => {
    const successor = keys.findLast((candidate) => candidate.alg === key.alg && candidate.signsFrom > key.signsFrom)
    return successor !== undefined && Date.parse(successor.signsFrom) + publishedAfterMs <= now
  })
}

async function generate(vault: Vault, issuer: IssuerName, { alg, signsFrom }: NeededKey): Promise<store.SigningKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  return {
    kid,
    alg,
    signsFrom,
    sealedJwk: vault.seal(purposeOfKeys(issuer), JSON.stringify({ ...jwk, kid, alg, use: 'sig' })),
  }
}

export const purposeOfKeys = (issuer: IssuerName): string => `signing-key:${issuer}`
