import { linkLogin } from '@passport/contract/accounts'
import { getCurrentUser } from '@passport/contract/current-user'
import { resetUserPassword } from '@passport/contract/users'
import { createTestBrowser, type ShownPage, type TestBrowser } from '@passport/world/browser'
import { startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { beforeAll, describe, expect, test } from 'vitest'
import * as roleStore from '../roles/store.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService } from '../test-service.ts'

let service: TestService
let dev: string
const warnings: unknown[][] = []

/** Two providers that never send `auth_time`. The operator trusts the forced sign-ins of `vouched` only. */
beforeAll(async () => {
  const port = await findFreePort()
  const start = async (id: string) => {
    const client = { clientId: 'passport', clientSecret: 'the client secret at both providers' }
    const redirectUri = `http://localhost:${port}/login/callback/${id}`
    const provider = await startOidcProvider({ ...client, redirectUri, omitsAuthTime: true })
    onFileEnd(provider.stop)
    return { ...client, id, name: id, kind: 'oidc', issuer: provider.issuer, signUp: 'open' }
  }
  const vouched = { ...(await start('vouched')), freshness: 'prompt' }
  service = await startTestService({
    PORT: String(port),
    IDENTITY_PROVIDERS: JSON.stringify([{ id: 'local', kind: 'local' }, vouched, await start('silent')]),
  })
  dev = (await service.as('dev')).id
  service.services.log.warn = (...line: unknown[]) => void warnings.push(line)
})

const createCall = (browser: TestBrowser) => createBrowserCall(service.url, browser)

/** Signs in at a provider. Each test uses names of its own. */
async function signInAt(idp: string, browser: TestBrowser, name: string, extraQuery = '') {
  return browser.submit(await browser.open(`/login?idp=${idp}${extraQuery}`), { name, fault: 'none' })
}

/**
 * Creates an administrator who is signed in at a provider; `reset` is an operation that needs a recent authentication.
 */
async function createAdministratorAt(idp: string, name: string) {
  const browser = createTestBrowser(service.url)
  await signInAt(idp, browser, name)
  const { claims } = await createCall(browser)(getCurrentUser, {})
  const roles = ['Passport.Admin', 'Passport.Developer']
  for (const role of roles) await roleStore.grant(service.sql, role, claims.sub)
  return { browser, id: claims.sub, reset: () => createCall(browser)(resetUserPassword, { params: { userId: dev } }) }
}

const reauthenticationRequired = (reason?: string) => ({
  status: 401,
  body: { code: 'reauthentication-required', ...(reason && { reason }) },
})

describe('a provider that never sends auth_time, with freshness "prompt"', () => {
  test('accepts an administrator after a forced sign-in, for 15 minutes', async () => {
    const ada = await createAdministratorAt('vouched', 'Vouched Admin')
    const error = await ada.reset().catch((error) => error)
    expect(error).toMatchObject(reauthenticationRequired())
    expect(error.body).not.toHaveProperty('reason')

    const page = await signInAt('vouched', ada.browser, 'Vouched Admin', '&prompt=login')
    expect(page.url).toContain('/app/login')
    expect(await ada.reset()).toMatchObject({ name: 'dev' })
    expect(await createCall(ada.browser)(linkLogin, { body: { idp: 'local' } })).toHaveProperty('authorizationUrl')

    await service.sql`update sessions set auth_time = auth_time - interval '16 minutes' where user_id = ${ada.id}`
    await expect(ada.reset()).rejects.toMatchObject(reauthenticationRequired())
  })

  test('does not accept a sign-in that Passport did not force', async () => {
    const ada = await createAdministratorAt('vouched', 'Unforced Admin')
    await signInAt('vouched', ada.browser, 'Unforced Admin')
    await signInAt('vouched', ada.browser, 'Unforced Admin', '&prompt=select_account')
    await expect(ada.reset()).rejects.toMatchObject(reauthenticationRequired())
  })
})

describe('a provider that never sends auth_time, without the setting', () => {
  test('cannot prove a recent sign-in, and every error names the setting for the operator', async () => {
    const ada = await createAdministratorAt('silent', 'Silent Admin')
    const setting = expect.stringContaining('"freshness": "prompt"')
    await expect(ada.reset()).rejects.toMatchObject(reauthenticationRequired('provider-cannot-prove'))
    await expect(ada.reset()).rejects.toMatchObject({ body: { detail: setting } })

    const page = await signInAt('silent', ada.browser, 'Silent Admin', '&prompt=login')
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('Your sign-in cannot be confirmed')])
    expect(page.text).toContain('freshness')
    await expect(ada.reset()).rejects.toMatchObject(reauthenticationRequired('provider-cannot-prove'))
  })
})

