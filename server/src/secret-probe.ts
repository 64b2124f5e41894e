import { type Config, ConfigError } from './config.ts'
import type { Sql } from './database/sql.ts'
import { findUndecryptableKey } from './provider/keys.ts'
import { generateSecret, readSecret, saveSecret, secretFileOf } from './secret.ts'
import { createVault, type Vault } from './vault.ts'

type Secrets = Pick<Config, 'secret' | 'oldSecrets' | 'dataDir'>

const purpose = 'secret-probe'

/**
 * Opens the vault with the configured secret, or with the one in the data directory, which the first start generates.
 * Throws `ConfigError` and changes nothing if this database was encrypted with another secret. It works before the
 * migrations, because a start with the wrong secret must not migrate.
 */
export async function openVault(sql: Sql, config: Secrets): Promise<Vault> {
  const existingSecret = config.secret ?? readSecret(config.dataDir)
  const secret = existingSecret ?? generateSecret()
  const vault = createVault(secret, config.oldSecrets)
  if (!(await canDecrypt(vault, sql))) throw wrongSecretError(config, existingSecret === undefined)
  if (existingSecret === undefined) saveSecret(config.dataDir, secret)
  return vault
}

/**
 * Encrypts the probe with the current secret if needed; returns the time at which that secret became the current one.
 */
export async function sealProbe(sql: Sql, vault: Vault, config: Secrets): Promise<string> {
  await sql`insert into secret_probe (id, sealed) values (1, ${vault.seal(purpose, purpose)}) on conflict do nothing`
  // Two first starts may run at the same time with different secrets: the later one finds the probe of the other.
  if (!(await canDecrypt(vault, sql))) throw wrongSecretError(config, false)
  await sql`
    update secret_probe set sealed = ${vault.seal(purpose, purpose)}, sealed_at = now()
    where not starts_with(sealed, ${vault.mark})`
  const [probe] = await sql<{ sealedAt: string }[]>`select sealed_at from secret_probe`
  return probe?.sealedAt ?? new Date().toISOString()
}

async function canDecrypt(vault: Vault, sql: Sql): Promise<boolean> {
  const [tables] = await sql<{ probe: boolean; keys: boolean }[]>`
    select to_regclass('secret_probe') is not null as probe, to_regclass('signing_keys') is not null as keys`
  const [probe] = tables?.probe ? await sql<{ sealed: string }[]>`select sealed from secret_probe` : []
  if (probe && vault.open(purpose, probe.sealed) === undefined) return false
  return !tables?.keys || (await findUndecryptableKey(sql, vault)) === undefined
}

function wrongSecretError({ secret, oldSecrets, dataDir }: Secrets, isMissing: boolean): ConfigError {
  const file = secretFileOf(dataDir)
  const oldSecretsHint = oldSecrets.length > 0 ? ', and none of PASSPORT_OLD_SECRETS matches' : ''
  if (isMissing) {
    return new ConfigError([
      `PASSPORT_SECRET: ${file} is missing, and the keys in this database are encrypted with the secret it contained${oldSecretsHint}. Restore the file from a backup, or set PASSPORT_SECRET to that secret. Without it, the only option is npm run reset.`,
    ])
  }
  const source = secret === undefined ? `the one in ${file}` : 'PASSPORT_SECRET'
  return new ConfigError([
    `PASSPORT_SECRET: the keys in this database are encrypted with another secret than ${source}${oldSecretsHint}. Restore the former secret, or add it to PASSPORT_OLD_SECRETS to change to this one.`,
  ])
}
