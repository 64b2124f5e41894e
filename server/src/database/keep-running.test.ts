import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keepRunning } from './keep-running.ts'

const runForever = () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}
const reports = () => ({ onEnded: vi.fn(), onRestarted: vi.fn(), onFailed: vi.fn(), onGiveUp: vi.fn() })

test('a process that ends is restarted, until it is stopped', async () => {
  const children: ChildProcess[] = []
  const start = async () => {
    const child = runForever()
    children.push(child)
    return child
  }
  const first = runForever()
  const spies = reports()
  const stop = keepRunning(first, start, spies)
  first.kill('SIGKILL')
  await expect.poll(() => children.length).toBe(1)
  expect(spies.onEnded).toHaveBeenCalledWith({ exitCode: null, signal: 'SIGKILL', restartInMs: 1000 })
  expect(await stop()).toBe(children[0])
  children[0]?.kill('SIGKILL')
  await once(children[0] as ChildProcess, 'exit')
  expect(children).toHaveLength(1)
  expect(spies.onGiveUp).not.toHaveBeenCalled()
})

test('waits 0.5 s before a restart, longer after failures, and at most 2 s', async () => {
  const spies = reports()
  const failures = [0, 0, 0]
  const start = vi.fn(async () => {
    if (failures.pop() !== undefined) throw new Error('not yet')
    return runForever()
  })
  const first = runForever()
  const stop = keepRunning(first, start, spies)
  // A process that lives for more than a second does not count as a failed start.
  await delay(1100)
  const killedAt = performance.now()
  first.kill('SIGKILL')
  await expect.poll(() => spies.onRestarted.mock.calls.length).toBe(1)
  expect(spies.onEnded).toHaveBeenCalledWith({ exitCode: null, signal: 'SIGKILL', restartInMs: 500 })
  expect(start).toHaveBeenCalledTimes(4)
  // 0.5 s, then 1, 2 and 2 s after each failure.
  expect(performance.now() - killedAt).toBeGreaterThan(5400)
  await stop()
})

test('gives up after five failed starts within a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const given = reports()
  const start = vi.fn(() => Promise.reject(new Error('corrupt')))
  const first = runForever()
  const stop = keepRunning(first, start, given)
  first.kill('SIGKILL')
  await expect.poll(() => given.onGiveUp.mock.calls.length).toBe(1)
  expect(start).toHaveBeenCalledTimes(5)
  expect(given.onFailed).toHaveBeenCalledTimes(5)
  await stop()
})
