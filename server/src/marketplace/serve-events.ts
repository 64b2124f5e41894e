import * as api from '@passport/contract/aws-events'
import { toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { transaction } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import { decodeCursor, isInstant, offsetOf, toPage } from '../http/paging.ts'
import { Pending } from '../http/serve.ts'
import { assignEvent } from './assign-event.ts'
import { findDrift } from './drift.ts'
import * as store from './event-store.ts'
import * as problems from './problems.ts'
import { receiveEvent, requireEventKey } from './receive-event.ts'
import { receiveSnsMessage } from './sns.ts'
import { requestChecksOf } from './subscription-store.ts'

/** The events of AWS Marketplace, and those that need an administrator. */
export const serveEvents: Feature = ({ serve }, services) => {
  const { sql, config } = services

  serve(
    api.receiveAwsEvent,
    async ({ body }) => {
      await receiveEvent(sql, body)
      return new Pending({})
    },
    undefined,
    (headers) => requireEventKey(config, headers),
  )

  serve(api.receiveSnsMessage, async ({ body }) => {
    await receiveSnsMessage(services, body)
    return new Pending({})
  })

  serve(api.listAwsEvents, async ({ query }) => {
    const range = { after: decodeCursor(query.after, isInstant), offset: offsetOf(query), limit: query.limit + 1 }
    const [rows, count] = await Promise.all([
      store.list(sql, { status: query.status, ...range }),
      store.count(sql, query.status),
    ])
    const page = toPage({
      path: api.listAwsEvents.path,
      query,
      rows,
      count,
      cursorOf: ({ receivedAt, id }) => [receivedAt, id],
    })
    return { ...page, items: page.items.map(toEvent) }
  })

  serve(api.getAwsEvent, async ({ params }) => {
    const found = await store.findWithPayload(sql, params.eventId)
    if (!found) throw problems.eventNotFound()
    return { ...toEvent(found), payload: found.payload }
  })

  serve(api.redriveAwsEvent, ({ params, caller, visit }) =>
    transaction(sql, async (sql) => {
      const before = await store.find(sql, params.eventId)
      if (!before) throw problems.eventNotFound()
      const redriven = await store.redrive(sql, before.id)
      if (!redriven) throw problems.eventApplied()
      if (redriven.subscriptionId !== null) await requestChecksOf(sql, [redriven.subscriptionId])
      await audit.record(sql, {
        action: 'aws-event.redriven',
        ...toActorFields({ caller, visit }),
        target: { kind: 'aws-event', id: before.id },
        before: { status: before.status, error: before.error },
        after: { status: 'received', event: before.eventId, type: before.detailType },
      })
      return toEvent({ ...before, status: 'received', error: null })
    }),
  )

  serve(api.assignAwsEvent, async ({ params, body, caller, visit }) =>
    toEvent(await assignEvent(sql, { ...params, ...body }, { caller, visit })),
  )

  serve(api.getAwsDrift, () => findDrift(services))
}

const toEvent = ({ accountId, ...row }: store.EventRow): api.AwsEvent => ({ ...row, customerAwsAccountId: accountId })
