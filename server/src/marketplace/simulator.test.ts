import { getAwsSimulator, playAwsSimulator } from '@passport/contract/aws-simulator'
import { assignAwsSubscription } from '@passport/contract/aws-subscriptions'
import { createOrg } from '@passport/contract/orgs'
import { beforeAll, expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { type AwsService, startAwsService } from './test-aws.ts'

let aws: AwsService
beforeAll(async () => {
  aws = await startAwsService()
})

type Body = Parameters<typeof play>[0]
const play = (
  body: {
    action:
      | 'buy'
      | 'use'
      | 'bill'
      | 'renew'
      | 'cancel'
      | 'amend'
      | 'hold'
      | 'release'
      | 'deliver-reversed'
      | 'deliver-twice'
  } & Record<string, unknown>,
) => aws.ada.call(playAwsSimulator, { body: body as never })
const read = () => aws.ada.call(getAwsSimulator, {})
const stateOf = async (agreementId: string) =>
  (await read()).purchases.find((purchase) => purchase.agreementId === agreementId)

test('an administrator plays the life of a subscription, with late events, and sees what Passport makes of it', async () => {
  const held = await play({ action: 'hold' })
  expect(held).toMatchObject({ isAvailable: true, mode: 'held' })
  const studio = held.products.find(({ name }) => name === 'Stage Studio')
  const bought = await play({ action: 'buy', productCode: studio?.code, quantities: { seats: 3, streaming_hours: 2 } })
  const id = bought.agreementId ?? ''
  expect(await stateOf(id)).toMatchObject({ status: 'ACTIVE', subscription: null })
  await play({ action: 'deliver-reversed' })
  await play({ action: 'release' })
  await expect.poll(async () => (await stateOf(id))?.subscription?.status).toBe('active')

  const use = { action: 'use', agreementId: id, quantity: 5 } as const
  await expect(play(use)).rejects.toMatchObject({ status: 409, problem: { code: 'simulator-refused' } })
  const org = await aws.ada.call(createOrg, { body: { name: 'Simulated' } })
  const subscriptionId = (await stateOf(id))?.subscription?.id ?? ''
  await aws.ada.call(assignAwsSubscription, { params: { subscriptionId }, query: {}, body: { orgId: org.id } })
  await play(use)
  expect((await play({ action: 'bill', agreementId: id })).billed).toMatchObject([{ quantity: 3 }])

  const event = (await read()).events.find(({ agreementId }) => agreementId === id)
  expect(
    (await play({ action: 'deliver-twice', eventId: event?.id })).events.find((one) => one.id === event?.id),
  ).toMatchObject({
    status: 'delivered',
    deliveries: 3,
  })
  const renewed = (await play({ action: 'renew', agreementId: id })).agreementId ?? ''
  expect(renewed).not.toBe(id)
  await expect
    .poll(async () => (await stateOf(renewed))?.subscription)
    .toMatchObject({ id: subscriptionId, status: 'active', agreementId: renewed })
  await play({ action: 'cancel', agreementId: renewed })
  await expect.poll(async () => (await stateOf(renewed))?.subscription?.status).toBe('ending')
  await expect(play({ action: 'amend', agreementId: 'none' } as Body)).rejects.toMatchObject({ status: 409 })
  const [row] = await aws.service.sql`
    select before, after from audit_events where action = 'aws-event.simulated' order by at limit 1`
  expect(row).toMatchObject({ before: { mode: 'held' }, after: { action: 'hold' } })
})

test('a server that is connected to AWS itself has no simulator', async () => {
  const service = await startTestService({ AWS_MARKETPLACE_REGION: 'us-east-1' }, { sharedWith: aws.service })
  const ada = await service.as('ada')
  expect(await ada.call(getAwsSimulator, {})).toMatchObject({ isAvailable: false, purchases: [] })
  await expect(ada.call(playAwsSimulator, { body: { action: 'hold' } })).rejects.toMatchObject({ status: 404 })
})
