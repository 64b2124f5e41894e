import { afterEach, expect, test, vi } from 'vitest'
import { createEmitter } from './events.ts'

afterEach(() => void vi.unstubAllGlobals())

test('calls listeners in order, once per registration, until removed', () => {
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

test('reports an error thrown by a listener and calls the others', () => {
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

test('a listener that removes itself does not skip the next one', () => {
  const events = createEmitter()
  const next = vi.fn()
  const remove = events.on('userUnloaded', () => remove())
  events.on('userUnloaded', next)
  events.emit('userUnloaded')
  expect(next).toHaveBeenCalledOnce()
})
