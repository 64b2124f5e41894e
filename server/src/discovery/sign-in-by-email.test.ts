import { discover } from '@passport/contract/discovery'
import { type SignInDecision, simulateSignIns } from '@passport/contract/tenant-discovery'
import { createTestBrowser } from '@passport/world/browser'
import { guidOf } from '@passport/world/entra/tenants'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startTestService, type TestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { addOrg, type DiscoveringService, startDiscoveringService } from './test-discovery.ts'

const idOf = (name: string) => guidOf(`tenant ${name}`)
const inCloud = (cloud: string, name: string, isEnabled = true) => ({ id: idOf(name), cloud, isEnabled })

let at: DiscoveringService
let orgIds: Record<string, string>
/** Services on the same database with one provider each. */
let onlyLocal: TestService
let onlyHarbour: TestService

beforeAll(async () => {
  at = await startDiscoveringService()
  const { sql } = at.service
  const add = async (org: Parameters<typeof addOrg>[1]) => [org.name, await addOrg(sql, org)]
  orgIds = Object.fromEntries([
    await add({
      name: 'Meridian',
      domains: ['meridian.example', 'meridian-cargo.example', 'xn--mller-kva.example'],
      pending: ['meridian-new.example'],
      tenant: inCloud('AzurePublic', 'meridian'),
    }),
    await add({ name: 'Marisol', domains: ['marisol.example'], tenant: inCloud('AzurePublic', 'marisol', false) }),
    await add({ name: 'Vastra', pending: ['vastra.example'], tenant: inCloud('AzurePublic', 'vastra') }),
    // The domain has a tenant in two clouds, each of another organisation.
    await add({ name: 'Orient', domains: ['orient.example'], tenant: inCloud('AzureChina', 'orient china') }),
    await add({ name: 'Orient West', pending: ['orient.example'], tenant: inCloud('AzurePublic', 'orient') }),
    await add({
      name: 'Harbor',
      domains: ['harborcounty.example'],
      tenant: inCloud('AzureUSGovernment', 'harborcounty'),
    }),
    await add({ name: 'Plain', domains: ['plain.example'] }),
    await add({ name: 'Gone', domains: ['gone.example'], tenant: inCloud('AzurePublic', 'gone'), isDeleted: true }),
  ])
  const [local, harbour] = JSON.parse(at.env['IDENTITY_PROVIDERS'] ?? '') as unknown[]
  const startWith = (provider: unknown) =>
    startTestService(
      { ENTRA_CLOUDS: at.env['ENTRA_CLOUDS'] ?? '', IDENTITY_PROVIDERS: JSON.stringify([provider]) },
      { sharedWith: at.service },
    )
  onlyLocal = await startWith(local)
  onlyHarbour = await startWith(harbour)
})

const names = ['ana', 'Ana.Abara', 'o’neil+tag', '"a b"', 'x'.repeat(64), '%', 'a&b=c', '1', 'admin', '名前']
const spellings = (domain: string) => [
  ...names.map((name) => `${name}@${domain}`),
  domain,
  `${domain.toUpperCase()}.`,
  `  ana@${domain} `,
]
type Expected = Partial<Pick<SignInDecision, 'outcome' | 'reason' | 'provider' | 'tenantId'>>
const toTenant = (name: string): Expected => ({ outcome: 'entra', tenantId: idOf(name), reason: null })
const toChoice = (reason: SignInDecision['reason']): Expected => ({ outcome: 'choice', tenantId: null, reason })
const refused: Expected = { outcome: 'refused', reason: 'domain-invalid' }

