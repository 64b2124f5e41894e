import { listActivity } from '@passport/contract/accounts'
import { createAwsProduct } from '@passport/contract/aws-products'
import type { ApiError } from '@passport/contract/call'
import {
  listAwsRegistrations,
  listOwnSubscriptions,
  type RedeemRequest,
  redeemAwsRegistration,
  tokenField,
  validateAwsBuyer,
} from '@passport/contract/marketplace'
import { addOrgMembers, createOrg } from '@passport/contract/orgs'
import type { Purchase } from '@passport/world/aws-marketplace/aws-marketplace'
import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import { beforeAll, describe, expect, test } from 'vitest'
import { issuePersonalToken } from '../personal-tokens/test-personal-token.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type UserName } from '../test-service.ts'
import { type AwsService, startAwsService, withShortTimeouts } from './test-aws.ts'
import { BuyerBrowser } from './test-landing.ts'

let aws: AwsService
let mailServer: RunningMailServer
beforeAll(async () => {
  mailServer = await startMailServer()
  onFileEnd(mailServer.stop)
  aws = await startAwsService({ env: { SMTP_URL: mailServer.smtpUrl, MAIL_FROM: 'id@stage.example' } })
  aws.marketplace.setDelivery('held')
})

let serial = 0
const uniqueName = (name: string) => `${name} ${++serial}`
const uniqueEmail = () => `buyer-${++serial}@contoso.example`
const products = { contract: 'Stage Pro', usage: 'Stage Hours', trial: 'Stage Trial' }

const buy = (kind: keyof typeof products = 'contract', order: object = {}) => {
  const product = aws.marketplace.products.find(({ name }) => name === products[kind])
  return aws.marketplace.buy({ product: product?.code ?? '', ...order })
}

/** Returns a browser that has come from AWS with a purchase, signed in as a user. */
async function arrive(purchase: Pick<Purchase, 'landingForm'>, user: UserName = 'eve') {
  const browser = new BuyerBrowser(aws.service)
  await browser.land(purchase.landingForm.fields)
  const [registration] = await browser.call(listAwsRegistrations, {})
  const visitor = await aws.service.as(user)
  return { browser: browser.signIn(visitor), registrationId: registration?.registrationId ?? '', userId: visitor.id }
}

const redeem = (browser: BuyerBrowser, body: Partial<RedeemRequest> & Record<string, unknown>) =>
  browser.call(redeemAwsRegistration, { body: { contactEmail: uniqueEmail(), ...body } as RedeemRequest })
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no error',
    (error: ApiError) => [error.status, error.problem?.code],
  )

/** Creates an organisation with a member. */
async function addOrg(userId: string, role: 'owner' | 'admin' | 'member') {
  const org = await aws.ada.call(createOrg, { body: { name: uniqueName('Contoso') } })
  await aws.ada.call(addOrgMembers, { params: { orgId: org.id }, query: {}, body: { members: [userId], role } })
  return org
}

