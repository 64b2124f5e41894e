import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { loadObjectName, NamedReference, ObjectName } from './ObjectName.tsx'
import { RelationshipText } from './RelationshipText.tsx'
import { createRefusal, mockNetwork, renderAt } from './test-network.tsx'

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
        <NamedReference reference={{ type: 'passport/user', id: '7f' }} />
      </p>
      <p>
        <NamedReference reference={{ type: 'passport/group', id: 'c1', relation: 'member' }} />
      </p>
      <p>
        <NamedReference reference={{ type: 'passport/user', id: '*' }} />
      </p>
      <p>
        <NamedReference reference={{ type: 'document', id: 'plan' }} />
      </p>
      <p>
        passport/user:gone
        <ObjectName type="passport/user" id="gone" />
      </p>
    </>
  ))
  await screen.findByText('Ada Lovelace')
  const lines = screen.getAllByRole('paragraph').map(({ textContent }) => textContent)
  expect(lines).toEqual([
    'Ada Lovelace passport/user:7f',
    'Crew passport/group:c1#member',
    'passport/user:*',
    'document:plan',
    'passport/user:gone',
  ])
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

test('shows references without an answer', async () => {
  mockNetwork({ 'POST names': () => createRefusal(503, 'database-unavailable', 'no') })
  renderAt('/', () => <NamedReference reference={{ type: 'passport/user', id: '7f' }} />)
  await screen.findByText('passport/user:7f')
})

test('requests at most a thousand names at a time', async () => {
  const sent = mockNetwork({ 'POST names': answer })
  const all = Array.from({ length: 1001 }, (_, at) =>
    loadObjectName({ type: 'passport/user', id: at === 1000 ? '7f' : `${at}` }),
  )
  expect((await Promise.all(all)).at(-1)).toBe('Ada Lovelace')
  expect(sent.map(({ body }) => (body as { objects: unknown[] }).objects.length)).toEqual([1000, 1])
})
