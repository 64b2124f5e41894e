import { listAuditEntries } from '@passport/contract/audit'
import { putDisplayName } from '@passport/contract/profile'
import { updateUser } from '@passport/contract/users'
import { createTestBrowser } from '@passport/world/browser'
import type { RunningProvider } from '@passport/world/oidc-provider/provider'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Given } from '../accounts/store.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import type { TestService, Visitor } from '../test-service.ts'
import { refresh } from './refresh-account.ts'
import { startHarbour } from './test-harbour.ts'

// What an account has from its identity provider changes with what the provider states.

let provider: RunningProvider
let service: TestService
let ada: Visitor

beforeAll(async () => {
  ;({ provider, service } = await startHarbour())
  ada = await service.as('ada')
})

let people = 0
/** Returns the name of a new person, their address, and sign-ins with other claims, which return the account. */
function createPerson() {
  const name = `Nora ${++people}`
  const sub = `person-nora.${people}`
  const signIn = async (claims: Record<string, unknown> = {}) => {
    const browser = createTestBrowser(service.url)
    provider.habits.claims = claims
    const page = await browser.open('/login?idp=harbour')
    await browser.submit(page, { name, fault: 'none' })
    provider.habits.claims = {}
    return { browser, ...(await read()) }
  }
  const read = async () => {
    const [account] = await service.sql<(Given & { id: string })[]>`
      select u.id, u.email, u.email_verified, u.display_name from users u join logins l on l.user_id = u.id
      where l.subject = ${sub}`
    if (!account) throw new Error(`${name} has no account`)
    return account
  }
  return { name, sub, email: `nora.${people}@harbour.example`, signIn, read }
}
const listRecipients = async (domain: string) =>
  (
    await service.sql<{ recipient: string }[]>`
    select recipient from mails where kind = 'email-changed' and recipient like ${`%@${domain}`} order by recipient`
  ).map(({ recipient }) => recipient)
const readTrace = async (userId: string) => {
  await service.services.traces.flush()
  return JSON.stringify(
    await service.sql`select steps from sign_in_traces where user_id = ${userId} and kind = 'callback' order by at`,
  )
}
const fieldsOf = ({ email, emailVerified, displayName }: Given) => ({
  email,
  emailVerified,
  displayname: displayName ?? '',
  username: null,
})

describe('a sign-in with another address and name', () => {
  test('changes the account, with an audit event and an email to both addresses', async () => {
    const { signIn, email, name } = createPerson()
    const { id } = await signIn()
    const changed = await signIn({ email: 'nora@married.example', name: 'Nora Lind' })
    expect(changed).toMatchObject({ id, email: 'nora@married.example', emailVerified: true, displayName: 'Nora Lind' })
    const query = { target: `user:${id}`, action: 'user.changed' }
    const { items } = await ada.call(listAuditEntries, { query } as never)
    expect(items).toMatchObject([
      {
        reason: 'identity-provider',
        before: { displayname: name, email },
        after: { displayname: 'Nora Lind', email: 'nora@married.example', idp: 'harbour' },
      },
    ])
    expect(await listRecipients('married.example')).toEqual(['nora@married.example'])
    expect(await listRecipients('harbour.example')).toContain(email)
    expect(await signIn({ email: 'NORA@married.example', name: 'Nora Lind' })).toMatchObject({
      email: 'nora@married.example',
    })
    expect((await ada.call(listAuditEntries, { query } as never)).items).toHaveLength(1)
  })

  test('leaves a name that the user chose, and an address that an administrator gave', async () => {
    const { signIn, read } = createPerson()
    const { browser, id } = await signIn()
    const call = createBrowserCall(service.url, browser)
    await call(putDisplayName, { params: { profileId: id }, body: 'My own name' } as never)
    expect(await signIn({ name: 'Other', email: 'first@other.example' })).toMatchObject({
      displayName: 'My own name',
      email: 'first@other.example',
    })
    const body = { ...fieldsOf(await read()), email: 'given@other.example' }
    await ada.call(updateUser, { params: { userId: id }, body })
    expect(await signIn({ email: 'second@other.example' })).toMatchObject({
      email: 'given@other.example',
      emailVerified: true,
    })
  })

  test('of a login that was linked later, and of an account that SCIM governs, changes nothing', async () => {
    const { sql } = service
    const [linked, governed] = [createPerson(), createPerson()]
    const before = [await linked.signIn(), await governed.signIn()]
    await sql`update logins set given = null where subject = ${linked.sub}`
    await sql`insert into orgs (id, name, slug) values ('governing', 'Governing', 'governing')`
    await sql`
      insert into scim_users (org_id, user_id, user_name, governs)
      values ('governing', ${before[1]?.id ?? ''}, 'nora', 'account')`
    for (const [index, { signIn }] of [linked, governed].entries()) {
      const { email, emailVerified, displayName } = before[index] ?? {}
      const after = await signIn({ name: 'Other', email: 'third@other.example', email_verified: false })
      expect(after).toMatchObject({ email, emailVerified, displayName })
    }
  })
})

