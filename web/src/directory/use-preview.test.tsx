import { ApiError } from '@passport/contract/call'
import type { RoleEffect } from '@passport/contract/role-effect'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { type PreviewQuery, usePreview } from './use-preview.tsx'

const noEffect: RoleEffect = { gains: [], loses: [] }
const someEffect: RoleEffect = {
  gains: [
    {
      role: 'Passport.Admin',
      people: 2,
      sample: [
        { id: '1', name: 'Ana' },
        { id: '2', name: 'Bo' },
      ],
    },
  ],
  loses: [{ role: 'Crew.Lead', people: 1204, sample: [{ id: '3', name: 'Chidi' }] }],
}
const demotion = new ApiError(new Response(null, { status: 409 }), '', { code: 'self-demotion', traceId: 't' })

/** Presses Change; returns the sent queries and the outcome. */
async function change(answers: (RoleEffect | string | undefined | Error)[]) {
  const sent: PreviewQuery[] = []
  const outcome = vi.fn()
  const Page = () => {
    const { change, dialog } = usePreview()
    const send = async (query: PreviewQuery) => {
      sent.push(query)
      const answer = answers.shift()
      if (answer instanceof Error) throw answer
      return answer
    }
    const act = () => void change(send, { title: 'Add them?', action: 'Add' }).then(outcome, outcome)
    return (
      <>
        <button type="button" onClick={act}>
          Change
        </button>
        {dialog}
      </>
    )
  }
  render(<Page />)
  await userEvent.click(screen.getByRole('button', { name: 'Change' }))
  return { sent, outcome }
}
const question = (name: string) => screen.findByRole('alertdialog', { name })
const answer = (name: string) => userEvent.click(screen.getByRole('button', { name }))

test('sends a change without an effect on roles immediately', async () => {
  const { sent, outcome } = await change([noEffect, 'done'])
  await waitFor(() => expect(outcome.mock.calls).toEqual([['done']]))
  expect(sent).toEqual([{ preview: 'true' }, {}])
})

test('distinguishes an empty response from a cancelled change', async () => {
  const { outcome } = await change([noEffect, undefined])
  await waitFor(() => expect(outcome.mock.calls).toEqual([[true]]))
})

test('shows who would gain and lose roles before the change', async () => {
  const { sent, outcome } = await change([someEffect, 'done'])
  const { textContent } = await question('Add them?')
  expect(textContent).toContain('2 users gain Passport.Admin: Ana, Bo')
  expect(textContent).toContain('1,204 users lose Crew.Lead: Chidi and 1,203 more')
  expect(sent).toEqual([{ preview: 'true' }])
  await answer('Add')
  await waitFor(() => expect(outcome.mock.calls).toEqual([['done']]))
})

test('shows who would join groups before the change', async () => {
  const crew = { groupId: 'c', name: 'Crew', people: 1, sample: [{ id: '1', name: 'Ana' }] }
  const { sent } = await change([{ ...noEffect, groups: { gains: [crew], loses: [] } }, 'done'])
  expect((await question('Add them?')).textContent).toContain('1 user gains Crew: Ana')
  expect(sent).toEqual([{ preview: 'true' }])
})

test('sends nothing when cancelled', async () => {
  const { sent, outcome } = await change([someEffect])
  await question('Add them?')
  await answer('Cancel')
  await waitFor(() => expect(outcome.mock.calls).toEqual([[undefined]]))
  expect(sent).toHaveLength(1)
})

test('asks again before users remove their own admin access', async () => {
  const { sent, outcome } = await change([noEffect, demotion, 'done'])
  await question('Remove your own admin access?')
  await answer('Remove my access')
  await waitFor(() => expect(outcome.mock.calls).toEqual([['done']]))
  expect(sent).toEqual([{ preview: 'true' }, {}, { confirmSelfDemotion: 'true' }])
})

test('rejects with any other error', async () => {
  const forbidden = new ApiError(new Response(null, { status: 403 }), '', {
    code: 'role-not-yours-to-give',
    traceId: 't',
  })
  const { outcome } = await change([forbidden])
  await waitFor(() => expect(outcome.mock.calls).toEqual([[forbidden]]))
})
