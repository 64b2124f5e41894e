import { ApiError } from '@passport/contract/call'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { JoinLinkForm, type Wish } from './JoinLinkForm.tsx'
import { usesOf } from './join-target.ts'

afterEach(cleanup)

function show(kind: 'org' | 'group', error: unknown = null) {
  const onSubmit = vi.fn<(wish: Wish) => void>()
  render(<JoinLinkForm kind={kind} error={error} isBusy={false} onSubmit={onSubmit} onClose={() => {}} />)
  const fill = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
  const submit = () => fireEvent.click(screen.getByRole('button', { name: 'Create link' }))
  return { onSubmit, fill, submit }
}

test('a link left as it is takes any number of members for a week', () => {
  const { onSubmit, submit } = show('org')
  const before = Date.now()
  submit()
  const [wish] = onSubmit.mock.calls[0] ?? []
  expect(wish).toMatchObject({ role: 'member', maxUses: null, domains: [], email: null })
  const days = (Date.parse(wish?.expiresAt ?? '') - before) / 86_400_000
  expect(Math.round(days)).toBe(7)
})

test('a link is as it was filled in', () => {
  const { onSubmit, fill, submit } = show('org')
  fill('They join as', 'admin')
  fill('How many may join', '40')
  fill('Ends', '')
  fill('Only people with an address at', 'contoso.com,  fabrikam.com')
  fill('Only the person with the address', ' noor@contoso.com ')
  submit()
  expect(onSubmit).toHaveBeenCalledWith({
    role: 'admin',
    maxUses: 40,
    expiresAt: null,
    domains: ['contoso.com', 'fabrikam.com'],
    email: 'noor@contoso.com',
  })
})

test('people join a group as members, so nothing is asked', () => {
  show('group')
  expect(screen.queryByLabelText('They join as')).toBeNull()
})

test('what the service finds wrong is told beside its field, and anything else below', () => {
  const problem = { code: 'invalid-request', status: 400, traceId: '0af7', detail: 'All of it.' }
  const errors = [{ field: 'domains[1]', code: 'domain-invalid', message: 'Is no domain.' }]
  const refusal = (body: object) => new ApiError(new Response(null, { status: 400 }), '', body)
  show('org', refusal({ ...problem, errors }))
  expect(screen.getByText('Is no domain.').id).toBe(
    screen.getByLabelText('Only people with an address at').getAttribute('aria-describedby'),
  )
  expect(screen.queryByText('All of it.')).toBeNull()
  cleanup()
  show('org', refusal(problem))
  expect(screen.getByText('All of it.')).toBeDefined()
})

test.for([
  [{ used: 0, maxUses: null }, '0 joined'],
  [{ used: 1200, maxUses: null }, '1,200 joined'],
  [{ used: 3, maxUses: 40 }, '3 of 40 joined'],
] as const)('%j is %s', ([link, said]) => {
  expect(usesOf(link)).toBe(said)
})
