import { listActivity, signOut } from '@passport/contract/accounts'
import { listGroups } from '@passport/contract/groups'
import { createIdentityApi, putIdentityApi, toApiFields } from '@passport/contract/identity-apis'
import * as api from '@passport/contract/personal-tokens'
import type { FieldError } from '@passport/contract/problem'
import { disableUser, enableUser, setUserRoles, signOutUser } from '@passport/contract/users'
import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endAllCredentials } from '../accounts/end-sessions.ts'
import { personalTokenForm } from '../prefixed-token.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { holdTransaction } from '../test-hold.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { sweep } from './store.ts'
import { issuePersonalToken } from './test-personal-token.ts'

let service: TestService
let mailServer: RunningMailServer
let [ada, dev, eve] = [] as unknown as [Visitor, Visitor, Visitor]

const clientSecret = 'a client secret for the tests of personal tokens'
const clients = [
  { clientId: 'shop', clientName: 'Shop', clientSecret, redirectUris: ['https://shop.example/callback'] },
  { clientId: 'market', clientName: 'Market', clientSecret, redirectUris: ['https://market.example/callback'] },
  { clientId: 'game', clientName: 'Game', redirectUris: ['https://game.example/callback'] },
]

beforeAll(async () => {
  mailServer = await startMailServer()
  onFileEnd(mailServer.stop)
  service = await startTestService({
    CLIENTS: JSON.stringify(clients),
    SMTP_URL: mailServer.smtpUrl,
    MAIL_FROM: 'Stage Passport <id@stage.example>',
  })
  ;[ada, dev, eve] = [await service.as('ada'), await service.as('dev'), await service.as('eve')]
})
beforeEach(() => service.sql`delete from personal_tokens`)

const backup = { name: 'Backup', scopes: ['api_vertex_core'], expiresInDays: 30 }
const create = (visitor: Visitor, fields: Partial<typeof backup> = {}) =>
  visitor.call(api.createPersonalToken, { body: { ...backup, ...fields } })
const issue = (visitor: Visitor) => issuePersonalToken(service, visitor)
const list = (visitor: Visitor) => visitor.call(api.listPersonalTokens, {})
const ofUser = ({ id }: Visitor) => ({ params: { userId: id } })

const userPath = '/passport/apphelper/user'
const fetchWith = (token: string, path = userPath, init: RequestInit = {}, scheme = 'Bearer') =>
  fetch(service.url + path, { ...init, headers: { ...init.headers, authorization: `${scheme} ${token}` } })
const statusOf = async (token: string) => (await fetchWith(token)).status
/** Returns the status and the code of an error. */
async function errorOf(sent: Response | Promise<Response>): Promise<unknown[]> {
  const response = await sent
  const { code, error, errors } = (await response.json()) as { code?: string; error?: string; errors?: [FieldError] }
  return [response.status, code ?? error, ...(errors ? [errors[0].field] : [])]
}

async function introspect(token: string, clientId = 'shop'): Promise<Record<string, unknown>> {
  const isPublic = clientId === 'game'
  const response = await fetch(`${service.url}/connect/introspect`, {
    method: 'POST',
    headers: isPublic ? {} : { authorization: `Basic ${btoa(`${clientId}:${encodeURIComponent(clientSecret)}`)}` },
    body: new URLSearchParams({ token, ...(isPublic && { client_id: clientId }) }),
  })
  return (await response.json()) as Record<string, unknown>
}

