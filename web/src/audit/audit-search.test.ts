import { expect, test } from 'vitest'
import { attemptOf, filterOf, searchOf } from './audit-search.ts'

test('what stands in an address counts where the call would take it', () => {
  const good = {
    actor: 'u1',
    action: 'group.',
    target: 'group:g/1:2',
    role: 'Stage.Editor',
    from: '2026-11-01',
    to: '2026-11-21',
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    supportCode: '4BF9-2F35',
  }
  expect(searchOf({ ...good, q: 'else' })).toEqual(good)
  expect(
    searchOf({
      actor: '',
      action: 'Group%',
      target: 'group',
      from: 'today',
      to: ['a'],
      traceId: '4bf9',
      supportCode: 1,
    }),
  ).toEqual({})
})

test('days are whole', () => {
  const { from = '', to = '', ...rest } = filterOf({ actor: 'u1', from: '2026-11-21', to: '2026-11-21' })
  expect(rest).toEqual({ actor: 'u1' })
  expect(new Date(from).getHours()).toBe(0)
  expect(Date.parse(to) - Date.parse(from)).toBe(24 * 60 * 60 * 1000)
  expect(filterOf({ from: '0000-01-01' })).toEqual({})
  expect(filterOf({})).toEqual({})
})

test.for<[string, ReturnType<typeof attemptOf>]>([
  ['4bf9-2f35', { supportCode: '4BF9-2F35' }],
  [' 4BF92F35 ', { supportCode: '4BF9-2F35' }],
  ['4BF92F3577B34DA6A3CE929D0E0E4736', { traceId: '4bf92f3577b34da6a3ce929d0e0e4736' }],
  ['4BF9', undefined],
  ['ada', undefined],
  ['', undefined],
])('%j is of the attempt %j', ([text, attempt]) => {
  expect(attemptOf(text)).toEqual(attempt)
})
