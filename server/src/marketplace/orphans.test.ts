import { assignAwsEvent, getAwsDrift, listAwsEvents } from '@passport/contract/aws-events'
import { beforeAll, describe, expect, test } from 'vitest'
import { type AwsService, startAwsService } from './test-aws.ts'
import { addMeter } from './test-usage.ts'

const hours = 'stagehours1a2b3c4d5e6f7g8'
let aws: AwsService
beforeAll(async () => {
  aws = await startAwsService()
})

const assign = (eventId: string, subscriptionId: string) =>
  aws.ada.call(assignAwsEvent, { params: { eventId }, body: { subscriptionId } })

describe('an unmatched event', () => {
  const add = (id: string, fields: object = {}) =>
    aws.service.sql`insert into aws_events ${aws.service.sql({
      id,
      source: 'eventbridge',
      eventId: id,
      detailType: 'Purchase Agreement Ended - Proposer',
      kind: 'agreement-ended',
      agreementId: 'agmt-elsewhere',
      eventTime: new Date().toISOString(),
      payload: '{}',
      status: 'unmatched',
      ...fields,
    } as never)}`

  test('is given to a subscription, whose state follows', async () => {
    const one = await addMeter(aws, hours, { agreementId: null, status: 'active' })
    await add('orphan')
    expect(await assign('orphan', one.id)).toMatchObject({ status: 'applied', subscriptionId: one.id })
    const [row] = await aws.service.sql`select status, agreement_id from aws_subscriptions where id = ${one.id}`
    expect(row).toMatchObject({ status: 'ending', agreementId: 'agmt-elsewhere' })
    // As before the check with AWS, which the assignment requested: it may have found the event wrong by now.
    // A check in progress may still undo this.
    const assignApplied = async () => {
      await aws.service.sql`update aws_events set status = 'applied' where id = 'orphan'`
      return assign('orphan', one.id).catch(({ status, problem }) => [status, problem?.code])
    }
    await expect.poll(assignApplied).toEqual([409, 'aws-event-applied'])
    const [event] = await aws.service.sql`
      select before, after from audit_events where action = 'aws-event.assigned' order by id limit 1`
    expect(event).toMatchObject({ before: { status: 'unmatched' }, after: { subscriptionId: one.id } })
    expect((await aws.ada.call(listAwsEvents, { query: {} })).items).toEqual([])
  })

  test('of another licence, an unknown one, and an unknown subscription are refused', async () => {
    const one = await addMeter(aws, hours)
    await add('licensed', { licenseKey: 'l-other' })
    await expect(assign('licensed', one.id)).rejects.toMatchObject({
      status: 409,
      problem: { code: 'event-of-other-license' },
    })
    await expect(assign('none', one.id)).rejects.toMatchObject({ status: 404 })
    await expect(assign('licensed', 'none')).rejects.toMatchObject({ status: 404 })
  })
})

test('drift names an agreement that AWS has ended, since when, and that access ends with it', async () => {
  const one = await addMeter(aws, hours, { agreementStatus: 'ACTIVE', lastCheckedAt: '2026-11-01T00:00:00.000Z' })
  aws.marketplace.setDelivery('held')
  await aws.marketplace.cancel(one.agreementId)
  const { differences } = await aws.ada.call(getAwsDrift, {})
  expect(differences.filter(({ subscriptionId }) => subscriptionId === one.id)).toEqual([
    {
      subscriptionId: one.id,
      field: 'agreement',
      passport: 'ACTIVE',
      aws: 'CANCELLED',
      since: '2026-11-01T00:00:00.000Z',
      takesAccess: true,
    },
  ])
})
