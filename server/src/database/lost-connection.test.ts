import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import { openDatabase, type Sql, transaction } from './sql.ts'

const moduleAt = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)

/** Runs `body` in a separate process with `sql`, `other` and `transaction`; returns its exit code and output. */
async function run(body: string) {
  const source = `
    import { outliveLostConnections } from ${moduleAt('./lost-connection.ts')}
    import { openDatabase, transaction } from ${moduleAt('./sql.ts')}
    outliveLostConnections((error) => console.log('heard', error.name))
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

test('losing a connection in a transaction does not end the process, which continues on another', async () => {
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

test('losing a new connection costs no statement and does not end the process', async () => {
  const { code, output } = await run(`
    const { connect, createServer } = await import('node:net')
    let isFirst = true
    const proxy = createServer((client) => {
      const database = connect(address.socketDirectory + '/.s.PGSQL.5432')
      client.on('data', (data) => {
        const isLost = isFirst && data.includes('pg_catalog.pg_type')
        if (!isLost) return database.write(data)
        isFirst = false
        const fields = Buffer.from('SFATAL\\0VFATAL\\0C57P01\\0Mterminating connection\\0\\0')
        const head = Buffer.from('E0000')
        head.writeUInt32BE(fields.length + 4, 1)
        client.end(Buffer.concat([head, fields]))
        database.destroy()
      })
      database.pipe(client)
    })
    await new Promise((then) => proxy.listen(0, '127.0.0.1', then))
    const far = openDatabase({ url: 'postgres://passport@127.0.0.1:' + proxy.address().port + '/postgres' })
    await far\`select 1\`.catch(({ code }) => console.log('lost', code))
    await new Promise((then) => setImmediate(then))
    const [{ two }] = await far\`select 2 as two\`
    console.log('then', two)`)
  expect(output.split('\n')).toEqual(['heard Error', 'then 2', ''])
  expect(code).toBe(0)
})

test('any other uncaught error ends the process', async () => {
  const { code, output } = await run(`
    setImmediate(() => null.write())
    await new Promise((soon) => setTimeout(soon, 5000))`)
  expect({ code, output }).toEqual({ code: 1, output: 'heard TypeError\n' })
})

test('statements sent after the loss are not written anywhere', async () => {
  const sql = await createTestDatabase()
  await sql`create table kept (word text)`
  const { database = '' } = sql.options
  const pool = openDatabase(
    { socketDirectory: inject('socketDirectory'), database, user: 'passport' },
    { maxConnections: 1 },
  )
  onTestFinished(() => pool.end())
  const proceed = Promise.withResolvers<void>()
  const [zombie] = [Promise.withResolvers<Sql>()]
  const lost = transaction(pool, async (inner) => {
    const [{ pid = 0 } = {}] = await inner<{ pid: number }[]>`select pg_backend_pid() as pid`
    zombie.resolve(inner)
    await sql`select pg_terminate_backend(${pid})`
    await proceed.promise
    await inner`insert into kept values ('outside')`
  })
  await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(await pool`select 1 as one`).toEqual([{ one: 1 }])
  proceed.resolve()
  const inner = await zombie.promise
  expect(() => inner`insert into kept values ('outside')`).toThrow('The transaction is over')
  expect(await pool`select * from kept`).toEqual([])
})
