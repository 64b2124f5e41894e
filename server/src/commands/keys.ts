import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import { listPublishedKeys, revokeKey } from '../provider/keys.ts'
import { openVault } from '../secret-probe.ts'
import { runOnDatabase, UsageError } from './run.ts'

const usage = `npm run keys                    lists the keys that sign tokens
npm run keys -- revoke <kid>    revokes a key; if it is the current signing key, its successor takes over`

const [command, kid, ...extra] = process.argv.slice(2)

await runOnDatabase(async (sql, config) => {
  if (command === undefined) return list(sql)
  if (command !== 'revoke' || !kid || extra.length > 0) throw new UsageError(usage)
  await revoke(sql, config, kid)
})

async function list(sql: Sql) {
  const keys = await listPublishedKeys(sql)
  if (keys.length === 0) console.log('No keys yet. The server generates them when it first starts.')
  for (const { kid, issuer, alg, use, at } of keys) console.log(`${kid}  ${issuer.padEnd(9)}  ${alg}  ${use} ${at}`)
}

async function revoke(sql: Sql, config: Config, kid: string) {
  const vault = await openVault(sql, config)
  const revoked = await revokeKey(sql, vault, kid, { reason: 'command line' })
  if (!revoked) throw new UsageError(`The key ${kid} does not exist.\n${usage}`)
  console.log(`Revoked ${kid}. Tokens signed with it are no longer valid.`)
  if (revoked.successor) console.log(`${revoked.successor} now signs new tokens.`)
  console.log(
    'Running servers apply this within a minute. Clients that cache the key set accept the key until they fetch the set again.',
  )
}
