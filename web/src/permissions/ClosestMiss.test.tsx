import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CheckPage } from './CheckPage.tsx'
import { suppose } from './supposition.ts'
import { network, schema, showAt } from './test-room.tsx'

beforeEach(() => suppose(undefined))
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

test('what allows comes first, what denies after it, and of many a few until more are wanted', async () => {
  const allowing = ['one', 'two', 'three', 'four', 'five'].map((name) => miss(name, 'hasPermission'))
  network(answers([miss('banned', 'noPermission'), ...allowing]))
  showAt(whole, () => <CheckPage />)
  const allowed = within(await screen.findByRole('region', { name: 'Then allowed' }))
  const denied = screen.getByRole('region', { name: 'Then denied' })
  expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
    'Then allowed',
    'Then denied',
  ])
  expect(within(denied).getAllByRole('listitem')).toHaveLength(1)
  expect(allowed.getAllByRole('listitem')).toHaveLength(3)
  await userEvent.click(allowed.getByRole('button', { name: 'Show 2 more' }))
  expect(allowed.getAllByRole('listitem')).toHaveLength(5)
})

test('the grid calls people by their names', async () => {
  network(answers([]))
  showAt(whole, () => <CheckPage />)
  const grid = within(await screen.findByRole('region', { name: 'All permissions' }))
  expect(await grid.findByText('Ada Lovelace')).toBeDefined()
})

test('why what is supposed is in no link is said', async () => {
  suppose({ add: [relationship('viewer')], remove: [] })
  network(answers([]))
  showAt(whole, () => <CheckPage />)
  await userEvent.click(await screen.findByRole('button', { name: 'Copy or save' }))
  expect(await screen.findByText(/^What is supposed is of this tab alone/)).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Copy as a link' })).toBeNull()
})
