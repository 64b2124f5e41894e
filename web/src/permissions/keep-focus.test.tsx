import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CheckPage } from './CheckPage.tsx'
import { suppose } from './supposition.ts'
import { network, schema, showAt } from './test-room.tsx'

beforeEach(() => suppose(undefined))
afterEach(() => vi.unstubAllGlobals())

const whole = '/?subject=user:eve&permission=view&resource=document:plan'
const viewer = { resource: { type: 'document', id: 'plan' }, relation: 'viewer', subject: { type: 'user', id: 'eve' } }
const miss = { change: 'add', relationship: viewer, permissionship: 'hasPermission', partialCaveatMissing: [] }

/** Denied, with one miss; allowed and without it where something is supposed, once `open` is called. */
function answering() {
  const gate = Promise.withResolvers<void>()
  const verdict = (body: unknown) => ({
    permissionship: (body as { whatIf?: unknown }).whatIf ? 'hasPermission' : 'noPermission',
    partialCaveatMissing: [],
    checkedAt: 'r2',
  })
  const sent = network({
    'GET schema': () => schema,
    'POST check': ({ body }) => verdict(body),
    'POST closestmiss': ({ body }) => ({
      ...verdict(body),
      items: (body as { whatIf?: unknown }).whatIf ? [] : [miss],
    }),
    'POST grid': () => ({ items: [], checkedAt: 'r2' }),
  })
  const answered = fetch
  vi.stubGlobal('fetch', async (request: Request) => {
    const isSupposed = request.method === 'POST' && (await request.clone().text()).includes('whatIf')
    if (isSupposed) await gate.promise
    return answered(request)
  })
  return { sent, open: gate.resolve }
}

test('the former answer stays until the next is there, and the focus stays near where it was', async () => {
  const { open } = answering()
  showAt(whole, () => <CheckPage />)
  await userEvent.click(await screen.findByRole('button', { name: 'Suppose document:plan#viewer@user:eve' }))
  const former = screen.getByRole('region', { name: 'Answer' })
  expect(former.textContent).toContain('Denied')
  expect(former.closest('[aria-busy="true"]')).not.toBeNull()
  await act(async () => open())
  await waitFor(() => expect(screen.getByRole('region', { name: 'Answer' }).textContent).toContain('Allowed'))
  await screen.findByText('No single relationship would.')
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole('region', { name: 'What would take it away' })),
  )
  await userEvent.click(screen.getByRole('button', { name: 'Suppose nothing' }))
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }))
})

test('only the verdict is read out', async () => {
  answering()
  showAt(whole, () => <CheckPage />)
  const region = await screen.findByRole('region', { name: 'Answer' })
  expect(screen.getByRole('status').textContent).toBe('Denied: user:eve does not have view on document:plan.')
  expect(region.closest('[aria-live]')).toBeNull()
})
