import * as api from '@passport/contract/groups'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Sql, transaction } from '../database/sql.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import * as store from './store.ts'

/** Readers that keep a copy of what they see, by `updatedSince` alone, while others write. */

let service: TestService
let ada: Visitor
let eve: Visitor
let dev: Visitor

beforeAll(async () => {
  service = await startTestService()
  ;[ada, eve, dev] = (await Promise.all((['ada', 'eve', 'dev'] as const).map((who) => service.as(who)))) as [
    Visitor,
    Visitor,
    Visitor,
  ]
})

type Page = Awaited<ReturnType<typeof listed>>
const listed = (visitor: Visitor, path: string) =>
  visitor.fetch(path).then(
    (response) =>
      response.json() as Promise<{
        items: (api.GroupSummary | api.GroupTombstone)[]
        next: string | null
        watermark: string
      }>,
  )

/** Every page of a list, and the watermark of the first and of the last. */
async function readAll(visitor: Visitor, path: string) {
  const pages: Page[] = []
  for (let next: string | null = path; next; next = pages.at(-1)?.next ?? null) pages.push(await listed(visitor, next))
  const items = pages.flatMap((page) => page.items)
  return { items, first: pages[0]?.watermark ?? '', last: pages.at(-1)?.watermark ?? '' }
}

