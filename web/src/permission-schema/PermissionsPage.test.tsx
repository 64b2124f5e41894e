import sample from '@passport/permissions/sample.yaml?raw'
import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from '../app/query-client.ts'
import { createProblem, mockNetwork, renderAt, schema } from '../permissions/test-network.tsx'
import { setWhatIf } from '../permissions/what-if.ts'
import { PermissionsPage } from './PermissionsPage.tsx'

beforeEach(() => {
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true
  }
})
afterEach(() => vi.unstubAllGlobals())

const question = {
  resource: { type: 'document', id: 'plan' },
  permission: 'view',
  subject: { type: 'user', id: 'eve' },
}
const assertion = { kind: 'assertTrue', question }
const status = {
  engine: { kind: 'embedded', version: '0.1.0' },
  revision: 'r1',
  lag: { commits: 3, milliseconds: 1200 },
  counts: [
    { type: 'user', relationships: 0 },
    { type: 'document', relationships: 1234 },
  ],
  can: { suppose: true, history: true, completion: true, importAtOnce: true },
}
const preview = { differences: [], relationships: 2, assertions: 1, isAtomic: true }
const answers = {
  'GET schema': () => schema,
  'GET status': () => status,
  'GET assertions': () => ({ items: [{ id: 'a1', assertion, createdAt: '2026-01-01T00:00:00.000Z' }] }),
}

test('offers the sample to an empty installation', async () => {
  const directory = { ...schema, definitions: [{ name: 'passport/user', relations: [], permissions: [] }] }
  const sent = mockNetwork({
    ...answers,
    'GET schema': () => directory,
    'POST import': () => ({ ...preview, writtenAt: 'r' }),
  })
  renderAt('/', () => <PermissionsPage />)
  await userEvent.click(await screen.findByRole('button', { name: 'Load sample' }))
  await waitFor(() => expect(sent.find(({ call }) => call === 'POST import')).toBeDefined())
  expect(sent.find(({ call }) => call === 'POST import')).toMatchObject({ query: {}, body: sample })
})

test("shows the engine's lag and number of relationships", async () => {
  mockNetwork(answers)
  renderAt('/', () => <PermissionsPage />)
  expect(await screen.findByText('3 commits, 1.2 s')).toBeDefined()
  expect(screen.getAllByText('1,234')).toHaveLength(2)
  expect(screen.queryByText('No permissions defined yet')).toBeNull()
})

test('runs the assertions and shows the result of a failed one', async () => {
  const result = { id: 'a1', assertion, holds: false, got: ['noPermission'] }
  mockNetwork({ ...answers, 'POST assertions/run': () => ({ items: [result], failed: 1, checkedAt: 'r' }) })
  renderAt('/', () => <PermissionsPage />)
  await screen.findByTitle('document:plan#view@user:eve')
  await userEvent.click(screen.getByRole('button', { name: 'Run all' }))
  expect(await screen.findByText('1 of 1 failed')).toBeDefined()
  expect(screen.getByText('got denied')).toBeDefined()
})

test('notes that assertions ignore what-if changes, while there are any', async () => {
  mockNetwork(answers)
  setWhatIf({ add: [], remove: [], schema: 'definition user {}' })
  renderAt('/', () => <PermissionsPage />)
  expect(await screen.findByText(/They run against stored data/)).toBeDefined()
  act(() => setWhatIf(undefined))
  await waitFor(() => expect(screen.queryByText(/They run against stored data/)).toBeNull())
})

test('runs assertions again after a write', async () => {
  let holds = false
  const result = () => ({ id: 'a1', assertion, holds, got: ['noPermission'] })
  const run = () => ({ items: [result()], failed: holds ? 0 : 1, checkedAt: 'r' })
  mockNetwork({ ...answers, 'POST assertions/run': run })
  renderAt('/', () => <PermissionsPage />)
  await screen.findByTitle('document:plan#view@user:eve')
  await userEvent.click(screen.getByRole('button', { name: 'Run all' }))
  await screen.findByText('1 of 1 failed')
  holds = true
  await queryClient.invalidateQueries()
  expect(await screen.findByText('1 passed')).toBeDefined()
})

test('saves a line as an assertion, and reports an invalid line', async () => {
  const sent = mockNetwork({ ...answers, 'POST assertions': () => ({ id: 'a2', assertion, createdAt: '' }) })
  renderAt('/', () => <PermissionsPage />)
  const line = await screen.findByLabelText('Question')
  await userEvent.type(line, 'document:plan')
  await userEvent.click(screen.getByRole('button', { name: 'Add' }))
  expect(await screen.findByText(/^Use type:id/)).toBeDefined()
  await userEvent.type(line, '#view@user:eve')
  await userEvent.selectOptions(screen.getByLabelText('Expected answer'), 'must be denied')
  await userEvent.click(screen.getByRole('button', { name: 'Add' }))
  await waitFor(() =>
    expect(sent.find(({ call }) => call === 'POST assertions')?.body).toEqual({ kind: 'assertFalse', question }),
  )
})

test('previews a file before importing it', async () => {
  const sent = mockNetwork({ ...answers, 'POST import': () => ({ ...preview, writtenAt: null }) })
  renderAt('/', () => <PermissionsPage />)
  const file = new File(['schema: ""'], 'sample.yaml')
  await userEvent.upload(await screen.findByLabelText('Validation file to import'), file, { applyAccept: false })
  expect(await screen.findByText(/2 relationships and 1 assertion\./)).toBeDefined()
  const imports = () => sent.filter(({ call }) => call === 'POST import').map(({ query }) => query)
  expect(imports()).toEqual([{ dryRun: 'true' }])
  await userEvent.click(screen.getByRole('button', { name: 'Import' }))
  await waitFor(() => expect(imports()).toEqual([{ dryRun: 'true' }, {}]))
})

test('shows why a file is rejected', async () => {
  mockNetwork({
    ...answers,
    'POST import': () => createProblem(400, 'file-invalid', 'Line 3: There is nothing called so.'),
  })
  renderAt('/', () => <PermissionsPage />)
  const file = new File(['so: 1'], 'a.yaml')
  await userEvent.upload(await screen.findByLabelText('Validation file to import'), file, { applyAccept: false })
  expect(await screen.findByText('Line 3: There is nothing called so.')).toBeDefined()
})
