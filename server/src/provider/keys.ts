import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Vault } from '../vault.ts'
import * as store from './store.ts'

/** A private key as the protocol library takes it: JWK with `kid`, `alg` and `use`. */
export type SigningJwk = JWK & { kid: string; alg: string; use: 'sig' }

const dayMs = 24 * 60 * 60 * 1000
/** A key signs for so long before another takes over. */
const lifeMs = 90 * dayMs
/** A key is published so long before it signs, for clients that keep the list of keys. */
const publishedAheadMs = dayMs
/** A key stays published so long after it last signed: longer than anything lives that it signed. */
const publishedAfterMs = 7 * dayMs

/** ES256 for everything unless a client is registered with RS256: it costs a sixth of the time. */
const algorithms = ['ES256', 'RS256'] as const

/**
 * Makes the keys that an issuer needs by now and drops those whose time is over, so that one always signs and the next
 * is published a day ahead. Safe to run anywhere at any time: of servers that run it at once, one does it.
 */
export async function rotateKeys(sql: Sql, vault: Vault, issuer: store.IssuerName, now = Date.now()): Promise<void> {
  // Made outside the transaction, which may be run again; an RSA key takes a while.
  const due = await Promise.all(
    neededAt(await store.listKeys(sql, issuer), now).map((need) => generate(vault, issuer, need)),
  )
  const retired = retiredAt(await store.listKeys(sql, issuer), now)
  if (due.length === 0 && retired.length === 0) return
  await transaction(
    sql,
    async (sql) => {
      const needed = neededAt(await store.listKeys(sql, issuer), now).map(({ alg }) => alg)
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

/** The same for both issuers of this server. */
export async function rotateAllKeys(sql: Sql, vault: Vault): Promise<void> {
  for (const issuer of ['passport', 'directory'] as const) await rotateKeys(sql, vault, issuer)
}

/** The published keys of an issuer: for each algorithm first the one that signs now. */
export async function loadKeys(
  sql: Sql,
  vault: Vault,
  issuer: store.IssuerName,
  now = Date.now(),
): Promise<SigningJwk[]> {
  const keys = await store.listKeys(sql, issuer)
  const isSigning = ({ signsFrom }: store.SigningKey) => Date.parse(signsFrom) <= now
  const inOrder = [...keys.filter(isSigning), ...keys.filter((key) => !isSigning(key))]
  return inOrder.map(({ kid, sealedJwk }) => {
    const opened = vault.open(purposeOf(issuer), sealedJwk)
    if (!opened) throw new Error(`The signing key ${kid} was sealed with another PASSPORT_SECRET. Start with that one.`)
    return JSON.parse(opened)
  })
}

interface Need {
  alg: string
  signsFrom: string
}

function neededAt(keys: store.SigningKey[], now: number): Need[] {
  return algorithms.flatMap((alg) => {
    const newest = keys.find((key) => key.alg === alg)
    if (!newest) return { alg, signsFrom: new Date(now).toISOString() }
    const isEnding = Date.parse(newest.signsFrom) + lifeMs - publishedAheadMs <= now
    return isEnding ? { alg, signsFrom: new Date(now + publishedAheadMs).toISOString() } : []
  })
}

/** A key last signed when the one after it began. */
function retiredAt(keys: store.SigningKey[], now: number): store.SigningKey[] {
  return keys.filter((key) => {
    const successor = keys.findLast((other) => other.alg === key.alg && other.signsFrom > key.signsFrom)
    return successor !== undefined && Date.parse(successor.signsFrom) + publishedAfterMs <= now
  })
}

async function generate(vault: Vault, issuer: store.IssuerName, { alg, signsFrom }: Need): Promise<store.SigningKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  return {
    kid,
    alg,
    signsFrom,
    sealedJwk: vault.seal(purposeOf(issuer), JSON.stringify({ ...jwk, kid, alg, use: 'sig' })),
  }
}

const purposeOf = (issuer: store.IssuerName) => `signing-key:${issuer}`

/** What may be shown to everyone. */
export function publicPart({ kty, crv, x, y, n, e, kid, alg, use }: SigningJwk): JWK {
  const all = { kty, crv, x, y, n, e, kid, alg, use }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as unknown as JWK
}
