import { expect, test } from 'vitest'
import type { Follower } from './log.ts'
import { documents, startEngine, updatesOf } from './test-engines.ts'
import { watch } from './watch.ts'

test('whoever hears of nothing for long is told how far it came, once', async () => {
  const { sql, engine } = await startEngine(documents)
  const { readAt } = await engine.readRelationships({}, { limit: 1 })
  await engine.writeRelationships(updatesOf('+document:a#viewer@user:ada'))
  const { writtenAt: token } = await engine.writeRelationships(updatesOf('+document:b#viewer@user:ada'))
  const follower: Pick<Follower, 'current' | 'news'> = { current: () => undefined, news: async () => {} }
  const folders = { resourceTypes: ['folder'] }
  const events = watch(sql, follower as Follower, readAt, folders, AbortSignal.timeout(10_000), 0)
  const watching = events[Symbol.asyncIterator]()
  const nothing = { updates: [], isSchemaChange: false }
  expect((await watching.next()).value).toEqual({ token, ...nothing, isCheckpoint: true })
  const next = watching.next()
  await engine.writeRelationships(updatesOf('+folder:all#viewer@user:ada'))
  expect((await next).value).toMatchObject({ updates: [{ operation: 'touch' }] })
})
