import { ApiError } from '@passport/contract/call'
import type { LinkKind } from '@passport/contract/join'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { describeSettings, JoinLinkForm, type JoinLinkSettings } from './JoinLinkForm.tsx'
import { formatUses } from './join-target.ts'

afterEach(cleanup)

function show(kind: 'org' | 'group', error: unknown = null) {
  const onSubmit = vi.fn<(settings: JoinLinkSettings) => void>()
  render(<JoinLinkForm kind={kind} error={error} isBusy={false} onSubmit={onSubmit} onClose={() => {}} />)
  const fill = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
  const submit = () => fireEvent.click(screen.getByRole('button', { name: 'Create link' }))
  return { onSubmit, fill, submit }
}

test('defaults to a member link without limit, valid for 7 days', () => {
  const { onSubmit, submit } = show('org')
  const before = Date.now()
  submit()
  const [settings] = onSubmit.mock.calls[0] ?? []
  expect(settings).toMatchObject({ role: 'member', maxUses: null, domains: [], email: null })
  const days = (Date.parse(settings?.expiresAt ?? '') - before) / 86_400_000
  expect(Math.round(days)).toBe(7)
})

test('submits the filled-in values', () => {
  const { onSubmit, fill, submit } = show('org')
  fill('Role', 'admin')
  fill('Maximum uses', '40')
  fill('Expires', '')
  fill('Allowed email domains', 'contoso.com,  fabrikam.com')
  fill('Allowed email address', ' noor@contoso.com ')
  submit()
  expect(onSubmit).toHaveBeenCalledWith({
    role: 'admin',
    maxUses: 40,
    expiresAt: null,
    domains: ['contoso.com', 'fabrikam.com'],
    email: 'noor@contoso.com',
  })
})

test('has no role field for a group', () => {
  show('group')
  expect(screen.queryByLabelText('Role')).toBeNull()
})

test('shows validation errors at their fields, and other failures below', () => {
  const problem = { code: 'invalid-request', status: 400, traceId: '0af7', detail: 'The request is invalid.' }
  const errors = [{ field: 'domains[1]', code: 'domain-invalid', message: 'Not a domain.' }]
  const createError = (body: object) => new ApiError(new Response(null, { status: 400 }), '', body)
  show('org', createError({ ...problem, errors }))
  expect(screen.getByText('Not a domain.').id).toBe(
    screen.getByLabelText('Allowed email domains').getAttribute('aria-describedby'),
  )
  expect(screen.queryByText('The request is invalid.')).toBeNull()
  cleanup()
  show('org', createError(problem))
  expect(screen.getByText('The request is invalid.')).toBeDefined()
})

test.for([
  [{ used: 0, maxUses: null }, '0 joined'],
  [{ used: 1200, maxUses: null }, '1,200 joined'],
  [{ used: 3, maxUses: 40 }, '3 of 40 joined'],
] as const)('formatUses formats %j as “%s”', ([link, text]) => {
  expect(formatUses(link)).toBe(text)
})

const settings: JoinLinkSettings = { role: 'member', maxUses: null, expiresAt: null, domains: [], email: null }
test.for<[LinkKind, Partial<JoinLinkSettings>, string]>([
  ['group', {}, 'Anyone can join with this link.'],
  [
    'org',
    { role: 'admin', maxUses: 1, expiresAt: '2026-11-30T12:00:00.000Z' },
    'Anyone can join with this link as an admin until 30 Nov 2026. It can be used once.',
  ],
  [
    'group',
    { domains: ['a.com', 'b.com'], maxUses: 1200 },
    'Anyone with an email address at a.com or b.com can join with this link. It can be used 1,200 times.',
  ],
  ['org', { email: 'noor@a.com', maxUses: 3 }, 'noor@a.com can join with this link as a member.'],
])('describes a link to a %s with %j as “%s”', ([kind, part, sentence]) => {
  expect(describeSettings(kind, { ...settings, ...part })).toBe(sentence)
})