describe('a personal token', () => {
  test('is returned once, and listed with its scopes, its expiry and its start', async () => {
    const { token, value } = await create(dev, { name: '  Night build ' })
    expect(value).toMatch(/^psp_[0-9A-Za-z]{38}$/)
    expect(token).toEqual({
      id: expect.any(String),
      name: 'Night build',
      start: value.slice(0, 8),
      scopes: [{ name: 'api_vertex_core', description: expect.stringContaining('your profile') }],
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      lastUse: null,
    })
    expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).toBe(30 * 24 * 60 * 60 * 1000)
    expect(await list(dev)).toEqual([token])
    expect(await list(eve)).toEqual([])
  })

  test('is stored as a hash', async () => {
    const { value } = await issue(dev)
    const [row] = await service.sql`select t::text as whole from personal_tokens t`
    expect(row?.['whole']).not.toContain(value.slice(8))
  })

  test('gives its user access to the API', async () => {
    const { value } = await issue(dev)
    const response = await fetchWith(value)
    expect(await response.json()).toMatchObject({ claims: { sub: dev.id }, roles: ['Passport.Developer'] })
    expect((await fetchWith(value, listGroups.path)).status).toBe(200)
  })

  test('has the roles that its user has at each use', async () => {
    const { value } = await issue(eve)
    const readRoles = async () => ((await (await fetchWith(value)).json()) as { roles: string[] }).roles
    expect([await readRoles(), (await introspect(value))['roles']]).toEqual([[], []])
    const setRoles = (roles: string[]) => ada.call(setUserRoles, { ...ofUser(eve), query: {}, body: { roles } })
    await setRoles(['Passport.Developer'])
    expect([await readRoles(), (await introspect(value))['roles']]).toEqual([
      ['Passport.Developer'],
      ['Passport.Developer'],
    ])
    await setRoles([])
    expect(await readRoles()).toEqual([])
  })

  test('never makes its user an administrator', async () => {
    const { value } = await issue(ada)
    expect(await errorOf(fetchWith(value, '/passport/admin/users'))).toEqual([403, 'bearer-not-accepted'])
  })

  test('is refused without a statement if it is mistyped', async () => {
    const value = personalTokenForm.generate()
    const mistyped = [
      value.slice(0, -1),
      `${value}0`,
      value.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
      value.replace(/^psp_./, (start) => (start === 'psp_a' ? 'psp_b' : 'psp_a')),
    ]
    const refuse = async () => {
      for (const token of mistyped) expect(await errorOf(fetchWith(token))).toEqual([401, 'token-invalid'])
    }
    expect(await recordStatements(service.sql, refuse)).toEqual([])
    // The same count finds the one statement for a token that is only unknown.
    expect(await recordStatements(service.sql, () => fetchWith(value))).toHaveLength(1)
  })

  test('is accepted only in the header, as a bearer token', async () => {
    const { value } = await issue(dev)
    const form = { method: 'PUT', body: new URLSearchParams({ access_token: value }) }
    expect(await errorOf(fetch(`${service.url}${userPath}?access_token=${value}`))).toEqual([401, 'not-signed-in'])
    expect((await fetch(`${service.url}/passport/preferences/me/App.Theme`, form)).status).toBe(401)
    const cookie = `${service.services.http.sessionCookie}=${value}`
    expect(await errorOf(fetch(service.url + userPath, { headers: { cookie } }))).toEqual([401, 'not-signed-in'])
    expect(await errorOf(fetchWith(value, userPath, {}, 'DPoP'))).toEqual([401, 'token-invalid'])
    expect((await fetchWith(value, userPath, {}, 'bearer')).status).toBe(200)
  })

  test.for([
    ['GET', '/passport/account/tokens'],
    ['POST', '/passport/account/tokens'],
    ['DELETE', '/passport/account/tokens/x'],
    ['GET', '/passport/account/sessions'],
    ['POST', '/passport/deviceauthorization'],
    ['GET', '/passport/deviceauthorization/events'],
  ])('is not accepted by %s %s', async ([method = '', path]) => {
    const { value } = await issue(dev)
    expect(await errorOf(fetchWith(value, path, { method }))).toEqual([403, 'bearer-not-accepted'])
  })

  test('is not accepted by userinfo, nor as the credential of an introspection', async () => {
    const { value } = await issue(dev)
    expect(await errorOf(fetchWith(value, '/connect/userinfo'))).toEqual([401, 'invalid_token'])
    const other = (await issue(dev)).value
    const body = new URLSearchParams({ token: other })
    const post = { method: 'POST', body }
    expect(await errorOf(fetchWith(value, '/connect/introspect', post))).toEqual([400, 'invalid_request'])
    expect(await errorOf(fetchWith(value, '/connect/revocation', post))).toEqual([400, 'invalid_request'])
    expect(await statusOf(other)).toBe(200)
  })

  test('without the scope of this API is rejected by its calls', async () => {
    const { value } = await issue(dev)
    await service.sql`update personal_tokens set scopes = ${['another.api']}`
    const response = await fetchWith(value)
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="api_vertex_core"')
    expect(await errorOf(response)).toEqual([403, 'scope-missing'])
    expect(await introspect(value)).toEqual({ active: false })
  })

  test('ends at its expiry, is listed for 30 more days, and is then deleted', async () => {
    const { value } = await issue(dev)
    await service.sql`update personal_tokens set expires_at = now() - interval '1 second'`
    expect([await statusOf(value), await introspect(value)]).toEqual([401, { active: false }])
    await sweep(service.sql, 10)
    expect(await list(dev)).toHaveLength(1)
    await service.sql`update personal_tokens set expires_at = now() - interval '30 days 1 second'`
    expect(await sweep(service.sql, 10)).toBe(1)
    expect(await list(dev)).toEqual([])
  })
})

