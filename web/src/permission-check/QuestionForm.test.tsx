import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { createProblem, mockNetwork, renderAt, schema } from '../permissions/test-network.tsx'
import { CheckPage } from './CheckPage.tsx'

afterEach(() => vi.unstubAllGlobals())

const answers = { 'GET schema': () => schema, 'GET objects': () => ({ items: [] }) }
const findBox = (name: string) => screen.findByRole<HTMLInputElement>('combobox', { name })
const findChecks = (sent: { call: string }[]) => sent.filter(({ call }) => call === 'POST check')

test('reports an invalid context of the URL and sends no request', async () => {
  const sent = mockNetwork(answers)
  renderAt('/?subject=user:eve&permission=view&resource=document:plan&context=%7Bhour', () => <CheckPage />)
  expect(await screen.findByText('Must be a JSON object.')).toBeDefined()
  expect(screen.getByText('Invalid check')).toBeDefined()
  expect(findChecks(sent)).toEqual([])
})

test.for(['a b', 'al:ice'])('keeps the invalid id %s and reports it on submit', async (id) => {
  const sent = mockNetwork(answers)
  const readSearch = renderAt('/', () => <CheckPage />)
  await userEvent.type(await findBox('Subject ID'), id)
  await userEvent.type(await findBox('Resource ID'), 'plan')
  expect(screen.queryByText(/is not valid here/)).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Check' }))
  const group = within(screen.getByRole('group', { name: 'Subject' }))
  const message = `\`${id}\` is not valid here: use 1 to 1024 characters A to Z, a to z, 0 to 9 and / _ | - = +.`
  expect(group.getByText(message)).toBeDefined()
  const subject = await findBox('Subject ID')
  expect(subject.value).toBe(id)
  expect(document.activeElement).toBe(subject)
  expect([findChecks(sent), readSearch()]).toEqual([[], {}])
  await userEvent.type(subject, 'c')
  expect(screen.queryByText(/is not valid here/)).toBeNull()
})

test('shows an invalid reference of the URL with its error', async () => {
  mockNetwork(answers)
  renderAt('/?subject=user:al:ice&permission=view&resource=document:plan', () => <CheckPage />)
  expect((await findBox('Subject ID')).value).toBe('al:ice')
  expect(screen.getByText(/^`al:ice` is not valid here/)).toBeDefined()
  expect((await findBox('Resource ID')).value).toBe('plan')
})

test('keeps an unknown permission and reports it at its field', async () => {
  const unknown = () => createProblem(400, 'unknown-permission', '`document` has no permission `fly`.', 'permission')
  mockNetwork({ ...answers, 'POST check': unknown })
  renderAt('/?subject=user:eve&permission=fly&resource=document:plan', () => <CheckPage />)
  await screen.findByRole('alert')
  const select = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Permission' })
  expect([select.value, select.getAttribute('aria-invalid')]).toEqual(['fly', 'true'])
  await userEvent.type(await findBox('Subject ID'), 'n')
  expect(select.value).toBe('fly')
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
})
