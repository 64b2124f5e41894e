import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { TLSSocket } from 'node:tls'
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { cert, key } from '../test-certificate.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { createTestDatabase } from '../test-service.ts'
import { openDatabase, type Sql, transaction } from './sql.ts'
import { startTestProxy } from './test-proxy.ts'

/** The first packet of a client that requests TLS (PostgreSQL, “Message Formats”, SSLRequest). */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

let direct: Sql
let port: number
const clients = new Set<TLSSocket>()

beforeAll(async () => {
  direct = await createTestDatabase()
  const server = createServer(async (socket) => {
    const [first] = (await once(socket, 'data')) as [Buffer]
    if (!first.equals(sslRequest)) return void socket.destroy()
    socket.write('S')
    const client = new TLSSocket(socket, { isServer: true, key, cert })
    const database = connect(`${inject('socketDirectory')}/.s.PGSQL.5432`)
    clients.add(client)
    for (const [from, to] of [[client, database] as const, [database, client] as const]) {
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as { port: number }).port
  onFileEnd(() => {
    for (const client of clients) client.destroy()
    server.close()
  })
})

/** Opens a pool on a database server that accepts only TLS. */
function open(query: string): Sql {
  const url = `postgres://passport@localhost:${port}/${direct.options.database}${query}`
  const sql = openDatabase({ url }, { maxConnections: 3 })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

test('the pool runs statements and transactions over TLS', async () => {
  const sql = open('?sslmode=require')
  const numbers = Array.from({ length: 50 }, (_, index) => index)
  const rows = await Promise.all(
    numbers.map((number) =>
      number % 2 === 0
        ? sql`select ${number}::integer as value`
        : transaction(sql, async (sql) => [...(await sql`select ${number}::integer as value`)]),
    ),
  )
  expect(rows.map(([row]) => row?.['value'])).toEqual(numbers)
})

test('the pool replaces lost TLS connections', async () => {
  const sql = open('?sslmode=require')
  await sql`select 1`
  for (const client of clients) client.destroy()
  await expect.poll(() => sql`select 1 as one`.catch(() => [])).toEqual([{ one: 1 }])
})

test('the pool repeats a statement that PostgreSQL has ended to shut down, over TLS', async () => {
  const sql = open('?sslmode=require')
  const slow = sql`select 'slow over TLS' as text from pg_sleep(0.8)`.then((rows) => [...rows])
  const terminate = () => direct`
    select pg_terminate_backend(pid) from pg_stat_activity
    where query like '%slow over TLS%' and wait_event = 'PgSleep' and datname = current_database()`
  await expect.poll(async () => (await terminate()).length).toBe(1)
  expect(await slow).toEqual([{ text: 'slow over TLS' }])
})

test('a server without TLS is rejected with sslmode=require, and used with sslmode=prefer', async () => {
  const proxy = await startTestProxy()
  const openPlain = (mode: string) => {
    const sql = openDatabase({ url: `${proxy.url(direct.options.database ?? '')}?sslmode=${mode}` })
    onTestFinished(() => sql.end({ timeout: 1 }))
    return sql
  }
  await expect(openPlain('require')`select 1`).rejects.toMatchObject({ code: 'CONNECTION_WITHOUT_TLS' })
  expect(await openPlain('prefer')`select 1 as one`).toEqual([{ one: 1 }])
})

test('an untrusted certificate is rejected with sslmode=verify-full', async () => {
  await expect(open('?sslmode=verify-full')`select 1`).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
})

test('a connection without TLS to a server that requires it fails with CONNECTION_CLOSED', async () => {
  await expect(open('')`select 1`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
})
