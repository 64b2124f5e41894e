import * as api from '@passport/contract/groups'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Sql, transaction } from '../database/sql.ts'
import { executeAsSuperuser, startTestService, type TestService, type Visitor } from '../test-service.ts'
import * as store from './store.ts'

// Clients keep a replica of the groups that they may see, by `updatedSince` alone, while other users change groups.

let service: TestService
let ada: Visitor
let eve: Visitor
let dev: Visitor

beforeAll(async () => {
  service = await startTestService()
  ;[ada, eve, dev] = (await Promise.all((['ada', 'eve', 'dev'] as const).map((name) => service.as(name)))) as [
    Visitor,
    Visitor,
    Visitor,
  ]
})

type Page = Awaited<ReturnType<typeof fetchPage>>
const fetchPage = (visitor: Visitor, path: string) =>
  visitor.fetch(path).then(
    (response) =>
      response.json() as Promise<{
        items: (api.GroupSummary | api.GroupTombstone)[]
        next: string | null
        watermark: string
      }>,
  )

/** Reads every page of a list; returns the items, and the watermarks of the first and the last page. */
async function readAll(visitor: Visitor, path: string) {
  const pages: Page[] = []
  for (let next: string | null = path; next; next = pages.at(-1)?.next ?? null)
    pages.push(await fetchPage(visitor, next))
  const items = pages.flatMap((page) => page.items)
  return { items, first: pages[0]?.watermark ?? '', last: pages.at(-1)?.watermark ?? '' }
}

/** Creates a replica of the groups that a user may see, from the whole list. */
async function createReplica(visitor: Visitor, limit: number) {
  await settleClock()
  const { items, first } = await readAll(visitor, `/passport/groups?limit=${limit}`)
  const groups = new Map(items.map((item) => [item.id, item as api.GroupSummary]))
  let watermark = first
  return {
    groups,
    /** Reads and applies the changes; returns them. */
    read: async () => {
      const path = `/passport/groups?limit=${limit}&updatedSince=${encodeURIComponent(watermark)}`
      const { items, last } = await readAll(visitor, path)
      for (const item of items) {
        if ('deleted' in item) groups.delete(item.id)
        else groups.set(item.id, item)
      }
      expect(last >= watermark).toBe(true)
      watermark = last
      return items
    },
  }
}

const sorted = (groups: Iterable<api.GroupSummary>) => [...groups].sort((a, b) => (a.id < b.id ? -1 : 1))
const readSource = async (visitor: Visitor) =>
  sorted((await readAll(visitor, '/passport/groups?limit=200')).items as api.GroupSummary[])

/** Reads until no changes are left; throws after 50 times. */
async function settle(replica: Awaited<ReturnType<typeof createReplica>>) {
  for (let polls = 0; polls < 50; polls++) if ((await replica.read()).length === 0) return
  throw new Error('The list of changes never ends')
}

let serial = 0
const create = (fields: Record<string, unknown> = {}, visitor = ada) =>
  visitor.call(api.createGroup, { body: { name: `Group ${++serial}`, ...fields } })
type Batch =
  | typeof api.addGroupMembers
  | typeof api.removeGroupMembers
  | typeof api.addGroupOwners
  | typeof api.removeGroupOwners
const batch = <E extends Batch>(id: string, endpoint: E, ...userIds: string[]) =>
  ada.call<Batch>(endpoint, { params: { groupId: id }, query: {}, body: userIds })

/** Opens a transaction that writes and stays open until released. */
async function openTransaction(write: (sql: Sql) => Promise<unknown>) {
  const [written, markWritten] = createGate()
  const [released, release] = createGate()
  const done = transaction(service.sql, async (sql) => {
    await write(sql)
    markWritten()
    await released
  })
  await Promise.race([written, done])
  return async () => {
    release()
    await done
  }
}

function createGate(): [Promise<void>, () => void] {
  const { promise, resolve } = Promise.withResolvers<void>()
  return [promise, resolve]
}