describe('the creation of a personal token', () => {
  test.for([
    'openid',
    'profile',
    'offline_access',
    'passport.admin',
    'passport.admin.read',
    'entitlements.write',
    'permissions.read',
    'no.such.scope',
  ])('rejects the scope %s', async (scope) => {
    const attempt = dev.fetch(api.createPersonalToken.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...backup, scopes: ['api_vertex_core', scope] }),
    })
    expect(await errorOf(attempt)).toEqual([400, 'scope-unavailable', 'scopes'])
    expect(await list(dev)).toEqual([])
  })

  test('offers exactly the scopes that it accepts', async () => {
    const scopes = await dev.call(api.listPersonalTokenScopes, {})
    expect(scopes.map(({ name }) => name)).toEqual(['api_vertex_core'])
  })

  test.for([
    [{ expiresInDays: 0 }, false],
    [{ expiresInDays: 1 }, true],
    [{ expiresInDays: 365 }, true],
    [{ expiresInDays: 366 }, false],
    [{ scopes: [] }, false],
    [{ name: '' }, false],
    [{ name: 'x'.repeat(64) }, true],
    [{ name: 'x'.repeat(65) }, false],
  ] as const)('with %j is valid: %s', async ([fields, isValid]) => {
    const created = create(dev, fields as Partial<typeof backup>)
    if (isValid) expect((await created).value).toMatch(/^psp_/)
    else await expect(created).rejects.toMatchObject({ status: 400 })
  })

  test('is limited to 20 tokens a user, at the same time too; expired ones do not count', async () => {
    for (let count = 1; count < api.maxPersonalTokens; count++) await issue(ada)
    const results = await Promise.allSettled([create(ada), create(ada), create(ada)])
    const rejected = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.problem.code] : []))
    expect(rejected).toEqual(['too-many-personal-tokens', 'too-many-personal-tokens'])
    expect(await list(ada)).toHaveLength(api.maxPersonalTokens)
    await service.sql`
      update personal_tokens set expires_at = now() where id = (select min(id) from personal_tokens)`
    expect((await create(ada)).value).toMatch(/^psp_/)
  })

  test('is recorded, is activity of the account, and is reported by email', async () => {
    mailServer.listMails().length = 0
    const { token } = await create(eve, { name: 'Laptop' })
    const [event] = await service.sql`
      select action, actor_id, target_id, before, after from audit_events order by id desc limit 1`
    expect(event).toEqual({
      action: 'personal-token.created',
      actorId: eve.id,
      targetId: eve.id,
      before: null,
      after: { name: 'Laptop', scopes: 'api_vertex_core', expiresAt: token.expiresAt },
    })
    const { items } = await eve.call(listActivity, { query: { limit: 1 } })
    expect(items).toMatchObject([{ action: 'personal-token.created' }])
    const mail = await mailServer.waitForMailTo('eve@passport.example')
    expect(mail.subject).toMatch(/^New personal token/)
    expect(mail.text).toMatch(
      /The personal token “Laptop” was created for your account\.[\s\S]*IP address: 127\.0\.0\.1/,
    )
    expect(mail.text).toContain('/app/account/tokens')
    expect(mail.text).not.toContain(token.start.slice(4))
  })
})

