import { getCurrentUser } from '@passport/contract/current-user'
import { createInvitation } from '@passport/contract/invitations'
import { tokenField } from '@passport/contract/marketplace'
import { stageProducts } from '@passport/world/aws-marketplace/stage-products'
import { createTestBrowser, type ShownPage, type TestBrowser } from '@passport/world/browser'
import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import { startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { beforeAll, describe, expect, test } from 'vitest'
import { type AwsService, startAwsService } from '../marketplace/test-aws.ts'
import { addProducts, BuyerBrowser } from '../marketplace/test-landing.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'

let mailServer: RunningMailServer
let aws: AwsService

/** A service with the built-in directory and a provider for invited users. */
beforeAll(async () => {
  const port = await findFreePort()
  const client = { clientId: 'passport-at-closed', clientSecret: 'a secret that Closed ID gave us' }
  const redirectUri = `http://localhost:${port}/login/callback/closed`
  const closed = await startOidcProvider({ ...client, redirectUri })
  mailServer = await startMailServer()
  for (const { stop } of [closed, mailServer]) onFileEnd(stop)
  aws = await startAwsService({
    port,
    products: stageProducts,
    env: {
      SMTP_URL: mailServer.smtpUrl,
      MAIL_FROM: 'Stage Passport <id@stage.example>',
      IDENTITY_PROVIDERS: JSON.stringify([
        { id: 'local', kind: 'local', name: 'Passport' },
        {
          ...{ ...client, kind: 'oidc', issuer: closed.issuer, id: 'closed', name: 'Closed ID' },
          ...{ signUp: 'invited', trustEmail: false },
        },
      ]),
    },
  })
  await addProducts(aws.service, stageProducts)
})

const setUpPath = '/app/account/marketplace'
const password = 'a long enough password'
let serial = 0
const createGuest = () => ({ name: `Buyer ${++serial}`, email: `buyer.${serial}@harbour.example` })

/** Creates the browser of a buyer who has come from AWS with a purchase of Stage Pro. */
async function buy() {
  const { token, accountId } = await aws.marketplace.buy({ product: aws.marketplace.products[0]?.code ?? '' })
  const landing = new BuyerBrowser(aws.service)
  await landing.land({ [tokenField]: token })
  const browser = createTestBrowser(aws.service.url)
  const [name = '', value = ''] = landing.cookie.split('=', 2)
  browser.setCookie(name, value)
  return { browser, lastFour: accountId.slice(-4) }
}

const signInUrl = (idp: string, returnTo = setUpPath) => `/login?idp=${idp}&returnUrl=${encodeURIComponent(returnTo)}`
const whoIs = (browser: TestBrowser) => createBrowserCall(aws.service.url, browser)(getCurrentUser, {})
const signUpUrlOf = ({ text }: ShownPage) => /href="(\/idp\/signup[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')

async function signUp(browser: TestBrowser, signInPage: ShownPage, { name, email }: { name: string; email: string }) {
  const form = await browser.open(signUpUrlOf(signInPage) ?? '')
  const page = await browser.submit(form, { email, name, password })
  const isCode = ({ recipients, subject }: { recipients: string[]; subject: string }) =>
    recipients.includes(email) && subject.startsWith('Your code')
  await expect.poll(() => mailServer.listMails().some(isCode)).toBe(true)
  const code = /^\d{6}$/m.exec(mailServer.listMails().find(isCode)?.text ?? '')?.[0] ?? ''
  return { form, landed: await browser.submit(page, { code }) }
}

test('of several purchases, the one to which the user returns is named', async () => {
  const { browser, lastFour } = await buy()
  const [row] = await aws.service.sql<
    { id: string }[]
  >`select id from aws_registrations order by created_at desc limit 1`
  const later = await buy()
  const handles = [later.browser, browser].flatMap((each) => each.cookies().map(({ value }) => value))
  browser.setCookie('passport-mp', handles.join('.'))
  const formFor = async (path: string) => (await browser.open(`/idp/signup?returnUrl=${encodeURIComponent(path)}`)).text
  expect(await formFor(`${setUpPath}?registration=${row?.id}`)).toContain(`ending in ${lastFour}`)
  expect(await formFor(setUpPath)).toContain(`ending in ${later.lastFour}`)
})

describe('a purchase at AWS Marketplace', () => {
  test('opens sign-up in the built-in directory, and leads back to it', async () => {
    const { browser, lastFour } = await buy()
    const guest = createGuest()
    const { form, landed } = await signUp(browser, await browser.open(signInUrl('local')), guest)
    expect(form.text).toContain(`to set up Stage Pro for the AWS account ending in ${lastFour}`)
    expect(landed.url).toBe(`${aws.service.url}/app/login?returnUrl=${encodeURIComponent(setUpPath)}`)
    expect((await whoIs(browser)).claims).toMatchObject({ email: guest.email, name: guest.name })
  })

  test('admits a new user of a provider whose sign-up is by invitation', async () => {
    const { browser } = await buy()
    const guest = createGuest()
    const page = await browser.submit(await browser.open(signInUrl('closed')), { name: guest.name, fault: 'none' })
    expect(page.url).toContain('/app/login')
    expect((await whoIs(browser)).claims).toMatchObject({ name: guest.name })
  })

  test('gives an account no address at a domain that an organisation has verified, which the provider does not prove', async () => {
    const { sql } = aws.service
    await sql`insert into orgs (id, name, slug) values ('harbour', 'Harbour', 'harbour')`
    await sql`insert into org_domains (org_id, domain, status, challenge) values ('harbour', 'harbour.example', 'verified', 'x')`
    try {
      const { browser } = await buy()
      await browser.submit(await browser.open(signInUrl('closed')), { name: createGuest().name, fault: 'none' })
      const { claims } = await whoIs(browser)
      expect(await sql`select email from users where id = ${claims.sub}`).toEqual([{ email: null }])
      // A code in an email proves the address.
      const [guest, purchase] = [createGuest(), await buy()]
      await signUp(purchase.browser, await purchase.browser.open(signInUrl('local')), guest)
      expect((await whoIs(purchase.browser)).claims).toMatchObject({ email: guest.email })
    } finally {
      await sql`delete from org_domains where org_id = 'harbour'`
    }
  })

  test('admits nobody without it, after it expired, or once another user has begun to set it up', async () => {
    const stranger = createTestBrowser(aws.service.url)
    const [expired, taken] = [await buy(), await buy()]
    const { id: userId } = await aws.service.as('eve')
    const ids = await aws.service.sql<
      { id: string }[]
    >`select id from aws_registrations order by created_at desc limit 2`
    await aws.service.sql`update aws_registrations set expires_at = now() where id = ${ids[1]?.id ?? ''}`
    await aws.service.sql`update aws_registrations set user_id = ${userId} where id = ${ids[0]?.id ?? ''}`
    for (const browser of [stranger, expired.browser, taken.browser]) {
      expect(signUpUrlOf(await browser.open(signInUrl('local')))).toBeUndefined()
      expect((await browser.open('/idp/signup')).status).toBe(403)
      const form = await browser.open(signInUrl('closed'))
      const refused = await browser.submit(form, { name: createGuest().name, fault: 'none' })
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('You have no account here yet')])
    }
  })

  test('ends a sign-up in the directory if it expires before the code', async () => {
    const { browser } = await buy()
    const { name, email } = createGuest()
    const form = await browser.open(signUpUrlOf(await browser.open(signInUrl('local'))) ?? '')
    const page = await browser.submit(form, { email, name, password })
    await aws.service.sql`update aws_registrations set expires_at = now()`
    expect((await browser.submit(page, { code: '000000' })).status).toBe(403)
  })

  test('admits any address where an invitation admits its own', async () => {
    const invited = createGuest()
    const body = { email: invited.email, roles: [], orgRole: 'member' as const, delivery: 'link' as const }
    const { link } = await aws.ada.call(createInvitation, { body })
    const returnTo = `/app/join/${link?.split('#')[1]}`
    const { browser } = await buy()
    const { form, landed } = await signUp(browser, await browser.open(signInUrl('local', returnTo)), createGuest())
    expect(form.text).toContain('to join Stage Passport')
    expect(landed.url).toContain(encodeURIComponent(returnTo))
  })
})
