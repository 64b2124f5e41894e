import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { ObjectPicker } from './ObjectPicker.tsx'
import { printReference } from './reference.ts'
import { network, refusal, showAt } from './test-room.tsx'

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
const idBox = () => screen.findByRole('combobox', { name: 'Subject: id' })

test('an id is completed from what is stored', async () => {
  const sent = network({
    'GET objects': ({ query }) => ({ items: [{ id: `${query['prefix']}da`, name: null }] }),
  })
  showAt('/', () => <Picking type="user" />)
  await userEvent.type(await idBox(), 'a')
  await userEvent.click(await screen.findByRole('option', { name: 'ada' }))
  expect(picked()).toBe('user:ada')
  expect(sent.at(-1)?.query).toMatchObject({ type: 'user', prefix: 'a' })
})

test('a person of the directory is found by their name, and stands under it', async () => {
  network({
    'GET /passport/profile': () => ({ items: [{ profileId: '7f', displayname: 'Ada Lovelace', username: 'ada' }] }),
    'GET objects': () => ({ items: [] }),
    'POST names': () => ({ items: [{ type: 'passport/user', id: '7f', name: 'Ada Lovelace' }] }),
  })
  showAt('/', () => <Picking type="passport/user" />)
  await userEvent.type(await idBox(), 'love')
  await userEvent.click(await screen.findByRole('option', { name: /Ada Lovelace/ }))
  expect(picked()).toBe('passport/user:7f')
  expect(await screen.findByText('Ada Lovelace')).toBeDefined()
})

test('an engine that lists no ids lets them be typed', async () => {
  network({ 'GET objects': () => refusal(501, 'not-supported', 'no') })
  showAt('/', () => <Picking type="user" />)
  await userEvent.type(await idBox(), 'whoever')
  expect(picked()).toBe('user:whoever')
  expect(screen.queryByRole('listbox')).toBeNull()
})

test('another type begins anew, and whoever is in a group can be meant', async () => {
  network({ 'GET objects': () => ({ items: [] }) })
  showAt('/', () => <Picking type="user" />)
  await userEvent.type(await idBox(), 'x')
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Subject: type' }), 'group')
  await userEvent.type(await idBox(), 'staff')
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Subject: relation' }), 'member')
  expect(picked()).toBe('group:staff#member')
})