describe('the expiry of a personal token', () => {
  const remind = () => service.jobs.find(({ name }) => name === 'remind-of-expiry')?.run()
  // Whole milliseconds: the column would round up, and a reminder at once would find the expiry further ahead.
  const setTimes = (name: string, remaining: string, age: string) => service.sql`
    update personal_tokens
    set expires_at = date_trunc('milliseconds', now()) + ${remaining}::interval,
      created_at = date_trunc('milliseconds', now()) + ${remaining}::interval - ${age}::interval
    where name = ${name}`
  const readReminded = async () =>
    (await service.sql`select name from personal_tokens where reminded_at is not null order by name`).map(
      ({ name }) => name,
    )

  test.for([
    ['7 days 00:01', '30 days', false],
    ['7 days', '30 days', true],
    ['6 days 23:59', '30 days', true],
    ['-00:01', '30 days', false],
    ['6 days', '7 days', false],
    ['6 days', '7 days 00:01', true],
  ] as const)('%s ahead, of a token for %s, is reported by email: %s', async ([remaining, age, isReported]) => {
    await issue(dev)
    await setTimes('Backup', remaining, age)
    await remind()
    expect(await readReminded()).toEqual(isReported ? ['Backup'] : [])
  })

  test('is reported once, in one email for all tokens of a user', async () => {
    for (const name of ['Nightly', 'Weekly', 'Later']) await create(eve, { name, expiresInDays: 90 })
    await setTimes('Nightly', '2 days', '90 days')
    await setTimes('Weekly', '5 days', '90 days')
    await expect.poll(async () => (await service.sql`select id from mails where state = 'queued'`).length).toBe(0)
    mailServer.listMails().length = 0
    await Promise.all([remind(), remind()])
    await remind()
    await expect.poll(() => mailServer.listMails().length).toBe(1)
    const mail = await mailServer.waitForMailTo('eve@passport.example')
    expect(mail.subject).toBe('2 personal tokens of your Stage Passport account expire soon')
    expect(mail.text).toMatch(/“Nightly” \(psp_.{4}…\) expires on[\s\S]*“Weekly”/)
    expect(mail.text).not.toContain('Later')
    expect(await readReminded()).toEqual(['Nightly', 'Weekly'])
  })
})

describe('the introspection of a personal token', () => {
  test('returns the user, the current roles and the organisations to a client with a secret', async () => {
    const { value, ...token } = await issue(dev)
    expect(await introspect(value)).toEqual({
      active: true,
      token_use: 'personal',
      token_type: 'Bearer',
      iss: service.services.config.publicUrl,
      aud: `${service.services.config.publicUrl}/passport`,
      sub: dev.id,
      username: 'dev',
      scope: 'api_vertex_core',
      roles: ['Passport.Developer'],
      orgs: [],
      iat: Math.floor(Date.parse(token.createdAt) / 1000),
      exp: Math.floor(Date.parse(token.expiresAt) / 1000),
      jti: token.id,
    })
  })

  test('finds it inactive for a public client, and if it is mistyped or revoked', async () => {
    const { value, ...token } = await issue(dev)
    expect(await introspect(value, 'game')).toEqual({ active: false })
    expect(await introspect(personalTokenForm.generate())).toEqual({ active: false })
    expect(await introspect(`${value.slice(0, -1)}~`)).toEqual({ active: false })
    await dev.call(api.revokePersonalToken, { params: { tokenId: token.id } })
    expect(await introspect(value)).toEqual({ active: false })
  })

  test('of a mistyped one costs no statement besides the rate limit of the client', async () => {
    const value = personalTokenForm.generate()
    const mistyped = value.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
    await introspect(mistyped)
    const statements = await recordStatements(service.sql, () => introspect(mistyped))
    expect(statements.filter((statement) => !statement.includes('rate_limits'))).toEqual([])
  })
})

