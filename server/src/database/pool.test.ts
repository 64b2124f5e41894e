import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import { countWaiting } from './pool.ts'
import { type DatabaseOptions, isDatabaseUnavailable, openDatabase, type Sql, savepoint, transaction } from './sql.ts'
import { startTestProxy, type TestProxy } from './test-proxy.ts'

let direct: Sql
let proxy: TestProxy
beforeAll(async () => {
  direct = await createTestDatabase()
  await direct`create table kept (word text)`
  proxy = await startTestProxy()
})

/** Opens a pool on the test database through the proxy. */
function open(options: DatabaseOptions = {}): Sql {
  const { database = '' } = direct.options
  const sql = openDatabase({ url: proxy.url(database) }, options)
  onTestFinished(async () => {
    await sql.end({ timeout: 1 })
    await proxy.restore()
    await direct`delete from kept`
  })
  return sql
}

const readBackendPid = async (sql: Sql) => {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  return row?.pid ?? 0
}
/** Terminates backends of the test database while this process does not read its sockets. */
async function terminateUnread(pids: number[]) {
  const terminated = direct`
    select pg_terminate_backend(pid) from pg_stat_activity, pg_sleep(0.2) where pid = any(${pids})`.then(() => {})
  await delay(100)
  const until = performance.now() + 300
  while (performance.now() < until);
  onTestFinished(() => terminated)
}

const one = [{ one: 1 }]
const catchError = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => undefined,
    (error) => error,
  )

describe('after the loss of a connection', () => {
  test('the next statement avoids idle connections that were lost at the same time', async () => {
    const sql = open({ maxConnections: 2 })
    const pids = await Promise.all([readBackendPid(sql), readBackendPid(sql)])
    await catchError(sql`select pg_terminate_backend(pg_backend_pid())`)
    await terminateUnread(pids)
    expect(await sql`select 1 as one`).toEqual(one)
  })

  test('a connection counts as working only after a statement sent since', async () => {
    const sql = open({ maxConnections: 2 })
    await Promise.all([readBackendPid(sql), readBackendPid(sql)])
    const [lost, responsive] = await Promise.all([
      catchError(sql`select pg_terminate_backend(pg_backend_pid())`),
      sql`select pg_backend_pid() as pid from pg_sleep(0.3)`,
    ])
    expect(isDatabaseUnavailable(lost)).toBe(true)
    await terminateUnread(responsive.map(({ pid }) => pid))
    expect(await sql`select 1 as one`).toEqual(one)
  })

  test('the next statement runs on another connection', async () => {
    const sql = open({ maxConnections: 1 })
    const lost = catchError(sql`select pg_terminate_backend(pg_backend_pid())`)
    expect(isDatabaseUnavailable(await lost)).toBe(true)
    expect(await sql`select 1 as one`).toEqual(one)
  })

  test('in a transaction, its writes are rolled back and the next transaction works', async () => {
    const sql = open({ maxConnections: 1 })
    const lost = transaction(sql, async (sql) => {
      await sql`insert into kept values ('lost')`
      const pid = await readBackendPid(sql)
      await direct`select pg_terminate_backend(${pid})`
      await sql`select 1`
    })
    expect(isDatabaseUnavailable(await catchError(lost))).toBe(true)
    await transaction(sql, (sql) => sql`insert into kept values ('kept')`)
    expect(await direct`select word from kept`).toEqual([{ word: 'kept' }])
  })

  test('a transaction that waits for something else is rejected at once', async () => {
    const sql = open({ maxConnections: 1 })
    const lost = transaction(sql, async (sql) => {
      const pid = await readBackendPid(sql)
      await direct`select pg_terminate_backend(${pid})`
      await new Promise(() => {})
    })
    await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  })

  test('a channel is subscribed to again', async () => {
    const sql = open()
    const words: string[] = []
    let subscriptionCount = 0
    await sql.listen(
      'words',
      (word) => words.push(word),
      () => subscriptionCount++,
    )
    proxy.reset()
    await expect.poll(() => subscriptionCount).toBe(2)
    await direct.notify('words', 'again')
    await expect.poll(() => words).toEqual(['again'])
  })
})

