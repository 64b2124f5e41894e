import { listActivity } from '@passport/contract/accounts'
import { listAuditEntries } from '@passport/contract/audit'
import * as api from '@passport/contract/connections'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Visitor } from '../test-service.ts'
import { type ConnectingService, startConnectingService } from './test-connections.ts'

const root = '/passport/connect/metahorizon'
let at: ConnectingService
let ada: Visitor
let dev: Visitor
let eve: Visitor

beforeAll(async () => {
  at = await startConnectingService()
  ada = await at.service.as('ada')
  dev = await at.service.as('dev')
  eve = await at.service.as('eve')
})
beforeEach(async () => {
  await at.service.sql`delete from connections`
  await at.service.sql`delete from connection_moves`
  await at.service.sql`delete from mails`
})

const confirm = (visitor: Visitor, linkId: string, move?: boolean) =>
  at.send(visitor, `${root}/confirm`, { linkId, ...(move !== undefined && { move }) })
const move = async (visitor: Visitor, alias: string) => confirm(visitor, await at.prove(visitor, alias), true)
const labelsOf = async ({ call }: Visitor) => (await call(api.listConnections, {})).map(({ label }) => label)
const undo = (token: string) => at.send(ada, `${root}/undo`, { token })
const ageMoves = (days: number) => at.service.sql`
  update connection_moves set moved_at = moved_at - make_interval(days => ${days})`

/** Moves an account from eve to dev, and returns the token of the notice to eve. */
async function moveFromEve(alias: string): Promise<string> {
  await at.connect(eve, alias)
  expect(await move(dev, alias)).toEqual({ status: 200, body: { status: 'linked' } })
  return readUndoToken('eve@passport.example', alias)
}

