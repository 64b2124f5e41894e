import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import { openDatabase, type Sql, transaction } from './sql.ts'

const moduleAt = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)

/**
 * Runs `body` in a separate process with the variables `sql`, `other` and `transaction`; returns the exit code and
 * output.
 */
async function run(body: string) {
  const source = `
    import { outliveLostConnections } from ${moduleAt('./lost-connection.ts')}
    import { openDatabase, transaction } from ${moduleAt('./sql.ts')}
    outliveLostConnections((error) => console.log('reported', error.name))
    const address = ${JSON.stringify({ socketDirectory: inject('socketDirectory'), database: 'postgres', user: 'passport' })}
    const [sql, other] = [openDatabase(address), openDatabase(address)]
    ${body}
    process.exit(0)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code] = await once(child, 'close')
  return { code, output }
}

test('a connection lost in a transaction does not end the process, and other connections work', async () => {
  const { code, output } = await run(`
    const lost = transaction(sql, async (sql) => {
      const [{ pid }] = await sql\`select pg_backend_pid() as pid\`
      const waiting = sql\`select pg_sleep(60)\`.execute()
      await other\`select pg_terminate_backend(\${pid})\`
      await waiting
    })
    await lost.catch(({ code }) => console.log('lost', code))
    await new Promise((then) => setImmediate(then))
    const [{ two }] = await other\`select 2 as two\`
    console.log('then', two)`)
  expect(output.split('\n')).toEqual(['lost CONNECTION_CLOSED', 'then 2', ''])
  expect(code).toBe(0)
})

/**
 * Runs two statements through a proxy. At the first data for which `isLostAt(data, sender)` holds, the proxy ends the
 * connection with a fatal error: before the data if the client sent them, after them if the database did.
 */
const runLosingConnection = (isLostAt: string) =>
  run(`
    const { connect, createServer } = await import('node:net')
    const isLostAt = ${isLostAt}
    const fields = Buffer.from('SFATAL\\0VFATAL\\0C57P01\\0Mterminating connection\\0\\0')
    const head = Buffer.from('E0000')
    head.writeUInt32BE(fields.length + 4, 1)
    let isFirst = true
    const proxy = createServer((client) => {
      const database = connect(address.socketDirectory + '/.s.PGSQL.5432')
      const relay = (sender, data) => {
        if (!isFirst || !isLostAt(data, sender)) return (sender === 'client' ? database : client).write(data)
        isFirst = false
        client.end(Buffer.concat([...(sender === 'client' ? [] : [data]), head, fields]))
        database.destroy()
      }
      client.on('data', (data) => relay('client', data))
      database.on('data', (data) => relay('database', data))
    })
    await new Promise((then) => proxy.listen(0, '127.0.0.1', then))
    const far = openDatabase({ url: 'postgres://passport@127.0.0.1:' + proxy.address().port + '/postgres' })
    await far\`select 1\`.catch(({ code }) => console.log('lost', code))
    await new Promise((then) => setImmediate(then))
    const [{ two }] = await far\`select 2 as two\`
    console.log('then', two)`)

test('a lost new connection does not end the process, and its statement is retried', async () => {
  const { code, output } = await runLosingConnection(
    `(data, sender) => sender === 'client' && data.includes('pg_catalog.pg_type')`,
  )
  expect(output.split('\n')).toEqual(['reported Error', 'then 2', ''])
  expect(code).toBe(0)
})

test('a new connection lost before its query for array types does not end the process', async () => {
  const { code, output } = await runLosingConnection(
    // ReadyForQuery, after the start-up of the connection.
    `(data, sender) => sender === 'database' && data.includes(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]))`,
  )
  expect(output.split('\n')).toEqual(['reported Error', 'then 2', ''])
  expect(code).toBe(0)
})

test('any other uncaught error ends the process', async () => {
  const { code, output } = await run(`
    setImmediate(() => null.write())
    await new Promise((soon) => setTimeout(soon, 5000))`)
  expect({ code, output }).toEqual({ code: 1, output: 'reported TypeError\n' })
})

test('a statement of a transaction whose connection was lost is rejected', async () => {
  const sql = await createTestDatabase()
  await sql`create table kept (word text)`
  const { database = '' } = sql.options
  const pool = openDatabase(
    { socketDirectory: inject('socketDirectory'), database, user: 'passport' },
    { maxConnections: 1 },
  )
  onTestFinished(() => pool.end())
  const proceed = Promise.withResolvers<void>()
  const lostTransaction = Promise.withResolvers<Sql>()
  const lost = transaction(pool, async (inner) => {
    const [{ pid = 0 } = {}] = await inner<{ pid: number }[]>`select pg_backend_pid() as pid`
    lostTransaction.resolve(inner)
    await sql`select pg_terminate_backend(${pid})`
    await proceed.promise
    await inner`insert into kept values ('outside')`
  })
  await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(await pool`select 1 as one`).toEqual([{ one: 1 }])
  proceed.resolve()
  const inner = await lostTransaction.promise
  expect(() => inner`insert into kept values ('outside')`).toThrow('The transaction is over')
  expect(await pool`select * from kept`).toEqual([])
})
