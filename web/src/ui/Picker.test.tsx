import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { type Pickable, Picker, type PickerProps } from './Picker.tsx'

const people: Pickable[] = [
  { id: '1', name: 'Ana Abara', detail: 'ana@harbour.example' },
  { id: '2', name: 'Anton Eze', disabledReason: 'Already a member' },
  { id: '3', name: 'Bo Grün' },
]
const search = vi.fn<PickerProps['search']>(async (text) =>
  people.filter(({ name }) => name.toLowerCase().startsWith(text)),
)

async function show(overrides: Partial<PickerProps> = {}) {
  const onPick = vi.fn()
  const Page = () => {
    const [picked, setPicked] = useState<Pickable[]>([])
    const pick = (now: Pickable[]) => {
      onPick(now)
      setPicked(now)
    }
    return <Picker label="Members" search={search} picked={picked} onPick={pick} {...overrides} />
  }
  render(<Page />)
  return { onPick, input: await screen.findByRole('combobox', { name: 'Members' }) }
}

test('picks several matches with the keyboard', {
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

test('shows why an option cannot be picked', async () => {
  const { onPick, input } = await show()
  await userEvent.type(input, 'anton')
  const option = await screen.findByRole('option', { name: /Anton Eze/ })
  expect(option.textContent).toContain('Already a member')
  expect(option.getAttribute('aria-disabled')).toBe('true')
  await userEvent.click(option)
  expect(onPick).not.toHaveBeenCalled()
})

test('reports an empty result and a failed search', async () => {
  const { input } = await show()
  await userEvent.type(input, 'zed')
  expect(await screen.findByText('No results for “zed”')).toBeDefined()
  search.mockRejectedValueOnce(new Error('no network'))
  await userEvent.type(input, 'x')
  expect(await screen.findByText('Search failed. Type to retry.')).toBeDefined()
})

test('aborts a search when typing continues', async () => {
  const signals: AbortSignal[] = []
  const { input } = await show({
    search: (_, signal) => {
      signals.push(signal)
      return new Promise(() => {})
    },
  })
  await userEvent.type(input, 'a')
  await waitFor(() => expect(signals).toHaveLength(1))
  await userEvent.type(input, 'n')
  expect(signals[0]?.aborted).toBe(true)
})

test('Escape keeps the picked options', async () => {
  const { onPick, input } = await show()
  await userEvent.type(input, 'ana')
  await screen.findByRole('option', { name: /Ana Abara/ })
  await userEvent.keyboard('{Enter}{Escape}{Escape}')
  expect(onPick.mock.calls).toEqual([[[people[0]]]])
})
