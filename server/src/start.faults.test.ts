import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isAlive } from './database/embedded-cleanup.ts'
import { homeOf } from './database/embedded-home.ts'
import { createDataDir, stop, useProcesses } from './test-processes.ts'

const processes = useProcesses()

test('an unfinished request delays the stop by less than 10 seconds', async () => {
  const server = await processes.startServer()
  const { host, port } = new URL(server.url)
  const socket = connect(Number(port), '127.0.0.1')
  const closed = once(socket, 'close')
  const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\nExpect: 100-continue'
  socket.write(`POST /connect/token HTTP/1.1\r\nHost: ${host}\r\n${form}\r\n\r\n`)
  await once(socket, 'data')
  const { code, seconds } = await stop(server, 'SIGTERM')
  expect(code).toBe(0)
  expect(seconds).toBeGreaterThan(4)
  expect(seconds).toBeLessThan(10)
  await closed
})

describe('PostgreSQL ends with the server after', () => {
  const readPostmaster = (directory: string) => {
    const file = join(homeOf(directory), 'tables/postmaster.pid')
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
  }
  const createDirectory = () => {
    const directory = createDataDir()
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  }

  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('a %s during the start', async (signal) => {
    const directory = createDirectory()
    const server = processes.run('main.ts', [], { DATA_DIR: directory })
    await expect.poll(() => readPostmaster(directory), { interval: 1 }).toBeGreaterThan(0)
    const postmaster = readPostmaster(directory)
    server.kill(signal)
    const { code, output } = await server.exited
    expect([code, output]).toEqual([0, ''])
    expect([readPostmaster(directory), isAlive(postmaster)]).toEqual([0, false])
  })

  test.for(['SIGTERM', 'SIGHUP'] as const)('a %s to a running server', async (signal) => {
    const directory = createDirectory()
    const server = await processes.startServer({ DATA_DIR: directory })
    const postmaster = readPostmaster(directory)
    server.kill(signal)
    const { code } = await server.exited
    expect(code).toBe(0)
    expect([readPostmaster(directory), isAlive(postmaster)]).toEqual([0, false])
  })

  test('repeated signals', async () => {
    const directory = createDirectory()
    const server = await processes.startServer({ DATA_DIR: directory })
    const postmaster = readPostmaster(directory)
    expect(isAlive(postmaster)).toBe(true)
    const interval = setInterval(() => server.kill('SIGINT'), 5)
    const { code } = await server.exited.finally(() => clearInterval(interval))
    expect(code).toBe(0)
    expect([readPostmaster(directory), isAlive(postmaster)]).toEqual([0, false])
  })
})