describe('validating a buyer', () => {
  test('reserves the newest registration of the browser for the user', async () => {
    const purchase = await buy('contract')
    const { browser, registrationId, userId } = await arrive(purchase, 'dev')
    const owned = await addOrg(userId, 'owner')
    const joined = await addOrg(userId, 'member')
    const validation = await browser.call(validateAwsBuyer, { body: {} })
    expect(validation).toMatchObject({
      registrationId,
      valid: true,
      status: 'validated',
      user: { sub: userId, emailVerified: expect.any(Boolean) },
      product: { name: 'Stage Pro', pricingModel: 'contract' },
      customerAwsAccountId: `********${purchase.accountId.slice(-4)}`,
      existingSubscription: null,
      requires: ['contactEmail'],
    })
    expect(validation.organisations).toEqual([
      { id: owned.id, name: owned.name, role: 'owner', eligible: true },
      { id: joined.id, name: joined.name, role: 'member', eligible: false, reason: 'not-admin' },
    ])
    await addOrg(userId, 'admin')
    expect((await browser.call(validateAwsBuyer, { body: { registrationId } })).requires).toEqual([
      'contactEmail',
      'orgId',
    ])
    expect((await browser.call(listAwsRegistrations, {}))[0]).toMatchObject({ status: 'validated' })
  })

  test('accepts no body, and rejects unknown members', async () => {
    const { browser } = await arrive(await buy())
    const send = (body?: string) =>
      browser.send(
        new Request(`${aws.service.url}${validateAwsBuyer.path}`, {
          method: 'POST',
          ...(body && { body, headers: { 'content-type': 'application/json' } }),
        }),
      )
    expect((await send()).status).toBe(200)
    expect((await send('{"registration":"x"}')).status).toBe(400)
  })

  test('requires the handle of the browser, a session, and the same user', async () => {
    const { browser, registrationId } = await arrive(await buy())
    const other = new BuyerBrowser(aws.service).signIn(await aws.service.as('eve'))
    const validate = (at: BuyerBrowser) => codeOf(at.call(validateAwsBuyer, { body: { registrationId } }))
    expect(await validate(other)).toEqual([404, 'registration-not-found'])
    expect(await codeOf(other.call(validateAwsBuyer, { body: {} }))).toEqual([404, 'registration-not-found'])
    expect(await validate(new BuyerBrowser(aws.service))).toEqual([401, 'not-signed-in'])
    expect(await validate(browser)).toBe('no error')
    browser.signIn(await aws.service.as('dev'))
    expect(await validate(browser)).toEqual([409, 'registration-taken'])
    expect(await codeOf(redeem(browser, { registrationId, newOrg: { name: 'Taken' } }))).toEqual([
      409,
      'registration-taken',
    ])
  })

  test('rejects an expired registration', async () => {
    const { browser, registrationId } = await arrive(await buy())
    await aws.service.sql`update aws_registrations set expires_at = now() where id = ${registrationId}`
    const expired = [410, 'registration-expired']
    expect(await codeOf(browser.call(validateAwsBuyer, { body: { registrationId } }))).toEqual(expired)
    expect(await codeOf(redeem(browser, { registrationId, newOrg: { name: 'Late' } }))).toEqual(expired)
  })
})

