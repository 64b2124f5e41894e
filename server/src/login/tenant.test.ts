import * as accountsApi from '@passport/contract/accounts'
import { listAuditEntries } from '@passport/contract/audit'
import { getCurrentUser } from '@passport/contract/current-user'
import * as entraApi from '@passport/contract/entra'
import * as groupsApi from '@passport/contract/groups'
import type { EntraMapping } from '@passport/contract/org-entra'
import { deleteOrg, getOrg, restoreOrg } from '@passport/contract/orgs'
import { listRoleMembers } from '@passport/contract/roles'
import { createScimToken } from '@passport/contract/scim'
import { getUserAccess } from '@passport/contract/users'
import { createTestBrowser, type ShownPage, type TestBrowser } from '@passport/world/browser'
import type { EntraFault, EntraPerson, EntraTenant } from '@passport/world/entra/entra'
import { guidOf } from '@passport/world/entra/tenants'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { answerConsent, createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import { newUser, patch } from '../scim/test-client.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import { demoPassword } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'

let entra: EntraService

const shop = { clientId: 'shop', clientSecret: 'the secret of the shop, which is long' }
const shopUri = 'https://shop.example/callback'

/** Signs the user of a browser in to an application with a refresh token. Returns a function that refreshes its tokens. */
async function openShop(browser: TestBrowser) {
  const { url } = entra.service
  const configuration = await client.discovery(new URL(url), shop.clientId, shop.clientSecret, undefined, {
    execute: [client.allowInsecureRequests],
  })
  const codeVerifier = client.randomPKCECodeVerifier()
  const request = client.buildAuthorizationUrl(configuration, {
    redirect_uri: shopUri,
    scope: 'openid api_vertex_core',
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  })
  const response = await browser.send(request.href)
  const callback = new URL(response.headers.get('location') ?? '', url)
  let tokens = await client.authorizationCodeGrant(configuration, callback, { pkceCodeVerifier: codeVerifier })
  return async () => {
    tokens = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '')
    return decodeJwt<{ roles: string[] }>(tokens.access_token)
  }
}

const createPerson = (name: string, domain: string, more: Partial<EntraPerson> = {}): EntraPerson => ({
  oid: guidOf(`${name} at ${domain}`),
  name,
  email: `${name.toLowerCase()}@${domain}`,
  upn: `${name.toLowerCase()}@${domain}`,
  ...more,
})

let serial = 0
/** Adds a tenant with people to a cloud. */
function addTenant({ names = ['Ana'], cloud = 'AzurePublic' } = {}): EntraTenant {
  const tenant = createTenant(++serial)
  tenant.people = names.map((name) => createPerson(name, tenant.defaultDomain))
  entra.clouds[cloud]?.tenants.push(tenant)
  return tenant
}

const openBrowser = () => createTestBrowser(entra.service.url)
const callFrom = (browser: TestBrowser) => createBrowserCall(entra.service.url, browser)
const currentUser = (browser: TestBrowser) => callFrom(browser)(getCurrentUser, {})

const signIn = (browser: TestBrowser, { id }: EntraTenant, person: EntraPerson | undefined, more = '') =>
  browser.open(`/login?tenant=${id}&login_hint=${encodeURIComponent(person?.email ?? '')}${more}`)

/** A browser with the session of the administrator. */
function openAdministratorBrowser() {
  const browser = openBrowser()
  const [name = '', value = ''] = entra.ada.cookie.split('=')
  browser.setCookie(name, value)
  return browser
}

/** Creates the organisation of a tenant, with consent. */
async function createOrg({ id: tenantId }: EntraTenant): Promise<string> {
  const { org, consentUrl } = await entra.ada.call(entraApi.createEntraOrg, { body: { tenantId } })
  await entra.ada.fetch(await answerConsent(consentUrl))
  return org.id
}

/** Starts a test sign-in in a browser of the administrator; returns the URL that leads to the sign-in of a person. */
async function startTest(orgId: string, person: EntraPerson | undefined) {
  const browser = openAdministratorBrowser()
  const { url } = await callFrom(browser)(entraApi.startEntraTest, { params: { orgId } })
  return { browser, url: `${url}&login_hint=${person?.email}` }
}

/** Creates the organisation of a tenant, whose users can sign in. */
async function enableTenant(tenant: EntraTenant): Promise<string> {
  const orgId = await createOrg(tenant)
  await entra.service.sql`update entra_connections set tested_at = now() where org_id = ${orgId}`
  await entra.ada.call(entraApi.enableEntra, { params: { orgId } })
  return orgId
}