/** What users enter, and where it leads with two providers. */
const cases: [input: string, expected: Expected][] = [
  ...spellings('meridian.example').map((input) => [input, toTenant('meridian')]),
  ...spellings('meridian-cargo.example').map((input) => [input, toTenant('meridian')]),
  ...spellings('müller.example').map((input) => [input, toTenant('meridian')]),
  ...spellings('meridian-new.example').map((input) => [input, toChoice('no-organisation')]),
  ...spellings('sub.meridian.example').map((input) => [input, toChoice('no-organisation')]),
  ...spellings('marisol.example').map((input) => [input, toChoice('sign-in-disabled')]),
  ...spellings('vastra.example').map((input) => [input, toChoice('no-organisation')]),
  ...spellings('orient.example').map((input) => [input, toTenant('orient china')]),
  ...spellings('harborcounty.example').map((input) => [input, toChoice('cloud-not-configured')]),
  ...spellings('plain.example').map((input) => [input, toChoice('no-tenant')]),
  ...spellings('gone.example').map((input) => [input, toChoice('no-organisation')]),
  ...spellings('nobody.example').map((input) => [input, toChoice('no-organisation')]),
  ...['meridian', 'vastra', 'orient', 'orient china'].flatMap((name) => [
    [idOf(name), toTenant(name)],
    [` ${idOf(name).toUpperCase()}`, toTenant(name)],
  ]),
  [idOf('marisol'), toChoice('sign-in-disabled')],
  [idOf('harborcounty'), toChoice('cloud-not-configured')],
  [idOf('gone'), toChoice('no-organisation')],
  [idOf('nobody'), toChoice('no-organisation')],
  ...[
    ['', ' ', '@', 'ana', 'ana@', '@meridian.example', 'ana@meridian', 'ana@10.0.0.1', '10.0.0.1', 'localhost'],
    ['https://meridian.example', 'meridian.example/x', 'ana@meridian .example', 'Ana <ana@meridian.example>'],
    [`{${idOf('meridian')}}`, idOf('meridian').slice(1), `${idOf('meridian')}@`, 'ana@meridian..example'],
    ['ana@-meridian.example', `ana@${'a'.repeat(64)}.example`, `${'a'.repeat(320)}@meridian.example`],
    ['ana@meridian.example,eve@meridian.example ', '<script>alert(1)</script>', "ana@meridian.example'--", 'ana@[::1]'],
  ]
    .flat()
    .map((input) => [input, refused]),
] as never

/** Enters a text on the sign-in page and follows it, up to a session through a tenant; returns where it leads. */
async function enter({ url }: TestService, input: string): Promise<Expected> {
  const browser = createTestBrowser(url)
  const page = await browser.open(`/login?email=${encodeURIComponent(input)}`)
  const tenantId = /\/login\?.*?tenant=([0-9a-f-]{36})/.exec(browser.visitedUrls.join(' '))?.[1]
  if (tenantId) {
    const { authority, tenants } = tenantId === idOf('orient china') ? at.clouds.china : at.clouds.open
    expect(page.url).toContain(`${authority}/${tenantId}/oauth2/v2.0/authorize?`)
    expect(new URL(page.url).searchParams.get('login_hint')).toBe(input.includes('@') ? input.trim() : null)
    // The clouds know only the main service.
    if (url === at.service.url) {
      const person = tenants.find(({ id }) => id === tenantId)?.people[0]?.oid ?? ''
      await browser.submit(page, { person })
      const session = await (await browser.send(`${url}/passport/apphelper/user`)).json()
      expect(session).toMatchObject({ claims: { idp: `entra:${tenantId}` } })
    }
    return { outcome: 'entra', tenantId }
  }
  if (browser.visitedUrls.some((visited) => visited.includes('idp=local'))) return { outcome: 'local', tenantId: null }
  if (browser.visitedUrls.some((visited) => visited.includes('idp='))) return { outcome: 'provider', tenantId: null }
  expect(page.text).toContain('name="email"')
  return { outcome: page.text.includes('aria-invalid') ? 'refused' : 'choice', tenantId: null }
}

const simulate = async (service: TestService, emails: string[]) =>
  (await service.as('ada')).call(simulateSignIns, { body: { emails } })

describe('a sign-in by email', () => {
  test('leads where the simulation says, in 200 cases with two providers, one local and one other', async () => {
    const inputs = cases.map(([input]) => input)
    const withTwo = await simulate(at.service, inputs)
    expect(withTwo.map(({ email }) => email)).toEqual(inputs)
    for (const [index, [input, expected]] of cases.entries())
      expect({ input, ...withTwo[index] }).toMatchObject({ input, ...expected })

    const withOne = ['ana@plain.example', 'ana@marisol.example', 'ana@meridian.example', 'ana@nobody.example', 'x']
    const single = [onlyLocal, onlyHarbour].flatMap((service) => withOne.map((input) => ({ service, input })))
    const all = [...inputs.map((input) => ({ service: at.service, input })), ...single]
    expect(all.length).toBeGreaterThanOrEqual(200)
    for (const { service, input } of all) {
      const [decision] = await simulate(service, [input])
      expect({ input, ...decision }).toMatchObject({ input, ...(await enter(service, input)) })
    }
    const outcomes = async (service: TestService) => (await simulate(service, withOne)).map(({ outcome }) => outcome)
    expect(await outcomes(onlyLocal)).toEqual(['local', 'local', 'entra', 'choice', 'refused'])
    expect(await outcomes(onlyHarbour)).toEqual(['provider', 'provider', 'entra', 'choice', 'refused'])
  })
})

