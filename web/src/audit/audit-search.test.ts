import { expect, test } from 'vitest'
import { parseAttempt, parseAuditSearch, toFilter } from './audit-search.ts'

test('parseAuditSearch keeps the values that the call accepts', () => {
  const good = {
    actor: 'u1',
    action: 'group.',
    target: 'group:g/1:2',
    role: 'Stage.Editor',
    from: '2026-11-01',
    to: '2026-11-21',
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    supportCode: '4BF9-2F35',
    settings: 'shown',
  }
  expect(parseAuditSearch({ ...good, q: 'else' })).toEqual(good)
  expect(
    parseAuditSearch({
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

test('toFilter covers whole days', () => {
  const {
    from = '',
    to = '',
    ...rest
  } = toFilter({ settings: 'shown', actor: 'u1', from: '2026-11-21', to: '2026-11-21' })
  expect(rest).toEqual({ actor: 'u1' })
  expect(new Date(from).getHours()).toBe(0)
  expect(Date.parse(to) - Date.parse(from)).toBe(24 * 60 * 60 * 1000)
  expect(toFilter({ settings: 'shown', from: '0000-01-01' })).toEqual({})
  expect(toFilter({})).toEqual({ settings: 'hidden' })
})

test.for<[string, ReturnType<typeof parseAttempt>]>([
  ['4bf9-2f35', { supportCode: '4BF9-2F35' }],
  [' 4BF92F35 ', { supportCode: '4BF9-2F35' }],
  ['4BF92F3577B34DA6A3CE929D0E0E4736', { traceId: '4bf92f3577b34da6a3ce929d0e0e4736' }],
  ['4BF9', undefined],
  ['ada', undefined],
  ['', undefined],
])('parseAttempt parses %j as %j', ([text, attempt]) => {
  expect(parseAttempt(text)).toEqual(attempt)
})

test.for([
  [{}, true],
  [{ actor: 'u1', action: 'user.' }, true],
  [{ settings: 'shown' }, false],
  [{ action: 'preference.saved' }, false],
  [{ target: 'preference:u1/Passport.Table.users' }, false],
  [{ supportCode: '4BF9-2F35' }, false],
] as const)('the filter of %j hides settings of the console: %s', ([search, isHidden]) => {
  expect(toFilter(search).settings === 'hidden').toBe(isHidden)
})
