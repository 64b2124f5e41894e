import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { ObjectPicker } from './ObjectPicker.tsx'
import { printReference } from './reference.ts'
import { createProblem, mockNetwork, renderAt } from './test-network.tsx'

afterEach(() => vi.unstubAllGlobals())

function Picking({ type }: { type: string }) {
  const [value, setValue] = useState({ type, id: '' })
  return (
    <>
      <ObjectPicker
        label="Subject"
        types={['user', 'group', 'passport/user']}
        relations={value.type === 'group' ? ['member'] : []}
        value={value}
        onChange={setValue}
      />
      <output>{printReference(value)}</output>
    </>
  )
}
const picked = () => screen.getByRole('status').textContent
const idBox = () => screen.findByRole('combobox', { name: 'Subject ID' })

test('completes an id from stored objects', async () => {
  const sent = mockNetwork({
    'GET objects': ({ query }) => ({ items: [{ id: `${query['prefix']}da`, name: null }] }),
  })
  renderAt('/', () => <Picking type="user" />)
  await userEvent.type(await idBox(), 'a')
  await userEvent.click(await screen.findByRole('option', { name: 'ada' }))
  expect(picked()).toBe('user:ada')
  expect(sent.at(-1)?.query).toMatchObject({ type: 'user', prefix: 'a' })
})

test('finds a user by name and shows the name', async () => {
  mockNetwork({
    'GET /passport/profile': () => ({ items: [{ profileId: '7f', displayname: 'Ada Lovelace', username: 'ada' }] }),
    'GET objects': () => ({ items: [] }),
    'POST names': () => ({ items: [{ type: 'passport/user', id: '7f', name: 'Ada Lovelace' }] }),
  })
  renderAt('/', () => <Picking type="passport/user" />)
  await userEvent.type(await idBox(), 'love')
  await userEvent.click(await screen.findByRole('option', { name: /Ada Lovelace/ }))
  expect(picked()).toBe('passport/user:7f')
  expect(await screen.findByText('Ada Lovelace')).toBeDefined()
})

test('accepts a typed id if the engine cannot list ids', async () => {
  mockNetwork({ 'GET objects': () => createProblem(501, 'not-supported', 'no') })
  renderAt('/', () => <Picking type="user" />)
  await userEvent.type(await idBox(), 'unlisted')
  expect(picked()).toBe('user:unlisted')
  expect(screen.queryByRole('listbox')).toBeNull()
})

test('clears the id when the type changes, and picks the members of a group', async () => {
  mockNetwork({ 'GET objects': () => ({ items: [] }) })
  renderAt('/', () => <Picking type="user" />)
  await userEvent.type(await idBox(), 'x')
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Subject type' }), 'group')
  await userEvent.type(await idBox(), 'staff')
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Subject relation' }), 'member')
  expect(picked()).toBe('group:staff#member')
})
