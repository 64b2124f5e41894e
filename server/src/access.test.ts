import { endpoints } from '@passport/contract/api'
import { type Access, type ClientScope, clientScopes } from '@passport/contract/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import { routePattern } from './http/route-pattern.ts'
import { signAccessToken } from './provider/access-token.ts'
import { saveArtifact } from './provider/store.ts'
import { startTestService, type TestService, type Who } from './test-service.ts'

/** Who is turned away from what, and how: asked of every endpoint there is, so that none can be forgotten. */
const turnedAway: Record<Access, Partial<Record<Exclude<Who, undefined> | 'stranger', number>>> = {
  anyone: {},
  signedIn: { stranger: 401 },
  developer: { stranger: 401, eve: 403, max: 403 },
  admin: { stranger: 401, eve: 403, dev: 403 },
}

const everyone = ['stranger', 'eve', 'dev', 'max', 'ada'] as const

const applicationSecret = 'the secret of an application of its own'
let service: TestService
beforeAll(async () => {
  const applications = clientScopes.map((scope) => ({
    clientId: scope,
    clientName: scope,
    clientSecret: applicationSecret,
    scopes: [scope],
  }))
  service = await startTestService({ CLIENTS: JSON.stringify(applications) })
})

const asked = (path: string) => path.replace(/\{(user|profile)Id\}/, 'me').replace(/\{\w+(\.\.\.)?\}/g, 'x')

test('administration takes no token, not even that of an administrator', () => {
  const open = [...endpoints].filter(([, { access, bearer }]) => access === 'admin' && bearer)
  expect(open.map(([name]) => name)).toEqual([])
})

for (const [name, { method, path, access, bearer, scope }] of endpoints) {
  describe(name, () => {
    test.for(everyone)('asked by %s with a session', async (who) => {
      const visitor = await service.as(who === 'stranger' ? undefined : who)
      const { status } = await visitor.fetch(asked(path), { method })
      expectAccess(status, turnedAway[access][who])
    })

    test.for(everyone.slice(1))('asked by %s with a token', async (who) => {
      const authorization = `Bearer ${await tokenOf(who as Exclude<Who, undefined>)}`
      const { status } = await fetch(service.url + asked(path), { method, headers: { authorization } })
      const isOpen = access === 'anyone' || bearer
      expectAccess(status, isOpen ? turnedAway[access][who] : 403)
    })

    test.for(clientScopes)('asked by an application with the scope %s', async (has) => {
      const authorization = `Bearer ${await tokenOfApplication(has)}`
      const { status } = await fetch(service.url + asked(path), { method, headers: { authorization } })
      expectAccess(status, access === 'anyone' || scope === has ? undefined : 403)
    })
  })
}

/** One who is let in may hear of other troubles, but not of these two. */
function expectAccess(status: number, refusal: number | undefined) {
  if (refusal) expect(status).toBe(refusal)
  else expect([401, 403]).not.toContain(status)
}

const tokensOfApplications = new Map<ClientScope, Promise<string>>()
function tokenOfApplication(scope: ClientScope): Promise<string> {
  const known = tokensOfApplications.get(scope)
  if (known) return known
  const credentials = btoa(`${scope}:${encodeURIComponent(applicationSecret)}`)
  const token = fetch(`${service.url}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  }).then(async (response) => ((await response.json()) as { access_token: string }).access_token)
  tokensOfApplications.set(scope, token)
  return token
}

async function tokenOf(who: Exclude<Who, undefined>): Promise<string> {
  const { id } = await service.as(who)
  const { sql, issuer, config } = service.services
  const [jti, grantId] = [crypto.randomUUID(), crypto.randomUUID()]
  const shared = {
    issuer: 'passport' as const,
    payload: {},
    sealedId: null,
    accountId: id,
    uid: null,
    expiresInSeconds: 60,
  }
  await saveArtifact(sql, { ...shared, kind: 'Grant', id: grantId, grantId: null })
  await saveArtifact(sql, { ...shared, kind: 'AccessToken', id: jti, grantId })
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    jti,
    sub: id,
    client_id: 'test',
    scope: 'api_vertex_core',
    iat: now,
    exp: now + 60,
    roles: [],
    orgs: [],
  }
  return signAccessToken(claims, config.publicUrl, await issuer.keys())
}

/** What there is beside the contract: pages that sign people in and out, the protocol, files, and streams that look themselves who asks. */
const openRoutes = `
  GET /login                        GET /login/callback/:idp          GET /idp/login/:uid       POST /idp/login/:uid
  GET /idp/endsession               GET /connect/interaction/:uid     GET /connect/endsession   POST /connect/endsession
  POST /connect/interaction/:uid/consent
  POST /connect/endsession/confirm  ALL /connect/authorize            ALL /connect/authorize/*  ALL /connect/token
  ALL /connect/jwks                 ALL /connect/par                  ALL /connect/introspect   ALL /connect/revocation
  ALL /connect/userinfo             ALL /.well-known/openid-configuration
  ALL /.well-known/oauth-authorization-server                         ALL /idp/.well-known/openid-configuration
  ALL /idp/authorize                ALL /idp/authorize/*              ALL /idp/token            ALL /idp/userinfo
  ALL /idp/jwks                     ALL /metrics                      GET /passport/openapi.json
  ALL /passport/deviceauthorization/events   ALL /passport/admin/tools/permissions/watch   ALL /connect/deviceauthorization   ALL /connect/checksession         ALL /connect/checksession.js
  GET /                             GET /app                          GET /app/*`

test('every route is of the contract or open on purpose', () => {
  const { routes } = service.app
  const ofContract = new Set([...endpoints.values()].map(({ path }) => routePattern(path)))
  const others = routes
    .filter(({ path }) => path !== '/*' && !ofContract.has(path))
    .map(({ method, path }) => `${method} ${path}`)
  expect(new Set(others)).toEqual(
    new Set(
      openRoutes
        .trim()
        .split(/\s{2,}|\n/)
        .map((route) => route.trim())
        .filter(Boolean),
    ),
  )
})

test('every endpoint of the contract is served', async () => {
  const ada = await service.as('ada')
  // The paths of the contract are all answered: by 405 where the method is nobody's.
  for (const [name, { method, path }] of endpoints) {
    const response = await ada.fetch(asked(path), { method })
    expect([name, response.status]).not.toEqual([name, 405])
    expect(await response.text(), name).not.toContain('No such path')
  }
})

describe('the figures', () => {
  const token = 'the token of whoever watches'
  const ask = ({ url }: TestService, headers: Record<string, string> = {}) => fetch(`${url}/metrics`, { headers })

  test('of a server for this machine alone are for this machine', async () => {
    expect(await (await ask(service)).text()).toContain('http_requests_total')
  })

  test.for(['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'via'])(
    'are for nobody who comes by a proxy, which %s tells',
    async (name) => {
      expect((await ask(service, { [name]: '203.0.113.7' })).status).toBe(401)
    },
  )

  test('of a server for others are for whoever has the token, wherever they are', async () => {
    const open = await startTestService({ PUBLIC_URL: 'https://id.example', METRICS_TOKEN: token })
    const refused = await ask(open)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await refused.text()).not.toContain('http_requests_total')
    expect((await ask(open, { authorization: 'Bearer of nothing' })).status).toBe(401)
    const watched = await ask(open, { authorization: `Bearer ${token}` })
    expect(await watched.text()).toContain('http_requests_total')
  })
})
