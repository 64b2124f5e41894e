import { listAuditEntries } from '@passport/contract/audit'
import { getCurrentUser } from '@passport/contract/current-user'
import * as entraApi from '@passport/contract/entra'
import { createInvitation } from '@passport/contract/invitations'
import { acceptJoinInvitation } from '@passport/contract/join'
import { createScimToken } from '@passport/contract/scim'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import { guidOf } from '@passport/world/entra/tenants'
import { startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { beforeAll, describe, expect, test } from 'vitest'
import { answerConsent, createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import { replaceToken } from '../invitations/test-invitation.ts'
import { newUser } from '../scim/test-client.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'

/* Addresses at domains that an organisation has verified, at sign-in. The tenant has company-1.example, and also the domain
   of Harbour ID, a provider with open sign-up. */

let entra: EntraService
let orgId: string
const tenant = createTenant(1)

beforeAll(async () => {
  const port = await findFreePort()
  const client = { clientId: 'passport-at-harbour', clientSecret: 'the client secret at Harbour ID' }
  const start = async (id: string, more: object) => {
    const provider = await startOidcProvider({
      ...client,
      redirectUri: `http://localhost:${port}/login/callback/${id}`,
    })
    onFileEnd(provider.stop)
    return { ...client, kind: 'oidc', id, name: id, issuer: provider.issuer, signUp: 'open', ...more }
  }
  const providers = [
    await start('harbour', {}),
    await start('trusted', { trustEmail: true }),
    await start('closed', { signUp: 'invited' }),
  ]
  entra = await startEntraService({
    tenants: [tenant],
    port,
    env: { IDENTITY_PROVIDERS: JSON.stringify([{ id: 'local', kind: 'local', name: 'Passport' }, ...providers]) },
  })
  const { org, consentUrl } = await entra.ada.call(entraApi.createEntraOrg, { body: { tenantId: tenant.id } })
  orgId = org.id
  await entra.ada.fetch(await answerConsent(consentUrl))
  await entra.service.sql`update entra_connections set tested_at = now()`
  await entra.ada.call(entraApi.enableEntra, { params: { orgId } })
  await entra.service.sql`
    insert into org_domains (org_id, domain, status, challenge) values (${orgId}, 'harbour.example', 'verified', 'x')`
})

const whoIs = (browser: TestBrowser) => createBrowserCall(entra.service.url, browser)(getCurrentUser, {})

async function signInAt(provider: string, name: string) {
  const browser = createTestBrowser(entra.service.url)
  await browser.submit(await browser.open(`/login?idp=${provider}`), { name, fault: 'none' })
  return (await whoIs(browser)).claims
}

async function signInAtTenant(name: string, email: string) {
  tenant.people.push({ oid: guidOf(name), name, email, upn: `${name}@company-1.example`.toLowerCase() })
  const browser = createTestBrowser(entra.service.url)
  await browser.open(`/login?tenant=${tenant.id}&login_hint=${encodeURIComponent(email)}`)
  return (await whoIs(browser)).claims
}

/** Signs in at a provider by the link of an invitation. */
async function followInvitation(link: string, provider: string, name: string) {
  const browser = createTestBrowser(entra.service.url)
  const returnUrl = encodeURIComponent(new URL(link).pathname)
  const page = await browser.open(`/login?idp=${provider}&returnUrl=${returnUrl}`)
  return { browser, landed: await browser.submit(page, { name, fault: 'none' }) }
}

let token: Promise<{ value: string }> | undefined
/** Creates an account with an address by the SCIM client of the organisation, without a login. */
async function provision(email: string): Promise<string> {
  token ??= entra.ada.call(createScimToken, { params: { orgId }, body: { name: 'Test', expiresInDays: 1 } })
  const response = await fetch(`${entra.service.url}/passport/scim/v2/${orgId}/Users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${(await token).value}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify(newUser(email, { externalId: undefined })),
  })
  expect(response.status).toBe(201)
  return ((await response.json()) as { id: string }).id
}

const find = async (id: string) => {
  const [row] = await entra.service.sql`select email, email_verified from users where id = ${id}`
  return row
}
/** Returns the organisation that vouched for the address of a user. */
const findVoucher = async (id: string) =>
  (await entra.service.sql`select email_verified_by from users where id = ${id}`)[0]?.['emailVerifiedBy']
const findEvent = async (userId: string, action: string) => {
  const { items } = await entra.ada.call(listAuditEntries, { query: { target: `user:${userId}`, action } } as never)
  return items[0]
}

test('a provider whose addresses are not trusted gives none to the account, and audit and trace say why', async () => {
  const { sub } = await signInAt('harbour', 'Without Address')
  expect(await find(sub)).toEqual({ email: null, emailVerified: false })
  expect(await findEvent(sub, 'user.created')).toMatchObject({ reason: 'email-of-organisation' })
  await entra.service.services.traces.flush()
  const [trace] = await entra.service.sql`select steps from sign_in_traces where user_id = ${sub} and kind = 'callback'`
  expect(JSON.stringify(trace)).toContain('an organisation has verified its domain')
})

test('a provider that the operator trusts has proven the address', async () => {
  const { sub } = await signInAt('trusted', 'Trusted Person')
  expect(await find(sub)).toEqual({ email: 'trusted.person@harbour.example', emailVerified: true })
  expect(await findVoucher(sub)).toBeNull()
})

test('the tenant of the organisation takes the address from an account that has not proven it, and from no other', async () => {
  const { sql } = entra.service
  const email = 'new.hire@company-1.example'
  const holders = [
    { id: 'unproven', display_name: 'Unproven', email: email.toUpperCase(), email_verified: false },
    { id: 'proven', display_name: 'Proven', email, email_verified: true },
  ]
  for (const holder of holders) await sql`insert into users ${sql(holder as never)}`
  const { sub } = await signInAtTenant('New Hire', email)
  expect(await find(sub)).toEqual({ email, emailVerified: true })
  expect(await findVoucher(sub)).toBe(orgId)
  expect([await find('unproven'), await find('proven')]).toEqual([
    { email: null, emailVerified: false },
    { email, emailVerified: true },
  ])
  expect(await findEvent('unproven', 'user.changed')).toMatchObject({ reason: 'email-of-organisation' })
  expect(await sql`select kind from notices where user_id = 'unproven'`).toEqual([{ kind: 'email-changed' }])
})

test('the tenant of the organisation changes the address of its user, as far as nobody has proven the new one', async () => {
  const { sql } = entra.service
  const { sub } = await signInAtTenant('Maiden Name', 'maiden.name@company-1.example')
  const person = tenant.people.find(({ name }) => name === 'Maiden Name')
  if (!person) throw new Error('The tenant has no such person')
  const signInAgain = async (email: string) => {
    person.email = email
    const browser = createTestBrowser(entra.service.url)
    await browser.open(`/login?tenant=${tenant.id}&login_hint=${encodeURIComponent(person.upn)}`)
    return find(sub)
  }
  const married = 'married.name@company-1.example'
  await sql`insert into users (id, email) values ('states-it', ${married})`
  expect(await signInAgain(married)).toEqual({ email: married, emailVerified: true })
  expect([await findVoucher(sub), await find('states-it')]).toEqual([orgId, { email: null, emailVerified: false }])
  const taken = 'taken.name@company-1.example'
  await sql`insert into users (id, email, email_verified) values ('proves-it', ${taken}, true)`
  expect(await signInAgain(taken)).toEqual({ email: married, emailVerified: false })
  expect(await find('proves-it')).toEqual({ email: taken, emailVerified: true })
})

test('another tenant gives an address at the domain to no account', async () => {
  const { sql } = entra.service
  await sql`insert into orgs (id, name, slug) values ('other', 'Other', 'other')`
  await sql`insert into org_domains (org_id, domain, status, challenge) values ('other', 'other.example', 'verified', 'x')`
  const { sub } = await signInAtTenant('Guest Writer', 'guest@other.example')
  expect(await find(sub)).toEqual({ email: null, emailVerified: false })
})

describe('an account that SCIM created without a login', () => {
  test.for([
    ['verified', true],
    ['unverified', false],
  ] as const)('with a %s address is not prepared for the user who is invited to it', async ([word, isVerified]) => {
    const name = `Invitee ${word}`
    const email = `invitee.${word}@harbour.example`
    const provisioned = await provision(email)
    const { sql } = entra.service
    if (!isVerified)
      await sql`update users set email_verified = false, email_verified_by = null where id = ${provisioned}`
    const inviting = `inviting-${word}`
    await sql`insert into orgs (id, name, slug) values (${inviting}, ${inviting}, ${inviting})`
    const body = { email, roles: [], orgId: inviting, orgRole: 'member' as const }
    const { id: invitationId, userId } = await entra.ada.call(createInvitation, { body })
    expect(userId).not.toBe(provisioned)
    const id = await replaceToken(sql, invitationId)
    const { browser, landed } = await followInvitation(`${entra.service.url}/app/join/${id}`, 'closed', name)
    expect(landed.status).toBe(200)
    await createBrowserCall(entra.service.url, browser)(acceptJoinInvitation, { params: { id } })
    const { claims, orgs } = await whoIs(browser)
    expect([claims.sub, orgs.map((org) => org.id)]).toEqual([userId, [inviting]])
    expect(await find(provisioned)).toEqual({ email, emailVerified: isVerified })
  })
})

test('an address that an invitation prepared goes to the organisation, and back to nobody', async () => {
  const { sql } = entra.service
  const email = 'invited@company-1.example'
  await entra.ada.call(createInvitation, { body: { email, roles: [], orgRole: 'member' } })
  const [prepared] = await sql<{ id: string }[]>`select id from users where email = ${email}`
  const { sub } = await signInAtTenant('Invited Person', email)
  expect([await find(prepared?.id ?? ''), await find(sub)]).toEqual([
    { email: null, emailVerified: false },
    { email, emailVerified: true },
  ])
})