describe('when PostgreSQL ends a session to shut down', () => {
  /** Ends the sessions of other connections that execute a statement with this text. */
  const terminate = async (text: string) => {
    const find = () => direct<{ pid: number }[]>`
      select pid from pg_stat_activity
      where query like ${`%${text}%`} and wait_event = 'PgSleep' and datname = current_database()`
    await expect.poll(async () => (await find()).length).toBeGreaterThan(0)
    for (const { pid } of await find()) await direct`select pg_terminate_backend(${pid})`
  }

  test('a statement in progress is repeated, and so are those behind it', async () => {
    const sql = open({ maxConnections: 1 })
    await sql`select 1`
    const written = sql`insert into kept select 'once' from pg_sleep(0.8) returning word`
    const behind = sql`insert into kept values ('behind') returning word`.values()
    const both = Promise.all([written, behind])
    await terminate('insert into kept select')
    expect(await both).toEqual([[{ word: 'once' }], [['behind']]])
    expect(await direct`select word from kept order by word`).toEqual([{ word: 'behind' }, { word: 'once' }])
  })

  test('a transaction is repeated, in a statement and between two', async () => {
    const sql = open({ maxConnections: 2 })
    let attempts = 0
    const write = transaction(sql, async (sql) => {
      await sql`insert into kept values (${`attempt ${++attempts}`})`
      if (attempts === 1) await direct`select pg_terminate_backend(${await readBackendPid(sql)})`
      await sql`select pg_sleep(${attempts === 2 ? 0.8 : 0})`
    })
    const terminated = expect
      .poll(() => attempts)
      .toBe(2)
      .then(() => terminate('select pg_sleep'))
    await Promise.all([write, terminated])
    expect(await direct`select word from kept`).toEqual([{ word: 'attempt 3' }])
  })

  test('a statement that is ended again and again is rejected', async () => {
    const sql = open({ maxConnections: 1 })
    let attempts = 0
    const ended = transaction(sql, async (sql) => {
      attempts++
      await sql`select pg_terminate_backend(pg_backend_pid())`
    })
    expect(isDatabaseUnavailable(await catchError(ended))).toBe(true)
    expect(attempts).toBe(3)
  })
})