/** A copy of the groups that somebody sees, begun from the whole list. */
async function replicaOf(visitor: Visitor, limit: number) {
  await settleClock()
  const { items, first } = await readAll(visitor, `/passport/groups?limit=${limit}`)
  const groups = new Map(items.map((item) => [item.id, item as api.GroupSummary]))
  let watermark = first
  return {
    groups,
    /** Reads what changed; tells how many items came. */
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
const sourceFor = async (visitor: Visitor) =>
  sorted((await readAll(visitor, '/passport/groups?limit=200')).items as api.GroupSummary[])

/** Reads until nothing comes any more, which has to be soon. */
async function settle(replica: Awaited<ReturnType<typeof replicaOf>>) {
  for (let polls = 0; polls < 50; polls++) if ((await replica.read()).length === 0) return
  throw new Error('The same is told for ever')
}

let serial = 0
const create = (more: Record<string, unknown> = {}, visitor = ada) =>
  visitor.call(api.createGroup, { body: { name: `Group ${++serial}`, ...more } })
type Batch = typeof api.addMembers | typeof api.removeMembers | typeof api.addOwners | typeof api.removeOwners
const batch = <E extends Batch>(id: string, endpoint: E, ...people: string[]) =>
  ada.call<Batch>(endpoint, { params: { groupId: id }, query: {}, body: people })

/** A transaction that writes and stays open until it is let go. */
async function slowly(write: (sql: Sql) => Promise<unknown>) {
  const [written, begun] = gate()
  const [released, release] = gate()
  const done = transaction(service.sql, async (sql) => {
    await write(sql)
    begun()
    await released
  })
  await Promise.race([written, done])
  return async () => {
    release()
    await done
  }
}

function gate(): [Promise<void>, () => void] {
  const { promise, resolve } = Promise.withResolvers<void>()
  return [promise, resolve]
}

describe('what changed', () => {
  test('is told in its order, deleted groups as such, and once', async () => {
    const [one, two, three] = [await create({ name: 'Sync one' }), await create(), await create()]
    const replica = await replicaOf(ada, 200)
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

  test('is not told past a writer who has not finished', async () => {
    const [held, other] = [await create(), await create()]
    const replica = await replicaOf(ada, 200)
    const finish = await slowly((sql) => store.count(sql, held.id, { members: 0 }))
    await ada.call(api.putGroup, { params: { groupId: other.id }, body: { name: `Group ${++serial}` } })
    const until = await replica.read()
    expect(until).toEqual([])
    await finish()
    await settleClock()
    expect((await replica.read()).map(({ id }) => id).sort()).toEqual([held.id, other.id].sort())
  })

  test('waits for nobody who only reads', async () => {
    const { id } = await create()
    const replica = await replicaOf(ada, 200)
    const finish = await slowly((sql) => sql`select from groups`)
    await ada.call(api.putGroup, { params: { groupId: id }, body: { name: `Group ${++serial}` } })
    await settleClock()
    expect(await replica.read()).toHaveLength(1)
    await finish()
  })

  test('is told of one who began before the reader asked, and wrote after', async () => {
    const { id } = await create()
    const replica = await replicaOf(ada, 200)
    const [asked, ask] = gate()
    const finish = slowly(async (sql) => {
      await sql`select`
      await asked
      await store.count(sql, id, { members: 0 })
    })
    await settleClock()
    await replica.read()
    ask()
    await (await finish)()
    await settleClock()
    expect((await replica.read()).map((item) => item.id)).toEqual([id])
  })

  test('does not hide what a backend writes that the reader may not look into', async () => {
    const { id } = await create()
    const { sql } = service
    const reader = `reader_${process.pid}`
    await sql.unsafe(`create role ${reader}`)
    const asReader = (statement: 'settled_before()' | 'now()') =>
      sql.begin(async (sql) => {
        await sql.unsafe(`set local role ${reader}`)
        const [row] = await sql.unsafe(`select ${statement} as at`)
        return Date.parse(row?.['at'])
      })
    const finish = await slowly((sql) => store.count(sql, id, { members: 0 }))
    const [settled, now] = [await asReader('settled_before()'), await asReader('now()')]
    expect(now - settled).toBeGreaterThanOrEqual(9_000)
    await finish()
    expect((await asReader('now()')) - (await asReader('settled_before()'))).toBeLessThan(9_000)
    await sql.unsafe(`drop role ${reader}`)
  })

  test('long ago is not known any more', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString()
    const ask = (since: string) => eve.fetch(`/passport/groups?updatedSince=${since}`)
    expect((await ask(daysAgo(29.9))).status).toBe(200)
    const refused = await ask(daysAgo(30.1))
    expect(await refused.json()).toMatchObject({ status: 410, code: 'sync-reset-required' })
  })

  test('is asked with any offset and precision', async () => {
    const response = await eve.fetch(
      `/passport/groups?updatedSince=${encodeURIComponent(new Date().toISOString().replace('Z', '123+00:00'))}`,
    )
    expect(response.status).toBe(200)
  })

  test('is not known to one who became an administrator meanwhile, or ceased to be one, whatever made them so', async () => {
    const { id } = await create({ members: [dev.id] })
    await service.sql`insert into group_roles (group_id, role) values (${id}, 'Passport.Admin')`
    const turns = [
      () => ada.call(api.deleteGroup, { params: { id }, query: {} }),
      () => ada.call(api.restoreGroup, { params: { id }, query: {}, body: {} }),
      () => ada.call(api.deleteGroup, { params: { id }, query: {} }),
    ]
    for (const turn of turns) {
      await settleClock()
      const { watermark } = await listed(dev, '/passport/groups')
      const ask = (more = '') => dev.fetch(`/passport/groups?updatedSince=${watermark}${more}`)
      expect((await ask()).status).toBe(200)
      await turn()
      expect(await (await ask()).json()).toMatchObject({ status: 410, code: 'sync-reset-required' })
      expect((await ask('&mine=true')).status).toBe(200)
    }
  })
})

describe('a person who is deleted and brought back', () => {
  test('has left their groups meanwhile, with new versions of these', async () => {
    const group = await create({ members: [eve.id], owners: [eve.id] })
    const other = await create({ members: [eve.id] })
    const [all, own] = [await replicaOf(ada, 200), await replicaOf(eve, 200)]
    const left = await transaction(service.sql, (sql) => store.takeOut(sql, eve.id))
    await settle(all)
    await settle(own)
    expect(all.groups.get(group.id)).toMatchObject({ version: 2, memberCount: 0, ownerCount: 1 })
    expect(own.groups.size).toBe(0)
    await transaction(service.sql, (sql) => store.putBack(sql, eve.id, left))
    await settle(all)
    await settle(own)
    expect(all.groups.get(group.id)).toMatchObject({ version: 3, memberCount: 1, ownerCount: 2 })
    expect(own.groups.get(other.id)).toMatchObject({ isMember: true, isOwner: false })
    expect(sorted(own.groups.values())).toEqual(await sourceFor(eve))
  })
})

/** Random, and the same each time. */
function randomFrom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('a copy', () => {
  test.for([1, 2, 3])('ends equal to its source, whatever happened, round %i', async (seed) => {
    const random = randomFrom(seed)
    const people = [eve.id, dev.id, ada.id]
    const ids: string[] = []
    for (let at = 0; at < 6; at++) ids.push((await create({ members: [people[random(3)]] })).id)
    const pick = () => ids[random(ids.length)] ?? ''

    const one = async () => {
      const [id, person] = [pick(), people[random(3)] ?? '']
      const kind = random(9)
      if (kind === 0) ids.push((await create({ members: [person] })).id)
      if (kind === 1) await ada.call(api.putGroup, { params: { groupId: id }, body: { name: `Group ${++serial}` } })
      if (kind === 2) await ada.call(api.deleteGroup, { params: { id }, query: {} })
      if (kind === 3) await ada.call(api.restoreGroup, { params: { id }, query: {}, body: {} })
      if (kind === 4 || kind === 5) await batch(id, api.addMembers, person)
      if (kind === 6) await batch(id, api.removeMembers, person)
      if (kind === 7) await batch(id, api.addOwners, person)
      if (kind === 8) await batch(id, api.removeOwners, person)
    }
    /** Changes somebody's part in a group, and stays open until the reader has been there, or twice. */
    const slow = async () => {
      const [id, person] = [pick(), people[random(2)] ?? '']
      const isIn = random(2) === 0
      const finish = await slowly(async (sql) => {
        await store.lock(sql, [id])
        const changed = isIn
          ? await store.addMembers(sql, id, [person], ada.id)
          : await store.removeMembers(sql, id, [person])
        await store.count(sql, id, { members: isIn ? changed.length : -changed.length })
      })
      for (let rounds = random(3); rounds > 0; rounds--) await nextRound()
      await finish()
    }

    let isOver = false
    let round = gate()
    const nextRound = () => (isOver ? Promise.resolve() : round[0])
    const replicas = [await replicaOf(ada, 4), await replicaOf(eve, 2)]
    const reading = (async () => {
      while (!isOver) {
        for (const replica of replicas) await replica.read()
        const [, open] = round
        round = gate()
        open()
      }
      round[1]()
    })()
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      // What the state of a group does not allow is refused: that is no matter here.
      for (let writes = 0; writes < 40; writes++) await (writer < 2 ? slow() : one().catch(refused))
    })
    await Promise.all(writers).finally(() => {
      isOver = true
    })
    await reading
    for (const [at, visitor] of [ada, eve].entries()) {
      const replica = replicas[at]
      if (!replica) continue
      await settle(replica)
      expect(sorted(replica.groups.values())).toEqual(await sourceFor(visitor))
    }
  })
})

function refused(error: { status?: number }) {
  if (![404, 409].includes(error.status ?? 0)) throw error
}

/** Until the clock of the database has gone on by a millisecond: what was changed in one that is not over is told in the next. */
async function settleClock() {
  const [before] = await service.sql`select date_trunc('milliseconds', clock_timestamp()) as at`
  for (;;) {
    const [now] =
      await service.sql`select date_trunc('milliseconds', clock_timestamp()) > ${before?.['at']} as is_later`
    if (now?.['isLater']) return
  }
}
