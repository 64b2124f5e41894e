import type { Health, HealthCheck, HealthSample } from '@passport/contract/health'
import { expect, test } from 'vitest'
import { describeCheck } from '../directory/check-words.ts'
import { describeHistory, fillSlots, formatMs, formatUptime, summarise } from './words.ts'

const nameProvider = (id: string) => (id === 'harbour' ? 'Harbour ID' : id)
const now = Date.parse('2026-11-27T14:17:00Z')

const buildHealth = (statuses: Record<string, HealthCheck['status']>): Health => ({
  status: 'ok',
  checkedAt: '2026-11-27T14:17:00.000Z',
  instances: [],
  warnings: [],
  checks: Object.entries(statuses).map(([name, status]) => ({
    name,
    status,
    latencyMs: 1,
    limitMs: 2,
    detail: null,
    since: '2026-11-27T14:00:00.000Z',
  })),
})

test.for([
  [{ postgres: 'ok', meta: 'off' }, 'Everything works'],
  [{ postgres: 'ok', mail: 'slow' }, 'Degraded: Email is slow'],
  [
    { mail: 'slow', 'idp:harbour': 'down', jobs: 'down' },
    'Degraded: Sign-in at Harbour ID, Background jobs are down; Email is slow',
  ],
] as const)('checks %j are summarised as “%s”', ([statuses, text]) => {
  expect(summarise(buildHealth(statuses), nameProvider)).toBe(text)
})

test('every check has a title and an effect, and an unknown one its name', () => {
  for (const name of 'postgres jobs mail idp:harbour entra aws-marketplace meta permissions media'.split(' ')) {
    const { title, effect } = describeCheck(name, nameProvider)
    expect([title, effect]).toEqual([expect.stringMatching(/^[A-Z]/), expect.stringMatching(/\.$/)])
  }
  expect(describeCheck('something-new', nameProvider)).toMatchObject({ title: 'something-new', effect: '' })
})

test.for([
  [null, '–'],
  [0.42, '0.4 ms'],
  [84.4, '84 ms'],
  [2400, '2.4 s'],
  [720_000, '12 min'],
] as const)('%d ms are formatted as %s', ([ms, text]) => expect(formatMs(ms)).toBe(text))

test.for([
  ['2026-11-27T14:13:00Z', '4 min'],
  ['2026-11-27T08:17:00Z', '6 h'],
  ['2026-11-15T14:00:00Z', '12 d'],
] as const)('a start at %s is an uptime of %s', ([startedAt, text]) => expect(formatUptime(startedAt, now)).toBe(text))

test('the half hours of a day end with the current one, and have gaps where no server checked', () => {
  const samples: HealthSample[] = [
    { at: '2026-11-27T14:00:00.000Z', status: 'slow', latencyMs: 900 },
    { at: '2026-11-27T13:00:00.000Z', status: 'down', latencyMs: null },
    { at: '2026-11-26T14:00:00.000Z', status: 'ok', latencyMs: 1 },
  ]
  const slots = fillSlots(samples, now)
  expect(slots).toHaveLength(48)
  expect(slots.map(({ sample }) => sample?.status).slice(-4)).toEqual([undefined, 'down', undefined, 'slow'])
  expect(slots[0]?.at).toBe('2026-11-26T14:30:00.000Z')
  expect(describeHistory('Email', slots)).toBe(
    'Email, half hours of a day: down in 1, slow in 1, up in 0, no data in 46',
  )
  const up = slots.map(({ at }) => ({ at, sample: { at, status: 'ok' as const, latencyMs: 1 } }))
  expect(describeHistory('Email', up)).toBe('Email: up in all of 24 hours')
})
