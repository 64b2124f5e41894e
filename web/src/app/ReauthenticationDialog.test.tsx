import type { CurrentUser } from '@passport/contract/current-user'
import type { Problem } from '@passport/contract/problem'
import { fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { currentUserQuery } from './current-user.ts'
import { useDraft } from './drafts.ts'
import { isLeavingAllowed } from './leaving.ts'
import { queryClient } from './query-client.ts'
import { confirmIdentity } from './ReauthenticationDialog.tsx'

const eve: CurrentUser = {
  claims: { sub: 'eve', idp: 'harbour', idp_name: 'Harbour ID', auth_time: 1 },
  roles: [],
  orgs: [],
}
const problem: Problem = {
  type: 'about:blank',
  title: 'Unauthorized',
  status: 401,
  code: 'reauthentication-required',
  traceId: '0af7',
}

beforeEach(() => {
  queryClient.setQueryData(currentUserQuery.queryKey, eve)
  history.replaceState(null, '', '/app/admin/users/create?q=1')
})
afterEach(() => {
  queryClient.clear()
  sessionStorage.clear()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const open = async () => {
  const confirmed = confirmIdentity(problem)
  await screen.findByRole('alertdialog', { name: 'Confirm it’s you' })
  return confirmed
}
const clickButton = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

describe('ReauthenticationDialog', () => {
  test("opens a forced sign-in at the session's provider in a popup, and focuses the same popup again", async () => {
    const popup = { closed: false, focus: vi.fn(), close: vi.fn() }
    const opened = vi.fn((..._: unknown[]) => popup)
    vi.stubGlobal('open', opened)
    const confirmed = open()
    await screen.findByRole('button', { name: 'Sign in again' })
    clickButton('Sign in again')
    const returnUrl = encodeURIComponent('/app/reauthenticated')
    expect(opened.mock.calls[0]?.[0]).toBe(`/login?prompt=login&idp=harbour&returnUrl=${returnUrl}`)
    clickButton('Show the window')
    expect([opened.mock.calls.length, popup.focus.mock.calls.length]).toEqual([1, 1])
    clickButton('Cancel')
    expect(await confirmed).toBe(false)
    expect(popup.close).toHaveBeenCalled()
  })

  test('without popups, leaves with the draft, which is later offered to the same user', async () => {
    vi.stubGlobal('open', () => null)
    const assign = vi.spyOn(location, 'assign').mockImplementation(() => {})
    const form = render(<Form typed="Half a name" />)
    const confirmed = open()
    await screen.findByRole('button', { name: 'Sign in again' })
    clickButton('Sign in again')
    const here = encodeURIComponent('/app/admin/users/create?q=1')
    expect(assign).toHaveBeenCalledWith(`/login?prompt=login&idp=harbour&returnUrl=${here}`)
    expect(isLeavingAllowed()).toBe(true)
    clickButton('Cancel')
    await confirmed
    form.unmount()

    const restored = vi.fn()
    render(<Form onRestore={restored} />)
    clickButton('Restore')
    expect(restored).toHaveBeenCalledWith('Half a name')
    expect(screen.queryByRole('button', { name: 'Restore' })).toBeNull()
    expect(sessionStorage).toHaveLength(0)
  })

  test('names the setting an operator must change when the provider cannot prove a sign-in', async () => {
    const confirmed = confirmIdentity({ ...problem, reason: 'provider-cannot-prove', detail: 'Set "freshness".' })
    await screen.findByRole('alertdialog', { name: "Your sign-in can't be confirmed" })
    expect(screen.getByText('Set "freshness".')).toBeTruthy()
    clickButton('Close')
    expect(await confirmed).toBe(false)
  })
})

test('does not offer a draft to another user', () => {
  const storedDraft = { sub: 'dev', keptAt: Date.now(), value: 'of dev' }
  sessionStorage.setItem('passport.draft:/app/admin/users/create:form', JSON.stringify(storedDraft))
  render(<Form />)
  expect(screen.queryByRole('button', { name: 'Restore' })).toBeNull()
  expect(sessionStorage).toHaveLength(0)
})

function Form({ typed, onRestore = () => {} }: { typed?: string; onRestore?: (draft: string) => void }) {
  const draft = useDraft('form', () => typed, onRestore)
  return draft ? (
    <button type="button" onClick={draft.restore}>
      Restore
    </button>
  ) : null
}
