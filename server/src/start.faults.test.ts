import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { homeOf } from './database/embedded-home.ts'
import { isAlive } from './database/embedded-remains.ts'
import { newDataDir, stop, useProcesses } from './test-processes.ts'

/** Signals and requests that come at a bad moment of the server's life. */

const processes = useProcesses()

test('a request that does not end holds the stop up, and not for 10 seconds', async () => {
  const server = await processes.startServer()
  const { host, port } = new URL(server.url)
  const socket = connect(Number(port), '127.0.0.1')
  const cut = once(socket, 'close')
  const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\nExpect: 100-continue'
  socket.write(`POST /connect/token HTTP/1.1\r\nHost: ${host}\r\n${form}\r\n\r\n`)
  await once(socket, 'data')
  const { code, seconds } = await stop(server, 'SIGTERM')
  expect(code).toBe(0)
  expect(seconds).toBeGreaterThan(4)
  expect(seconds).toBeLessThan(10)
  await cut
})

describe('a signal leaves no database behind', () => {
  const postmasterOf = (directory: string) => {
    const file = join(homeOf(directory), 'tables/postmaster.pid')
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
  }
  const newDirectory = () => {
    const directory = newDataDir()
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  }

  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('when it is %s and comes during the start', async (signal) => {
    const directory = newDirectory()
    const server = processes.run('main.ts', [], { DATA_DIR: directory })
    await expect.poll(() => postmasterOf(directory), { interval: 1 }).toBeGreaterThan(0)
    const postmaster = postmasterOf(directory)
    server.kill(signal)
    const { code, output } = await server.ended
    expect([code, output]).toEqual([0, ''])
    expect([postmasterOf(directory), isAlive(postmaster)]).toEqual([0, false])
  })

  test('when it comes again and again', async () => {
    const directory = newDirectory()
    const server = await processes.startServer({ DATA_DIR: directory })
    const postmaster = postmasterOf(directory)
    expect(isAlive(postmaster)).toBe(true)
    const again = setInterval(() => server.kill('SIGINT'), 5)
    const { code } = await server.ended.finally(() => clearInterval(again))
    expect(code).toBe(0)
    expect([postmasterOf(directory), isAlive(postmaster)]).toEqual([0, false])
  })
})
