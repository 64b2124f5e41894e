import { ApiError } from '@passport/contract/call'
import type { RoleEffect } from '@passport/contract/role-effect'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { type PreviewQuery, usePreview } from './use-preview.tsx'

const quiet: RoleEffect = { gains: [], loses: [] }
const loud: RoleEffect = {
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

/** Presses Change; tells what was sent, and what the change came to. */
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

test('a change of nobody’s roles is made at once', async () => {
  const { sent, outcome } = await change([quiet, 'done'])
  await waitFor(() => expect(outcome.mock.calls).toEqual([['done']]))
  expect(sent).toEqual([{ preview: 'true' }, {}])
})

test('a change by a call that answers nothing is told from one that was called off', async () => {
  const { outcome } = await change([quiet, undefined])
  await waitFor(() => expect(outcome.mock.calls).toEqual([[true]]))
})

test('who would gain and lose what is shown before it is made', async () => {
  const { sent, outcome } = await change([loud, 'done'])
  const { textContent } = await question('Add them?')
  expect(textContent).toContain('2 people gain Passport.Admin: Ana, Bo')
  expect(textContent).toContain('1,204 people lose Crew.Lead: Chidi and 1,203 more')
  expect(sent).toEqual([{ preview: 'true' }])
  await answer('Add')
  await waitFor(() => expect(outcome.mock.calls).toEqual([['done']]))
})

test('nothing is sent where it is called off', async () => {
  const { sent, outcome } = await change([loud])
  await question('Add them?')
  await answer('Cancel')
  await waitFor(() => expect(outcome.mock.calls).toEqual([[undefined]]))
  expect(sent).toHaveLength(1)
})

test('giving up one’s own administration is asked about once more', async () => {
  const { sent, outcome } = await change([quiet, demotion, 'done'])
  await question('Give up your own administration?')
  await answer('Give it up')
  await waitFor(() => expect(outcome.mock.calls).toEqual([['done']]))
  expect(sent).toEqual([{ preview: 'true' }, {}, { confirmSelfDemotion: 'true' }])
})

test('any other refusal is the caller’s to tell', async () => {
  const refused = new ApiError(new Response(null, { status: 403 }), '', {
    code: 'role-not-yours-to-give',
    traceId: 't',
  })
  const { outcome } = await change([refused])
  await waitFor(() => expect(outcome.mock.calls).toEqual([[refused]]))
})