describe('redeeming', () => {
  test('gives a new organisation the subscription, with its buyer as the owner', async () => {
    const { browser, registrationId, userId } = await arrive(await buy('contract', { quantities: { seats: 25 } }))
    const [name, contactEmail] = [uniqueName('Tailspin Toys'), uniqueEmail()]
    const request = { registrationId, newOrg: { name, slug: 'tailspin-of-aws' }, contactEmail, contactName: 'Tara' }
    const redemption = await redeem(browser, request)
    expect(redemption).toMatchObject({
      status: 'active',
      product: { name: 'Stage Pro' },
      trial: false,
      message: null,
      entitlements: expect.arrayContaining([expect.objectContaining({ dimension: 'seats', value: 25 })]),
    })
    const [org] = await aws.service.sql`select name, slug from orgs where id = ${redemption.orgId}`
    expect(org).toEqual({ name, slug: 'tailspin-of-aws' })
    const members = await aws.service.sql`select user_id, role from org_members where org_id = ${redemption.orgId}`
    expect([...members]).toEqual([{ userId, role: 'owner' }])
    const audited = await aws.service.sql`
      select action, actor_id from audit_events
      where target_id in (${redemption.orgId}, ${redemption.subscriptionId}) and actor_id = ${userId}`
    expect(audited.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['org.created', 'org.member-added', 'aws-subscription.redeemed']),
    )
    const mail = await mailServer.waitForMailTo(contactEmail)
    expect(mail.subject).toBe('Your subscription to Stage Pro is ready')
    expect(mail.text).toContain('Hello Tara,')
    expect(mail.text).toContain(`belongs to ${name}`)
  })

  test('raced by 16 requests makes one owner, one organisation and one subscription', async () => {
    const { browser, registrationId, userId } = await arrive(await buy())
    const [name, contactEmail] = [uniqueName('Race'), uniqueEmail()]
    const all = await Promise.all(
      Array.from({ length: 16 }, () => redeem(browser, { registrationId, newOrg: { name }, contactEmail })),
    )
    expect(new Set(all.map((redemption) => JSON.stringify(redemption))).size).toBe(1)
    const [row] = await aws.service.sql`
      select (select count(*)::integer from orgs where name = ${name}) as orgs,
        (select count(*)::integer from org_members where org_id = ${all[0]?.orgId ?? ''} and user_id = ${userId}) as owners,
        (select count(*)::integer from aws_subscriptions where org_id = ${all[0]?.orgId ?? ''}) as subscriptions,
        (select count(*)::integer from mails where recipient = ${contactEmail}) as mails`
    expect(row).toEqual({ orgs: 1, owners: 1, subscriptions: 1, mails: 1 })
  })

  test('raced by two users with tokens of the same purchase leaves it to one of them', async () => {
    const purchase = await buy()
    const [eve, dev] = [await arrive(purchase), await arrive(aws.marketplace.newToken(purchase.agreementId), 'dev')]
    const names = [uniqueName('Eve'), uniqueName('Dev')]
    const results = await Promise.all(
      [eve, dev].map(({ browser }, index) => codeOf(redeem(browser, { newOrg: { name: names[index] ?? '' } }))),
    )
    expect(results).toContain('no error')
    expect(results).toContainEqual([409, 'already-redeemed'])
    const created = await aws.service.sql`select from orgs where name = any(${names})`
    expect(created).toHaveLength(1)
  })

  test('for an existing organisation requires one that the caller manages', async () => {
    const { browser, registrationId, userId } = await arrive(await buy())
    const [joined, owned] = [await addOrg(userId, 'member'), await addOrg(userId, 'admin')]
    const stranger = await aws.ada.call(createOrg, { body: { name: uniqueName('Stranger') } })
    const redeemFor = (orgId: string) => codeOf(redeem(browser, { registrationId, orgId }))
    expect(await redeemFor(joined.id)).toEqual([403, 'not-org-admin'])
    expect(await redeemFor(stranger.id)).toEqual([404, 'org-not-found'])
    expect(await redeemFor('unknown')).toEqual([404, 'org-not-found'])
    expect(await redeemFor(owned.id)).toBe('no error')
  })

  test('is idempotent for one organisation, and rejects another', async () => {
    const purchase = await buy()
    const { browser, registrationId, userId } = await arrive(purchase)
    const [first, second] = [await addOrg(userId, 'owner'), await addOrg(userId, 'owner')]
    const redemption = await redeem(browser, { registrationId, orgId: first.id })
    expect(await redeem(browser, { registrationId, orgId: first.id })).toEqual(redemption)
    expect(await codeOf(redeem(browser, { registrationId, orgId: second.id }))).toEqual([409, 'already-redeemed'])
    expect(await codeOf(redeem(browser, { registrationId, newOrg: { name: 'Third' } }))).toEqual([
      409,
      'already-redeemed',
    ])
    // The button at AWS issues another token for the same purchase.
    const again = await arrive(aws.marketplace.newToken(purchase.agreementId))
    const validation = await again.browser.call(validateAwsBuyer, { body: {} })
    expect(validation).toMatchObject({
      valid: false,
      reasons: ['already-redeemed'],
      existingSubscription: { org: { id: first.id, name: first.name } },
    })
    expect(await redeem(again.browser, { orgId: first.id })).toEqual(redemption)
    const stranger = await arrive(aws.marketplace.newToken(purchase.agreementId), 'max')
    expect(await stranger.browser.call(validateAwsBuyer, { body: {} })).toMatchObject({
      valid: false,
      existingSubscription: { org: null },
    })
    expect(await codeOf(redeem(stranger.browser, { newOrg: { name: first.name } }))).toEqual([409, 'already-redeemed'])
  })

  test('adds up two subscriptions of one product', async () => {
    const account = { accountId: '123456789012' }
    const first = await arrive(await buy('contract', { ...account, quantities: { seats: 2 } }))
    const org = await addOrg(first.userId, 'owner')
    await redeem(first.browser, { orgId: org.id })
    const second = await arrive(await buy('contract', { ...account, quantities: { seats: 3 } }))
    await redeem(second.browser, { orgId: org.id })
    const grants = await aws.service.sql<{ quantity: number }[]>`
      select quantity from entitlement_grants
      where org_id = ${org.id} and quantity is not null order by quantity`
    expect(grants.map(({ quantity }) => quantity)).toEqual([2, 3])
  })

  test.for([
    [{}, 'org-choice', 'orgId'],
    [{ orgId: 'x', newOrg: { name: 'X' } }, 'org-choice', 'orgId'],
    [{ newOrg: { name: ' ' } }, 'name-invalid', 'newOrg.name'],
    [{ newOrg: { name: 'X', slug: '-' } }, 'slug-invalid', 'newOrg.slug'],
    [{ orgId: 'x', contactEmail: 'nobody' }, 'email-invalid', 'contactEmail'],
    [{ orgId: 'x', contactName: '\u0007' }, 'contact-name-invalid', 'contactName'],
    [{ orgId: 'x', licenseArn: 'x' }, 'invalid-request', 'body'],
  ] as const)('rejects %j with 400', async ([request, code, field]) => {
    const { browser, registrationId } = await arrive(await buy())
    const error = (await redeem(browser, { registrationId, ...request }).catch((error) => error)) as ApiError
    expect([error.status, error.problem?.code, error.problem?.errors?.[0]?.field]).toEqual([400, code, field])
  })

  test('rejects a slug that is taken, and keeps the registration', async () => {
    const { browser, registrationId } = await arrive(await buy())
    const { slug } = await aws.ada.call(createOrg, { body: { name: uniqueName('Slug') } })
    const name = uniqueName('Fourth Coffee')
    expect(await codeOf(redeem(browser, { registrationId, newOrg: { name, slug } }))).toEqual([409, 'slug-taken'])
    const redemption = await redeem(browser, { registrationId, newOrg: { name } })
    const [owners] = await aws.service.sql`select count(*)::integer as orgs from orgs where name = ${name}`
    expect([redemption.status, owners?.['orgs']]).toEqual(['active', 1])
  })

  test('rejects a subscription that has ended or failed', async () => {
    for (const status of ['ended', 'failed']) {
      const { browser, registrationId } = await arrive(await buy())
      await aws.service.sql`
        update aws_subscriptions set status = ${status}
        where id = (select subscription_id from aws_registrations where id = ${registrationId})`
      expect(await codeOf(redeem(browser, { newOrg: { name: 'Ended' } }))).toEqual([409, 'license-ended'])
    }
  })

  test('rejects a subscription that the buyer has cancelled at AWS before', async () => {
    const purchase = await buy()
    const { browser, registrationId } = await arrive(purchase)
    await aws.marketplace.cancel(purchase.agreementId)
    await aws.marketplace.deprovision(purchase.agreementId)
    const { agreementId } = purchase
    for (const event of aws.marketplace.events().filter((event) => event.agreementId === agreementId))
      await aws.marketplace.deliver(event.id)
    await expect
      .poll(
        async () =>
          await aws.service.sql`
            select s.status from aws_subscriptions s join aws_registrations r on r.subscription_id = s.id
            where r.id = ${registrationId}`,
      )
      .toMatchObject([{ status: 'ended' }])
    const name = uniqueName('Too late')
    expect(await codeOf(redeem(browser, { newOrg: { name } }))).toEqual([409, 'license-ended'])
    expect(await aws.service.sql`select from orgs where name = ${name}`).toHaveLength(0)
  })

  test('gives the entitlements of a product whose buyers AWS identifies by a customer identifier', async () => {
    const product = { ...aws.marketplace.products[0], code: 'legacy1', id: 'prod-legacy1', name: 'Stage Classic' }
    aws.marketplace.products.push({ ...(product as (typeof aws.marketplace.products)[0]), legacy: true })
    await aws.ada.call(createAwsProduct, {
      body: {
        name: product.name,
        productCode: product.code,
        pricingModel: 'contract',
        integration: 'legacy',
        dimensions: [{ key: 'seats', kind: 'entitled', entitlementKey: 'stage.seats' }],
        supportEmail: 'help@stage.example',
      },
    })
    const purchase = await aws.marketplace.buy({ product: product.code, quantities: { seats: 9 } })
    const { browser } = await arrive(purchase)
    const redemption = await redeem(browser, { newOrg: { name: uniqueName('Classic') } })
    expect(redemption).toMatchObject({ status: 'active', entitlements: [{ dimension: 'seats', value: 9 }, {}] })
    const again = await arrive(aws.marketplace.newToken(purchase.agreementId))
    expect(await again.browser.call(validateAwsBuyer, { body: {} })).toMatchObject({
      existingSubscription: { id: redemption.subscriptionId },
    })
  })

  test.for([
    ['throttle', 2, [429, 'awsmp-throttled']],
    ['fail', 2, [502, 'awsmp-unavailable']],
    ['denied', 1, [503, 'awsmp-not-configured']],
  ] as const)('fails if AWS fails by “%s”, and can be repeated', async ([fault, times, expected]) => {
    const { browser } = await arrive(await buy())
    const newOrg = { name: uniqueName('Retry') }
    aws.marketplace.failNext('GetEntitlements', fault, times)
    expect(await codeOf(redeem(browser, { newOrg }))).toEqual(expected)
    expect((await aws.service.sql`select from orgs where name = ${newOrg.name}`).length).toBe(0)
    expect((await redeem(browser, { newOrg })).status).toBe('active')
  })

  test.for(['GetEntitlements', 'DescribeAgreement', 'GetAgreementTerms'] as const)(
    'fails if AWS does not respond to %s, and can be repeated',
    async (operation) => {
      const purchase = await buy()
      const { browser, registrationId } = await arrive(purchase)
      await aws.service.sql`
        update aws_subscriptions set agreement_id = ${purchase.agreementId}
        where id = (select subscription_id from aws_registrations where id = ${registrationId})`
      const newOrg = { name: uniqueName('Patient') }
      aws.marketplace.failNext(operation, 'timeout', 2)
      expect(await withShortTimeouts(() => codeOf(redeem(browser, { newOrg })))).toEqual([502, 'awsmp-unavailable'])
      aws.marketplace.clearFaults()
      expect((await redeem(browser, { newOrg })).status).toBe('active')
    },
  )

  test('is not possible with a token, or from another site', async () => {
    const { browser, registrationId } = await arrive(await buy())
    const personal = (await issuePersonalToken(aws.service, await aws.service.as('eve'))).value
    const send = (headers: Record<string, string>) =>
      fetch(aws.service.url + redeemAwsRegistration.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ registrationId, newOrg: { name: 'Stolen' }, contactEmail: uniqueEmail() }),
      })
    const cookie = browser.cookie
    expect((await send({ cookie, authorization: `Bearer ${personal}` })).status).toBe(403)
    expect((await send({ cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await send({ 'sec-fetch-site': 'same-origin' })).status).toBe(401)
  })
})

