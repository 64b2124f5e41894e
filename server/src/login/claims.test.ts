import { acceptJoinInvitation, createJoinLink } from '@passport/contract/join'
import { createOrg } from '@passport/contract/orgs'
import { createTestBrowser } from '@passport/world/browser'
import type { RunningProvider } from '@passport/world/oidc-provider/provider'
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowserCall } from '../test-browser-call.ts'
import type { TestService } from '../test-service.ts'
import { startHarbour } from './test-harbour.ts'

// What a provider says about a person is kept unchanged or left out.

let provider: RunningProvider
let service: TestService

beforeAll(async () => {
  ;({ provider, service } = await startHarbour())
})

let people = 0

/** Signs a new person in with other claims. Returns the page, and the account if there is one. */
async function signIn(claims: Record<string, unknown>) {
  const browser = createTestBrowser(service.url)
  const name = `Person ${++people}`
  provider.habits.claims = claims
  const page = await browser.submit(await browser.open('/login?idp=harbour'), { name, fault: 'none' })
  provider.habits.claims = {}
  const [account] = await service.sql<{ id: string }[]>`
    select u.id, u.display_name, u.username, u.email, u.email_verified, l.subject
    from users u join logins l on l.user_id = u.id where l.subject = ${String(claims['sub'] ?? `person-person.${people}`)}`
  return { browser, page, account }
}

describe('an email claim', () => {
  test.for<[string, unknown]>([
    ['is too long', `${'a'.repeat(243)}@harbour.example.attacker.example`],
    ['is no text', 42],
    ['is a list', ['a@harbour.example']],
    ['has two addresses', 'a@harbour.example,b@harbour.example'],
    ['has a line break', 'a@harbour.example\r\nBcc: b@harbour.example'],
    ['is empty', ''],
    ['is null', null],
    ['has a name', 'Ada <ada@harbour.example>'],
  ])('that %s gives the account no address, and none is verified', async ([, email]) => {
    const { account } = await signIn({ email, email_verified: true })
    expect(account).toMatchObject({ email: null, emailVerified: false })
  })

  test('that is too long opens no join link of the domain that it begins with', async () => {
    const ada = await service.as('ada')
    const domain = 'shortened.example'
    const { id } = await ada.call(createOrg, { body: { name: 'Shortened', domains: [] } })
    const { url } = await ada.call(createJoinLink, { body: { kind: 'org', targetId: id, domains: [domain] } } as never)
    const email = `${'a'.repeat(256 - 1 - domain.length)}@${domain}.attacker.example`
    const { browser, account } = await signIn({ email, email_verified: true })
    const params = { id: new URL(url).pathname.split('/').at(-1) ?? '' }
    const accepted = createBrowserCall(service.url, browser)(acceptJoinInvitation, { params })
    await expect(accepted).rejects.toMatchObject({ status: 403, body: { code: 'wrong-domain' } })
    await service.services.traces.flush()
    const traces = await service.sql`
      select steps from sign_in_traces where user_id = ${account?.id ?? ''} and kind = 'callback'`
    expect(JSON.stringify(traces)).toContain('"email":"not valid"')
  })
})

describe('a subject', () => {
  test.for([
    ['of 255 characters', 's'.repeat(255)],
    ['with signs', `auth0|a:b/${'c'}=+~!`],
  ] as const)('%s identifies the account as it is', async ([, sub]) => {
    expect((await signIn({ sub })).account).toMatchObject({ subject: sub })
  })

  test.for([
    ['of 256 characters', 's'.repeat(256)],
    ['with a space', 'one two'],
    ['beyond ASCII', 'pérson'],
    ['with a control character', 'one\u007f'],
  ] as const)('%s is rejected, and creates no account', async ([, sub]) => {
    const { page, account } = await signIn({ sub })
    expect([page.status, account]).toEqual([502, undefined])
  })
})

describe('a name', () => {
  test.for<[string, unknown, string | null]>([
    ['of 256 characters is kept', 'n'.repeat(256), 'n'.repeat(256)],
    ['of 257 characters is absent', 'n'.repeat(257), null],
    ['that is no text is absent', { first: 'Ada' }, null],
  ])('%s', async ([, name, displayName]) => {
    expect((await signIn({ name })).account).toMatchObject({ displayName })
  })

  test('of a user with invisible characters is no username', async () => {
    expect((await signIn({ preferred_username: 'ad\u200bele' })).account).toMatchObject({ username: null })
  })
})
