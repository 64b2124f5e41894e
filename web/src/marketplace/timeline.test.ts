import type { TimelineEntry } from '@passport/contract/aws-subscriptions'
import { expect, test } from 'vitest'
import { describeEntry, isProblem } from './timeline.ts'
import { formatAccount, shorten, toLicenceKey } from './words.ts'

const entry = (fields: Partial<TimelineEntry>): TimelineEntry => ({
  id: '1',
  kind: 'event',
  name: 'license-updated',
  at: '2026-11-24T03:00:00.000Z',
  occurredAt: '2026-11-24T02:59:30.000Z',
  reference: null,
  status: 'applied',
  attempts: 1,
  error: null,
  actor: null,
  entitlement: null,
  before: null,
  after: null,
  ...fields,
})

test.for<[Partial<TimelineEntry>, string, string, boolean]>([
  [{}, 'Licence updated', 'ok', false],
  [{ name: 'Purchase Agreement Ended - Manufacturer' }, 'Agreement ended', 'ok', false],
  [{ name: 'Purchase Agreement Renewed - Proposer' }, 'Purchase Agreement Renewed - Proposer', 'ok', false],
  [{ attempts: 2 }, 'Licence updated', 'warn', false],
  [{ name: 'agreement-created', attempts: 2 }, 'Agreement created', 'ok', false],
  [{ name: 'agreement-created', attempts: 3 }, 'Agreement created', 'warn', false],
  [{ occurredAt: '2026-11-24T02:30:00.000Z' }, 'Licence updated', 'warn', false],
  [{ status: 'failed', error: 'AWS did not answer.' }, 'Licence updated', 'bad', true],
  [{ status: 'unmatched' }, 'Licence updated', 'warn', true],
  [{ status: 'received', attempts: 0 }, 'Licence updated', 'plain', false],
])('the event %o is titled, coloured and counted as a problem', ([fields, title, tone, needsAttention]) => {
  expect(describeEntry(entry(fields))).toMatchObject({ title, tone })
  expect(isProblem(entry(fields))).toBe(needsAttention)
})

test('a change names its actor and its values, and leaves out ids', () => {
  const change = entry({
    kind: 'change',
    name: 'aws-subscription.changed',
    status: null,
    actor: { id: 'u1', name: 'Ada Lovelace' },
    before: { note: '', orgId: null },
    after: { note: 'Bought by phone', orgId: '01a20b60-f841-763e-97e8-5a2f4bd0a111' },
  })
  expect(describeEntry(change)).toEqual({
    title: 'Changed by Ada Lovelace',
    detail: 'Note none → Bought by phone',
    tone: 'plain',
  })
})

test('an assignment names the organisation', () => {
  const fields = { kind: 'change' as const, status: null, before: { org: null }, after: { org: 'Harbour Works' } }
  const redeemed = entry({ ...fields, name: 'aws-subscription.redeemed', actor: { id: 'u2', name: 'Rosa Lindholm' } })
  expect(describeEntry(redeemed)).toMatchObject({ title: 'Set up by Rosa Lindholm', detail: 'For Harbour Works' })
  const assigned = entry({ ...fields, name: 'aws-subscription.assigned' })
  expect(describeEntry(assigned)).toMatchObject({ title: 'Assigned', detail: 'For Harbour Works' })
})

test.for<[Partial<TimelineEntry>, string, string]>([
  [{ name: 'changed', before: { quantity: 25 }, after: { quantity: 40 } }, 'Seats changed from 25 to 40', ''],
  [
    { name: 'granted', after: { quantity: 25, endsAt: '2027-11-24T04:14:45.000Z' } },
    'Seats granted: 25',
    'Until 24 Nov 2027',
  ],
  [{ name: 'granted', after: { quantity: null, endsAt: '9999-01-01T00:00:00.000Z' } }, 'Seats granted', ''],
])('the grant %o has its quantity and its end', ([fields, title, detail]) => {
  const entitlement = { id: 'e1', key: 'stage.seats', name: 'Seats' }
  const grant = entry({ kind: 'grant', status: null, entitlement, ...fields })
  expect(describeEntry(grant)).toEqual({ title, detail, tone: 'grant' })
})

test('a change of state is the state', () => {
  const change = entry({ kind: 'change', name: 'aws-subscription.status-changed', after: { status: 'active' } })
  expect(describeEntry(change)).toEqual({ title: 'Subscription active', detail: '', tone: 'ok' })
})

test('identifiers of AWS are shown in groups, in part, and shortened', () => {
  expect(formatAccount('402177359982')).toBe('4021 7735 9982')
  expect(formatAccount('4021')).toBe('4021')
  expect(toLicenceKey('arn:aws:license-manager:us-east-1:402177359982:l-8c0f')).toBe('l-8c0f')
  expect(toLicenceKey('arn:aws:license-manager::402177359982:license:l-8c0f')).toBe('l-8c0f')
  expect(shorten('agmt-6j2k4mwg1nevbokzw95eca91')).toBe('agmt-6j2k…ca91')
  expect(shorten('agmt-6j2k')).toBe('agmt-6j2k')
})
