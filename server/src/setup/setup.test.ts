import { ApiError, type Call } from '@passport/contract/call'
import * as entraApi from '@passport/contract/entra'
import { createGroup, putGroupRoles } from '@passport/contract/groups'
import { createOrg, deleteOrg, getOrg, restoreOrg } from '@passport/contract/orgs'
import { createRole } from '@passport/contract/roles'
import { createScimToken, getProvisioning } from '@passport/contract/scim'
import * as api from '@passport/contract/setup'
import { disableUser, enableUser } from '@passport/contract/users'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import { guidOf } from '@passport/world/entra/tenants'
import { beforeAll, describe, expect, test } from 'vitest'
import { linkLogin } from '../accounts/link-login.ts'
import { answerConsent, createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import * as orgs from '../orgs/store.ts'
import { createBrowserCall } from '../test-browser-call.ts'

let entra: EntraService
beforeAll(async () => {
  entra = await startEntraService({ tenants: [] })
})

let serial = 0
/** Creates an organisation with a tenant of one person, and a set-up link. */
async function createTestLink() {
  const tenant = createTenant(++serial)
  const email = `ana@${tenant.defaultDomain}`
  tenant.people = [{ oid: guidOf(email), name: 'Ana', email, upn: email }]
  entra.entra.tenants.push(tenant)
  const { org } = await entra.ada.call(entraApi.createEntraOrg, { body: { tenantId: tenant.id } })
  const params = { orgId: org.id }
  const create = () => entra.ada.call(api.createSetupLink, { params })
  return { orgId: org.id, params, tenant, email, create, link: await create() }
}

const tokenOf = ({ url }: { url: string }) => new URL(url).hash.slice(1)
const openBrowser = () => createTestBrowser(entra.service.url)
const callFrom = (browser: TestBrowser) => createBrowserCall(entra.service.url, browser)
const open = (browser: TestBrowser, link: { url: string }) =>
  callFrom(browser)(api.openSetupLink, { body: { token: tokenOf(link) } })

/** Creates an organisation, and opens its link in a browser. */
async function openTestLink() {
  const created = await createTestLink()
  const browser = openBrowser()
  const state = await open(browser, created.link)
  return { ...created, browser, state, call: callFrom(browser) }
}

/** Returns the status and code of a rejected call. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.catch((error: unknown) => error)
  if (!(error instanceof ApiError)) throw new Error('The call was not rejected', { cause: error })
  return `${error.status} ${error.problem?.code}`
}

const listEvents = (orgId: string) => entra.service.sql<{ action: string; actorId: string | null }[]>`
  select action, actor_id from audit_events where target_id = ${orgId} order by at, id`
const createTestGroup = (orgId: string | null, name: string) =>
  entra.ada.call(createGroup, { body: { name, ...(orgId && { orgId }) } })

describe('a set-up link', () => {
  test('is listed without its token, which is stored only as a hash, and at most three are live', async () => {
    const { params, orgId, link, create } = await createTestLink()
    expect(new URL(link.url)).toMatchObject({ pathname: '/app/setup', search: '' })
    expect(tokenOf(link)).toMatch(/^[\w-]{43}$/)
    const hoursLeft = (Date.parse(link.expiresAt) - Date.now()) / 3_600_000
    expect(hoursLeft).toBeGreaterThan(23.9)
    expect(hoursLeft).toBeLessThanOrEqual(24)
    const { url: _, ...listed } = link
    expect(await entra.ada.call(api.listSetupLinks, { params })).toEqual([listed])
    expect(listed).toMatchObject({ status: 'open', opened: null, createdBy: { name: 'Ada Lovelace' } })
    const [stored] = await entra.service.sql`select * from setup_links where org_id = ${orgId}`
    expect(JSON.stringify(stored)).not.toContain(tokenOf(link))
    // Of many at once, two more are created.
    const results = await Promise.allSettled(Array.from({ length: 8 }, create))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(await codeOf(create())).toBe('409 setup-link-limit')
    await entra.ada.call(api.revokeSetupLink, { params: { orgId, linkId: link.id }, query: {} })
    await create()
  })

  test('is created by administrators and owners, after a recent sign-in, for an organisation with a tenant', async () => {
    const { params, orgId } = await createTestLink()
    const [eve, dev] = [await entra.service.as('eve'), await entra.service.as('dev')]
    const createOwn = (visitor: { call: Call }) => visitor.call(api.createOwnSetupLink, { params })
    expect(await codeOf(createOwn(eve))).toBe('404 org-not-found')
    await orgs.addMembers(entra.service.sql, orgId, [eve.id], { role: 'owner', addedBy: entra.ada.id })
    await orgs.addMembers(entra.service.sql, orgId, [dev.id], { role: 'admin', addedBy: entra.ada.id })
    expect(await codeOf(createOwn(dev))).toBe('403 setup-not-yours')
    expect(await codeOf(dev.call(api.listOwnSetupLinks, { params }))).toBe('403 setup-not-yours')
    const link = await createOwn(eve)
    expect((await eve.call(api.listOwnSetupLinks, { params })).map(({ id }) => id)).toContain(link.id)
    const linkParams = { orgId, linkId: link.id }
    expect(await codeOf(dev.call(api.revokeOwnSetupLink, { params: linkParams, query: {} }))).toBe(
      '403 setup-not-yours',
    )
    await eve.call(api.revokeOwnSetupLink, { params: linkParams, query: {} })
    const other = await entra.ada.call(createOrg, { body: { name: `Plain ${++serial}` } })
    expect(await codeOf(entra.ada.call(api.createSetupLink, { params: { orgId: other.id } }))).toBe(
      '404 entra-not-linked',
    )
    const foreign = { orgId: other.id, linkId: link.id }
    expect(await codeOf(entra.ada.call(api.revokeSetupLink, { params: foreign, query: {} }))).toBe(
      '404 setup-link-not-found',
    )
    const events = (await listEvents(orgId)).filter(({ action }) => action.startsWith('org.setup-link'))
    expect(events).toEqual([
      { action: 'org.setup-link-created', actorId: entra.ada.id },
      { action: 'org.setup-link-created', actorId: eve.id },
      { action: 'org.setup-link-revoked', actorId: eve.id },
    ])
  })

  test('belongs to the first of 16 browsers that open it at once', async () => {
    const { link, params } = await createTestLink()
    const browsers = Array.from({ length: 16 }, openBrowser)
    const results = await Promise.all(
      browsers.map((browser) =>
        open(browser, link).then(
          () => 'opened',
          () => codeOf(open(browser, link)),
        ),
      ),
    )
    expect(results.filter((result) => result === 'opened')).toHaveLength(1)
    expect(new Set(results)).toEqual(new Set(['opened', '410 setup-link-used']))
    const winner = browsers[results.indexOf('opened')] as TestBrowser
    // The same browser continues, and what it has is a cookie of the calls of set-up links alone.
    expect(await open(winner, link)).toMatchObject({ isReopened: true })
    expect(winner.cookies()).toMatchObject([{ name: 'passport-setup', path: '/passport/setup' }])
    await Promise.all(
      browsers
        .filter((browser) => browser !== winner)
        .map(async (browser) =>
          expect(await codeOf(callFrom(browser)(api.getSetup, {}))).toBe('401 setup-link-required'),
        ),
    )
    const [listed] = await entra.ada.call(api.listSetupLinks, { params })
    expect(listed).toMatchObject({ status: 'opened', opened: { ip: '127.0.0.1', at: expect.any(String) } })
  })

  test('sets a cookie that scripts cannot read, for 24 hours, and rejects a page of another site', async () => {
    const { link } = await createTestLink()
    const send = (site: string) =>
      fetch(`${entra.service.url}/passport/setup/open`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': site },
        body: JSON.stringify({ token: tokenOf(link) }),
      })
    expect((await send('cross-site')).status).toBe(403)
    const opened = await send('same-origin')
    expect(opened.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^passport-setup=[\w-]{43}; Path=\/passport\/setup; HttpOnly; SameSite=Lax; Max-Age=86400$/,
      ),
    ])
    expect(opened.headers.get('referrer-policy')).toBe('no-referrer')
    expect(opened.headers.get('x-robots-tag')).toBe('noindex')
    const [cookie = ''] = opened.headers.getSetCookie()[0]?.split(';') ?? []
    const forged = await fetch(`${entra.service.url}/passport/setup/consentlink`, {
      method: 'POST',
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    })
    expect([forged.status, await forged.json()]).toEqual([403, expect.objectContaining({ code: 'csrf' })])
  })

  test('says why it cannot be opened or used', async () => {
    const { sql } = entra.service
    expect(await codeOf(open(openBrowser(), { url: 'https://x/#wrong' }))).toBe('404 setup-link-unknown')
    const expire = (id: string) => sql`update setup_links set expires_at = now() where id = ${id}`
    const both = async ({ browser, link }: { browser: TestBrowser; link: { url: string } }) => [
      await codeOf(open(browser, link)),
      await codeOf(callFrom(browser)(api.getSetup, {})),
      await codeOf(open(openBrowser(), link)),
    ]
    const allOf = (code: string) => [code, code, code]

    const unopened = await createTestLink()
    await expire(unopened.link.id)
    expect(await codeOf(open(openBrowser(), unopened.link))).toBe('410 setup-link-expired')

    const expired = await openTestLink()
    await expire(expired.link.id)
    expect(await both(expired)).toEqual(allOf('410 setup-link-expired'))

    const revoked = await openTestLink()
    const revokedParams = { orgId: revoked.orgId, linkId: revoked.link.id }
    await entra.ada.call(api.revokeSetupLink, { params: revokedParams, query: {} })
    await entra.ada.call(api.revokeSetupLink, { params: revokedParams, query: {} })
    expect(await both(revoked)).toEqual(allOf('410 setup-link-revoked'))
    expect((await listEvents(revoked.orgId)).filter(({ action }) => action === 'org.setup-link-revoked')).toHaveLength(
      1,
    )

    const deleted = await openTestLink()
    await entra.ada.call(deleteOrg, { params: deleted.params, query: {} })
    expect(await both(deleted)).toEqual(allOf('410 setup-link-ended'))
    await entra.ada.call(restoreOrg, { params: deleted.params, query: {}, body: {} })
    expect(await both(deleted)).toEqual(allOf('410 setup-link-ended'))

    const enabled = await openTestLink()
    await sql`update entra_connections set consent = 'granted', tested_at = now() where org_id = ${enabled.orgId}`
    await entra.ada.call(entraApi.enableEntra, { params: enabled.params })
    expect(await both(enabled)).toEqual(allOf('410 setup-link-ended'))
    const [ended] = await entra.ada.call(api.listSetupLinks, { params: enabled.params })
    expect(ended).toMatchObject({ status: 'ended', endedAt: expect.any(String) })
    const old = await createTestLink()
    await sql`update setup_links set expires_at = now() - interval '91 days' where id = ${old.link.id}`
    for (const { run } of entra.service.jobs) await run()
    expect(await codeOf(open(openBrowser(), old.link))).toBe('404 setup-link-unknown')
  })
})

describe('the browser of a set-up link', () => {
  test('gets the consent of the tenant and tests the sign-in, which only an administrator enables', async () => {
    const { orgId, params, tenant, email, state, browser, call } = await openTestLink()
    expect(state).toMatchObject({
      org: { id: orgId },
      brand: { name: 'Stage Passport', logoUrl: null },
      isReopened: false,
      tenant: { tenantId: tenant.id, consent: 'pending', testedAt: null },
    })
    const { consentUrl } = await call(api.createSetupConsentLink, {})
    const returned = await browser.open(await answerConsent(consentUrl))
    expect(returned.text).toContain('The result is shown where the link comes from.')
    expect(await call(api.getSetup, {})).toMatchObject({
      org: { name: tenant.displayName },
      tenant: { consent: 'granted' },
    })

    const { url } = await call(api.startSetupTest, {})
    const passed = await browser.open(`${url}&login_hint=${encodeURIComponent(email)}`)
    // A repeated response leads to the same page.
    expect(passed.url).toBe(`${entra.service.url}/app/setup?test=passed`)
    const callback = browser.visitedUrls.find((visited) => visited.includes('/login/callback/entra')) ?? ''
    expect((await browser.open(callback)).url).toBe(passed.url)
    expect(await call(api.getSetup, {})).toMatchObject({
      tenant: { testedAt: expect.any(String), signInEnabled: false },
    })
    expect(browser.cookies().map(({ name }) => name)).not.toContain('passport')
    const { sql } = entra.service
    expect(await sql`select from logins where provider_id = ${`entra:${tenant.id}`}`).toHaveLength(0)
    await entra.ada.call(entraApi.enableEntra, { params })
    const actor = `setup:${(await entra.ada.call(api.listSetupLinks, { params }))[0]?.id}`
    const events = await listEvents(orgId)
    expect(events.filter(({ actorId }) => actorId === actor).map(({ action }) => action)).toEqual([
      'org.consent-requested',
      'org.entra-tested',
    ])
    expect(await sql`select actor_name from audit_entries where actor_id = ${actor}`).toContainEqual({
      actorName: 'A set-up link',
    })
  })

  test('fails the test of a link that was revoked before the response', async () => {
    const { orgId, email, link, browser, call } = await openTestLink()
    const { consentUrl } = await call(api.createSetupConsentLink, {})
    await fetch(await answerConsent(consentUrl))
    const { url } = await call(api.startSetupTest, {})
    await entra.ada.call(api.revokeSetupLink, { params: { orgId, linkId: link.id }, query: {} })
    const { url: ended } = await browser.open(`${url}&login_hint=${encodeURIComponent(email)}`)
    expect(ended).toMatch(/\/app\/setup\?test=failed&code=tenant-not-enabled&support=/)
    expect((await entra.ada.call(getOrg, { params: { orgId } })).entra?.testedAt).toBeNull()
  })

  test('creates SCIM tokens, which are marked, and revokes only those', async () => {
    const { orgId, params, state, call } = await openTestLink()
    expect(state.provisioning).toEqual({ url: `${entra.service.url}/passport/scim/v2/${orgId}`, tokens: [] })
    const body = { name: 'Entra', expiresInDays: 90 }
    const own = await call(api.createSetupScimToken, { body })
    expect(own.token).toMatchObject({ name: 'Entra', fromSetupLink: true, createdBy: null, state: 'live' })
    const { token } = await entra.ada.call(createScimToken, { params, body: { ...body, name: 'Of ada' } })
    expect(await codeOf(call(api.createSetupScimToken, { body }))).toBe('409 too-many-scim-tokens')
    const { provisioning } = await call(api.getSetup, {})
    expect(provisioning.tokens).toEqual([
      expect.objectContaining({ name: 'Of ada', fromSetupLink: false, createdBy: null }),
      expect.objectContaining({ name: 'Entra', fromSetupLink: true }),
    ])
    const revoke = (tokenId: string) => call(api.revokeSetupScimToken, { params: { tokenId } })
    expect(await codeOf(revoke(token.id))).toBe('404 scim-token-not-found')
    await revoke(own.token.id)
    expect((await entra.ada.call(getProvisioning, { params })).tokens.map(({ name, state }) => [name, state])).toEqual([
      ['Of ada', 'live'],
      ['Entra', 'revoked'],
    ])
    const events = (await listEvents(orgId)).filter(({ action }) => action.startsWith('org.scim-token'))
    expect(events.map(({ action, actorId }) => [action, actorId?.split(':')[0]])).toEqual([
      ['org.scim-token-created', 'setup'],
      ['org.scim-token-created', entra.ada.id],
      ['org.scim-token-revoked', 'setup'],
    ])
  })

  test('is revoked with its consent link, and on request with the SCIM tokens that it created', async () => {
    const { orgId, params, link, call } = await openTestLink()
    const own = await createTestGroup(orgId, `Own ${++serial}`)
    const { consentUrl } = await call(api.createSetupConsentLink, {})
    const mapping = { groupObjectId: guidOf('group'), groupId: own.id }
    await call(api.putSetupSettings, { body: { allowGuests: true, mappings: [mapping] } })
    const body = { name: 'Entra', expiresInDays: 365 }
    const { token, value } = await call(api.createSetupScimToken, { body })
    const { token: ofAda } = await entra.ada.call(createScimToken, { params, body: { ...body, name: 'Of ada' } })
    const [listed] = await entra.ada.call(api.listSetupLinks, { params })
    expect(listed).toMatchObject({ scimTokens: [{ id: token.id, state: 'live' }], hasChangedSettings: true })
    const provision = async () =>
      (await fetch(`${state.url}/Users`, { headers: { authorization: `Bearer ${value}` } })).status
    const state = await entra.ada.call(getProvisioning, { params })
    expect(await provision()).toBe(200)

    const revoke = (query: { withScimTokens?: boolean }) =>
      entra.ada.call(api.revokeSetupLink, { params: { orgId, linkId: link.id }, query })
    expect(await revoke({})).toMatchObject({ status: 'revoked', scimTokens: [{ id: token.id, state: 'live' }] })
    expect(await provision()).toBe(200)
    expect(await codeOf(call(api.getSetup, {}))).toBe('410 setup-link-revoked')
    await fetch(await answerConsent(consentUrl))
    const { entra: connection } = await entra.ada.call(getOrg, { params: { orgId } })
    expect(connection).toMatchObject({ consentedAt: null, mappings: [mapping] })

    // The tokens of a link that is revoked already, too.
    expect(await revoke({ withScimTokens: true })).toMatchObject({ scimTokens: [{ id: token.id, state: 'revoked' }] })
    expect(await provision()).toBe(401)
    const { tokens } = await entra.ada.call(getProvisioning, { params })
    expect(tokens.find(({ id }) => id === ofAda.id)).toMatchObject({ state: 'live' })
    const events = (await listEvents(orgId)).filter(({ action }) => action.endsWith('revoked'))
    expect(events).toEqual([
      { action: 'org.setup-link-revoked', actorId: entra.ada.id },
      { action: 'org.scim-token-revoked', actorId: entra.ada.id },
    ])
  })

  test('creates no SCIM token once it is revoked with them, however many it creates at once', async () => {
    const { orgId, params, link, call } = await openTestLink()
    const body = { name: 'Entra', expiresInDays: 365 }
    const creations = Array.from({ length: 6 }, () => call(api.createSetupScimToken, { body }).catch(() => {}))
    const revocation = entra.ada.call(api.revokeSetupLink, {
      params: { orgId, linkId: link.id },
      query: { withScimTokens: 'true' },
    })
    await Promise.all([...creations, revocation])
    const { tokens } = await entra.ada.call(getProvisioning, { params })
    expect(tokens.filter(({ state }) => state === 'live')).toEqual([])
  })

  test('works by the rights that its creator has now', async () => {
    const { orgId, params } = await createTestLink()
    const eve = await entra.service.as('eve')
    await orgs.addMembers(entra.service.sql, orgId, [eve.id], { role: 'owner', addedBy: entra.ada.id })
    const [first, second] = [
      await eve.call(api.createOwnSetupLink, { params }),
      await eve.call(api.createOwnSetupLink, { params }),
    ]
    const browser = openBrowser()
    await open(browser, first)
    const setRole = (role: 'owner' | 'member') =>
      entra.service.sql`update org_members set role = ${role} where org_id = ${orgId} and user_id = ${eve.id}`
    await setRole('member')
    expect(await codeOf(callFrom(browser)(api.getSetup, {}))).toBe('410 setup-link-revoked')
    expect(await codeOf(open(openBrowser(), second))).toBe('410 setup-link-revoked')
    await setRole('owner')
    await callFrom(browser)(api.getSetup, {})
    await entra.ada.call(disableUser, { params: { userId: eve.id }, query: {} })
    expect(await codeOf(callFrom(browser)(api.getSetup, {}))).toBe('410 setup-link-revoked')
    await entra.ada.call(enableUser, { params: { userId: eve.id }, query: {} })
  })

  test('lets no guests sign in again whose roles it may not give', async () => {
    const { orgId, tenant, call } = await openTestLink()
    const { sql } = entra.service
    const put = (allowGuests: boolean) => call(api.putSetupSettings, { body: { allowGuests, mappings: [] } })
    await sql`update entra_connections set sign_in_enabled = true where org_id = ${orgId}`
    await put(true)
    await put(false)
    const { id: userId } = await entra.service.as('dev')
    const issuer = `entra:${tenant.id}`
    await linkLogin(sql, userId, { providerId: issuer, issuer, subject: guidOf('guest'), label: 'Guest' })
    await sql`insert into role_members (role, user_id) values ('Passport.Developer', ${userId}) on conflict do nothing`
    expect(await codeOf(put(true))).toBe('403 role-not-yours-to-give')
    await put(false)
    await sql`update entra_connections set sign_in_enabled = false where org_id = ${orgId}`
    expect(await put(true)).toMatchObject({ tenant: { allowGuests: true } })
  })

  test('maps only to groups of the organisation without roles, and keeps the mappings of administrators', async () => {
    const { orgId, params, call } = await openTestLink()
    await entra.ada.call(createRole, { body: { name: 'Stage.Host', description: 'Hosts' } })
    const [own, carrying, foreign] = await Promise.all([
      createTestGroup(orgId, `Own ${serial}`),
      createTestGroup(orgId, `Carrying ${serial}`),
      createTestGroup(null, `Foreign ${serial}`),
    ])
    await entra.ada.call(putGroupRoles, {
      params: { groupId: carrying.id },
      query: {},
      body: { roles: ['Stage.Host'] },
    })
    const groupObjectId = guidOf('group')
    const kept = [
      { groupObjectId, role: 'Stage.Host' },
      { groupObjectId, groupId: foreign.id },
      { groupObjectId, groupId: carrying.id },
    ]
    await entra.ada.call(entraApi.putEntra, { params, query: {}, body: { allowGuests: false, mappings: kept } })
    const read = () => call(api.getSetup, {})
    expect(await read()).toMatchObject({
      groups: [{ id: own.id, name: own.name }],
      mappings: [],
      otherMappings: 3,
    })
    const put = (mappings: api.SetupMapping[]) => call(api.putSetupSettings, { body: { allowGuests: true, mappings } })
    const mapping = { groupObjectId, groupId: own.id }
    expect(await put([mapping])).toMatchObject({ mappings: [mapping], otherMappings: 3, tenant: { allowGuests: true } })
    const stored = async () => (await entra.ada.call(getOrg, { params })).entra?.mappings
    expect(await stored()).toEqual([...kept, mapping])
    for (const groupId of [carrying.id, foreign.id, 'none'])
      expect(await codeOf(put([mapping, { groupObjectId, groupId }]))).toBe('400 mapping-invalid')
    // No member of the body names a role, an organisation, a domain or whether sign-in is enabled; others are ignored.
    await put([{ ...mapping, role: 'Stage.Host', signInEnabled: true } as typeof mapping])
    expect(await codeOf(put([{ groupObjectId, role: 'Stage.Host' } as never]))).toBe('400 invalid-request')
    expect(await stored()).toEqual([...kept, mapping])
    const full = Array.from({ length: 98 }, (_, index) => ({ appRole: `Role${index}`, groupId: own.id }))
    expect(await codeOf(put(full))).toBe('400 mapping-limit')
    const version = (await read()).version
    expect(
      await codeOf(
        call(api.putSetupSettings, { body: { allowGuests: true, mappings: [] } }, { ifMatch: `"${version - 1}"` }),
      ),
    ).toBe('412 precondition-failed')
    await put([])
    expect(await stored()).toEqual(kept)
  })
})