let groupSerial = 0
/** Creates a group, with a role if given. */
async function createGroup(role?: string): Promise<string> {
  const body = { name: `Target ${++groupSerial}`, description: '', members: [], owners: [] }
  const { id } = await entra.ada.call(groupsApi.createGroup, { body })
  if (role)
    await entra.ada.call(groupsApi.putGroupRoles, { params: { groupId: id }, query: {}, body: { roles: [role] } })
  return id
}

const map = (orgId: string, mappings: EntraMapping[]) =>
  entra.ada.call(entraApi.putEntra, { params: { orgId }, query: {}, body: { allowGuests: false, mappings } })

/** Returns the memberships of a user in groups, and their direct roles. */
async function readAccess(userId: string) {
  const { sql } = entra.service
  const groups = await sql`select group_id from group_members where user_id = ${userId} order by group_id`
  const roles = await sql`select role from role_members where user_id = ${userId} order by role`
  return [...groups.map((row) => row['groupId']), ...roles.map((row) => row['role'])]
}

const listFailures = (idp: string) => entra.service.sql`
  select after, reason, trace_id from audit_events
  where action = 'signin.failed' and after ->> 'idp' = ${idp} order by at`

beforeAll(async () => {
  const clients = [{ ...shop, clientName: 'Shop', redirectUris: [shopUri], consent: 'skip' }]
  const env = { CLIENTS: JSON.stringify(clients) }
  entra = await startEntraService({ otherClouds: ['AzureUSGovernment'], tenants: [], env })
})
beforeEach(() => {
  for (const cloud of Object.values(entra.clouds)) cloud.setFault('none')
})

const expectSignedIn = (page: ShownPage) => expect(page.url).toContain('/app/login?returnUrl=')