test('the first ID token without auth_time logs one warning that names the setting', async () => {
  for (const idp of ['silent', 'vouched', 'silent']) await signInAt(idp, createTestBrowser(service.url), 'Noted Person')
  expect(warnings.filter(([context]) => JSON.stringify(context).includes('freshness'))).toEqual([
    [{ idp: 'silent', setting: 'identityProviders.freshness' }, expect.stringContaining('"freshness": "prompt"')],
  ])
})

describe('the forced sign-in of the Developer Tokens page', () => {
  const buildAuthorizationPath = (scope: string, demands: Record<string, string> = { prompt: 'login' }) => {
    const { url } = service
    const parameters = new URLSearchParams({
      client_id: 'passport-dev-tokens',
      redirect_uri: `${url}/app/developer/tokens`,
      response_type: 'code',
      response_mode: 'query',
      scope,
      state: 'state',
      nonce: 'nonce',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      ...demands,
    })
    return `/connect/authorize?${parameters}`
  }

  const findLink = ({ text }: ShownPage, part: string) => {
    const links = [...text.matchAll(/href="(\/login\?[^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
    return service.url + links.find((href) => href.includes(part))
  }
  const loginHintOf = ({ url }: ShownPage) => new URL(url).searchParams.get('login_hint')

  test('names the application, and fills in the name at the provider of the session', async () => {
    const { browser } = await createAdministratorAt('vouched', 'Hinted Developer')
    const choice = await browser.open(buildAuthorizationPath('openid'))
    expect(choice.text).toContain('Developer Tokens asks you to sign in again, to confirm that it is you.')
    expect(loginHintOf(await browser.open(findLink(choice, 'idp=vouched')))).toBe('hinted.developer@harbour.example')
    expect(loginHintOf(await browser.open(findLink(choice, 'idp=silent')))).toBeNull()
    expect((await browser.open(findLink(choice, 'idp=local'))).text).toContain('name="name" value=""')
    const hinted = await browser.open(`${buildAuthorizationPath('openid')}&login_hint=other@partner.example`)
    expect(loginHintOf(await browser.open(findLink(hinted, 'idp=vouched')))).toBe('other@partner.example')
  })

  test('can be retried after a failure, for the same application and forced again', async () => {
    const { browser } = await createAdministratorAt('vouched', 'Retrying Developer')
    const choice = await browser.open(buildAuthorizationPath('openid'))
    const form = await browser.open(findLink(choice, 'idp=vouched'))
    const failure = await browser.submit(form, { name: 'Retrying Developer', fault: 'cancel' })
    expect(failure.text).toContain('Sign-in was cancelled')
    const again = await browser.open(findLink(failure, 'prompt=login'))
    expect(again.text).toContain('Developer Tokens asks you to sign in again')
    const next = await browser.open(findLink(again, 'idp=vouched'))
    const consent = await browser.submit(next, { name: 'Retrying Developer', fault: 'none' })
    expect(consent.text).toContain('Allow Developer Tokens?')
  })

  test('requires auth_time, or the setting for the provider', async () => {
    const [trusted, untrusted] = [
      await createAdministratorAt('vouched', 'Vouched Developer'),
      await createAdministratorAt('silent', 'Silent Developer'),
    ]
    const openAt = async ({ browser }: typeof trusted, idp: string, name: string) => {
      const choice = await browser.open(buildAuthorizationPath('openid profile email api_vertex_core'))
      return browser.submit(await browser.open(findLink(choice, `idp=${idp}`)), { name, fault: 'none' })
    }
    expect((await openAt(trusted, 'vouched', 'Vouched Developer')).text).toContain('Allow')
    expect((await openAt(untrusted, 'silent', 'Silent Developer')).text).toContain('Your sign-in cannot be confirmed')
  })

  test('is not replaced by a sign-in that Passport did not force, however old it may be', async () => {
    const { browser } = await createAdministratorAt('silent', 'Unforced Developer')
    const choice = await browser.open(buildAuthorizationPath('openid'))
    const unforced = await browser.open(findLink(choice, 'idp=silent').replace('prompt=login', ''))
    const page = await browser.submit(unforced, { name: 'Unforced Developer', fault: 'none' })
    expect(page.text).toContain('Developer Tokens asks you to sign in again')
  })

  test('is not needed to choose an account', async () => {
    const { browser } = await createAdministratorAt('silent', 'Choosing Developer')
    const choice = await browser.open(buildAuthorizationPath('openid', { prompt: 'select_account' }))
    const chosen = await browser.open(findLink(choice, 'idp=silent'))
    const page = await browser.submit(chosen, { name: 'Choosing Developer', fault: 'none' })
    expect(page.text).toContain('Allow Developer Tokens?')
  })
})
