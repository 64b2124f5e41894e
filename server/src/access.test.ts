import { request } from 'node:http'
import { endpoints } from '@passport/contract/api'
import { type Access, type ClientScope, clientScopes, type Endpoint, recentMinutes } from '@passport/contract/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import { setupCookie } from './http/identify.ts'
import { toRoutePattern } from './http/route-pattern.ts'
import { issuePersonalToken } from './personal-tokens/test-personal-token.ts'
import * as setupLinks from './setup/store.ts'
import { issueBearerToken, issueClientToken } from './test-bearer.ts'
import { startTestService, type TestService, type UserName, type Visitor } from './test-service.ts'
import { generateToken, hashToken } from './vault.ts'

/** The statuses with which each access level rejects callers; the other callers are admitted. */
const expectedRejections: Record<Access, Partial<Record<Exclude<UserName, undefined> | 'anonymous', number>>> = {
  anyone: {},
  signedIn: { anonymous: 401 },
  developer: { anonymous: 401, eve: 403, max: 403 },
  admin: { anonymous: 401, eve: 403, dev: 403 },
  // Regardless of any session.
  setup: { anonymous: 401, eve: 401, dev: 401, max: 401, ada: 401 },
}

const callers = ['anonymous', 'eve', 'dev', 'max', 'ada'] as const

const clientSecret = 'a client secret for the access tests'
let service: TestService
beforeAll(async () => {
  const clients = clientScopes.map((scope) => ({
    clientId: scope,
    clientName: scope,
    clientSecret,
    scopes: [scope],
  }))
  service = await startTestService({ CLIENTS: JSON.stringify(clients), LOCAL_DIRECTORY_ISSUER: 'on' })
})

/** The cookie of a browser that opened a set-up link. It is a caller of its own, and of no endpoint but those of such links. */
async function openTestSetup(): Promise<string> {
  const [cookie, orgId] = [generateToken(), 'org-of-the-set-up']
  const { sql } = service
  const { id: createdBy } = await service.as('ada')
  await sql`insert into orgs (id, name, slug) values (${orgId}, 'Set up', 'set-up')`
  await sql`
    insert into entra_connections (org_id, tenant_id, cloud, display_name)
    values (${orgId}, gen_random_uuid(), 'AzurePublic', 'Set up')`
  await setupLinks.add(sql, { id: 'link', orgId, tokenHash: 'token', createdBy, hours: 24 })
  const opening = { sessionHash: hashToken(cookie), hours: 24, ip: '127.0.0.1', userAgent: 'test' }
  await setupLinks.open(sql, 'link', opening)
  return cookie
}

const fillPath = (path: string) => path.replace(/\{(user|profile)Id\}/, 'me').replace(/\{\w+(\.\.\.)?\}/g, 'x')