describe('the changes', () => {
  test('are listed in order, once, deleted groups as tombstones', async () => {
    const [one, two, three] = [await create({ name: 'Sync one' }), await create(), await create()]
    const replica = await createReplica(ada, 200)
    await ada.call(api.deleteGroup, { params: { id: two.id }, query: {} })
    const renamed = await ada.call(api.putGroup, { params: { groupId: one.id }, body: { name: 'Sync 1' } })
    await settleClock()
    const items = await replica.read()
    expect(items.map(({ id }) => id)).toEqual([two.id, one.id])
    const { members: _, membersNext: __, owners: ___, ownersNext: ____, ...summary } = renamed
    expect(items).toEqual([
      { id: two.id, groupId: two.id, deleted: true, version: 2, updatedAt: items[0]?.updatedAt },
      summary,
    ])
    expect(await replica.read()).toEqual([])
    expect(replica.groups.get(three.id)).toBeDefined()
  })

  test('stop before an open writing transaction', async () => {
    const [held, other] = [await create(), await create()]
    const replica = await createReplica(ada, 200)
    const finish = await openTransaction((sql) => store.adjustCounts(sql, held.id, { members: 0 }))
    await ada.call(api.putGroup, { params: { groupId: other.id }, body: { name: `Group ${++serial}` } })
    const changes = await replica.read()
    expect(changes).toEqual([])
    await finish()
    await settleClock()
    expect((await replica.read()).map(({ id }) => id).sort()).toEqual([held.id, other.id].sort())
  })

  test('do not wait for readers', async () => {
    const { id } = await create()
    const replica = await createReplica(ada, 200)
    const finish = await openTransaction((sql) => sql`select from groups`)
    await ada.call(api.putGroup, { params: { groupId: id }, body: { name: `Group ${++serial}` } })
    await settleClock()
    expect(await replica.read()).toHaveLength(1)
    await finish()
  })

  test('include a transaction that began before the read and wrote after it', async () => {
    const { id } = await create()
    const replica = await createReplica(ada, 200)
    const [readDone, markRead] = createGate()
    const finish = openTransaction(async (sql) => {
      await sql`select`
      await readDone
      await store.adjustCounts(sql, id, { members: 0 })
    })
    await settleClock()
    await replica.read()
    markRead()
    await (await finish)()
    await settleClock()
    expect((await replica.read()).map((item) => item.id)).toEqual([id])
  })

  test('include writes of a backend that the reader may not inspect', async () => {
    const { id } = await create()
    const { sql } = service
    const reader = `reader_${process.pid}`
    const { user = '' } = sql.options
    await executeAsSuperuser('postgres', `create role ${reader} role ${user}`)
    const asReader = (statement: 'settled_before()' | 'now()') =>
      sql.begin(async (sql) => {
        await sql.unsafe(`set local role ${reader}`)
        const [row] = await sql.unsafe(`select ${statement} as at`)
        return Date.parse(row?.['at'])
      })
    const finish = await openTransaction((sql) => store.adjustCounts(sql, id, { members: 0 }))
    const [settled, now] = [await asReader('settled_before()'), await asReader('now()')]
    expect(now - settled).toBeGreaterThanOrEqual(9_000)
    await finish()
    expect((await asReader('now()')) - (await asReader('settled_before()'))).toBeLessThan(9_000)
    await executeAsSuperuser('postgres', `drop role ${reader}`)
  })

  test('are 410 for an instant more than 30 days ago', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString()
    const fetchChanges = (since: string) => eve.fetch(`/passport/groups?updatedSince=${since}`)
    expect((await fetchChanges(daysAgo(29.9))).status).toBe(200)
    const rejected = await fetchChanges(daysAgo(30.1))
    expect(await rejected.json()).toMatchObject({ status: 410, code: 'sync-reset-required' })
  })

  test('are listed for a client whose clock is up to five minutes ahead, and none is skipped', async () => {
    const fetchFrom = (minutes: number) =>
      ada.fetch(`/passport/groups?updatedSince=${new Date(Date.now() + minutes * 60_000).toISOString()}`)
    const early = await fetchFrom(4.9)
    expect(early.status).toBe(200)
    const { watermark } = (await early.json()) as { watermark: string }
    const { id } = await create()
    await settleClock()
    const { items } = await readAll(ada, `/passport/groups?updatedSince=${encodeURIComponent(watermark)}`)
    expect(items.map((item) => item.id)).toContain(id)
    expect(await (await fetchFrom(5.1)).json()).toMatchObject({ status: 400, code: 'invalid-request' })
  })

  test('are listed for an instant with any offset and precision', async () => {
    const response = await eve.fetch(
      `/passport/groups?updatedSince=${encodeURIComponent(new Date().toISOString().replace('Z', '123+00:00'))}`,
    )
    expect(response.status).toBe(200)
  })

  test('are 410 for a user who became or ceased to be an administrator since then', async () => {
    const { id } = await create({ members: [dev.id] })
    await service.sql`insert into group_roles (group_id, role) values (${id}, 'Passport.Admin')`
    const turns = [
      () => ada.call(api.deleteGroup, { params: { id }, query: {} }),
      () => ada.call(api.restoreGroup, { params: { id }, query: {}, body: {} }),
      () => ada.call(api.deleteGroup, { params: { id }, query: {} }),
    ]
    for (const turn of turns) {
      await settleClock()
      const { watermark } = await fetchPage(dev, '/passport/groups')
      const fetchChanges = (parameters = '') => dev.fetch(`/passport/groups?updatedSince=${watermark}${parameters}`)
      expect((await fetchChanges()).status).toBe(200)
      await turn()
      expect(await (await fetchChanges()).json()).toMatchObject({ status: 410, code: 'sync-reset-required' })
      expect((await fetchChanges('&mine=true')).status).toBe(200)
    }
  })
})