describe('an address that the account does not get', () => {
  test('because another account has it verified leaves the former one, unverified', async () => {
    const { signIn, email } = createPerson()
    const { id } = await signIn()
    expect(await signIn({ email: 'dev@passport.example' })).toMatchObject({ id, email, emailVerified: false })
    expect(await readTrace(id)).toContain('another account has it')
    const mails = await service.sql`
      select count(*)::integer from mails where recipient = ${email} and kind = 'email-changed'`
    expect(mails).toEqual([{ count: 1 }])
    expect(await signIn({ email: 'dev@passport.example', email_verified: false })).toMatchObject({
      email: 'dev@passport.example',
      emailVerified: false,
    })
    expect(await signIn()).toMatchObject({ email, emailVerified: true })
  })

  test('because an organisation has verified its domain leaves the former one, unverified', async () => {
    const { signIn, email } = createPerson()
    const { id } = await signIn()
    await service.sql`insert into orgs (id, name, slug) values ('owner', 'Owner', 'owner')`
    await service.sql`
      insert into org_domains (org_id, domain, status, challenge) values ('owner', 'owned.example', 'verified', 'x')`
    const claims = { email: 'nora@owned.example', email_verified: false }
    expect(await signIn(claims)).toMatchObject({ id, email, emailVerified: false })
    expect(await readTrace(id)).toContain('an organisation has verified its domain')
    expect(await signIn({ ...claims, email_verified: true })).toMatchObject({
      email: claims.email,
      emailVerified: true,
    })
  })

  test('again after the account lost it', async () => {
    const { signIn, email } = createPerson()
    const { id } = await signIn()
    await service.sql`update users set email = null, email_verified = false where id = ${id}`
    expect(await signIn()).toMatchObject({ email: null })
    expect(await signIn({ email: `new.${email}` })).toMatchObject({ email: `new.${email}`, emailVerified: true })
  })
})

describe('a verification', () => {
  test.for<[string, Record<string, unknown>]>([
    ['says that it is unverified', { email_verified: false }],
    ['does not say so', { email_verified: undefined }],
    ['states no address', { email: undefined, email_verified: undefined }],
    ['states no valid address', { email: 'nobody' }],
  ])('ends when the provider %s', async ([, claims]) => {
    const { signIn, email } = createPerson()
    expect(await signIn()).toMatchObject({ email, emailVerified: true })
    expect(await signIn(claims)).toMatchObject({ email, emailVerified: false })
    expect(await signIn()).toMatchObject({ email, emailVerified: true })
  })

  test('by an administrator stays with the address', async () => {
    const { signIn, email, read } = createPerson()
    const { id } = await signIn({ email_verified: false })
    const body = { ...fieldsOf(await read()), emailVerified: true }
    await ada.call(updateUser, { params: { userId: id }, body })
    expect(await signIn({ email_verified: false })).toMatchObject({ email, emailVerified: true })
  })
})

test('a refresh repeats to itself, and verifies nothing that neither the provider nor another has', () => {
  const email = fc.constantFrom(null, 'a@one.example', 'A@one.example', 'b@two.example')
  const values = fc
    .record({ email, emailVerified: fc.boolean(), displayName: fc.constantFrom(null, 'Nora', 'Lind') })
    .map((one) => ({ ...one, emailVerified: one.emailVerified && one.email !== null }))
  const refusal = fc.constantFrom(undefined, 'other-account' as const)
  fc.assert(
    fc.property(values, values, values, refusal, (account, given, stated, refused) => {
      const once = refresh(account, given, stated, refused)
      const twice = refresh(once.values, once.given, stated, refused)
      expect(twice).toEqual(once)
      const { email, emailVerified } = once.values
      if (emailVerified) expect(email).not.toBeNull()
      // What is the provider's own is verified only as the provider states it.
      if (account.email === given.email && account.emailVerified === given.emailVerified && emailVerified)
        expect(stated).toMatchObject({ emailVerified: true })
      if (emailVerified && !(stated.emailVerified && stated.email?.toLowerCase() === email?.toLowerCase()))
        expect(account).toMatchObject({ email, emailVerified: true })
    }),
  )
})
