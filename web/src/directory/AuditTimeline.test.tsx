import { QueryClientProvider } from '@tanstack/react-query'
import { render as renderAlone, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from '../app/query-client.ts'
import { AuditTimeline } from './AuditTimeline.tsx'
import { describeField, describeReason, diffFields, formatDay } from './audit-changes.ts'
import type { AuditItem } from './EventItem.tsx'

beforeEach(() => {
  const identityProviders = [{ id: 'local', name: 'Passport' }]
  vi.stubGlobal('fetch', async () => Response.json({ identityProviders }))
})
afterEach(() => {
  queryClient.clear()
  vi.unstubAllGlobals()
})

const render = (children: ReactNode) =>
  renderAlone(children, {
    wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>,
  })

const item = (overrides: Partial<AuditItem> = {}): AuditItem => ({
  id: '1',
  at: new Date().toISOString(),
  action: 'group.changed',
  actor: { id: 'u1', name: 'Rosa' },
  target: { kind: 'group', id: 'g1', name: 'Crew' },
  before: null,
  after: null,
  reason: null,
  ip: null,
  userAgent: null,
  traceId: null,
  ...overrides,
})

test.for([
  [{ name: 'a', about: '' }, { name: 'b', about: '' }, [{ name: 'name', from: 'a', to: 'b' }]],
  [
    null,
    { name: 'b', isOn: true },
    [
      { name: 'name', to: 'b' },
      { name: 'isOn', to: 'Yes' },
    ],
  ],
  [null, { files: ['a', 'b', 'c', 'd'] }, [{ name: 'files', to: 'a\nb\nc\nd' }]],
  [{ roles: ['A', 'B'] }, { roles: ['A'] }, [{ name: 'roles', from: 'A, B', to: 'A' }]],
  [{ at: '1' }, null, [{ name: 'at', from: '1' }]],
  [{ at: null }, { at: null }, []],
  [null, null, []],
  [null, { amr: ['pwd', 'otp'] }, [{ name: 'amr', to: 'Password, One-time code' }]],
  [null, { amr: [], idp: 'local' }, [{ name: 'idp', to: 'local' }]],
] as const)('changesOf %j and %j is %j', ([before, after, changes]) => {
  expect(diffFields(before, after)).toEqual(changes)
})

test('shows names for ids in changes', () => {
  const names = { u1: 'Eve Moreau' }
  expect(diffFields({ owners: ['u1', 'u2'] }, { owners: [], lead: 'u1' }, names)).toEqual([
    { name: 'owners', from: 'Eve Moreau, u2', to: '' },
    { name: 'lead', to: 'Eve Moreau' },
  ])
})

test('shows people with their roles as names', () => {
  const members = { u1: 'member', u2: 'owner' }
  expect(diffFields({ members }, null, { u1: 'Eve Moreau', u2: 'Ada' })).toEqual([
    { name: 'members', from: 'Eve Moreau (member), Ada (owner)' },
  ])
  expect(diffFields(null, { filter: { emailVerified: true } })).toEqual([{ name: 'filter', to: 'Email verified: Yes' }])
})

test.for([
  ['emailVerified', 'Email verified'],
  ['displayname', 'Display name'],
  ['idp', 'Identity provider'],
  ['01a2-b', '01a2-b'],
])('names the field %s %s', ([name, text]) => {
  expect(describeField(name as string)).toBe(text)
})

test.for([
  ['account-disabled', 'Account disabled'],
  ['password-wrong', ''],
  ['On request: see the ticket', 'On request: see the ticket'],
])('describes the reason %s as “%s”', ([reason, text]) => {
  expect(describeReason(reason as string)).toBe(text)
})

test('shows the name of an identity provider', async () => {
  render(<AuditTimeline items={[item({ after: { idp: 'local' } })]} sentence={() => ''} />)
  expect((await screen.findByText('Passport')).parentElement?.textContent).toBe('Identity provider Passport')
})

test('dayOf returns today, yesterday, or the date', () => {
  const now = new Date(2026, 2, 2, 0, 30).getTime()
  expect(formatDay(new Date(2026, 2, 2, 0, 10).toISOString(), now)).toBe('Today')
  expect(formatDay(new Date(2026, 2, 1, 23, 50).toISOString(), now)).toBe('Yesterday')
  expect(formatDay(new Date(2026, 1, 28, 12).toISOString(), now)).toBe('Saturday, 28 February 2026')
})

test('groups events by day, with changes, reason and origin', () => {
  const long = item({
    id: '2',
    at: '2026-01-01T12:00:00.000Z',
    actor: null,
    reason: 'On request',
    ip: '203.0.113.7',
    traceId: '0af7',
  })
  const changed = item({ before: { name: 'Crew' }, after: { name: 'Night crew' } })
  render(<AuditTimeline items={[changed, long]} sentence={({ actor }) => `${actor?.name ?? 'Nobody'} did it`} />)
  const today = within(screen.getByRole('region', { name: 'Today' }))
  expect(today.getByText('Rosa did it')).toBeDefined()
  expect(today.getByRole('list', { name: 'Changes' }).textContent).toBe('Name Crew → Night crew')
  const earlierDay = screen.getByRole('region', { name: 'Thursday, 1 January 2026' }).textContent
  for (const part of ['Nobody did it', 'On request', '203.0.113.7', '0af7']) expect(earlierDay).toContain(part)
})

test('collapses multi-line texts and shows their changed lines', async () => {
  render(
    <AuditTimeline
      items={[item({ before: { schema: 'a\nb\n' }, after: { schema: 'a\nc\nd\n' } })]}
      sentence={() => ''}
    />,
  )
  const changes = screen.getByRole('list', { name: 'Changes' })
  expect(changes.textContent).toBe('Schema changed from 2 lines to 3 lines')
  await userEvent.click(within(changes).getByText(/Schema/))
  const lines = await screen.findByRole('region', { name: 'Changed lines' })
  expect([...lines.children].map(({ textContent }) => textContent)).toEqual(['  a', '− b', '+ c', '+ d'])
})

test('loads more on request; failure, empty and loading states differ', async () => {
  const onMore = vi.fn()
  const { rerender } = render(<AuditTimeline items={[item()]} sentence={() => ''} onMore={onMore} />)
  await userEvent.click(screen.getByRole('button', { name: 'Show earlier events' }))
  expect(onMore).toHaveBeenCalledOnce()
  rerender(<AuditTimeline items={[]} sentence={() => ''} />)
  expect(screen.getByText('No events yet')).toBeDefined()
  rerender(<AuditTimeline items={undefined} sentence={() => ''} />)
  expect(screen.getByText('Loading events')).toBeDefined()
  rerender(<AuditTimeline items={undefined} sentence={() => ''} failure={{ title: '500', detail: 'Broken' }} />)
  expect(screen.getByRole('alert').textContent).toContain('Broken')
})

test('shows the details of the events of the subject on request', async () => {
  const event = item({ ip: '192.0.2.1', traceId: 'abc', after: { amr: ['pwd'] } })
  render(<AuditTimeline items={[event]} sentence={() => 'Signed in'} subject="u1" />)
  expect(screen.queryByRole('list', { name: 'Changes' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Details' }))
  expect(screen.getByRole('list', { name: 'Changes' })).toBeDefined()
  expect(screen.getByText('192.0.2.1')).toBeDefined()
})
