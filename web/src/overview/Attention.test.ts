import type { Overview } from '@passport/contract/overview'
import { expect, test } from 'vitest'
import { listTasks } from './Attention.tsx'

const calm = {
  days: [
    {
      day: '2026-11-14',
      succeeded: 50,
      failed: 2,
      active: 40,
      created: 0,
      sessions: 9,
      tokens: 60,
      errors: 3,
      requests: 900,
    },
  ],
  attention: {
    administrators: 2,
    claimedInvitations: 0,
    undeliveredInvitations: 0,
    undeliveredMails: 0,
    expiringInvitations: 0,
    failingDomains: [],
    locks: 0,
    checks: [],
  },
} as unknown as Overview

const tasksWith = (attention: Partial<Overview['attention']>, days = calm.days) =>
  listTasks({ ...calm, days, attention: { ...calm.attention, ...attention } }).map(({ title }) => title)

test('lists no tasks for an installation without problems', () => {
  expect(tasksWith({})).toEqual([])
})

test('names each task with its number, most urgent first', () => {
  expect(
    tasksWith({
      administrators: 1,
      claimedInvitations: 1,
      undeliveredInvitations: 2,
      undeliveredMails: 3,
      expiringInvitations: 7,
      failingDomains: [{ domain: 'harbour.example', orgId: 'o1', orgName: 'Harbour' }],
      locks: 1,
      checks: [
        { name: 'mail', status: 'down' },
        { name: 'postgres', status: 'slow' },
      ],
    }),
  ).toEqual([
    '1 dependency is down',
    '1 account locked',
    'harbour.example is no longer verified',
    '1 invitation waits for you',
    '2 invitations not delivered',
    '3 emails not delivered',
    '7 invitations expire soon',
    'Only one administrator',
  ])
})

test('reports a day with unusually many failed sign-ins', () => {
  const day = {
    day: '2026-11-15',
    succeeded: 50,
    failed: 142,
    active: 40,
    created: 0,
    sessions: 9,
    tokens: 60,
    errors: 3,
    requests: 900,
  }
  expect(tasksWith({}, [...calm.days, ...calm.days, day])).toEqual(['142 failed sign-ins on 15 Nov'])
})
