import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { mockNetwork, renderAt, schema } from '../permissions/test-network.tsx'
import { setWhatIf } from '../permissions/what-if.ts'
import { CheckPage } from './CheckPage.tsx'

beforeEach(() => setWhatIf(undefined))
afterEach(() => vi.unstubAllGlobals())

const whole = '/?subject=passport/user:u1&permission=view&resource=document:plan'
const verdict = (permissionship: string) => ({ permissionship, partialCaveatMissing: [] })
const relationship = (relation: string) => ({
  resource: { type: 'document', id: 'plan' },
  relation,
  subject: { type: 'user', id: 'eve' },
})
const miss = (relation: string, permissionship: string) => ({
  change: 'add',
  relationship: relationship(relation),
  ...verdict(permissionship),
})
const answers = (items: unknown[]) => ({
  'GET schema': () => schema,
  'POST check': () => ({ ...verdict('conditional'), checkedAt: 'r2' }),
  'POST closestmiss': () => ({ ...verdict('conditional'), items, checkedAt: 'r2' }),
  'POST grid': () => ({ items: [], checkedAt: 'r2' }),
  'POST names': () => ({ items: [{ type: 'passport/user', id: 'u1', name: 'Ada Lovelace' }] }),
})

test('ClosestMiss groups changes by outcome, allowed before denied, and shows few of many at first', async () => {
  const allowing = ['one', 'two', 'three', 'four', 'five'].map((name) => miss(name, 'hasPermission'))
  mockNetwork(answers([miss('banned', 'noPermission'), ...allowing]))
  renderAt(whole, () => <CheckPage />)
  const allowed = within(await screen.findByRole('region', { name: 'Would be allowed' }))
  const denied = screen.getByRole('region', { name: 'Would be denied' })
  expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
    'Would be allowed',
    'Would be denied',
  ])
  expect(within(denied).getAllByRole('listitem')).toHaveLength(1)
  expect(allowed.getAllByRole('listitem')).toHaveLength(3)
  await userEvent.click(allowed.getByRole('button', { name: 'Show 2 more' }))
  expect(allowed.getAllByRole('listitem')).toHaveLength(5)
})

test('the answer names the user', async () => {
  mockNetwork(answers([]))
  renderAt(whole, () => <CheckPage />)
  const answer = within(await screen.findByRole('region', { name: 'Answer' }))
  expect(await answer.findByText('Ada Lovelace')).toBeDefined()
})

test('the copy panel explains that links cannot include what-if changes', async () => {
  setWhatIf({ add: [relationship('viewer')], remove: [] })
  mockNetwork(answers([]))
  renderAt(whole, () => <CheckPage />)
  await userEvent.click(await screen.findByRole('button', { name: 'Copy or save' }))
  expect(await screen.findByText(/^Links, zed commands and assertions/)).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Copy as a link' })).toBeNull()
})
