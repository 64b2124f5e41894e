import { expect, test } from 'vitest'
import { nameEvent, toSteps } from './simulator-steps.ts'

const entry = (id: string, fields: object) =>
  ({ id, kind: 'event', name: 'license-updated', after: null, entitlement: null, ...fields }) as never

test('a life has its steps in the order of Passport, each with the state of then, and open events last', () => {
  const entries = [
    entry('3', { kind: 'grant', name: 'granted', entitlement: { name: 'Seats' } }),
    entry('2', { kind: 'change', name: 'aws-subscription.status-changed', after: { status: 'active' } }),
    entry('1', {}),
    entry('0', { kind: 'change', name: 'aws-subscription.assigned', after: { org: 'Northwind' } }),
  ]
  const held = {
    id: 'h',
    agreementId: 'a',
    detailType: 'License Deprovisioned - Manufacturer',
    time: '',
    deliveries: 0,
  }
  const steps = toSteps(
    [
      { ...held, status: 'held' },
      { ...held, id: 'd', status: 'delivered' },
    ],
    entries,
  )
  expect(steps.map(({ kind, label, state, isOpen }) => [kind, label, state, isOpen])).toEqual([
    ['event', 'Licence updated', 'pending', false],
    ['state', 'active', 'active', false],
    ['grant', 'Seats granted', 'active', false],
    ['event', 'Licence deprovisioned', 'active', true],
  ])
})

test('the types of events are words', () => {
  expect(nameEvent('Purchase Agreement Created - Proposer')).toBe('Agreement created')
  expect(nameEvent('license updated')).toBe('Licence updated')
})