describe('a subscription that AWS has not confirmed', () => {
  test('is accepted with 202, and emails its buyer when it is ready and when it ends', async () => {
    const purchase = await buy('usage')
    const { browser } = await arrive(purchase)
    const contactEmail = uniqueEmail()
    const response = await browser.send(
      new Request(aws.service.url + redeemAwsRegistration.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ newOrg: { name: uniqueName('Wingtip') }, contactEmail }),
      }),
    )
    const redemption = (await response.json()) as { subscriptionId: string }
    expect([response.status, redemption]).toEqual([
      202,
      expect.objectContaining({
        status: 'pending',
        message: `AWS has not confirmed the subscription yet. We will email ${contactEmail} when it is ready.`,
      }),
    ])
    const sendMails = () => aws.service.jobs.find(({ name }) => name === 'buyer-mails')?.run()
    const listSubjects = async () =>
      (
        await aws.service.sql<{ subject: string }[]>`
        select subject from mails where recipient = ${contactEmail} order by created_at, id`
      ).map(({ subject }) => subject)
    /** Delivers what AWS has published about the purchase, and waits for the state that follows. */
    const deliverUntil = async (status: string) => {
      const { agreementId } = purchase
      const held = aws.marketplace
        .events()
        .filter((event) => event.agreementId === agreementId && event.status === 'held')
      for (const { id } of held) await aws.marketplace.deliver(id)
      await expect
        .poll(async () =>
          (await browser.call(listOwnSubscriptions, {})).find(({ id }) => id === redemption.subscriptionId),
        )
        .toMatchObject({ status })
    }
    const subjects = ['Your subscription to Stage Hours is set up']
    await sendMails()
    expect(await listSubjects()).toEqual(subjects)
    await deliverUntil('active')
    await Promise.all([sendMails(), sendMails()])
    subjects.push('Your subscription to Stage Hours is ready')
    expect(await listSubjects()).toEqual(subjects)
    await aws.marketplace.cancel(purchase.agreementId)
    await deliverUntil('ending')
    await sendMails()
    expect(await listSubjects()).toEqual(subjects)
    await aws.marketplace.deprovision(purchase.agreementId)
    await deliverUntil('ended')
    await sendMails()
    await sendMails()
    expect(await listSubjects()).toEqual([...subjects, 'Your subscription to Stage Hours has ended'])
  })

  test('promises no email where none can be sent', async () => {
    const silent = await startTestService({ AWS_MARKETPLACE_REGION: 'us-east-1' }, { sharedWith: aws.service })
    const browser = new BuyerBrowser(silent).signIn(await silent.as('eve'))
    await browser.land((await buy('usage')).landingForm.fields)
    expect((await redeem(browser, { newOrg: { name: uniqueName('Silent') } })).message).toBe(
      'AWS has not confirmed the subscription yet. This installation cannot send email: your subscriptions show when it is ready.',
    )
  })
})