describe('a user who is deleted and restored', () => {
  test('leaves and rejoins their groups, which get new versions', async () => {
    const group = await create({ members: [eve.id], owners: [eve.id] })
    const other = await create({ members: [eve.id] })
    const [all, own] = [await createReplica(ada, 200), await createReplica(eve, 200)]
    const left = await transaction(service.sql, (sql) => store.removeFromGroups(sql, eve.id))
    await settle(all)
    await settle(own)
    expect(all.groups.get(group.id)).toMatchObject({ version: 2, memberCount: 0, ownerCount: 1 })
    expect(own.groups.size).toBe(0)
    await transaction(service.sql, (sql) => store.restoreToGroups(sql, eve.id, left))
    await settle(all)
    await settle(own)
    expect(all.groups.get(group.id)).toMatchObject({ version: 3, memberCount: 1, ownerCount: 2 })
    expect(own.groups.get(other.id)).toMatchObject({ isMember: true, isOwner: false })
    expect(sorted(own.groups.values())).toEqual(await readSource(eve))
  })
})

/** Deterministic pseudo-random numbers. */
function randomFrom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('a replica', () => {
  test.for([1, 2, 3])('equals its source after random changes, seed %i', async (seed) => {
    const random = randomFrom(seed)
    const userIds = [eve.id, dev.id, ada.id]
    const ids: string[] = []
    for (let index = 0; index < 6; index++) ids.push((await create({ members: [userIds[random(3)]] })).id)
    const pick = () => ids[random(ids.length)] ?? ''

    const changeOnce = async () => {
      const [id, person] = [pick(), userIds[random(3)] ?? '']
      const kind = random(9)
      if (kind === 0) ids.push((await create({ members: [person] })).id)
      if (kind === 1) await ada.call(api.putGroup, { params: { groupId: id }, body: { name: `Group ${++serial}` } })
      if (kind === 2) await ada.call(api.deleteGroup, { params: { id }, query: {} })
      if (kind === 3) await ada.call(api.restoreGroup, { params: { id }, query: {}, body: {} })
      if (kind === 4 || kind === 5) await batch(id, api.addGroupMembers, person)
      if (kind === 6) await batch(id, api.removeGroupMembers, person)
      if (kind === 7) await batch(id, api.addGroupOwners, person)
      if (kind === 8) await batch(id, api.removeGroupOwners, person)
    }
    /** Adds or removes a member in a transaction that stays open while the reader reads up to twice. */
    const changeSlowly = async () => {
      const [id, person] = [pick(), userIds[random(2)] ?? '']
      const isIn = random(2) === 0
      const finish = await openTransaction(async (sql) => {
        await store.lock(sql, [id])
        const changed = isIn
          ? await store.addMembers(sql, id, [person], ada.id)
          : await store.removeMembers(sql, id, [person])
        await store.adjustCounts(sql, id, { members: isIn ? changed.length : -changed.length })
      })
      for (let rounds = random(3); rounds > 0; rounds--) await nextRound()
      await finish()
    }

    let isOver = false
    let round = createGate()
    const nextRound = () => (isOver ? Promise.resolve() : round[0])
    const replicas = [await createReplica(ada, 4), await createReplica(eve, 2)]
    const reading = (async () => {
      while (!isOver) {
        for (const replica of replicas) await replica.read()
        const [, open] = round
        round = createGate()
        open()
      }
      round[1]()
    })()
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      // Changes that the state of a group does not allow are rejected, which is irrelevant here.
      for (let writes = 0; writes < 40; writes++)
        await (writer < 2 ? changeSlowly() : changeOnce().catch(ignoreRejected))
    })
    await Promise.all(writers).finally(() => {
      isOver = true
    })
    await reading
    for (const [index, visitor] of [ada, eve].entries()) {
      const replica = replicas[index]
      if (!replica) continue
      await settle(replica)
      expect(sorted(replica.groups.values())).toEqual(await readSource(visitor))
    }
  })
})

function ignoreRejected(error: { status?: number }) {
  if (![404, 409].includes(error.status ?? 0)) throw error
}

/** Waits until the database clock advances by a millisecond: changes of the current one are reported in the next. */
async function settleClock() {
  const [before] = await service.sql`select date_trunc('milliseconds', clock_timestamp()) as at`
  for (;;) {
    const [now] =
      await service.sql`select date_trunc('milliseconds', clock_timestamp()) > ${before?.['at']} as is_later`
    if (now?.['isLater']) return
  }
}
