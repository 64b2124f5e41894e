import { eventsPath } from '@passport/contract/aws-events'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../test-service.ts'
import { readEvent } from './receive-event.ts'

const [key, nextKey] = ['the-current-key-of-the-connection', 'the-next-key-of-the-connection-to-rotate']
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    AWS_MARKETPLACE_REGION: 'us-east-1',
    AWS_MARKETPLACE_EVENT_KEYS: `${key},${nextKey}`,
  })
})

const licenseUpdated = (id: string, fields: object = {}) => ({
  version: '0',
  id,
  'detail-type': 'License Updated - Manufacturer',
  source: 'aws.agreement-marketplace',
  account: '123456512334',
  time: '2026-08-30T21:36:03Z',
  region: 'us-east-1',
  resources: ['arn:aws:aws-marketplace::aws:agreement:agmt-4mwg1nevbokzw95eca5797ixs'],
  detail: {
    requestId: '3d4c9f9b',
    catalog: 'AWSMarketplace',
    agreement: { id: 'agmt-4mwg1nevbokzw95eca5797ixs' },
    product: { code: 'aw4fgf5tyo5w2ap6fEXAMPLE', id: 'prod-qtwveEXAMPLE' },
    license: { arn: 'aws:license-manager:us-east-1:123456789012:l-e52ca6f38bf84d0fafb8802ca15ac11x' },
    acceptor: { accountId: '845735284135' },
    offer: { id: '8kkr91jo647j3qxlcjhlqce7y' },
  },
  ...fields,
})

async function post(body: unknown, headers: Record<string, string> = {}, { url } = service) {
  const response = await fetch(url + eventsPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-passport-webhook-key': key, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const { code, ...rest } = (await response.json()) as { code?: string }
  return code === undefined ? [response.status, rest] : [response.status, code]
}
const statusOf = async (eventId: string) =>
  (await service.sql`select status from aws_events where event_id = ${eventId}`).map(({ status }) => status)

test('an event is accepted with either key, within a second, and stored once', async () => {
  const startedAt = performance.now()
  expect(await post(licenseUpdated('once'))).toEqual([202, {}])
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  expect(await post(licenseUpdated('once'), { 'x-passport-webhook-key': nextKey })).toEqual([202, {}])
  // The product is unknown here.
  await expect.poll(() => statusOf('once')).toEqual(['unmatched'])
  const all = await Promise.all(Array.from({ length: 16 }, () => post(licenseUpdated('raced'))))
  expect(new Set(all.map(([status]) => status))).toEqual(new Set([202]))
  await expect.poll(() => statusOf('raced')).toEqual(['unmatched'])
})

test('an administrator reads what AWS sent', async () => {
  await post(licenseUpdated('read'))
  const [{ id }] = await service.sql<[{ id: string }]>`select id from aws_events where event_id = 'read'`
  const ada = await service.as('ada')
  const read = async (eventId: string) => (await ada.fetch(`/passport/admin/awsevents/${eventId}`)).json()
  const { detail } = licenseUpdated('read')
  expect(await read(id)).toMatchObject({ eventId: 'read', payload: { id: 'read', detail } })
  expect(await read('unknown')).toMatchObject({ status: 404, code: 'aws-event-not-found' })
})

describe('is rejected', () => {
  test.for([
    ['no key', '', 'x'],
    ['another key', 'another key of the same length as it', 'x'],
    ['both keys', `${key},${nextKey}`, 'x'],
    ['another key before its body is read', 'another key', '{'],
  ])('an event with %s', async ([, sent = '', body = '']) => {
    expect(await post(body, { 'x-passport-webhook-key': sent })).toEqual([401, 'awsmp-key-invalid'])
  })

  test.for([
    ['text', 'not an event', 'invalid-json'],
    ['a list', [licenseUpdated('list')], 'invalid-request'],
    ['an event without an id', licenseUpdated('', {}), 'invalid-request'],
    ['an event without a time', licenseUpdated('no-time', { time: undefined }), 'invalid-request'],
    ['an event with a time that is none', licenseUpdated('bad-time', { time: 'yesterday' }), 'invalid-request'],
    ['an event whose detail is text', licenseUpdated('text', { detail: 'x' }), 'invalid-request'],
    ['an event with a NUL', licenseUpdated('nul', { detail: { agreement: { id: 'a\0b' } } }), 'invalid-request'],
  ] as const)('%s', async ([, body, code]) => {
    expect(await post(body)).toEqual([400, code])
  })

  test('an event over 256 KiB, and none of them', async () => {
    const empty = JSON.stringify(licenseUpdated('large', { padding: '' }))
    const padding = 'x'.repeat(256 * 1024 - empty.length)
    expect(await post(licenseUpdated('large', { padding: `${padding}x` }))).toEqual([413, 'too-large'])
    expect(await statusOf('large')).toEqual([])
    expect(await post(licenseUpdated('large', { padding }))).toEqual([202, {}])
  })

  test('every event, without keys', async () => {
    const other = await startTestService({ AWS_MARKETPLACE_REGION: 'us-east-1' })
    expect(await post(licenseUpdated('none'), { 'x-passport-webhook-key': '' }, other)).toEqual([
      503,
      'awsmp-not-configured',
    ])
  })
})

test.for([
  ['another detail type', { 'detail-type': 'Purchase Agreement Ending - Proposer' }],
  ['a detail type of JavaScript', { 'detail-type': 'constructor' }],
  ['another source', { source: 'aws.ec2' }],
] as const)('an event of %s is stored as ignored', async ([name, fields]) => {
  expect(await post(licenseUpdated(name, fields))).toEqual([202, {}])
  expect(await statusOf(name)).toEqual(['ignored'])
})

test('an event says as much as it has in the expected form, whatever its detail is', () => {
  const event = licenseUpdated('read')
  expect(readEvent(event)).toMatchObject({
    kind: 'license-updated',
    licenseKey: 'l-e52ca6f38bf84d0fafb8802ca15ac11x',
    licenseArn: 'arn:aws:license-manager:us-east-1:123456789012:l-e52ca6f38bf84d0fafb8802ca15ac11x',
    agreementId: 'agmt-4mwg1nevbokzw95eca5797ixs',
    offerId: '8kkr91jo647j3qxlcjhlqce7y',
    accountId: '845735284135',
    product: 'aw4fgf5tyo5w2ap6fEXAMPLE',
  })
  const members = ['agreement', 'license', 'product', 'acceptor', 'offer']
  const detail = fc.dictionary(
    fc.constantFrom(...members),
    fc.dictionary(fc.constantFrom('id', 'arn', 'code'), fc.anything()),
  )
  fc.assert(
    fc.property(fc.oneof(detail, fc.dictionary(fc.constantFrom(...members), fc.anything())), (detail) => {
      const read = readEvent({ ...event, detail })
      for (const value of [read.licenseKey, read.agreementId, read.accountId, read.product, read.offerId])
        expect(value === null || (typeof value === 'string' && value.length <= 256)).toBe(true)
    }),
  )
})