test('a statement in progress on a connection that breaks is not repeated: it may have been executed', async () => {
  const sql = open({ maxConnections: 2 })
  await direct`create sequence executions`
  onTestFinished(async () => void (await direct`drop sequence executions`))
  const countSleeping = async () => {
    const rows = await direct`
      select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
    return rows.length
  }
  const cutWhile = async (work: Promise<unknown>) => {
    const outcome = catchError(work)
    await expect.poll(countSleeping).toBe(1)
    proxy.reset()
    expect(isDatabaseUnavailable(await outcome)).toBe(true)
    // PostgreSQL notices the loss only when it sends the response.
    await expect.poll(countSleeping).toBe(0)
  }
  await cutWhile(sql`select nextval('executions') from pg_sleep(0.5)`.then(() => {}))
  await cutWhile(transaction(sql, (sql) => sql`select nextval('executions') from pg_sleep(0.5)`))
  // The commit executes a deferred trigger, which sleeps.
  await direct.unsafe(`
    create function sleep() returns trigger language plpgsql set search_path = public as
      $$ begin perform pg_sleep(0.5); perform nextval('executions'); return null; end $$;
    create constraint trigger sleep after insert on kept deferrable initially deferred for each row
      when (new.word = 'slow commit') execute function sleep()`)
  onTestFinished(async () => void (await direct.unsafe('drop function sleep cascade')))
  await cutWhile(transaction(sql, (sql) => sql`insert into kept values ('slow commit')`))
  expect(await sql`select 1 as one`).toEqual(one)
  expect(await direct`select nextval('executions')::integer as next`).toEqual([{ next: 4 }])
})

describe('while the database accepts no connections', () => {
  test('unsent work waits until it does', async () => {
    const sql = open({ limits: { waitMs: 30_000, unreachableMs: 30_000, statementMs: 30_000 } })
    await proxy.cut()
    const [statement, written] = [
      sql`select 1 as one`.then((rows) => rows),
      transaction(sql, (sql) => sql`insert into kept values ('once')`),
    ]
    await delay(200)
    await proxy.restore()
    expect(await statement).toEqual(one)
    await written
    expect(await direct`select word from kept`).toEqual([{ word: 'once' }])
  })

  test('the unsent work of 40 pools waits until it does', async () => {
    const limits = { waitMs: 30_000, unreachableMs: 30_000, statementMs: 30_000 }
    const pools = Array.from({ length: 40 }, () => open({ maxConnections: 1, limits }))
    await proxy.cut()
    const statements = pools.map((sql) => sql`select 1 as one`.then((rows) => [...rows]))
    await delay(200)
    await proxy.restore()
    expect(await Promise.all(statements)).toEqual(pools.map(() => one))
  })

  test('work that waited too long since the beginning is rejected, and further work at once', async () => {
    const sql = open({ limits: { waitMs: 60_000, unreachableMs: 1_000, statementMs: 1_000 } })
    await proxy.cut()
    const startedAt = performance.now()
    expect(await catchError(sql`select 1`)).toMatchObject({ code: 'ECONNREFUSED' })
    const secondAt = performance.now()
    expect(secondAt - startedAt).toBeGreaterThan(950)
    expect(await catchError(sql`select 1`)).toMatchObject({ code: 'ECONNREFUSED' })
    expect(performance.now() - secondAt).toBeLessThan(900)
  })

  test('a server that hangs up at once is a lost connection', async () => {
    const sql = open()
    proxy.hangUp()
    expect(await catchError(sql`select 1`)).toMatchObject({ code: 'CONNECTION_CLOSED' })
    await proxy.restore()
    expect(await sql`select 1 as one`).toEqual(one)
  })
})

test('work is rejected while the database is silent, and accepted when it responds again', async () => {
  const sql = open({ maxConnections: 2 })
  await sql`select 1`
  proxy.silence()
  const outcomes = await Promise.all([
    ...[1, 2, 3, 4].map(() => catchError(sql`select 1`)),
    catchError(transaction(sql, (sql) => sql`select 1`)),
  ])
  expect(outcomes.map(isDatabaseUnavailable)).toEqual([true, true, true, true, true])
  await proxy.restore()
  await expect.poll(() => sql`select 1 as one`.catch(() => undefined)).toEqual(one)
})

test('work that waits too long for a connection is rejected, and running work continues', async () => {
  const sql = open({ maxConnections: 1, limits: { waitMs: 100, statementMs: 60_000 } })
  const release = Promise.withResolvers<void>()
  const busy = transaction(sql, async (sql) => {
    await sql`insert into kept values ('busy')`
    await release.promise
  })
  const late = catchError(sql`select 1`)
  await expect.poll(() => countWaiting(sql)).toBe(1)
  const error = await late
  expect(error).toMatchObject({ code: 'CONNECTION_WAIT_TIMEOUT' })
  expect(isDatabaseUnavailable(error)).toBe(true)
  expect(countWaiting(sql)).toBe(0)
  release.resolve()
  await busy
  expect(await direct`select word from kept`).toEqual([{ word: 'busy' }])
})

test('a statement over its time limit is cancelled', async () => {
  const sql = open({ limits: { waitMs: 1000, statementMs: 50 } })
  const error = await catchError(sql`select pg_sleep(60)`)
  expect(error).toMatchObject({ code: '57014' })
  expect(isDatabaseUnavailable(error)).toBe(true)
})

describe('a transaction', () => {
  test('is rejected with the error of a failed statement that its body ignores', async () => {
    const sql = open()
    const ignored = transaction(sql, async (sql) => {
      await sql`insert into kept values ('rolled back')`
      await catchError(sql`select 1 / 0`)
    })
    await expect(ignored).rejects.toThrow('division by zero')
    expect(await direct`select word from kept`).toEqual([])
  })

  test('continues after a failure within a savepoint', async () => {
    const sql = open()
    await transaction(sql, async (sql) => {
      await sql`insert into kept values ('kept')`
      const inner = savepoint(sql, async (sql) => {
        await sql`insert into kept values ('rolled back')`
        await sql`select 1 / 0`
      })
      await expect(inner).rejects.toThrow('division by zero')
    })
    expect(await direct`select word from kept`).toEqual([{ word: 'kept' }])
  })

  test('is completed before the pool ends', async () => {
    const sql = open()
    const started = Promise.withResolvers<void>()
    const written = transaction(sql, async (sql) => {
      await sql`insert into kept values ('kept')`
      started.resolve()
      await sql`select pg_sleep(0.05)`
    })
    await started.promise
    await sql.end({ timeout: 5 })
    await written
    expect(await direct`select word from kept`).toEqual([{ word: 'kept' }])
    await expect(sql`select 1`).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
  })
})

test('a cursor releases its connection, even if it is not read to its end', async () => {
  const sql = open({ maxConnections: 1 })
  const batches: number[] = []
  for await (const rows of sql`select generate_series(1, 25) as number`.cursor(10)) batches.push(rows.length)
  expect(batches).toEqual([10, 10, 5])
  for await (const _rows of sql`select generate_series(1, 25) as number`.cursor(10)) break
  expect(await sql`select 1 as one`).toEqual(one)
})
