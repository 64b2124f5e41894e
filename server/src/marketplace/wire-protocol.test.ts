import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { describeAgreement, getAgreementTerms, getEntitlements, licenseKeyOf, resolveCustomer } from './aws.ts'
import { setAwsVariables } from './test-aws.ts'

// The protocols of AWS are those of the simulated one, and of every test with it. If this test fails after an update of
// the SDK, the SDK has changed its protocol: change the simulated service first, by the documentation of AWS.

const arn = 'arn:aws:license-manager:us-east-1:123456789012:l-e52ca6f38bf84d0fafb8802ca15ac11b'
const config = loadConfig({ AWS_MARKETPLACE_REGION: 'eu-west-1' })
const caller = { config, log: createLog('silent') }

interface Received {
  method: string | undefined
  path: string | undefined
  headers: IncomingMessage['headers']
  body: unknown
}

const received: Received[] = []
let response: object = {}

beforeAll(async () => {
  const server = createServer(async (request, reply) => {
    const { method, url: path, headers } = request
    received.push({ method, path, headers, body: JSON.parse(await text(request)) })
    reply.setHeader('content-type', headers['content-type'] ?? '').end(JSON.stringify(response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onFileEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  setAwsVariables({
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_PROFILE: '',
    AWS_SESSION_TOKEN: '',
    AWS_ENDPOINT_URL_MARKETPLACE_METERING: `${url}/`,
    AWS_ENDPOINT_URL_MARKETPLACE_ENTITLEMENT_SERVICE: `${url}/`,
    AWS_ENDPOINT_URL_MARKETPLACE_AGREEMENT: `${url}/`,
  })
})

const operations = [
  {
    operation: 'AWSMPMeteringService.ResolveCustomer',
    contentType: 'application/x-amz-json-1.1',
    region: 'eu-west-1',
    call: () => resolveCustomer(caller, 'a token'),
    response: { ProductCode: 'code', CustomerAWSAccountId: '123456789012', LicenseArn: arn },
    body: { RegistrationToken: 'a token' },
    result: { productCode: 'code', accountId: '123456789012', customerIdentifier: null, licenseArn: arn },
  },
  {
    operation: 'AWSMPEntitlementService.GetEntitlements',
    contentType: 'application/x-amz-json-1.1',
    region: 'us-east-1',
    call: () => getEntitlements(caller, { productCode: 'code' }, { licenseArn: arn }),
    response: { Entitlements: [{ Dimension: 'seats', Value: { IntegerValue: 25 }, ExpirationDate: 1_790_000_000 }] },
    body: { ProductCode: 'code', Filter: { LICENSE_ARN: [arn] }, MaxResults: 25 },
    result: [{ dimension: 'seats', value: 25, expiresAt: new Date(1_790_000_000_000) }],
  },
  {
    operation: 'AWSMPCommerceService_v20200301.GetAgreementTerms',
    contentType: 'application/x-amz-json-1.0',
    region: 'us-east-1',
    call: () => getAgreementTerms(caller, 'agmt-1'),
    response: { acceptedTerms: [{ validityTerm: { type: 'ValidityTerm', agreementDuration: 'P12M' } }] },
    body: { agreementId: 'agmt-1' },
    result: { freeTrial: null },
  },
  {
    operation: 'AWSMPCommerceService_v20200301.DescribeAgreement',
    contentType: 'application/x-amz-json-1.0',
    region: 'us-east-1',
    call: () => describeAgreement(caller, 'agmt-1'),
    response: { status: 'ACTIVE', endTime: 1_790_000_000 },
    body: { agreementId: 'agmt-1' },
    result: { status: 'ACTIVE', endsAt: new Date(1_790_000_000_000) },
  },
]

test.each(operations)('$operation is a signed POST of JSON', async (expected) => {
  received.length = 0
  response = expected.response
  expect(await expected.call()).toEqual(expected.result)
  expect(received).toEqual([
    {
      method: 'POST',
      path: '/',
      headers: expect.objectContaining({
        'x-amz-target': expected.operation,
        'content-type': expected.contentType,
        'x-amz-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
        authorization: expect.stringMatching(
          new RegExp(
            `^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/\\d{8}/${expected.region}/aws-marketplace/aws4_request, ` +
              'SignedHeaders=[^,]*content-type;host;[^,]*x-amz-target[^,]*, Signature=[0-9a-f]{64}$',
          ),
        ),
      }),
      body: expected.body,
    },
  ])
})

test('a licence is identified with and without the prefix of its ARN', () => {
  const key = 'l-e52ca6f38bf84d0fafb8802ca15ac11b'
  expect(licenseKeyOf(arn)).toBe(key)
  expect(licenseKeyOf(arn.slice('arn:'.length))).toBe(key)
  for (const other of ['', key, `${arn}:`, `${arn}/x`, arn.toUpperCase(), arn.replace('l-', 'agmt-')])
    expect(licenseKeyOf(other)).toBeNull()
})
