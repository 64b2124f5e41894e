import type { RunningAwsMarketplace } from '@passport/world/aws-marketplace/aws-marketplace'
import { findShapeErrors } from '@passport/world/aws-marketplace/check-shapes'
import { stageProducts } from '@passport/world/aws-marketplace/stage-products'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { loadConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { AwsFailure, getAgreementTerms, getEntitlements, resolveCustomer } from './aws.ts'
import { startAwsService } from './test-aws.ts'

const [pro = { code: '' }, , , trialProduct = { code: '' }] = stageProducts
const log = createLog('silent')
const warnings = vi.spyOn(log, 'warn')
/** Clients are kept by configuration, so each test has its own. */
const createCaller = () => ({ config: loadConfig({ AWS_MARKETPLACE_REGION: 'us-east-1' }), log })

let marketplace: RunningAwsMarketplace
let trialAgreement: string
beforeAll(async () => {
  ;({ marketplace } = await startAwsService())
  marketplace.setDelivery('held')
  trialAgreement = (await marketplace.buy({ product: trialProduct.code })).agreementId
})

// On a busy machine, a call may end before its request meets the fault.
afterEach(() => marketplace.clearFaults())

test('a token identifies the product, the account and the licence', async () => {
  const { token, accountId, licenseArn } = await marketplace.buy({ product: pro.code })
  const expected = { productCode: pro.code, accountId, customerIdentifier: null, licenseArn }
  expect(await resolveCustomer(createCaller(), token)).toEqual(expected)
  expect(await resolveCustomer(createCaller(), token)).toEqual(expected)
})

test('a product that was published before licence ARNs identifies customers', async () => {
  const product = { ...stageProducts[0], code: 'legacy1', id: 'prod-legacy1', legacy: true }
  marketplace.products.push(product as (typeof marketplace.products)[0])
  const { token, accountId } = await marketplace.buy({ product: 'legacy1' })
  const customer = await resolveCustomer(createCaller(), token)
  expect(customer).toEqual({
    productCode: 'legacy1',
    accountId,
    customerIdentifier: expect.stringMatching(/^customer-/),
    licenseArn: null,
  })
  expect(await getEntitlements(createCaller(), customer, { accountId })).toHaveLength(2)
})

test('an invalid token is 400, an expired one 410', async () => {
  const { token } = await marketplace.buy({ product: pro.code })
  await expect(resolveCustomer(createCaller(), `${token}x`)).rejects.toMatchObject({
    status: 400,
    code: 'awsmp-token-invalid',
  })
  marketplace.expireToken(token)
  await expect(resolveCustomer(createCaller(), token)).rejects.toMatchObject({
    status: 410,
    code: 'awsmp-token-expired',
  })
})

describe('entitlements', () => {
  test('of a licence have quantities and flags, with the end of the term', async () => {
    const { licenseArn } = await marketplace.buy({ product: pro.code, quantities: { seats: 25 } })
    const expiresAt = expect.any(Date)
    const found = await getEntitlements(createCaller(), { productCode: pro.code }, { licenseArn })
    expect(found).toEqual([
      { dimension: 'seats', value: 25, expiresAt },
      { dimension: 'recording', value: true, expiresAt },
    ])
    const [seats] = found
    expect(Number(seats?.expiresAt) - Date.now()).toBeGreaterThan(360 * 86_400_000)
  })

  test('of an account are read to the last page, although AWS may return an empty one', async () => {
    const accountId = '112233445566'
    for (let count = 0; count < 27; count++)
      await marketplace.buy({ product: pro.code, accountId, quantities: { seats: count + 1 } })
    marketplace.failNext('GetEntitlements', 'empty-page')
    const before = marketplace.requests().length
    const found = await getEntitlements(createCaller(), { productCode: pro.code }, { accountId })
    expect(found.filter(({ dimension }) => dimension === 'seats').map(({ value }) => value)).toEqual(
      Array.from({ length: 27 }, (_, index) => index + 1),
    )
    expect(found).toHaveLength(54)
    expect(marketplace.requests().length - before).toBe(4)
  })

  test('are refused rather than cut after 20 pages', async () => {
    marketplace.failNext('GetEntitlements', 'empty-page', 20)
    const { licenseArn } = await marketplace.buy({ product: pro.code })
    await expect(getEntitlements(createCaller(), { productCode: pro.code }, { licenseArn })).rejects.toMatchObject({
      code: 'awsmp-unavailable',
      cause: { awsError: 'more than 20 pages' },
    })
  })

  test('of an unknown product are refused, and the cause names the error', async () => {
    const failure = await getEntitlements(
      createCaller(),
      { productCode: 'unknown' },
      { accountId: '112233445566' },
    ).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      status: 502,
      code: 'awsmp-unavailable',
      cause: { awsError: 'InvalidParameterException' },
    })
    expect((failure as Error).cause).toBeInstanceOf(AwsFailure)
  })
})

