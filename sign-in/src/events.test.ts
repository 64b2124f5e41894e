import { afterEach, expect, test, vi } from 'vitest'
import { createEmitter } from './events.ts'

afterEach(() => void vi.unstubAllGlobals())

test('S1 listeners are called in order, as often as they were added, until they are removed', () => {
  const events = createEmitter()
  const calls: string[] = []
  const twice = () => calls.push('twice')
  const remove = events.on('userUnloaded', twice)
  events.on('userUnloaded', () => calls.push('once'))
  events.on('userUnloaded', twice)
  events.on('userSignedIn', () => calls.push('another event'))
  events.emit('userUnloaded')
  expect(calls).toEqual(['twice', 'once', 'twice'])
  remove()
  remove()
  events.emit('userUnloaded')
  expect(calls).toEqual(['twice', 'once', 'twice', 'once', 'twice'])
})

test('S1 one that throws is reported and does not stop the others', () => {
  const report = vi.fn()
  vi.stubGlobal('reportError', report)
  const events = createEmitter()
  const fault = new Error('of a listener')
  const next = vi.fn()
  events.on('userUnloaded', () => {
    throw fault
  })
  events.on('userUnloaded', next)
  events.emit('userUnloaded')
  expect(next).toHaveBeenCalledOnce()
  expect(report).toHaveBeenCalledExactlyOnceWith(fault)
})

test('S1 one that removes itself does not keep the next from being called', () => {
  const events = createEmitter()
  const next = vi.fn()
  const remove = events.on('userUnloaded', () => remove())
  events.on('userUnloaded', next)
  events.emit('userUnloaded')
  expect(next).toHaveBeenCalledOnce()
})
