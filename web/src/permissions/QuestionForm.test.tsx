import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { CheckPage } from './CheckPage.tsx'
import { network, refusal, schema, showAt } from './test-room.tsx'

afterEach(() => vi.unstubAllGlobals())

const answers = { 'GET schema': () => schema, 'GET objects': () => ({ items: [] }) }
const box = (name: string) => screen.findByRole<HTMLInputElement>('combobox', { name })
const asked = (sent: { call: string }[]) => sent.filter(({ call }) => call === 'POST check')

test('a context in the address that cannot be read is told, and nothing is asked without it', async () => {
  const sent = network(answers)
  showAt('/?subject=user:eve&permission=view&resource=document:plan&context=%7Bhour', () => <CheckPage />)
  expect(await screen.findByText('This is no JSON object.')).toBeDefined()
  expect(screen.getByText('This cannot be asked')).toBeDefined()
  expect(asked(sent)).toEqual([])
})

test.for(['a b', 'al:ice'])('the id %s is kept, and told to be wrong once it is asked', async (id) => {
  const sent = network(answers)
  const address = showAt('/', () => <CheckPage />)
  await userEvent.type(await box('Subject: id'), id)
  await userEvent.type(await box('Resource: id'), 'plan')
  expect(screen.queryByText(/cannot stand here/)).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Check' }))
  const group = within(screen.getByRole('group', { name: 'Subject' }))
  const fault = `\`${id}\` cannot stand here: 1 to 1024 of A to Z, a to z, 0 to 9 and / _ | - = +.`
  expect(group.getByText(fault)).toBeDefined()
  const subject = await box('Subject: id')
  expect(subject.value).toBe(id)
  expect(document.activeElement).toBe(subject)
  expect([asked(sent), address()]).toEqual([[], {}])
  await userEvent.type(subject, 'c')
  expect(screen.queryByText(/cannot stand here/)).toBeNull()
})

test('what the address says wrongly stands in the form with its fault', async () => {
  network(answers)
  showAt('/?subject=user:al:ice&permission=view&resource=document:plan', () => <CheckPage />)
  expect((await box('Subject: id')).value).toBe('al:ice')
  expect(screen.getByText(/^`al:ice` cannot stand here/)).toBeDefined()
  expect((await box('Resource: id')).value).toBe('plan')
})

test('a permission that is not there is shown where its fault is', async () => {
  const unknown = () => refusal(400, 'unknown-permission', '`document` has no permission `fly`.', 'permission')
  network({ ...answers, 'POST check': unknown })
  showAt('/?subject=user:eve&permission=fly&resource=document:plan', () => <CheckPage />)
  await screen.findByRole('alert')
  const select = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Permission' })
  expect([select.value, select.getAttribute('aria-invalid')]).toEqual(['fly', 'true'])
  await userEvent.type(await box('Subject: id'), 'n')
  expect(select.value).toBe('fly')
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
})