test('the terms of a trial have its end, until it is converted', async () => {
  const { agreementId } = await marketplace.buy({ product: trialProduct.code })
  const { freeTrial } = await getAgreementTerms(createCaller(), agreementId)
  expect(freeTrial).toEqual({ durationDays: 14, endsAt: expect.any(Date) })
  const days = (Number(freeTrial?.endsAt) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(13.9)
  expect(days).toBeLessThan(14)
  await marketplace.convertTrial(agreementId)
  expect(await getAgreementTerms(createCaller(), agreementId)).toEqual({ freeTrial: null })
})

describe.each([
  [
    'ResolveCustomer',
    (signal?: AbortSignal) => resolveCustomer(createCaller(), marketplace.newToken(trialAgreement).token, signal),
  ],
  [
    'GetEntitlements',
    (signal?: AbortSignal) =>
      getEntitlements(createCaller(), { productCode: pro.code }, { accountId: '112233445566' }, signal),
  ],
  ['GetAgreementTerms', (signal?: AbortSignal) => getAgreementTerms(createCaller(), trialAgreement, signal)],
  ['DescribeAgreement', (signal?: AbortSignal) => getAgreementTerms(createCaller(), trialAgreement, signal)],
] as const)('%s', (operation, call) => {
  // The SDK waits a random time before it retries.
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
  afterEach(() => vi.mocked(Math.random).mockRestore())

  const countRequests = () => marketplace.requests().filter((request) => request.operation === operation).length

  test.each([
    ['throttle', 429, 'awsmp-throttled', 2],
    ['fail', 502, 'awsmp-unavailable', 2],
    ['close', 502, 'awsmp-unavailable', 2],
    ['garbage', 502, 'awsmp-unavailable', 2],
    ['disabled', 503, 'awsmp-not-configured', 1],
    ['denied', 503, 'awsmp-not-configured', 1],
    ['credentials', 503, 'awsmp-not-configured', 1],
    ['expired-credentials', 503, 'awsmp-not-configured', 1],
  ] as const)('%s is %d %s after %d requests', async (fault, status, code, requests) => {
    marketplace.failNext(operation, fault, requests)
    const before = countRequests()
    await expect(call()).rejects.toMatchObject({ status, code })
    expect(countRequests() - before).toBe(requests)
  })

  test.each(['throttle', 'fail'] as const)('succeeds after one %s', async (fault) => {
    marketplace.failNext(operation, fault)
    await expect(call()).resolves.toBeDefined()
  })

  test('takes 10 s at most, or less if the caller leaves', async () => {
    marketplace.failNext(operation, 'timeout', 2)
    await expect(call(AbortSignal.timeout(30))).rejects.toMatchObject({ status: 502, code: 'awsmp-unavailable' })
    const { timeout } = AbortSignal
    const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / 100))
    await expect(call()).rejects.toMatchObject({ status: 502, code: 'awsmp-unavailable' })
    expect(limits.mock.calls).toEqual([[10_000]])
    limits.mockRestore()
  })
})

test('the log has the operation and the error, but not the token', async () => {
  warnings.mockClear()
  marketplace.failNext('ResolveCustomer', 'denied')
  await expect(resolveCustomer(createCaller(), 'secret-token')).rejects.toThrow()
  expect(warnings.mock.calls).toEqual([
    [
      { operation: 'ResolveCustomer', error: 'ResolveCustomer: AccessDeniedException', requestId: expect.any(String) },
      'aws-call-failed',
    ],
  ])
})

test('without a region nothing is called', async () => {
  const before = marketplace.requests().length
  await expect(resolveCustomer({ config: loadConfig({}), log }, 'token')).rejects.toMatchObject({
    status: 503,
    code: 'awsmp-not-configured',
  })
  expect(marketplace.requests()).toHaveLength(before)
})

test('all these requests match the service models of AWS', () => {
  const requests = marketplace.requests().filter(({ status }) => status !== 0)
  expect(new Set(requests.map(({ operation }) => operation)).size).toBe(4)
  expect(requests.flatMap(findShapeErrors)).toEqual([])
})
