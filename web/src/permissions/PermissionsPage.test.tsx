import sample from '@passport/permissions/sample.yaml?raw'
import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from '../app/query-client.ts'
import { PermissionsPage } from './PermissionsPage.tsx'
import { suppose } from './supposition.ts'
import { network, refusal, schema, showAt } from './test-room.tsx'

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
const brought = { differences: [], relationships: 2, assertions: 1, isAtomic: true }
const answers = {
  'GET schema': () => schema,
  'GET status': () => status,
  'GET assertions': () => ({ items: [{ id: 'a1', assertion, createdAt: '2026-01-01T00:00:00.000Z' }] }),
}

test('an empty installation is offered the sample, which is the file that is kept for it', async () => {
  const directory = { ...schema, definitions: [{ name: 'passport/user', relations: [], permissions: [] }] }
  const sent = network({
    ...answers,
    'GET schema': () => directory,
    'POST import': () => ({ ...brought, writtenAt: 'r' }),
  })
  showAt('/', () => <PermissionsPage />)
  await userEvent.click(await screen.findByRole('button', { name: 'Load the sample' }))
  await waitFor(() => expect(sent.find(({ call }) => call === 'POST import')).toBeDefined())
  expect(sent.find(({ call }) => call === 'POST import')).toMatchObject({ query: {}, body: sample })
})

test('the engine tells how far behind it is, and how much it knows', async () => {
  network(answers)
  showAt('/', () => <PermissionsPage />)
  expect(await screen.findByText('3 commits, 1.2 s')).toBeDefined()
  expect(screen.getAllByText('1,234')).toHaveLength(2)
  expect(screen.queryByText('Nothing is defined yet')).toBeNull()
})

test('assertions are run, and what does not hold says how it came out', async () => {
  const result = { id: 'a1', assertion, holds: false, got: ['noPermission'] }
  network({ ...answers, 'POST assertions/run': () => ({ items: [result], failed: 1, checkedAt: 'r' }) })
  showAt('/', () => <PermissionsPage />)
  await screen.findByText('document:plan#view@user:eve')
  await userEvent.click(screen.getByRole('button', { name: 'Run all' }))
  expect(await screen.findByText('1 of 1 does not hold')).toBeDefined()
  expect(screen.getByText('came out as denied')).toBeDefined()
})

test('assertions under a supposition say that they are of what is stored', async () => {
  network(answers)
  suppose({ add: [], remove: [], schema: 'definition user {}' })
  showAt('/', () => <PermissionsPage />)
  expect(await screen.findByText(/They are run on what is stored/)).toBeDefined()
  act(() => suppose(undefined))
  await waitFor(() => expect(screen.queryByText(/They are run on what is stored/)).toBeNull())
})

test('assertions that were run are run again where something was written', async () => {
  let holds = false
  const result = () => ({ id: 'a1', assertion, holds, got: ['noPermission'] })
  const run = () => ({ items: [result()], failed: holds ? 0 : 1, checkedAt: 'r' })
  network({ ...answers, 'POST assertions/run': run })
  showAt('/', () => <PermissionsPage />)
  await screen.findByText('document:plan#view@user:eve')
  await userEvent.click(screen.getByRole('button', { name: 'Run all' }))
  await screen.findByText('1 of 1 does not hold')
  holds = true
  await queryClient.invalidateQueries()
  expect(await screen.findByText('It holds')).toBeDefined()
})

test('a line is saved as an assertion, and what is none is told', async () => {
  const sent = network({ ...answers, 'POST assertions': () => ({ id: 'a2', assertion, createdAt: '' }) })
  showAt('/', () => <PermissionsPage />)
  const line = await screen.findByLabelText('Question')
  await userEvent.type(line, 'document:plan')
  await userEvent.click(screen.getByRole('button', { name: 'Add' }))
  expect(await screen.findByText(/^Write it as/)).toBeDefined()
  await userEvent.type(line, '#view@user:eve')
  await userEvent.selectOptions(screen.getByLabelText('What must come out'), 'must be denied')
  await userEvent.click(screen.getByRole('button', { name: 'Add' }))
  await waitFor(() =>
    expect(sent.find(({ call }) => call === 'POST assertions')?.body).toEqual({ kind: 'assertFalse', question }),
  )
})

test('a file is tried before it is taken in', async () => {
  const sent = network({ ...answers, 'POST import': () => ({ ...brought, writtenAt: null }) })
  showAt('/', () => <PermissionsPage />)
  const file = new File(['schema: ""'], 'sample.yaml')
  await userEvent.upload(await screen.findByLabelText('Validation file to import'), file, { applyAccept: false })
  expect(await screen.findByText(/2 relationships and 1 assertion\./)).toBeDefined()
  const imports = () => sent.filter(({ call }) => call === 'POST import').map(({ query }) => query)
  expect(imports()).toEqual([{ dryRun: 'true' }])
  await userEvent.click(screen.getByRole('button', { name: 'Import' }))
  await waitFor(() => expect(imports()).toEqual([{ dryRun: 'true' }, {}]))
})

test('a file that is refused says why', async () => {
  network({ ...answers, 'POST import': () => refusal(400, 'file-invalid', 'Line 3: There is nothing called so.') })
  showAt('/', () => <PermissionsPage />)
  const file = new File(['so: 1'], 'a.yaml')
  await userEvent.upload(await screen.findByLabelText('Validation file to import'), file, { applyAccept: false })
  expect(await screen.findByText('Line 3: There is nothing called so.')).toBeDefined()
})