describe('a personal token for other APIs', () => {
  const scope = (name: string, emphasize = false) => ({ name, description: `Do ${name}`, emphasize })
  const createApi = (name: string, fields: object = {}) => {
    const body = { name, displayName: name, audience: `https://${name}.example`, scopes: [scope(`${name}.read`)] }
    return ada.call(createIdentityApi, { body: { ...body, ...fields } as never })
  }
  const readScopeNames = async () => (await dev.call(api.listPersonalTokenScopes, {})).map(({ name }) => name)

  test('has scopes of enabled APIs that allow every client', async () => {
    await createApi('stage', { scopes: [scope('stage.read'), scope('stage.delete', true)] })
    await createApi('closed', { allowedClients: ['shop'] })
    await createApi('off', { enabled: false })
    expect(await readScopeNames()).toEqual(['api_vertex_core', 'stage', 'stage.read', 'stage.delete'])
    expect(await dev.call(api.listPersonalTokenScopes, {})).toContainEqual({
      name: 'stage.delete',
      description: 'Do stage.delete',
      isEmphasized: true,
    })
    await expect(create(eve, { scopes: ['closed.read'] })).rejects.toMatchObject({ status: 400 })
    await expect(create(eve, { scopes: ['off'] })).rejects.toMatchObject({ status: 400 })
  })

  test('shows each of their resource servers only its own scopes, and opens nothing here', async () => {
    const billing = await createApi('billing', { resourceServers: ['shop'] })
    await createApi('prints')
    const { value, token } = await create(eve, { scopes: ['billing.read', 'prints.read'] })
    expect(token.scopes.map(({ description }) => description)).toEqual(['Do billing.read', 'Do prints.read'])
    expect(await introspect(value)).toMatchObject({ aud: 'https://billing.example', scope: 'billing.read' })
    expect(await introspect(value, 'market')).toEqual({ active: false })
    expect(await errorOf(fetchWith(value))).toEqual([403, 'scope-missing'])

    const fields = toApiFields(billing)
    const change = (more: object) =>
      ada.call(putIdentityApi, { params: { apiId: billing.id }, body: { ...fields, ...more } as never })
    await change({ enabled: false })
    expect(await introspect(value)).toMatchObject({ active: true })
    await change({ scopes: [] })
    expect(await introspect(value)).toEqual({ active: false })
  })
})

describe('the last use of a personal token', () => {
  const readLastUse = async () => (await list(dev))[0]?.lastUse

  test('has the address that called the API', async () => {
    const { value } = await issue(dev)
    await fetchWith(value)
    expect(await readLastUse()).toEqual({ at: expect.any(String), ip: '127.0.0.1', client: null })
  })

  test('has the application that introspected it', async () => {
    const { value } = await issue(dev)
    await introspect(value)
    expect(await readLastUse()).toMatchObject({ ip: '127.0.0.1', client: { id: 'shop', name: 'Shop' } })
  })

  test('is written at most once a minute', async () => {
    const { value } = await issue(dev)
    await fetchWith(value)
    const first = await readLastUse()
    await fetchWith(value)
    expect(await readLastUse()).toEqual(first)
    await service.sql`update personal_tokens set last_used_at = now() - interval '61 seconds', last_used_ip = '::1'`
    await fetchWith(value)
    expect((await readLastUse())?.ip).toBe('127.0.0.1')
  })
})

