import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { loadEntry, ObjectLine, ObjectName, ObjectUsername } from './ObjectName.tsx'
import { RelationshipText } from './RelationshipText.tsx'
import { createProblem, mockNetwork, renderAt } from './test-network.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const names: Record<string, string> = { 'passport/user:7f': 'Ada Lovelace', 'passport/group:c1': 'Crew' }
const answer = ({ body }: { body: unknown }) => ({
  items: (body as { objects: { type: string; id: string }[] }).objects.flatMap(({ type, id }) => {
    const name = names[`${type}:${id}`]
    return name ? [{ type, id, name }] : []
  }),
})

test('requests the names of all shown objects of the directory at once', async () => {
  const sent = mockNetwork({ 'POST names': answer })
  renderAt('/', () => (
    <>
      <p>
        <ObjectLine object={{ type: 'passport/user', id: '7f' }} />
      </p>
      <p>
        <ObjectLine object={{ type: 'passport/group', id: 'c1', relation: 'member' }} />
      </p>
      <p>
        <ObjectLine object={{ type: 'passport/user', id: '*' }} />
      </p>
      <p>
        <ObjectLine object={{ type: 'document', id: 'plan' }} />
      </p>
      <p>
        passport/user:gone
        <ObjectName type="passport/user" id="gone" />
      </p>
    </>
  ))
  await screen.findByText('Ada Lovelace')
  const lines = screen.getAllByRole('paragraph').map((line) => {
    for (const picture of line.querySelectorAll('[aria-hidden]')) picture.remove()
    return line.textContent
  })
  expect(lines).toEqual(['Ada LovelaceUser', 'CrewGroup members', 'EveryoneUser', 'planDocument', 'passport/user:gone'])
  const objects = [
    { type: 'passport/user', id: '7f' },
    { type: 'passport/group', id: 'c1' },
    { type: 'passport/user', id: 'gone' },
  ]
  expect(sent.map(({ call, body }) => [call, body])).toEqual([['POST names', { objects }]])
})

test('shows the names of both sides after a relationship', async () => {
  mockNetwork({ 'POST names': answer })
  const [resource, subject] = [
    { type: 'passport/group', id: 'c1' },
    { type: 'passport/user', id: '7f' },
  ]
  renderAt('/', () => (
    <p>
      <RelationshipText relationship={{ resource, relation: 'member', subject }} />
    </p>
  ))
  await screen.findByText('Crew, Ada Lovelace')
})

test('shows ids if names cannot be loaded', async () => {
  mockNetwork({ 'POST names': () => createProblem(503, 'database-unavailable', 'no') })
  renderAt('/', () => <ObjectLine object={{ type: 'passport/user', id: '7f' }} />)
  expect((await screen.findByText('7f')).closest('[title="passport/user:7f"]')).not.toBeNull()
})

test('requests at most a thousand names at a time', async () => {
  const sent = mockNetwork({ 'POST names': answer })
  const all = Array.from({ length: 1001 }, (_, index) =>
    loadEntry({ type: 'passport/user', id: index === 1000 ? '7f' : `${index}` }),
  )
  expect((await Promise.all(all)).at(-1)?.name).toBe('Ada Lovelace')
  expect(sent.map(({ body }) => (body as { objects: unknown[] }).objects.length)).toEqual([1000, 1])
})

test('shows the username of a user, which distinguishes namesakes', async () => {
  const items = [
    { type: 'passport/user', id: '7f', name: 'Ada Lovelace', username: 'ada2' },
    { type: 'passport/user', id: '8f', name: 'Ada Lovelace' },
  ]
  mockNetwork({ 'POST names': () => ({ items }) })
  renderAt('/', () => items.map(({ type, id }) => <ObjectUsername key={id} object={{ type, id }} />))
  expect((await screen.findByText(/^@/)).textContent).toBe('@ada2')
})
