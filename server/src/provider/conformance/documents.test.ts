import { expect, test } from 'vitest'
import { type Side, startBoth } from './test-both.ts'
import { type Outcome, readOutcome } from './test-outcome.ts'

// OpenID Connect Discovery, OAuth 2.0 Authorization Server Metadata (RFC 8414), and the keys (RFC 7517).

const { started, service, library } = await startBoth()
const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/connect/jwks']
const asked = { origin: 'https://any.example', 'access-control-request-method': 'GET' }
const requests: [string, expected: number, RequestInit][] = [
  ['GET', 200, {}],
  ['GET by a page', 200, { headers: { origin: 'https://any.example' } }],
  ['HEAD', 200, { method: 'HEAD' }],
  ['OPTIONS', 204, { method: 'OPTIONS', headers: asked }],
]

const authMethods = ['client_secret_basic', 'client_secret_post', 'none']
/** What only the service has: the library writes the documents at each request, and knows no scopes of clients. */
const addedMembers = {
  check_session_iframe: `${started.url}/connect/checksession`,
  service_documentation: `${started.url}/docs`,
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  introspection_endpoint_auth_methods_supported: authMethods,
  revocation_endpoint_auth_methods_supported: authMethods,
  request_parameter_supported: false,
  claims_supported: ['azp', 'amr', 'acr'],
  scopes_supported: [
    'permissions.read',
    'permissions.write',
    'entitlements.write',
    'passport.admin.read',
    'passport.admin',
  ],
}

const withoutCache = ({ headers: { etag: _, 'cache-control': __, ...headers }, ...others }: Outcome) => ({
  ...others,
  headers,
  body: {},
})

test.for(paths.flatMap((path) => requests.map(([name, status, init]) => [name, path, status, init] as const)))(
  '%s %s is as by the library, with an ETag',
  async ([, path, status, init]) => {
    const ours = await readOutcome(service.send, await service.send(path, init))
    const theirs = await readOutcome(library.send, await library.send(path, init))
    expect(withoutCache(ours)).toEqual(withoutCache(theirs))
    expect(ours.summary).toBe(`${status}`)
    expect([ours.headers['etag'], ours.headers['cache-control']]).toEqual(
      status === 200 ? ['some', 'public, no-cache'] : ['', ''],
    )
  },
)

test('the keys are those of the library', async () => {
  const [ours, theirs] = await Promise.all([service, library].map(async (side) => read(side, '/connect/jwks')))
  expect(ours).toEqual(theirs)
})

test.for(paths.slice(0, 2))('%s is the metadata of the library, with what only the service has', async (path) => {
  const [ours = {}, theirs = {}] = await Promise.all([service, library].map(async (side) => read(side, path)))
  const added = Object.entries(ours).flatMap(([name, value]) => {
    const known = theirs[name]
    if (!Array.isArray(value)) return JSON.stringify(value) === JSON.stringify(known) ? [] : [[name, value]]
    const others = value.filter((item) => !(known as unknown[] | undefined)?.includes(item))
    return others.length > 0 ? [[name, others]] : []
  })
  expect(Object.fromEntries(added)).toEqual(addedMembers)
  const missing = Object.entries(theirs).filter(([name, value]) => {
    const known = ours[name]
    return Array.isArray(value) ? value.some((item) => !(known as unknown[]).includes(item)) : known === undefined
  })
  expect(missing).toEqual([])
})

const read = async ({ send }: Side, path: string) => (await (await send(path)).json()) as Record<string, unknown>
