import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { type Pickable, Picker, type PickerProps } from './Picker.tsx'

const people: Pickable[] = [
  { id: '1', name: 'Ana Abara', about: 'ana@harbour.example' },
  { id: '2', name: 'Anton Eze', taken: 'Already a member' },
  { id: '3', name: 'Bo Grün' },
]
const search = vi.fn<PickerProps['search']>(async (text) =>
  people.filter(({ name }) => name.toLowerCase().startsWith(text)),
)

async function show(by: Partial<PickerProps> = {}) {
  const onPick = vi.fn()
  const Page = () => {
    const [picked, setPicked] = useState<Pickable[]>([])
    const pick = (now: Pickable[]) => {
      onPick(now)
      setPicked(now)
    }
    return <Picker label="Members" search={search} picked={picked} onPick={pick} {...by} />
  }
  render(<Page />)
  return { onPick, input: await screen.findByRole('combobox', { name: 'Members' }) }
}

test('what is found by a few letters is picked with the keyboard, one after the other', {
  timeout: 20_000,
}, async () => {
  const { onPick, input } = await show()
  await userEvent.type(input, 'ana')
  await screen.findByRole('option', { name: /Ana Abara/ })
  await userEvent.keyboard('{Enter}')
  expect(onPick.mock.lastCall).toEqual([[people[0]]])
  await userEvent.type(input, 'bo')
  await screen.findByRole('option', { name: /Bo Grün/ })
  await userEvent.keyboard('{Enter}')
  expect(onPick.mock.lastCall).toEqual([[people[0], people[2]]])
  await userEvent.click(screen.getByRole('button', { name: 'Remove Ana Abara' }))
  expect(onPick.mock.lastCall).toEqual([[people[2]]])
})

test('what cannot be picked says why', async () => {
  const { onPick, input } = await show()
  await userEvent.type(input, 'anton')
  const option = await screen.findByRole('option', { name: /Anton Eze/ })
  expect(option.textContent).toContain('Already a member')
  expect(option.getAttribute('aria-disabled')).toBe('true')
  await userEvent.click(option)
  expect(onPick).not.toHaveBeenCalled()
})

test('that nothing is found, or that it could not be asked, is told', async () => {
  const { input } = await show()
  await userEvent.type(input, 'zed')
  expect(await screen.findByText('Nothing is called “zed”.')).toBeDefined()
  search.mockRejectedValueOnce(new Error('no network'))
  await userEvent.type(input, 'x')
  expect(await screen.findByText('The search did not answer. Type on to try again.')).toBeDefined()
})

test('a search that is typed past is aborted', async () => {
  const asked: AbortSignal[] = []
  const { input } = await show({
    search: (_, signal) => {
      asked.push(signal)
      return new Promise(() => {})
    },
  })
  await userEvent.type(input, 'a')
  await waitFor(() => expect(asked).toHaveLength(1))
  await userEvent.type(input, 'n')
  expect(asked[0]?.aborted).toBe(true)
})

test('Escape takes back nothing that was picked', async () => {
  const { onPick, input } = await show()
  await userEvent.type(input, 'ana')
  await screen.findByRole('option', { name: /Ana Abara/ })
  await userEvent.keyboard('{Enter}{Escape}{Escape}')
  expect(onPick.mock.calls).toEqual([[[people[0]]]])
})
