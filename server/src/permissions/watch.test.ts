import { expect, test } from 'vitest'
import type { LogReplica } from './log-replica.ts'
import { documents, parseUpdates, startEngine } from './test-engines.ts'
import { watch } from './watch.ts'

test('sends one checkpoint after a quiet period', async () => {
  const { sql, engine } = await startEngine(documents)
  const { readAt } = await engine.readRelationships({}, { limit: 1 })
  await engine.writeRelationships(parseUpdates('+document:a#viewer@user:ada'))
  const { writtenAt: token } = await engine.writeRelationships(parseUpdates('+document:b#viewer@user:ada'))
  const replica: Pick<LogReplica, 'current' | 'waitForChange'> = {
    current: () => undefined,
    waitForChange: async () => {},
  }
  const folders = [{ resourceType: 'folder' }]
  const events = watch(sql, replica as LogReplica, readAt, folders, AbortSignal.timeout(10_000), 0)
  const watching = events[Symbol.asyncIterator]()
  const noChange = { updates: [], isSchemaChange: false }
  expect((await watching.next()).value).toEqual({ token, ...noChange, isCheckpoint: true })
  const next = watching.next()
  await engine.writeRelationships(parseUpdates('+folder:all#viewer@user:ada'))
  expect((await next).value).toMatchObject({ updates: [{ operation: 'touch' }] })
})