describe('signing in through the tenant of an organisation', () => {
  test('creates an account and a membership at the first sign-in, and finds them the next time', async () => {
    const tenant = addTenant()
    const [ana] = tenant.people
    const orgId = await enableTenant(tenant)
    const browser = openBrowser()
    const page = await signIn(browser, tenant, ana, '&returnUrl=%2Fapp%2Faccount')
    expect(page.url).toBe(`${entra.service.url}/app/login?returnUrl=${encodeURIComponent('/app/account')}`)
    const user = await currentUser(browser)
    expect(user).toMatchObject({
      claims: { idp: `entra:${tenant.id}`, idp_name: tenant.displayName, name: 'Ana', email: ana?.email },
      orgs: [{ id: orgId, name: tenant.displayName, role: 'member' }],
    })
    const [row] = await entra.service.sql`
      select u.email_verified, l.issuer, l.subject, l.provider_id from users u join logins l on l.user_id = u.id
      where u.id = ${user.claims.sub}`
    expect(row).toEqual({
      emailVerified: true,
      issuer: `entra:${tenant.id}`,
      subject: ana?.oid,
      providerId: `entra:${tenant.id}`,
    })
    const [session] = await callFrom(browser)(accountsApi.listSessions, {})
    expect(session).toMatchObject({ idp: `entra:${tenant.id}`, idpName: tenant.displayName })
    const [login] = await callFrom(browser)(accountsApi.listLogins, {})
    expect(login).toMatchObject({ provider: { id: `entra:${tenant.id}`, name: tenant.displayName } })
    const { items } = await callFrom(browser)(accountsApi.listActivity, { query: { limit: 1 } })
    expect(items[0]).toMatchObject({ action: 'signin.succeeded', idpName: tenant.displayName })
    const again = openBrowser()
    await signIn(again, tenant, ana)
    expect((await currentUser(again)).claims.sub).toBe(user.claims.sub)
  })

  test('of one new user in concurrent tabs creates one account with one membership', async () => {
    const tenant = addTenant()
    const orgId = await enableTenant(tenant)
    const ids = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const tab = openBrowser()
        expectSignedIn(await signIn(tab, tenant, tenant.people[0]))
        return (await currentUser(tab)).claims.sub
      }),
    )
    expect(new Set(ids).size).toBe(1)
    expect(await entra.ada.call(getOrg, { params: { orgId } })).toMatchObject({ memberCount: 1 })
  })

  test('is named after the organisation in the audit log', async () => {
    const tenant = addTenant()
    await enableTenant(tenant)
    const browser = openBrowser()
    await signIn(browser, tenant, tenant.people[0])
    const actor = (await currentUser(browser)).claims.sub
    const query = { actor, action: 'signin.succeeded' }
    const { items } = await entra.ada.call(listAuditEntries, { query })
    expect(items).toMatchObject([{ names: { [`entra:${tenant.id}`]: tenant.displayName } }])
  })

  test('never finds an account by email, and trusts only addresses at a domain of the organisation', async () => {
    const tenant = addTenant({ names: [] })
    const eve = { ...createPerson('Eve', tenant.defaultDomain), email: 'eve@passport.example' }
    tenant.people.push(eve)
    await enableTenant(tenant)
    const browser = openBrowser()
    expectSignedIn(await signIn(browser, tenant, eve))
    const { sub, email } = (await currentUser(browser)).claims
    expect(email).toBe('eve@passport.example')
    expect(sub).not.toBe((await entra.service.as('eve')).id)
    const [row] = await entra.service.sql`select email_verified from users where id = ${sub}`
    expect(row).toEqual({ emailVerified: false })
  })

  test.for<[EntraFault, number, string, string]>([
    ['foreign-tid', 403, 'tenant-mismatch', 'The response came from another organisation'],
    ['wrong-token-issuer', 400, 'issuer-wrong', 'The response came from another issuer'],
    ['key-issuer-mismatch', 502, 'key-issuer-wrong', 'The response was signed with the key of another issuer'],
    ['metadata-issuer-changed', 400, 'issuer-wrong', 'The response came from another issuer'],
    ['invalid-tenant', 502, 'provider-unreachable', 'is not responding'],
    ['guest', 403, 'guest-refused', 'cannot sign in'],
    ['missing-oid', 502, 'answer-invalid', 'is invalid'],
    ['wrong-nonce', 502, 'answer-invalid', 'is invalid'],
    ['wrong-audience', 502, 'answer-invalid', 'is invalid'],
    ['forged-signature', 502, 'answer-invalid', 'is invalid'],
    ['unpublished-key', 502, 'answer-invalid', 'is invalid'],
    ['clock-far-ahead', 502, 'clock-skew', 'The clocks differ'],
    ['long-expired', 502, 'clock-skew', 'The clocks differ'],
    ['cancelled', 403, 'cancelled', 'Sign-in was cancelled'],
  ])('fails with %s, on a page of its own with a support code', async ([fault, status, code, sentence]) => {
    const tenant = addTenant()
    await enableTenant(tenant)
    entra.entra.setFault(fault, { tenantId: tenant.id })
    const browser = openBrowser()
    const page = await signIn(browser, tenant, tenant.people[0])
    expect(page.status).toBe(status)
    expect(page.text).toContain(sentence)
    expect(page.text).toMatch(/[0-9A-F]{4}-[0-9A-F]{4}/)
    expect(await browser.send('/passport/apphelper/user')).toMatchObject({ status: 401 })
    expect(await listFailures(`entra:${tenant.id}`)).toMatchObject([
      { reason: code, after: { domain: tenant.defaultDomain } },
    ])
    entra.entra.setFault('none')
    const retry = /href="(\/login\?[^"]*tenant=[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expectSignedIn(await browser.open(`${retry}&login_hint=${tenant.people[0]?.email}`))
  })

  test.for<EntraFault>(['clock-ahead', 'expired', 'rotated-key', 'auth-time'])('accepts %s', async (fault) => {
    const tenant = addTenant()
    await enableTenant(tenant)
    expectSignedIn(await signIn(openBrowser(), tenant, tenant.people[0]))
    entra.entra.setFault(fault, { tenantId: tenant.id })
    expectSignedIn(await signIn(openBrowser(), tenant, tenant.people[0]))
  })

  test('lets guests in if the organisation allows them', async () => {
    const tenant = addTenant({ names: [] })
    const guest = createPerson('Gus', 'partner.example', { guest: true })
    tenant.people.push(guest)
    const orgId = await enableTenant(tenant)
    expect((await signIn(openBrowser(), tenant, guest)).text).toContain('Guests of')
    await entra.ada.call(entraApi.putEntra, { params: { orgId }, query: {}, body: { allowGuests: true, mappings: [] } })
    expectSignedIn(await signIn(openBrowser(), tenant, guest))
  })

  test('is offered to a user with another account whose address is at a domain of the organisation', async () => {
    const tenant = addTenant()
    const orgId = await enableTenant(tenant)
    const eve = await entra.service.as('eve')
    const [before] = await entra.service.sql`select email from users where id = ${eve.id}`
    const listNames = async () => (await eve.call(accountsApi.listLoginProviders, {})).map(({ name }) => name)
    expect(await listNames()).toEqual(['Passport'])
    await entra.service.sql`update users set email = ${`eve@${tenant.defaultDomain}`} where id = ${eve.id}`
    expect(await listNames()).toEqual(['Passport', tenant.displayName])
    await entra.ada.call(entraApi.disableEntra, { params: { orgId } })
    expect(await listNames()).toEqual(['Passport'])
    await entra.service.sql`update users set email = ${before?.['email']} where id = ${eve.id}`
  })

  test('shows the choice page for a tenant that is unknown, not enabled, or of a deleted organisation', async () => {
    const tenant = addTenant()
    const orgId = await createOrg(tenant)
    const expectChoice = async (id: string) => {
      const page = await openBrowser().open(`/login?tenant=${id}`)
      expect(page.text).toContain('Continue with Passport')
      expect(page.text).toMatch(/href="\/login\?idp=local"/)
    }
    await expectChoice(tenant.id)
    await expectChoice(guidOf('nobody'))
    await expectChoice('not-a-guid')
    await entra.service.sql`update entra_connections set tested_at = now() where org_id = ${orgId}`
    await entra.ada.call(entraApi.enableEntra, { params: { orgId } })
    await entra.ada.call(deleteOrg, { params: { orgId }, query: {} })
    await expectChoice(tenant.id)
  })

  test('works in two clouds, each with its own authority', async () => {
    const tenant = addTenant({ cloud: 'AzureUSGovernment' })
    await enableTenant(tenant)
    const browser = openBrowser()
    expectSignedIn(await signIn(browser, tenant, tenant.people[0]))
    const authority = entra.clouds['AzureUSGovernment']?.authority
    expect(browser.visitedUrls.some((url) => url.startsWith(`${authority}/${tenant.id}/`))).toBe(true)
  })

  test('proves a recent authentication by a forced sign-in only', async () => {
    const tenant = addTenant()
    await enableTenant(tenant)
    const browser = openBrowser()
    const [ana] = tenant.people
    await signIn(browser, tenant, ana)
    const check = () => browser.send('/passport/account/recentauthentication')
    expect((await check()).status).toBe(401)
    const hint = encodeURIComponent(ana?.email ?? '')
    expectSignedIn(await browser.open(`/login?idp=entra:${tenant.id}&prompt=login&login_hint=${hint}`))
    expect(browser.visitedUrls.some((url) => url.includes('/authorize?') && url.includes('prompt=login'))).toBe(true)
    expect((await check()).status).toBe(204)
  })

  test('is signed out of the tenant too', async () => {
    const tenant = addTenant()
    await enableTenant(tenant)
    const browser = openBrowser()
    await signIn(browser, tenant, tenant.people[0])
    const { endSessionUrl } = await callFrom(browser)(accountsApi.signOut, { body: {} })
    expect(endSessionUrl).toContain(`${entra.entra.authority}/${tenant.id}/oauth2/v2.0/logout?`)
  })

  test('runs the same number of statements for each known user, few more than at other providers', async () => {
    const tenant = addTenant({ names: ['Ana', 'Ben'] })
    await enableTenant(tenant)
    const count = async (person: EntraPerson | undefined) =>
      (await recordStatements(entra.service.sql, () => signIn(openBrowser(), tenant, person))).length
    for (const person of tenant.people) await signIn(openBrowser(), tenant, person)
    const counts = [await count(tenant.people[0]), await count(tenant.people[1])]
    expect(counts[0]).toBe(counts[1])
    expect(counts[0]).toBeLessThanOrEqual(40)
    const local = await recordStatements(entra.service.sql, async () => {
      const browser = openBrowser()
      await browser.submit(await browser.open('/login?idp=local'), { name: 'eve', password: demoPassword })
    })
    expect(local).toContainEqual(expect.stringContaining('from directory_people'))
    expect(local.filter((statement) => /entra|org_domains|verified_domains/.test(statement))).toEqual([])
  })
})