test('a trial follows from the terms, not from what the browser claims', async () => {
  const claimed = await buy()
  const form = { ...claimed.landingForm.fields, 'x-amzn-marketplace-offer-type': 'free-trial' }
  const { browser } = await arrive({ landingForm: { action: '', fields: form } })
  expect((await browser.call(validateAwsBuyer, { body: {} })).offerType).toBe('free-trial')
  await aws.service
    .sql`update aws_subscriptions set agreement_id = ${claimed.agreementId} where license_arn = ${claimed.licenseArn}`
  expect(await redeem(browser, { newOrg: { name: uniqueName('Claimed') } })).toMatchObject({ trial: false })

  const real = await buy('trial')
  const { [tokenField]: token = '' } = real.landingForm.fields
  const standard = await arrive({ landingForm: { action: '', fields: { [tokenField]: token } } })
  expect((await standard.browser.call(validateAwsBuyer, { body: {} })).offerType).toBe('standard')
  await aws.service
    .sql`update aws_subscriptions set agreement_id = ${real.agreementId} where license_arn = ${real.licenseArn}`
  expect(await redeem(standard.browser, { newOrg: { name: uniqueName('Trial') } })).toMatchObject({ trial: true })
})

describe("the buyer's subscriptions", () => {
  test('are those of the organisations that the user manages', async () => {
    const purchase = await buy('contract', { quantities: { seats: 7 } })
    const { browser, userId } = await arrive(purchase, 'max')
    const org = await addOrg(userId, 'owner')
    const { subscriptionId } = await redeem(browser, { orgId: org.id })
    const list = async (user: UserName) => (await aws.service.as(user)).call(listOwnSubscriptions, {})
    const [subscription] = await list('max')
    expect(subscription).toMatchObject({
      id: subscriptionId,
      product: { name: 'Stage Pro' },
      org: { id: org.id, name: org.name },
      status: 'active',
      customerAwsAccountId: `********${purchase.accountId.slice(-4)}`,
      trial: false,
      supportEmail: 'help@stage.example',
      dimensions: [
        { dimension: 'seats', value: 7, expiresAt: expect.any(String), unit: 'seats' },
        { dimension: 'recording', value: true, expiresAt: expect.any(String), unit: null },
      ],
    })
    const { id: devId } = await aws.service.as('dev')
    await aws.ada.call(addOrgMembers, {
      params: { orgId: org.id },
      query: {},
      body: { members: [devId], role: 'member' },
    })
    expect((await list('dev')).map(({ id }) => id)).not.toContain(subscriptionId)
    await aws.service.sql`update orgs set deleted_at = now() where id = ${org.id}`
    expect((await list('max')).map(({ id }) => id)).not.toContain(subscriptionId)
  })

  test('never have the whole id of the AWS account or the license, nor has anything else that a buyer gets', async () => {
    const purchase = await buy('contract')
    const browser = new BuyerBrowser(aws.service)
    const texts: string[] = []
    const keep = async (response: Response) => {
      texts.push((await response.clone().text()) + JSON.stringify([...response.headers]))
      return response
    }
    const send = (method: string, path: string, body?: object) =>
      browser
        .send(
          new Request(aws.service.url + path, {
            method,
            ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
          }),
        )
        .then(keep)
    await keep(await browser.land(purchase.landingForm.fields))
    await send('GET', listAwsRegistrations.path)
    browser.signIn(await aws.service.as('eve'))
    await send('POST', validateAwsBuyer.path, {})
    const contactEmail = uniqueEmail()
    await send('POST', redeemAwsRegistration.path, { newOrg: { name: uniqueName('Private') }, contactEmail })
    await send('POST', validateAwsBuyer.path, {})
    await send('POST', redeemAwsRegistration.path, { newOrg: { name: 'Another' }, contactEmail })
    for (const path of [listOwnSubscriptions.path, listActivity.path, '/passport/entitlements/me'])
      await send('GET', path)
    const mail = await mailServer.waitForMailTo(contactEmail)
    texts.push(JSON.stringify(mail))
    const all = texts.join()
    expect(all).toContain(`********${purchase.accountId.slice(-4)}`)
    for (const secret of [
      purchase.accountId,
      purchase.licenseArn,
      purchase.licenseArn.split(':').at(-1) ?? '',
      purchase.token,
    ])
      expect(all.includes(secret), secret.slice(0, 6)).toBe(false)
  })
})
