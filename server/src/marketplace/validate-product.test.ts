import { createAwsProduct, validateAwsProduct } from '@passport/contract/aws-products'
import type { Fault } from '@passport/world/aws-marketplace/aws-marketplace'
import { stageProducts } from '@passport/world/aws-marketplace/stage-products'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { type AwsService, startAwsService } from './test-aws.ts'

let aws: AwsService
beforeAll(async () => {
  // The service has no products of its own, so that each test creates one.
  aws = await startAwsService({ products: stageProducts })
})

const create = (productCode: string, { ada } = aws) =>
  ada.call(createAwsProduct, {
    body: {
      name: 'Stage',
      productCode,
      pricingModel: 'contract',
      dimensions: [{ key: 'no-such-dimension', kind: 'entitled' }],
      supportEmail: 'help@stage.example',
    },
  })
const validate = (productId: string) => aws.ada.call(validateAwsProduct, { params: { productId } })

describe('the validation of a product', () => {
  test('reads the entitlements of an unknown account, and nothing else', async () => {
    const productCode = String(aws.marketplace.products[0]?.code)
    const { id } = await create(productCode)
    const before = aws.marketplace.requests().length
    expect(await validate(id)).toEqual({
      result: 'ok',
      credentials: 'ok',
      productCode: 'ok',
      dimensions: 'unknown',
      awsError: null,
      checkedAt: expect.any(String),
    })
    expect(aws.marketplace.requests().slice(before)).toMatchObject([
      { operation: 'GetEntitlements', input: { Filter: { CUSTOMER_AWS_ACCOUNT_ID: ['000000000000'] } } },
    ])
  })

  test('finds a product code that AWS does not know', async () => {
    const { id } = await create('unknown-code')
    expect(await validate(id)).toMatchObject({
      result: 'invalid-product-code',
      credentials: 'ok',
      productCode: 'invalid',
      awsError: 'InvalidParameterException',
    })
  })

  test.for<[Fault, string, string, string, number]>([
    ['denied', 'access-denied', 'invalid', 'AccessDeniedException', 1],
    ['credentials', 'access-denied', 'invalid', 'UnrecognizedClientException', 1],
    ['expired-credentials', 'access-denied', 'invalid', 'ExpiredTokenException', 1],
    ['throttle', 'unavailable', 'unknown', 'ThrottlingException', 2],
    ['fail', 'unavailable', 'unknown', 'InternalServiceErrorException', 2],
  ])('reports an AWS that fails by `%s`', async ([fault, result, credentials, awsError, times]) => {
    const { id } = await create(`failing-${fault}`)
    aws.marketplace.failNext('GetEntitlements', fault, times)
    expect(await validate(id)).toMatchObject({ result, credentials, productCode: 'unknown', awsError })
  })

  test('is not possible for a product that does not exist', async () => {
    await expect(validate('none')).rejects.toMatchObject({ status: 404, body: { code: 'aws-product-not-found' } })
  })

  test('reports a server without a connection to AWS', async () => {
    const service = await startTestService()
    const ada = await service.as('ada')
    const { id } = await create('code', { ...aws, ada })
    expect(await ada.call(validateAwsProduct, { params: { productId: id } })).toMatchObject({
      result: 'not-configured',
      credentials: 'unknown',
    })
  })
})
