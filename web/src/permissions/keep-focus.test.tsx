import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CheckPage } from '../permission-check/CheckPage.tsx'
import { mockNetwork, renderAt, schema } from './test-network.tsx'
import { setWhatIf } from './what-if.ts'

beforeEach(() => setWhatIf(undefined))
afterEach(() => vi.unstubAllGlobals())

const url = '/?subject=user:eve&permission=view&resource=document:plan'
const viewer = { resource: { type: 'document', id: 'plan' }, relation: 'viewer', subject: { type: 'user', id: 'eve' } }
const miss = { change: 'add', relationship: viewer, permissionship: 'hasPermission', partialCaveatMissing: [] }

/** Denies with one miss. With what-if changes, allows without misses, but only after `open` is called. */
function mockAnswers() {
  const gate = Promise.withResolvers<void>()
  const verdict = (body: unknown) => ({
    permissionship: (body as { whatIf?: unknown }).whatIf ? 'hasPermission' : 'noPermission',
    partialCaveatMissing: [],
    checkedAt: 'r2',
  })
  const sent = mockNetwork({
    'GET schema': () => schema,
    'POST check': ({ body }) => verdict(body),
    'POST closestmiss': ({ body }) => ({
      ...verdict(body),
      items: (body as { whatIf?: unknown }).whatIf ? [] : [miss],
    }),
    'POST grid': () => ({ items: [], checkedAt: 'r2' }),
  })
  const originalFetch = fetch
  vi.stubGlobal('fetch', async (request: Request) => {
    const hasWhatIf = request.method === 'POST' && (await request.clone().text()).includes('whatIf')
    if (hasWhatIf) await gate.promise
    return originalFetch(request)
  })
  return { sent, open: gate.resolve }
}

test('keeps the previous answer while loading, and moves the focus of a removed button to its section', async () => {
  const { open } = mockAnswers()
  renderAt(url, () => <CheckPage />)
  await userEvent.click(await screen.findByRole('button', { name: 'Try document:plan#viewer@user:eve' }))
  const oldRegion = screen.getByRole('region', { name: 'Answer' })
  expect(oldRegion.textContent).toContain('Denied')
  expect(oldRegion.closest('[aria-busy="true"]')).not.toBeNull()
  await act(async () => open())
  await waitFor(() => expect(screen.getByRole('region', { name: 'Answer' }).textContent).toContain('Allowed'))
  await screen.findByText('No single change would flip the answer.')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('region', { name: 'What would deny it' })))
  await userEvent.click(screen.getByRole('button', { name: 'Clear' }))
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }))
})

test('announces only the verdict', async () => {
  mockAnswers()
  renderAt(url, () => <CheckPage />)
  const region = await screen.findByRole('region', { name: 'Answer' })
  expect(screen.getByRole('status').textContent).toBe('Denied: user:eve cannot view document:plan.')
  expect(region.closest('[aria-live]')).toBeNull()
})
