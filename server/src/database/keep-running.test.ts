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
const createSpies = () => ({ onEnded: vi.fn(), onRestarted: vi.fn(), onFailed: vi.fn(), onGiveUp: vi.fn() })

test('a process that ends is restarted, unless restarts were stopped', async () => {
  const children: ChildProcess[] = []
  const start = async () => {
    const child = runForever()
    children.push(child)
    return child
  }
  const first = runForever()
  const spies = createSpies()
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

test('a restart is attempted after 0.5 s, after failures later, and after 2 s at most', async () => {
  const spies = createSpies()
  let failuresLeft = 3
  const start = vi.fn(async () => {
    if (failuresLeft-- > 0) throw new Error('not yet')
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

test('restarts end after five failed starts within a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const spies = createSpies()
  const start = vi.fn(() => Promise.reject(new Error('corrupt')))
  const first = runForever()
  const stop = keepRunning(first, start, spies)
  first.kill('SIGKILL')
  await expect.poll(() => spies.onGiveUp.mock.calls.length).toBe(1)
  expect(start).toHaveBeenCalledTimes(5)
  expect(spies.onFailed).toHaveBeenCalledTimes(5)
  await stop()
})
