import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Loaded } from './Loaded.tsx'

function Names({ load }: { load: () => Promise<string[]> }) {
  const query = useQuery({ queryKey: ['names'], queryFn: load, retry: false })
  return (
    <>
      <button type="button" onClick={() => void query.refetch()}>
        Refresh
      </button>
      <Loaded query={query} label="Loading names" rows={2}>
        {(names) => <p>{names.join(', ') || 'No names'}</p>}
      </Loaded>
    </>
  )
}

const show = (load: () => Promise<string[]>) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Names load={load} />
    </QueryClientProvider>,
  )

test('shows placeholder bars until loaded, even for an empty result', async () => {
  const { promise, resolve } = Promise.withResolvers<string[]>()
  show(() => promise)
  expect(screen.getByText('Loading names')).toBeDefined()
  resolve([])
  expect(await screen.findByText('No names')).toBeDefined()
  expect(screen.queryByText('Loading names')).toBeNull()
})

test('shows a failure in place and retries', async () => {
  let isBroken = true
  show(async () => {
    if (isBroken) throw new TypeError('no network')
    return ['Ada']
  })
  expect((await screen.findByRole('alert')).textContent).toContain('No connection')
  expect(screen.queryByText('Loading names')).toBeNull()
  isBroken = false
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Ada')).toBeDefined()
  expect(screen.queryByRole('alert')).toBeNull()
})

test('keeps the loaded content below a failed refresh', async () => {
  let isBroken = false
  show(async () => {
    if (isBroken) throw new TypeError('no network')
    return ['Ada']
  })
  await screen.findByText('Ada')
  isBroken = true
  fireEvent.click(screen.getByRole('button', { name: 'Refresh' }))
  expect(await screen.findByRole('alert')).toBeDefined()
  expect(screen.getByText('Ada')).toBeDefined()
})