describe('a personal token is revoked', () => {
  test('by its user, who alone can', async () => {
    const { value, ...token } = await issue(dev)
    const params = { params: { tokenId: token.id } }
    await expect(eve.call(api.revokePersonalToken, params)).rejects.toMatchObject({ status: 404 })
    expect(await statusOf(value)).toBe(200)
    await dev.call(api.revokePersonalToken, params)
    expect(await statusOf(value)).toBe(401)
    await expect(dev.call(api.revokePersonalToken, params)).rejects.toMatchObject({
      problem: { code: 'personal-token-not-found' },
    })
    const [event] = await service.sql`select action, before, after from audit_events order by id desc limit 1`
    expect(event).toEqual({
      action: 'personal-token.revoked',
      before: { name: 'Backup', scopes: 'api_vertex_core', expiresAt: token.expiresAt },
      after: null,
    })
  })

  test('by an administrator, and its user gets an email', async () => {
    const { id, value } = await issue(dev)
    expect(await ada.call(api.listUserPersonalTokens, ofUser(dev))).toMatchObject([{ id, name: 'Backup' }])
    const params = { userId: dev.id, tokenId: id }
    await ada.call(api.revokeUserPersonalToken, { params })
    expect(await statusOf(value)).toBe(401)
    const [event] = await service.sql`
      select action, actor_id as actor, target_id as target from audit_events order by id desc limit 1`
    expect(event).toEqual({ action: 'personal-token.revoked', actor: ada.id, target: dev.id })
    await expect
      .poll(() => mailServer.listMails().map(({ subject, recipients }) => [recipients[0], subject]))
      .toContainEqual(['dev@passport.example', expect.stringMatching(/^Personal token revoked/)])
    await expect(ada.call(api.revokeUserPersonalToken, { params })).rejects.toMatchObject({ status: 404 })
    const unknown = ada.call(api.listUserPersonalTokens, { params: { userId: 'nobody' } })
    await expect(unknown).rejects.toMatchObject({ problem: { code: 'user-not-found' } })
  })

  test('when its user is disabled, and stays so when they are enabled', async () => {
    const { value } = await issue(eve)
    await ada.call(disableUser, { ...ofUser(eve), query: {} })
    expect([await statusOf(value), await introspect(value)]).toEqual([401, { active: false }])
    await ada.call(enableUser, { ...ofUser(eve), query: {} })
    expect(await statusOf(value)).toBe(401)
    eve = await service.as('eve')
  })

  test('before it exists, if its session ends at that moment', async () => {
    const release = await holdTransaction(service.sql, (sql) => endAllCredentials(sql, [eve.id]))
    const created = create(eve).catch((error: unknown) => error)
    const isWaiting = async () => (await service.sql`select from pg_locks where not granted`).length > 0
    await expect.poll(isWaiting).toBe(true)
    await release()
    expect(await created).toMatchObject({ status: 401 })
    eve = await service.as('eve')
    expect(await list(eve)).toEqual([])
  })

  test('when its user signs out everywhere, if asked', async () => {
    const visitor = await service.as('eve')
    const { value } = await issue(visitor)
    await visitor.call(signOut, { body: { personalTokens: true } })
    expect(await statusOf(value)).toBe(200)
    eve = await service.as('eve')
    await (await service.as('eve')).call(signOut, { body: { everywhere: true } })
    expect(await statusOf(value)).toBe(200)
    await (await service.as('eve')).call(signOut, { body: { everywhere: true, personalTokens: true } })
    expect(await statusOf(value)).toBe(401)
    const [event] = await service.sql`select after from audit_events order by id desc limit 1`
    expect(event?.['after']).toMatchObject({ personalTokens: 1 })
    eve = await service.as('eve')
  })

  test('when an administrator signs the user out everywhere, if asked', async () => {
    const { value } = await issue(dev)
    expect(await ada.call(signOutUser, { ...ofUser(dev), body: {} })).toMatchObject({ personalTokens: 0 })
    expect(await statusOf(value)).toBe(200)
    const ended = await ada.call(signOutUser, { ...ofUser(dev), body: { personalTokens: true } })
    expect(ended).toEqual({ sessions: 0, personalTokens: 1 })
    expect(await statusOf(value)).toBe(401)
    dev = await service.as('dev')
  })
})
