import type { Sql } from '../database/sql.ts'
import type { IssuerName } from './store.ts'

export interface SigningKey {
  kid: string
  alg: string
  sealedJwk: string
  /** ISO 8601. */
  signsFrom: string
}

/** Lists the keys of an issuer, the latest to sign first. */
export async function listKeys(sql: Sql, issuer: IssuerName): Promise<SigningKey[]> {
  return sql<SigningKey[]>`
    select kid, alg, sealed_jwk, signs_from from signing_keys where issuer = ${issuer}
    order by signs_from desc, kid`
}

export async function addKey(sql: Sql, issuer: IssuerName, key: SigningKey): Promise<void> {
  await sql`
    insert into signing_keys (kid, issuer, alg, sealed_jwk, signs_from)
    values (${key.kid}, ${issuer}, ${key.alg}, ${key.sealedJwk}, ${key.signsFrom})`
}

export async function setSignsFrom(sql: Sql, kid: string, signsFrom: string): Promise<void> {
  await sql`update signing_keys set signs_from = ${signsFrom} where kid = ${kid}`
}

export async function removeKey(sql: Sql, kid: string): Promise<void> {
  await sql`delete from signing_keys where kid = ${kid}`
}

interface UnmarkedKey {
  kid: string
  issuer: IssuerName
  sealedJwk: string
  cursor: string
}

/** Lists keys without this mark. */
export async function listUnmarkedKeys(sql: Sql, mark: string, after: string, limit: number): Promise<UnmarkedKey[]> {
  return sql<UnmarkedKey[]>`
    select kid, issuer, sealed_jwk, kid as cursor from signing_keys
    where not starts_with(sealed_jwk, ${mark}) and kid > ${after}
    order by kid limit ${limit}`
}

export async function replaceSealedKey(sql: Sql, kid: string, former: string, sealed: string): Promise<void> {
  await sql`update signing_keys set sealed_jwk = ${sealed} where kid = ${kid} and sealed_jwk = ${former}`
}

/** Counts the keys without this mark. */
export async function countUnmarkedKeys(sql: Sql, mark: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from signing_keys where not starts_with(sealed_jwk, ${mark})`
  return row?.count ?? 0
}