describe('a recent authentication', () => {
  const recent = [...endpoints].filter(
    ([, { recent }]) => recent && (recent === true || recent.ifRoles || !recent.ifGivesRoles),
  )
  const ageAuthentication = ({ id }: Visitor, minutes: number) =>
    service.sql`update sessions set auth_time = now() - make_interval(mins => ${minutes}) where user_id = ${id}`
  /** Valid bodies that grant roles, for endpoints that need a recent authentication only in that case. */
  const bodies: Record<string, object> = {
    bulkChangeUsers: { action: 'addRole', role: 'Passport.Developer', ids: ['x'] },
    createUser: { displayname: 'X', roles: ['Passport.Developer'] },
    createInvitation: { email: 'x@example.com', roles: ['Passport.Developer'] },
  }
  const send = (visitor: Visitor, { method, path }: Endpoint, body: object | undefined) =>
    visitor.fetch(fillPath(path), {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  const readAllowedMinutes = ({ recent }: Endpoint) =>
    (typeof recent === 'object' && recent.withinMinutes) || recentMinutes

  test('is required by these endpoints and no others', () => {
    expect(recent.map(([name]) => name).sort()).toEqual(
      `addRoleMembers applyUserImport bulkChangeUsers checkRecentAuthentication confirmConnection createClient
       createClientSecret createEnrolmentLink createIdentityApi createInvitation createOwnSetupLink createPersonalToken
       createScimToken createSetupLink createUser
       decideDeviceAuthorization deleteClient deleteClientSecret deleteIdentityApi deleteRole exportAuditEntries
       exportPermissions exportUsers importApiScopes linkLogin putAuditRetention putClient putEntra putGroupRoles
       putIdentityApi removeConnection removeRoleMembers removeUserConnection resetUserPassword restoreClient
       restoreIdentityApi revokeScimToken setUserRoles startConnection unlinkLogin unlinkUserLogin`.split(/\s+/),
    )
  })

  test('is required by the effect of these endpoints', () => {
    const byEffect = [...endpoints].filter(([, { recent }]) => typeof recent === 'object' && recent.ifGivesRoles)
    expect(byEffect.map(([name]) => name).sort()).toEqual(
      `addGroupMembers addGroupOwners addOrgMembers addOwnOrgMembers bulkChangeUsers confirmInvitation createInvitation
       createJoinLink createUser enableEntra enableUser putOrgMember putOwnOrgMember resendInvitation restoreGroup restoreOrg restoreUser
       undoBulkChange updateUser`.split(/\s+/),
    )
  })

  test.for(recent)('is required by %s', async ([name, endpoint]) => {
    const visitor = await service.as('ada')
    const body = bodies[name]
    await ageAuthentication(visitor, readAllowedMinutes(endpoint) + 1)
    const rejected = await send(visitor, endpoint, body)
    expect([rejected.status, await rejected.json()]).toEqual([
      401,
      expect.objectContaining({ code: 'reauthentication-required' }),
    ])
    await ageAuthentication(visitor, readAllowedMinutes(endpoint) - 1)
    expectAccess((await send(visitor, endpoint, body)).status, undefined)
  })

  test('is not required by a bulk change without roles', async () => {
    const visitor = await service.as('ada')
    await ageAuthentication(visitor, 60)
    const change = { action: 'disable', ids: ['x'] }
    const { status } = await send(visitor, endpoints.get('bulkChangeUsers') as Endpoint, change)
    expect(status).toBe(200)
  })

  test.for(recent)('cannot be replaced by a token at %s', async ([name, endpoint]) => {
    const { method, path, scope } = endpoint
    expect(endpoint).not.toHaveProperty('bearer')
    const fetchWithToken = async (token: string) => {
      const response = await fetch(service.url + fillPath(path), {
        method,
        headers: { authorization: `Bearer ${token}` },
      })
      const { code } = (await response.json().catch(() => ({}))) as { code?: string }
      return `${response.status} ${code}`
    }
    expect(await fetchWithToken(await issueBearerToken(service, 'ada'))).toBe('403 bearer-not-accepted')
    expect(await fetchWithToken(await getPersonalToken('ada'))).toBe('403 bearer-not-accepted')
    if (scope) return
    const body = bodies[name]
    const authorization = `Bearer ${await getClientToken('passport.admin')}`
    const response = await fetch(service.url + fillPath(path), {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect([response.status, await response.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'session-required' }),
    ])
  })
})

test("no administration endpoint accepts a user's token", () => {
  const acceptingBearer = [...endpoints].filter(([, { access, bearer }]) => access === 'admin' && bearer)
  expect(acceptingBearer.map(([name]) => name)).toEqual([])
})

for (const [name, { method, path, access, bearer, scope, adminScopes, recent }] of endpoints) {
  describe(name, () => {
    test.for(callers)('applies its access level to %s with a session', async (user) => {
      const visitor = await service.as(user === 'anonymous' ? undefined : user)
      const { status } = await visitor.fetch(fillPath(path), { method })
      expectAccess(status, expectedRejections[access][user])
    })

    test.for(callers.slice(1))(
      'applies its access level to %s with an access token or a personal token',
      async (name) => {
        const user = name as Exclude<UserName, undefined>
        const isOpen = access === 'anyone' || bearer
        for (const token of [await issueBearerToken(service, user), await getPersonalToken(user)]) {
          const headers = { authorization: `Bearer ${token}` }
          const { status } = await fetch(service.url + fillPath(path), { method, headers })
          expectAccess(status, isOpen ? expectedRejections[access][user] : 403)
        }
      },
    )

    test('admits the browser of a set-up link only if it is for such links', async () => {
      setupBrowser ??= openTestSetup()
      const headers = { cookie: `${setupCookie.name}=${await setupBrowser}`, 'sec-fetch-site': 'same-origin' }
      const { status } = await fetch(service.url + fillPath(path), { method, headers, redirect: 'manual' })
      expectAccess(status, access === 'setup' ? undefined : expectedRejections[access].anonymous)
    })

    const isForAdministrators = access === 'admin' || adminScopes === true
    const isOpenToAdministrators =
      isForAdministrators && (!recent || (recent !== true && (recent.ifRoles ?? recent.ifGivesRoles) === true))
    const isRead = method === 'GET' || scope === 'permissions.read'
    const isOpen: Record<ClientScope, boolean> = {
      'permissions.read': scope === 'permissions.read',
      'permissions.write': scope === 'permissions.write',
      'entitlements.write': scope === 'entitlements.write',
      'passport.admin.read': isOpenToAdministrators && isRead,
      'passport.admin': isOpenToAdministrators,
    }
    test.for(clientScopes)('admits a client with the scope %s only if that opens it', async (granted) => {
      const authorization = `Bearer ${await getClientToken(granted)}`
      const { status } = await fetch(service.url + fillPath(path), { method, headers: { authorization } })
      expectAccess(status, access === 'anyone' || isOpen[granted] ? undefined : 403)
    })
  })
}

/** Expects the status of a rejection, or neither 401 nor 403: admitted callers may get other errors. */
function expectAccess(status: number, rejection: number | undefined) {
  if (rejection) expect(status).toBe(rejection)
  else expect([401, 403]).not.toContain(status)
}

let setupBrowser: Promise<string> | undefined
const personalTokens = new Map<string, Promise<string>>()
function getPersonalToken(user: Exclude<UserName, undefined>): Promise<string> {
  const cached = personalTokens.get(user)
  if (cached) return cached
  const token = service.as(user).then(async (visitor) => (await issuePersonalToken(service, visitor)).value)
  personalTokens.set(user, token)
  return token
}

const clientTokens = new Map<ClientScope, Promise<string>>()
function getClientToken(scope: ClientScope): Promise<string> {
  const token = clientTokens.get(scope) ?? issueClientToken(service.url, { clientId: scope, clientSecret, scope })
  clientTokens.set(scope, token)
  return token
}

/**
 * Routes outside the contract: sign-in and sign-out pages, the OAuth and OpenID Connect endpoints, static files,
 * metrics, and streams that check the caller themselves.
 */
const routesOutsideContract = `
  GET /login                        GET /login/callback/:idp          POST /login/signout
  GET /idp/login/:uid       POST /idp/login/:uid
  GET /idp/signup                   POST /idp/signup                  GET /idp/signup/code       POST /idp/signup/code
  GET /idp/enrol                    POST /idp/enrol                   GET /idp/enrol/password    POST /idp/enrol/password
  GET /idp/enrol/join/:token        POST /idp/enrol/join/:token       ALL /idp/enrol/read-link.js
  GET /idp/interaction/:uid         POST /idp/interaction/:uid
  GET /idp/endsession               GET /connect/interaction/:uid     GET /connect/endsession   POST /connect/endsession
  POST /connect/interaction/:uid/consent
  GET /connect/authorize            POST /connect/authorize           GET /connect/authorize/*
  POST /connect/endsession/confirm  POST /connect/token               POST /connect/par
  GET /connect/jwks                 POST /connect/introspect          POST /connect/revocation
  ALL /passport/scim/v2/*
  GET /connect/userinfo             POST /connect/userinfo            GET /.well-known/openid-configuration
  GET /.well-known/oauth-authorization-server                         ALL /idp/.well-known/openid-configuration
  ALL /idp/authorize                ALL /idp/authorize/*              ALL /idp/token            ALL /idp/userinfo
  ALL /idp/jwks                     ALL /metrics                      GET /passport/openapi.json
  ALL /passport/deviceauthorization/events   ALL /passport/admin/tools/permissions/watch   POST /connect/deviceauthorization   ALL /connect/checksession         ALL /connect/checksession.js
  ALL /connect/formpost.js          ALL /idp/show-password.js         ALL /problems/copy-support-code.js
  GET /                             GET /app                          GET /app/*
  GET /terms                        GET /privacy                      GET /support
  GET /notices/:token               POST /notices/:token
  GET /problems/:code              GET /docs                         GET /docs/api             GET /docs/:guide
  GET /passport/connect/entra/adminconsent/callback`

test('every route is in the contract or in routesOutsideContract', () => {
  const { routes } = service.app
  const contractPatterns = new Set([...endpoints.values()].map(({ path }) => toRoutePattern(path)))
  const otherRoutes = routes
    .filter(({ path }) => path !== '/*' && !contractPatterns.has(path))
    .map(({ method, path }) => `${method} ${path}`)
  expect(new Set([...otherRoutes, ...service.listProtocolRoutes()])).toEqual(
    new Set(
      routesOutsideContract
        .trim()
        .split(/\s{2,}|\n/)
        .map((route) => route.trim())
        .filter(Boolean),
    ),
  )
})

test('every endpoint of the contract is served', async () => {
  const ada = await service.as('ada')
  // Every path of the contract responds; 405 means that no handler serves the method.
  for (const [name, { method, path }] of endpoints) {
    const response = await ada.fetch(fillPath(path), { method })
    expect([name, response.status]).not.toEqual([name, 405])
    expect(await response.text(), name).not.toContain('Path not found')
  }
})

describe('the metrics', () => {
  const token = 'a monitoring token'
  const fetchMetrics = ({ url }: TestService, headers: Record<string, string> = {}) =>
    fetch(`${url}/metrics`, { headers })

  test('of a loopback server are open to loopback clients', async () => {
    expect(await (await fetchMetrics(service)).text()).toContain('http_requests_total')
  })

  test.for(['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'via'])(
    'of a loopback server are closed to requests with the header %s of a proxy',
    async (name) => {
      expect((await fetchMetrics(service, { [name]: '203.0.113.7' })).status).toBe(401)
    },
  )

  test('of a loopback server require a token for any other host name', async () => {
    const { port, host } = new URL(service.url)
    const fetchStatus = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request(`http://127.0.0.1:${port}/metrics`, { headers }, (incoming) => {
          incoming.resume()
          resolve(incoming.statusCode)
        })
        sent.on('error', reject).end()
      })
    expect(await fetchStatus({ host })).toBe(200)
    expect(await fetchStatus({ host: `127.0.0.1:${port}` })).toBe(200)
    // DNS rebinding: a page of evil.example reaches this machine by a DNS record that points to it.
    for (const badHost of ['evil.example', `evil.example:${port}`, `localhost.evil.example:${port}`, 'a b/c'])
      expect([badHost, await fetchStatus({ host: badHost })]).not.toEqual([badHost, 200])
    expect(await fetchStatus({ host: 'evil.example', authorization: 'Bearer nothing' })).toBe(401)
  })

  test('of a public server require the token', async () => {
    const publicService = await startTestService({ PUBLIC_URL: 'https://id.example', METRICS_TOKEN: token })
    const rejected = await fetchMetrics(publicService)
    expect([rejected.status, rejected.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await rejected.text()).not.toContain('http_requests_total')
    expect((await fetchMetrics(publicService, { authorization: 'Bearer wrong-token' })).status).toBe(401)
    const admitted = await fetchMetrics(publicService, { authorization: `Bearer ${token}` })
    expect(await admitted.text()).toContain('http_requests_total')
  })
})