describe('the choice of providers', () => {
  const open = (path: string, service = at.service, headers: Record<string, string> = {}) =>
    createTestBrowser(service.url, headers).open(path)

  test('has a form for the email, which keeps the rest of the request', async () => {
    const { text, status } = await open('/login?returnUrl=%2Fapp%2F%3Fa%3D%22b&prompt=login&tenant=unknown')
    expect(status).toBe(200)
    expect(text).not.toContain('<script')
    const form = /<form action="\/login">[\s\S]*?<\/form>/.exec(text)?.[0] ?? ''
    expect(form.match(/name="\w+" value="[^"]*"/g)).toEqual([
      'name="returnUrl" value="/app/?a=&quot;b"',
      'name="prompt" value="login"',
      'name="email" value=""',
    ])
  })

  test('replaces the sign-in through a tenant that is not enabled', async () => {
    for (const name of ['marisol', 'harborcounty', 'gone', 'nobody'])
      for (const service of [at.service, onlyLocal]) {
        const { text } = await open(`/login?tenant=${idOf(name)}`, service)
        expect(text).toContain('Sign-in through this organisation is not enabled.')
        expect(text).toContain('Continue with Passport')
      }
  })

  test('fills in the email that an application suggests', async () => {
    const { text } = await open('/login?interaction=unknown&login_hint=ana@meridian.example')
    expect(text).toContain('name="email" value="ana@meridian.example"')
    expect((await open('/login?login_hint=eve')).text).toContain('name="email" value=""')
  })

  test.for<[input: string, sentence: string]>([
    ['ana@nobody.example', 'No organisation signs in with nobody.example here.'],
    ['ana@plain.example', 'No organisation signs in with plain.example here.'],
    ['ana@marisol.example', 'Sign-in through this organisation is not enabled.'],
    [idOf('marisol'), 'Sign-in through this organisation is not enabled.'],
    [idOf('nobody'), 'Sign-in through this organisation is not enabled.'],
    ['ana"><b>', 'Enter an email address, such as ada@example.com.'],
  ])('after %s says why, and keeps it', async ([input, sentence]) => {
    const { text, status } = await open(`/login?returnUrl=%2Fapp%2Faccount&email=${encodeURIComponent(input)}`)
    expect(status).toBe(200)
    expect(text).toContain(sentence)
    expect(text).toContain(
      `name="email" value="${input.replace('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}"`,
    )
    const link = /href="(\/login\?[^"]*idp=harbour[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(Object.fromEntries(new URLSearchParams(link.split('?')[1]))).toEqual({
      returnUrl: '/app/account',
      idp: 'harbour',
      ...(input.includes('@') && { login_hint: input }),
    })
  })

  test('admits the redirects to other servers that follow its form, and no other page does', async () => {
    const policyOf = async (path: string) => {
      const { headers } = await fetch(at.service.url + path)
      return headers.get('content-security-policy') ?? ''
    }
    expect(await policyOf('/login')).not.toContain('form-action')
    expect(await policyOf('/docs')).toContain("form-action 'self'")
  })

  test('is the first page if the users of an organisation sign in through its tenant', async () => {
    expect((await open('/login', onlyLocal)).text).toContain('name="email"')
    const { sql } = at.service
    const enabled = await sql<{ orgId: string }[]>`
      update entra_connections set sign_in_enabled = false where sign_in_enabled returning org_id`
    onTestFinished(async () => {
      await sql`update entra_connections set sign_in_enabled = true where org_id = any(${enabled.map((row) => row.orgId)})`
    })
    await vi.waitFor(async () => expect((await open('/login', onlyLocal)).text).toContain('type="password"'))
    expect((await open('/login?email=ana@nobody.example', onlyLocal)).text).toContain('type="password"')
    const statements = await recordStatements(sql, () => fetch(`${onlyLocal.url}/login`, { redirect: 'manual' }))
    expect(statements).toEqual([])
  })

  test('fills in the email at a provider and at the built-in directory', async () => {
    const harbour = createTestBrowser(onlyHarbour.url)
    await harbour.open('/login?idp=harbour&login_hint=ana@plain.example')
    expect(harbour.visitedUrls.at(-1)).toContain('login_hint=ana%40plain.example')
    const local = await open('/login?email=ana@plain.example', onlyLocal)
    expect(local.text).toContain('name="name" value="ana@plain.example"')
    expect((await open('/login?idp=local&login_hint=eve', onlyLocal)).text).toContain('name="name" value="eve"')
  })

  test('replaces discovery above 30 questions a minute, which the two count together', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    const limited = await startTestService(
      { ...at.env, PORT: '0', TRUSTED_PROXIES: '127.0.0.1' },
      { sharedWith: at.service },
    )
    const ask = (path: string) => fetch(limited.url + path, { headers, redirect: 'manual' })
    for (let index = 0; index < 15; index++) {
      expect((await ask('/passport/discovery?domain=nobody.example')).status).toBe(200)
      expect((await ask('/login?email=ana@meridian.example')).status).toBe(303)
    }
    expect((await ask('/passport/discovery?domain=nobody.example')).status).toBe(429)
    const page = await ask('/login?email=ana@meridian.example')
    expect(page.status).toBe(200)
    const text = await page.text()
    expect(text).toContain('Too many attempts from your network.')
    expect(text).toContain('name="email" value="ana@meridian.example"')
    expect((await ask('/login?idp=harbour&login_hint=ana@meridian.example')).status).toBe(303)
  })
})