describe('mappings', () => {
  const crew = guidOf('crew')

  beforeAll(async () => {
    for (const role of ['Crew.Lead', 'Crew.Editor', 'Crew.Auditor'])
      await entra.service.sql`insert into roles (name, description) values (${role}, '')`
  })

  /** Signs in a new person of a new tenant with these groups and app roles. */
  async function signInWith(claims: Pick<EntraPerson, 'groups' | 'roles'>) {
    const tenant = addTenant()
    const [person] = tenant.people
    if (!person) throw new Error('The tenant has no person')
    Object.assign(person, claims)
    const orgId = await enableTenant(tenant)
    const browser = openBrowser()
    expectSignedIn(await signIn(browser, tenant, person))
    const { sub } = (await currentUser(browser)).claims
    return { tenant, person, orgId, browser, userId: sub, again: () => signIn(openBrowser(), tenant, person) }
  }

  test('give groups and roles at the sign-in, and take them at the first one without', async () => {
    const { person, orgId, userId, again, browser } = await signInWith({ groups: [], roles: [] })
    const groupId = await createGroup('Crew.Editor')
    await map(orgId, [
      { groupObjectId: crew, groupId },
      { appRole: 'Lead', role: 'Crew.Lead' },
    ])
    expect(await readAccess(userId)).toEqual([])
    Object.assign(person, { groups: [crew], roles: ['Lead'] })
    await again()
    expect(await readAccess(userId)).toEqual([groupId, 'Crew.Lead'])
    expect((await currentUser(browser)).roles).toEqual(['Crew.Editor', 'Crew.Lead'])
    const by = { id: orgId, name: expect.any(String) }
    expect(await entra.ada.call(getUserAccess, { params: { userId } })).toMatchObject({
      groups: [{ id: groupId, source: 'mapping' }],
      roles: [{ name: 'Crew.Editor' }, { name: 'Crew.Lead', sources: [{ kind: 'direct', source: 'mapping', by }] }],
    })
    const holders = await entra.ada.call(listRoleMembers, { params: { name: 'Crew.Lead' }, query: {} })
    expect(holders.items).toMatchObject([{ id: userId, direct: { source: 'mapping', by } }])
    const events = await entra.service.sql`
      select action, actor_id, reason from audit_events
      where reason = 'mapping' and (target_id = ${groupId} or target_id = ${userId}) order by action`
    expect(events).toEqual([
      { action: 'group.members-added', actorId: null, reason: 'mapping' },
      { action: 'role.granted', actorId: null, reason: 'mapping' },
    ])
    Object.assign(person, { groups: [], roles: [] })
    await again()
    expect(await readAccess(userId)).toEqual([])
    const [group] = await entra.service.sql`select member_count, version::integer from groups where id = ${groupId}`
    expect(group).toMatchObject({ memberCount: 0 })
  })

  test('apply to signed-in users at once when they are saved, and a preview says how', async () => {
    const { orgId, userId, browser } = await signInWith({ groups: [crew], roles: ['Lead'] })
    const body = { allowGuests: false, mappings: [{ appRole: 'Lead', role: 'Crew.Lead' }] }
    const preview = await entra.ada.fetch(`/passport/admin/orgs/${orgId}/entra?preview=true`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(await preview.json()).toMatchObject({ gains: [{ role: 'Crew.Lead', people: 1 }], loses: [] })
    expect(await readAccess(userId)).toEqual([])
    const refresh = await openShop(browser)
    await map(orgId, [{ appRole: 'Lead', role: 'Crew.Lead' }])
    expect((await currentUser(browser)).roles).toEqual(['Crew.Lead'])
    expect((await refresh()).roles).toEqual(['Crew.Lead'])
    await map(orgId, [])
    expect((await currentUser(browser)).roles).toEqual([])
    expect((await refresh()).roles).toEqual([])
  })

  test('leave manual memberships and roles, and put back what was removed by hand', async () => {
    const { orgId, userId, again } = await signInWith({ groups: [crew] })
    const [manual, mapped] = [await createGroup(), await createGroup()]
    await entra.ada.call(groupsApi.addGroupMembers, {
      params: { groupId: manual },
      query: {},
      body: { members: [userId] },
    })
    await map(orgId, [
      { groupObjectId: crew, groupId: manual },
      { groupObjectId: crew, groupId: mapped },
    ])
    expect((await readAccess(userId)).sort()).toEqual([manual, mapped].sort())
    await entra.ada.call(groupsApi.removeGroupMembers, {
      params: { groupId: mapped },
      query: {},
      body: { members: [userId] },
    })
    await again()
    expect((await readAccess(userId)).sort()).toEqual([manual, mapped].sort())
    const [listed, other] = await Promise.all(
      [mapped, manual].map((id) => entra.ada.call(groupsApi.getGroup, { params: { id } })),
    )
    expect(listed?.members).toMatchObject([{ id: userId, source: 'mapping' }])
    expect(other?.members[0]).not.toHaveProperty('source')
    await map(orgId, [])
    expect(await readAccess(userId)).toEqual([manual])
  })

  test('of two organisations for the same target count as long as one of them gives it', async () => {
    const first = await signInWith({ groups: [crew] })
    const second = addTenant()
    Object.assign(second.people[0] ?? {}, { groups: [crew] })
    const secondOrgId = await enableTenant(second)
    const groupId = await createGroup()
    await map(first.orgId, [{ groupObjectId: crew, groupId }])
    await map(secondOrgId, [{ groupObjectId: crew, groupId }])
    await entra.service.sql`update sessions set auth_time = now() where user_id = ${first.userId}`
    const providers = () => callFrom(first.browser)(accountsApi.listLoginProviders, {})
    const [local, own] = [
      { id: 'local', name: 'Passport' },
      { id: `entra:${first.tenant.id}`, name: first.tenant.displayName },
    ]
    expect(await providers()).toEqual([local, own])
    const { authorizationUrl } = await callFrom(first.browser)(accountsApi.linkLogin, {
      body: { idp: `entra:${second.id}` },
    })
    const page = await first.browser.open(`${authorizationUrl}&login_hint=${second.people[0]?.email}`)
    expect(page.url).toBe(`${entra.service.url}/app/account/logins?linked=entra:${second.id}`)
    expect((await currentUser(first.browser)).orgs).toHaveLength(2)
    expect(await providers()).toHaveLength(3)
    await map(first.orgId, [])
    expect(await readAccess(first.userId)).toEqual([groupId])
    const logins = await callFrom(first.browser)(accountsApi.listLogins, {})
    const id = logins.find(({ provider }) => provider.id === `entra:${second.id}`)?.id ?? ''
    await callFrom(first.browser)(accountsApi.unlinkLogin, { params: { id } })
    expect(await readAccess(first.userId)).toEqual([])
  })

  test('do not come back by a link to the login, once SCIM ended the membership', async () => {
    const { browser, userId } = await signInWith({})
    const second = addTenant()
    const [person] = second.people
    const orgId = await enableTenant(second)
    await map(orgId, [{ groupObjectId: crew, groupId: await createGroup() }])
    const link = async () => {
      await entra.service.sql`update sessions set auth_time = now() where user_id = ${userId}`
      const body = { idp: `entra:${second.id}` }
      const { authorizationUrl } = await callFrom(browser)(accountsApi.linkLogin, { body })
      return browser.open(`${authorizationUrl}&login_hint=${person?.email}`)
    }
    const listOrgs = async () => (await currentUser(browser)).orgs.map(({ id }) => id)
    expect((await link()).status).toBe(200)
    expect(await listOrgs()).toContain(orgId)
    const { value } = await entra.ada.call(createScimToken, {
      params: { orgId },
      body: { name: 'Test', expiresInDays: 1 },
    })
    const send = async (method: string, path: string, body: object) => {
      const headers = { authorization: `Bearer ${value}`, 'content-type': 'application/scim+json' }
      const url = `${entra.service.url}/passport/scim/v2/${orgId}/${path}`
      return (await (await fetch(url, { method, headers, body: JSON.stringify(body) })).json()) as { id: string }
    }
    const provisioned = await send('POST', 'Users', { ...newUser(person?.email ?? ''), externalId: person?.oid })
    expect(provisioned.id).toBe(userId)
    const setActive = (value: boolean) =>
      send('PATCH', `Users/${userId}`, patch({ op: 'replace', path: 'active', value }))
    await setActive(false)
    expect(await listOrgs()).not.toContain(orgId)
    expect(await link()).toMatchObject({ status: 403 })
    expect(await listOrgs()).not.toContain(orgId)
    await setActive(true)
    expect(await listOrgs()).toContain(orgId)
    expect((await link()).status).toBe(200)
  })

  test('end while the organisation is deleted', async () => {
    const { orgId, userId } = await signInWith({ roles: ['Lead'] })
    await map(orgId, [{ appRole: 'Lead', role: 'Crew.Lead' }])
    await entra.ada.call(deleteOrg, { params: { orgId }, query: {} })
    expect(await readAccess(userId)).toEqual([])
    await entra.ada.call(restoreOrg, { params: { orgId }, query: {}, body: {} })
    expect(await readAccess(userId)).toEqual(['Crew.Lead'])
  })

  test('never give a built-in role, even to a group that got one', async () => {
    const { orgId, userId, again } = await signInWith({ groups: [crew] })
    const groupId = await createGroup()
    await map(orgId, [{ groupObjectId: guidOf('nobody'), groupId }])
    await entra.service.sql`insert into group_roles (group_id, role) values (${groupId}, 'Passport.Admin')`
    await entra.service.sql`
      update entra_connections set mappings = ${entra.service.sql.json([
        { groupObjectId: crew, groupId },
        { groupObjectId: crew, role: 'Passport.Admin' },
      ])} where org_id = ${orgId}`
    await again()
    expect(await readAccess(userId)).toEqual([])
  })

  test('know all groups of a user in too many of them, or refuse the sign-in', async () => {
    const groups = Array.from({ length: 250 }, (_, index) => guidOf(`project ${index}`))
    const { orgId, userId, again, tenant } = await signInWith({ groups })
    const groupId = await createGroup()
    await map(orgId, [{ groupObjectId: guidOf('project 249'), groupId }])
    expectSignedIn(await again())
    expect(await readAccess(userId)).toEqual([groupId])
    for (const fault of ['overage-refused', 'overage-implicit'] as const) {
      entra.entra.setFault(fault, { tenantId: tenant.id })
      const page = await again()
      if (fault === 'overage-implicit') expectSignedIn(page)
      else expect(page.text).toContain('Your groups could not be read')
    }
    expect(await readAccess(userId)).toEqual([groupId])
    entra.entra.revokeConsent(tenant.id)
    expect((await again()).text).toContain('Microsoft Graph did not list them')
    expect(await listFailures(`entra:${tenant.id}`)).toMatchObject([
      { reason: 'groups-unavailable' },
      { reason: 'groups-unavailable' },
    ])
  })
})

describe('a test sign-in', () => {
  test('records that it passed, without a session, an account or a membership', async () => {
    const tenant = addTenant()
    const orgId = await createOrg(tenant)
    const params = { orgId }
    await expect(entra.ada.call(entraApi.enableEntra, { params })).rejects.toMatchObject({
      body: { code: 'test-missing' },
    })
    const { browser, url } = await startTest(orgId, tenant.people[0])
    const { count: before } = (await entra.service.sql`select count(*)::integer as count from users`)[0] as {
      count: number
    }
    expect((await browser.open(url)).url).toBe(`${entra.service.url}/app/admin/orgs/${orgId}?test=passed`)
    const org = await entra.ada.call(getOrg, { params })
    expect(org).toMatchObject({ memberCount: 0, entra: { testedAt: expect.any(String) } })
    expect((await currentUser(browser)).claims.sub).toBe(entra.ada.id)
    expect(await entra.service.sql`select id from logins where issuer = ${`entra:${tenant.id}`}`).toEqual([])
    expect((await entra.service.sql`select count(*)::integer as count from users`)[0]).toEqual({ count: before })
    const [event] = await entra.service.sql`
      select actor_id, before, after from audit_events where action = 'org.entra-tested' and target_id = ${orgId}`
    expect(event).toEqual({
      actorId: entra.ada.id,
      before: { testedAt: null },
      after: { testedAt: org.entra?.testedAt },
    })
    await entra.ada.call(entraApi.enableEntra, { params })
  })

  test('warns of an email address that is at no domain of the organisation, or missing', async () => {
    const tenant = addTenant({ names: [] })
    const own = createPerson('Ana', tenant.defaultDomain)
    const people = {
      unverified: { ...own, email: 'ana@elsewhere.example' },
      missing: { ...own, email: '', upn: 'ana' },
    }
    const orgId = await createOrg(tenant)
    for (const [address, person] of Object.entries(people)) {
      tenant.people = [person]
      const { browser, url } = await startTest(orgId, undefined)
      const page = await browser.open(url.replace(/login_hint=.*$/, `login_hint=${person.oid}`))
      expect(page.url).toBe(`${entra.service.url}/app/admin/orgs/${orgId}?test=passed&address=${address}`)
      // The same response once more, such as after Back.
      expect((await browser.open(browser.visitedUrls.findLast((url) => url.includes('?code=')) ?? '')).url).toBe(
        page.url,
      )
    }
  })

  test('returns to the organisation with the reason of its failure', async () => {
    const tenant = addTenant()
    const orgId = await createOrg(tenant)
    entra.entra.setFault('foreign-tid', { tenantId: tenant.id })
    const { browser, url } = await startTest(orgId, tenant.people[0])
    const page = await browser.open(url)
    expect(page.url).toMatch(/\?test=failed&code=tenant-mismatch&support=[0-9A-F]{4}-[0-9A-F]{4}$/)
    expect((await entra.ada.call(getOrg, { params: { orgId } })).entra?.testedAt).toBeNull()
    const [event] = await entra.service.sql`
      select reason from audit_events where action = 'signin.failed' and target_id = ${orgId}`
    expect(event).toEqual({ reason: 'tenant-mismatch' })
  })

  test('counts only in the session of the administrator who started it', async () => {
    const tenant = addTenant()
    const orgId = await createOrg(tenant)
    const { browser, url } = await startTest(orgId, tenant.people[0])
    const other = await entra.service.as('max')
    const [name = '', value = ''] = other.cookie.split('=')
    browser.setCookie(name, value)
    expect((await browser.open(url)).text).toContain('Your session has changed')
    expect((await entra.ada.call(getOrg, { params: { orgId } })).entra?.testedAt).toBeNull()
  })

  test('is refused for an organisation without a tenant', async () => {
    const start = entra.ada.call(entraApi.startEntraTest, { params: { orgId: 'nobody' } })
    await expect(start).rejects.toMatchObject({ status: 404 })
  })
})

describe('the sessions of a tenant', () => {
  const isSignedIn = async (browser: TestBrowser) => (await browser.send('/passport/apphelper/user')).status === 200

  test('end when sign-in is disabled; a response that is under way is refused', async () => {
    const tenant = addTenant()
    const orgId = await enableTenant(tenant)
    const [browser, late] = [openBrowser(), openBrowser()]
    await signIn(browser, tenant, tenant.people[0])
    const response = await late.send(`/login?tenant=${tenant.id}&login_hint=${tenant.people[0]?.email}`)
    expect(await isSignedIn(browser)).toBe(true)
    const refresh = await openShop(browser)
    await refresh()
    await entra.ada.call(entraApi.disableEntra, { params: { orgId } })
    expect(await isSignedIn(browser)).toBe(false)
    await expect(refresh()).rejects.toMatchObject({ error: 'invalid_grant' })
    const page = await late.open(response.headers.get('location') ?? '')
    expect(page.status).toBe(403)
    expect(page.text).toContain(`Sign-in with ${tenant.displayName} is disabled`)
    await entra.ada.call(entraApi.enableEntra, { params: { orgId } })
    expectSignedIn(await signIn(browser, tenant, tenant.people[0]))
  })

  test('do not start once sign-in is disabled, even if the tenant responds late', async () => {
    const tenant = addTenant()
    const orgId = await enableTenant(tenant)
    const browser = openBrowser()
    const isToken = ({ path }: { path: string }) => path === `/${tenant.id}/oauth2/v2.0/token`
    const countTokens = () => entra.entra.requests.filter(isToken).length
    const before = countTokens()
    entra.entra.setFault('slow', { path: /oauth2\/v2.0\/token/, seconds: 1 })
    const late = signIn(browser, tenant, tenant.people[0])
    await vi.waitFor(() => expect(countTokens()).toBe(before + 1))
    await entra.ada.call(entraApi.disableEntra, { params: { orgId } })
    await late
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('end when the organisation is deleted, and its users can sign in again once it is restored', async () => {
    const tenant = addTenant()
    const orgId = await enableTenant(tenant)
    const browser = openBrowser()
    await signIn(browser, tenant, tenant.people[0])
    await entra.ada.call(deleteOrg, { params: { orgId }, query: {} })
    expect(await isSignedIn(browser)).toBe(false)
    await entra.ada.call(restoreOrg, { params: { orgId }, query: {}, body: {} })
    expectSignedIn(await signIn(browser, tenant, tenant.people[0]))
  })
})
