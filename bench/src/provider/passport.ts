import { rmSync } from 'node:fs'
import { runServer } from '@passport/world/process'
import { createDataDir, stop } from '../server.ts'
import { connectToEmbedded, type Database } from './database.ts'
import { client, type Provider, password, type SignIn, userCount } from './peer.ts'

/** The cost of new hashes, which is that of the cheap one: a hash that costs less would be replaced at a sign-in. */
const cheapCost = 'm=8,t=1,p=1'

/**
 * argon2id hashes of `password`: one with the parameters that the built-in directory has by default, and one with 8 kB
 * and a single pass. They are constants, because the measurement has no argon2.
 */
const hashes = {
  default: '$argon2id$v=19$m=19456,t=2,p=1$rYrOGP3uhXOqboIuJlz4eA$XtWocXFI87oL96Z2YUWCZ96S2DnVTEFwL4UCKsg/Fss',
  cheap: '$argon2id$v=19$m=8,t=1,p=1$KhW/nJsWZRvvdW9YNzDlMg$jRTbA81han+zBJ/XOacHGdRnnmuQ9UgNOlFJUkJ/yhY',
}

interface PassportOptions {
  /** An existing data directory, which is kept; by default a new one, which is deleted. */
  dataDir?: string
}

/** Starts Passport as `npm start` does, with a client for every flow, and users of the built-in directory. */
export async function startPassport({
  dataDir: existing,
}: PassportOptions = {}): Promise<Provider & { database: Database }> {
  const dataDir = existing ?? createDataDir()
  const clients = [
    {
      clientId: client.id,
      clientName: 'Bench',
      clientSecret: client.secret,
      redirectUris: [client.redirectUri],
      scopes: ['permissions.read'],
      deviceFlow: true,
      consent: 'skip',
    },
  ]
  const server = await runServer({ DATA_DIR: dataDir, CLIENTS: JSON.stringify(clients), PASSWORD_COST: cheapCost })
  const database = connectToEmbedded(dataDir)
  for (const [cost, hash] of Object.entries(hashes))
    await database.sql`
      with people as (
        insert into directory_people (id, name, display_name, email, password_hash)
        select name, name, 'Bench', name || '@stage.example', ${hash}
        from (select ${cost} || number as name from generate_series(0, ${userCount - 1}::integer) number) as names
        on conflict do nothing returning id
      ), accounts as (
        insert into users (id, display_name) select id, 'Bench' from people
      )
      insert into logins (id, user_id, issuer, subject, provider_id, label)
      select id, id, 'urn:passport:directory', id, 'local', 'Bench' from people`
  const signInAs = (cost: string): SignIn => ({
    issuer: server.url,
    fields: (user) => ({ name: `${cost}${user}`, password }),
  })
  return {
    issuer: server.url,
    pid: server.pid,
    database,
    clientCredentials: { scope: 'permissions.read' },
    signIns: { cheap: signInAs('cheap'), default: signInAs('default') },
    stop: async () => {
      await database.sql.end({ timeout: 1 })
      await stop(server)
      if (!existing) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