describe('discovery', () => {
  test('of an enabled tenant returns the URL of its sign-in, and its organisation to a signed-in user', async () => {
    const read = async (as: 'eve' | undefined) =>
      (await (await at.service.as(as)).call(discover, { query: { email: 'ana@meridian.example' } })).realm
    const expected = {
      domain: 'meridian.example',
      kind: 'entra',
      idp: null,
      tenantId: idOf('meridian'),
      authority: `${at.clouds.open.authority}/${idOf('meridian')}/v2.0`,
      domainHint: 'meridian.example',
      org: { id: orgIds['Meridian'], name: 'Meridian' },
      signInUrl: `/login?tenant=${idOf('meridian')}`,
    }
    expect(await read('eve')).toEqual(expected)
    expect(await read(undefined)).toEqual({ ...expected, org: null })
    const ended = await fetch(`${at.service.url}/passport/discovery?domain=meridian.example`, {
      headers: { cookie: `${at.service.services.http.sessionCookie}=of-an-ended-session` },
    })
    expect(ended.headers.get('cache-control')).toBe('no-store')
    expect(await ended.json()).toMatchObject({ realm: { org: null } })
  })

  test.for<[page: string, pathOf: (email: string) => string]>([
    ['GET /passport/discovery', (email) => `/passport/discovery?email=${email}`],
    ['the sign-in page', (email) => `/login?returnUrl=%2Fapp%2F&email=${email}`],
  ])('is equal for known and unknown users, in bytes and in statements: %s', async ([, pathOf]) => {
    const { sql, url } = at.service
    const known = { local: 'known-user-1', email: 'known-user-1@meridian.example' }
    await sql`
      insert into users (id, email, email_verified) values ('known', ${known.email}, true) on conflict do nothing`
    const read = async (local: string, domain: string) => {
      let response = {}
      const statements = await recordStatements(sql, async () => {
        const { status, headers, ...rest } = await fetch(url + pathOf(encodeURIComponent(`${local}@${domain}`)), {
          redirect: 'manual',
        }).then(async (sent) => ({ status: sent.status, headers: sent.headers, body: await sent.text() }))
        // The page and the redirect repeat what the user typed.
        const [location, body] = [headers.get('location'), rest.body].map((text) => text?.replaceAll(local, 'typed'))
        response = { status, location, body }
      })
      // A server reads the newest revision of permissions now and then.
      return { response, statements: statements.filter((text) => !text.includes('from relationship_head')) }
    }
    for (const domain of ['meridian.example', 'marisol.example', 'plain.example', 'nobody.example', 'gone.example']) {
      const expected = await read(known.local, domain)
      expect(expected.statements.length).toBeGreaterThan(0)
      for (let index = 0; index < 10; index++) expect(await read(`unknown-${index}xyz`, domain)).toEqual(expected)
    }
  })
})
