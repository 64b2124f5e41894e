// A provider with `oidc-provider` alone, as a careful team would set it up: artifacts in PostgreSQL, and codes and refresh
// tokens that are spent once. Its users have no passwords. Arguments: the port, and the URL of the database.
import { createServer } from 'node:http'
import { errors, interactionPolicy, Provider } from 'oidc-provider'
import postgres from 'postgres'
import { client } from './peer.ts'

const [port = '', databaseUrl = ''] = process.argv.slice(2)
const issuer = `http://127.0.0.1:${port}`
const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} })

await sql`
  create table artifacts (
    kind text, id text, payload jsonb not null, grant_id text, uid text, user_code text, consumed_at timestamptz,
    expires_at timestamptz not null, primary key (kind, id)
  )`
await sql`create index on artifacts (grant_id) where grant_id is not null`
await sql`create index on artifacts (uid) where uid is not null`
await sql`create index on artifacts (user_code) where user_code is not null`

function createAdapter(kind: string) {
  type Row = { payload: object; consumedAt: Date | null }
  const toPayload = ([row]: readonly Row[]) =>
    row && { ...row.payload, ...(row.consumedAt && { consumed: Math.floor(row.consumedAt.getTime() / 1000) }) }
  const columns = sql`payload, consumed_at as "consumedAt"`
  return {
    upsert: async (id: string, payload: Record<string, unknown>, seconds = 0) => {
      const { grantId = null, uid = null, userCode = null } = payload as Record<string, string>
      await sql`
        insert into artifacts (kind, id, payload, grant_id, uid, user_code, expires_at)
        values (${kind}, ${id}, ${sql.json(payload as never)}, ${grantId}, ${uid}, ${userCode},
          now() + make_interval(secs => ${seconds}))
        on conflict (kind, id) do update set payload = excluded.payload, expires_at = excluded.expires_at`
    },
    find: async (id: string) =>
      toPayload(
        await sql<Row[]>`select ${columns} from artifacts where kind = ${kind} and id = ${id} and expires_at > now()`,
      ),
    findByUid: async (uid: string) =>
      toPayload(await sql<Row[]>`select ${columns} from artifacts where kind = ${kind} and uid = ${uid}`),
    findByUserCode: async (code: string) =>
      toPayload(await sql<Row[]>`select ${columns} from artifacts where kind = ${kind} and user_code = ${code}`),
    consume: async (id: string) => {
      const spent = await sql`
        update artifacts set consumed_at = now() where kind = ${kind} and id = ${id} and consumed_at is null`
      if (spent.count === 0) throw new errors.InvalidGrant('already spent')
    },
    destroy: async (id: string) => void (await sql`delete from artifacts where kind = ${kind} and id = ${id}`),
    revokeByGrantId: async (grantId: string) =>
      void (await sql`delete from artifacts where kind = ${kind} and grant_id = ${grantId}`),
  }
}

const policy = interactionPolicy.base()
const resourceServer = { scope: 'bench', accessTokenFormat: 'jwt', accessTokenTTL: 3600 } as const
const provider = new Provider(issuer, {
  adapter: createAdapter as never,
  clients: [
    {
      client_id: client.id,
      client_secret: client.secret,
      redirect_uris: [client.redirectUri],
      grant_types: [
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
    },
  ],
  findAccount: (_ctx, sub) => ({
    accountId: sub,
    claims: () => ({ sub, name: 'Bench', email: `${sub}@stage.example` }),
  }),
  claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
  cookies: { keys: ['the key of the cookies of the measurement'] },
  ttl: { AccessToken: 3600, Grant: 86_400, Interaction: 600, Session: 86_400, RefreshToken: 86_400 },
  issueRefreshToken: (_ctx, { grantTypeAllowed }) => grantTypeAllowed.length > 0,
  rotateRefreshToken: true,
  loadExistingGrant: async ({ oidc }) => {
    const grant = new provider.Grant({ accountId: oidc.session?.accountId, clientId: oidc.client?.clientId })
    grant.addOIDCScope('openid profile email')
    await grant.save()
    return grant
  },
  interactions: { policy, url: (_ctx, { uid }) => `/interaction/${uid}` },
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: true },
    clientCredentials: { enabled: true },
    deviceFlow: { enabled: true },
    resourceIndicators: { enabled: true, getResourceServerInfo: () => resourceServer },
  },
})

const callback = provider.callback()
createServer(async (request, response) => {
  if (!request.url?.startsWith('/interaction/')) return callback(request, response)
  if (request.method === 'GET')
    return response.end(
      '<form method="post" action=""><input name="login"><input type="password" name="password"></form>',
    )
  const body = Buffer.concat(await request.toArray()).toString()
  const login = { accountId: new URLSearchParams(body).get('login') ?? '' }
  return provider.interactionFinished(request, response, { login })
}).listen(Number(port), '127.0.0.1', () => console.log('ready'))