async function readUndoToken(address: string, alias: string): Promise<string> {
  const findToken = () =>
    at.mail
      .listMails()
      .filter(({ recipients, text }) => recipients[0] === address && text.includes(alias))
      .map(({ text }) => /\/app\/connect\/metahorizon\/undo#([\w-]{43})/.exec(text)?.[1])
      .findLast(Boolean)
  await expect.poll(findToken).toBeTruthy()
  return findToken() ?? ''
}

describe('an account of another user', () => {
  test('is moved only on request, and both users are notified without the name of the other', async () => {
    await at.connect(eve, 'Wanderer')
    const linkId = await at.prove(dev, 'Wanderer')
    expect(await confirm(dev, linkId)).toMatchObject({ status: 409, body: { code: 'external-account-in-use' } })
    expect(await labelsOf(eve)).toEqual(['Wanderer'])

    expect(await confirm(dev, linkId, true)).toEqual({ status: 200, body: { status: 'linked' } })
    expect([await labelsOf(eve), await labelsOf(dev)]).toEqual([[], ['Wanderer']])
    const former = await at.mail.waitForMailTo('eve@passport.example')
    const owner = await at.mail.waitForMailTo('dev@passport.example')
    expect(former.text).toContain('Undo the move')
    expect(former.text + former.html).not.toMatch(/\bdev\b|Devon/)
    expect(owner.text).not.toMatch(/undo#|eve@|Eve/)
    const { externalId } = { externalId: at.meta.account('Wanderer').orgScopedId }
    const { items } = await ada.call(listAuditEntries, { query: { action: 'connection.moved', actor: dev.id } })
    expect(items[0]).toMatchObject({
      target: { kind: 'user', id: eve.id },
      before: { connector: 'metahorizon', externalId, label: 'Wanderer', user: eve.id },
      after: { connector: 'metahorizon', externalId, label: 'Wanderer', user: dev.id },
    })
    const activity = await eve.call(listActivity, { query: { limit: 1 } })
    expect(activity.items[0]).toMatchObject({ action: 'connection.moved' })
  })

  test('is not moved to a user who has another one', async () => {
    await at.connect(eve, 'Wanted')
    await at.connect(dev, 'Present')
    expect(await move(dev, 'Wanted')).toMatchObject({ status: 409, body: { code: 'already-linked' } })
    expect([await labelsOf(eve), await labelsOf(dev)]).toEqual([['Wanted'], ['Present']])
  })

  test('is moved once a day', async () => {
    await moveFromEve('Daily')
    expect(await move(ada, 'Daily')).toMatchObject({ status: 409, body: { code: 'moved-recently' } })
    await ageMoves(1)
    expect((await move(ada, 'Daily')).status).toBe(200)
  })

  test('is moved once by 16 requests of two users at the same time', async () => {
    await at.connect(ada, 'Contested')
    const visitors = [...Array(8).fill('eve'), ...Array(8).fill('dev')] as ('eve' | 'dev')[]
    const sessions = await Promise.all(visitors.map((name) => at.service.as(name)))
    const linkIds = await Promise.all(sessions.map((session) => at.prove(session, 'Contested')))
    const results = await Promise.all(sessions.map((session, index) => confirm(session, linkIds[index] ?? '', true)))

    const winner = (await labelsOf(eve)).length > 0 ? 'eve' : 'dev'
    expect([(await labelsOf(ada)).length, (await labelsOf(eve)).length + (await labelsOf(dev)).length]).toEqual([0, 1])
    for (const [index, { status, body }] of results.entries())
      expect([status, body['code']]).toEqual(visitors[index] === winner ? [200, undefined] : [409, 'moved-recently'])
    const { items } = await ada.call(listAuditEntries, { query: { action: 'connection.moved' } })
    expect(items.filter(({ after }) => after?.['label'] === 'Contested')).toHaveLength(1)
    expect(await at.service.sql`select id from mails`).toHaveLength(2)
  })
})

describe('the undo of the former owner', () => {
  test('returns the account, once', async () => {
    const token = await moveFromEve('Returned')
    expect(await undo(token)).toEqual({ status: 204, body: {} })
    expect([await labelsOf(eve), await labelsOf(dev)]).toEqual([['Returned'], []])
    expect(await undo(token)).toMatchObject({ status: 409, body: { code: 'undo-gone' } })
    const { items } = await ada.call(listAuditEntries, { query: { action: 'connection.move-undone' } })
    expect(items[0]).toMatchObject({ target: { id: eve.id }, before: { user: dev.id }, after: { user: eve.id } })
    expect(await move(dev, 'Returned')).toMatchObject({ status: 409, body: { code: 'moved-recently' } })
  })

  test('is possible for 7 days, and after a removal', async () => {
    const token = await moveFromEve('Patient')
    const [connection] = await dev.call(api.listConnections, {})
    await dev.call(api.removeConnection, { params: { id: connection?.id ?? '' } })
    await ageMoves(7)
    expect((await undo(token)).status).toBe(409)
    await at.service.jobs.find(({ name }) => name === 'sweep')?.run()
    await at.service.sql`update connection_moves set moved_at = moved_at + interval '1 minute'`
    expect((await undo(token)).status).toBe(204)
    expect(await labelsOf(eve)).toEqual([at.meta.account('Patient').orgScopedId])
  })

  test('is gone once the account is moved again', async () => {
    const token = await moveFromEve('Onward')
    await ageMoves(1)
    expect((await move(ada, 'Onward')).status).toBe(200)
    expect(await undo(token)).toMatchObject({ status: 409, body: { code: 'undo-gone' } })
    expect(await undo(await readUndoToken('dev@passport.example', 'Onward'))).toMatchObject({ status: 204 })
    expect(await labelsOf(dev)).toEqual(['Onward'])
  })

  test('is gone for a user who has another account of the service, and leaves everything as it is', async () => {
    const token = await moveFromEve('Replaced')
    await at.connect(eve, 'Newer')
    expect(await undo(token)).toMatchObject({ status: 409, body: { code: 'undo-gone' } })
    expect([await labelsOf(eve), await labelsOf(dev)]).toEqual([['Newer'], ['Replaced']])
  })

  test('needs the token', async () => {
    expect(await undo('unknown')).toMatchObject({ status: 409, body: { code: 'undo-gone' } })
  })
})
