import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createProblem, mockNetwork, renderAt, schema } from '../permissions/test-network.tsx'
import { RelationsPage } from './RelationsPage.tsx'

beforeEach(() => {
  // The test DOM has no layout: gives scrolling elements the size of a window.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(900)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const viewer = (id: string, user = 'ada') => ({
  resource: { type: 'document', id },
  relation: 'viewer',
  subject: { type: 'user', id: user },
})
const page = (items: unknown[], cursor: string | null = null) => ({ items, cursor, readAt: 'r' })
const list = 'GET /passport/admin/tools/relations'
const history = () => ({
  items: [
    {
      operation: 'added',
      relationship: viewer('a'),
      at: '2026-01-01T00:00:00.000Z',
      by: { kind: 'user', id: 'u1', name: 'Ada Lovelace' },
      token: 't',
    },
  ],
  cursor: null,
})

describe('RelationsPage', () => {
  test('disables the addition of relationships, with an explanation, before a type has relations', async () => {
    mockNetwork({ 'GET schema': () => ({ ...schema, definitions: [] }), [list]: () => page([]) })
    renderAt('/', RelationsPage)
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Add relationship' })
    expect(button.disabled).toBe(true)
    expect(await screen.findByText('Define a type with a relation first.')).toBeDefined()
  })

  test('shows the relationships that match the URL, and loads the next page near the end', async () => {
    const sent = mockNetwork({
      'GET schema': () => schema,
      [list]: ({ query }) => (query['cursor'] ? page([viewer('b')]) : page([viewer('a')], 'c1')),
    })
    renderAt('/?resourceType=document&subjectRelation=&expiresWithin=7', RelationsPage)
    await screen.findByText('2 relationships')
    const [first, second] = sent.filter(({ call }) => call === list)
    expect(first?.query).toMatchObject({ resourceType: 'document', subjectRelation: '', limit: '1000' })
    expect(Date.parse(first?.query['expiresBefore'] ?? '')).toBeGreaterThan(Date.now() + 6.9 * 86_400_000)
    expect(second?.query['cursor']).toBe('c1')
    expect(screen.getAllByRole('row')).toHaveLength(3)
  })

  test('renders few of many rows, and moves between them with the keyboard', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => viewer(`d${index}`))
    mockNetwork({ 'GET schema': () => schema, [list]: () => page(many) })
    renderAt('/', RelationsPage)
    await screen.findByText('10,000 relationships')
    const grid = screen.getByRole('grid', { name: 'Relationships' })
    expect(grid.getAttribute('aria-rowcount')).toBe('10001')
    const stored = () => [...grid.querySelectorAll<HTMLElement>('[data-index]')]
    expect(stored().length).toBeGreaterThan(10)
    expect(stored().length).toBeLessThan(100)
    const stops = () => stored().filter(({ tabIndex }) => tabIndex === 0)
    stops()[0]?.focus()
    await userEvent.keyboard('{ArrowDown}{ArrowDown}')
    await waitFor(() => expect(document.activeElement?.getAttribute('aria-rowindex')).toBe('4'))
    expect(stops()).toHaveLength(1)
  })

  test('filters by a type and an id prefix that are typed, and by an id that is picked', async () => {
    mockNetwork({
      'GET schema': () => schema,
      'GET objects': () => ({ items: [{ id: 'roadmap', name: null }] }),
      [list]: () => page([viewer('a')]),
    })
    const readSearch = renderAt('/', RelationsPage)
    const search = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Resource ID' })
    await userEvent.type(search, 'dra*{Enter}')
    await waitFor(() => expect(readSearch()).toEqual({ resourceIdPrefix: 'dra' }))
    expect(search.value).toBe('dra')
    await userEvent.clear(search)
    await userEvent.type(search, 'document:ro{Enter}')
    await waitFor(() => expect(readSearch()).toEqual({ resourceType: 'document', resourceIdPrefix: 'ro' }))
    await userEvent.type(search, 'a')
    await userEvent.click(await screen.findByRole('option', { name: 'roadmap' }))
    await waitFor(() => expect(readSearch()).toEqual({ resourceType: 'document', resourceId: 'roadmap' }))
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Resource type' }), 'Any type')
    await waitFor(() => expect(readSearch()).toEqual({}))
  })

  test('filters by a user who is found by name', async () => {
    const definition = {
      name: 'project',
      relations: [{ name: 'lead', allowed: [{ type: 'passport/user' }] }],
      permissions: [],
    }
    mockNetwork({
      'GET schema': () => ({ ...schema, definitions: [...schema.definitions, definition] }),
      'GET /passport/profile': () => ({ items: [{ profileId: '7f', displayname: 'Ada Lovelace', username: 'ada' }] }),
      'GET objects': () => ({ items: [] }),
      'POST names': () => ({ items: [{ type: 'passport/user', id: '7f', name: 'Ada Lovelace' }] }),
      [list]: () => page([viewer('a')]),
    })
    const readSearch = renderAt('/', RelationsPage)
    await userEvent.type(await screen.findByRole('combobox', { name: 'Resource ID' }), 'ada love')
    await userEvent.click(await screen.findByRole('option', { name: /Ada Lovelace/ }))
    await waitFor(() => expect(readSearch()).toEqual({ subjectType: 'passport/user', subjectId: '7f' }))
  })

  test('collapses the filters, and shows the number of active ones', async () => {
    mockNetwork({ 'GET schema': () => schema, [list]: () => page([viewer('a')]) })
    renderAt('/?relation=viewer&subjectType=user', RelationsPage)
    const fold = await screen.findByRole('button', { name: 'Filters (2)' })
    expect(fold.getAttribute('aria-expanded')).toBe('false')
    expect(screen.queryByRole('group', { name: 'Filters' })).toBeNull()
    await userEvent.click(fold)
    expect(fold.getAttribute('aria-expanded')).toBe('true')
    expect(fold.getAttribute('aria-controls')).toBe(screen.getByRole('group', { name: 'Filters' }).id)
    await userEvent.click(screen.getByRole('button', { name: 'Clear Relation: viewer' }))
    expect(await screen.findByRole('button', { name: 'Filters (1)' })).toBeDefined()
  })

  test('follows relationships to the chosen depth, and counts them separately', async () => {
    const folder = {
      name: 'folder',
      relations: [{ name: 'viewer', allowed: [{ type: 'user' }] }],
      permissions: [],
    }
    const inFolder = {
      resource: { type: 'document', id: 'a' },
      relation: 'folder',
      subject: { type: 'folder', id: 'f' },
    }
    const ofFolder = { resource: { type: 'folder', id: 'f' }, relation: 'viewer', subject: { type: 'user', id: 'bo' } }
    mockNetwork({
      'GET schema': () => ({ ...schema, definitions: [...schema.definitions, folder] }),
      [list]: ({ query }) => page(query['resourceId'] === 'f' ? [ofFolder] : [inFolder]),
    })
    renderAt('/?resourceType=document&depth=2', RelationsPage)
    expect(await screen.findByText('2 relationships, including 1 followed')).toBeTruthy()
    const { value, selectedOptions } = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Depth' })
    expect([value, selectedOptions[0]?.text]).toEqual(['2', 'Depth 2'])
  })
})

test.each([
  ['at all', [], 'No relationship refers to this object.'],
  ['among the shown ones', [viewer('nothing')], 'None of the relationships shown refers to this object.'],
])('explains an object without relationships %s', async (_, others, words) => {
  const sent = mockNetwork({
    'GET schema': () => schema,
    [list]: ({ query }) => page(query['resourceId'] ? others : query['subjectId'] ? [] : [viewer('a')]),
  })
  renderAt('/?at=document:nothing', RelationsPage)
  const aside = await screen.findByRole('complementary', { name: 'document' })
  await within(aside).findByText(words)
  await waitFor(() => expect(sent.filter(({ query }) => query['limit'] === '1')).toHaveLength(2))
  expect(await within(aside).findByText(words)).toBeTruthy()
})

describe('a selected relationship', () => {
  const at = encodeURIComponent('document:a#viewer@user:ada')

  test('has its history and a link to the checker', async () => {
    mockNetwork({ 'GET schema': () => schema, [list]: () => page([viewer('a')]), 'GET history': history })
    renderAt(`/?at=${at}`, RelationsPage)
    const aside = await screen.findByRole('complementary', { name: 'Relationship' })
    expect(await within(aside).findByRole('link', { name: 'Ada Lovelace' })).toBeTruthy()
    expect(within(aside).getByRole('link', { name: 'Check permission' }).getAttribute('href')).toContain(
      'subject=user%3Aada&permission=viewer&resource=document%3Aa',
    )
  })

  test('is deleted after a preview of the effect', async () => {
    const loss = {
      resource: { type: 'document', id: 'a' },
      permission: 'view',
      subjectType: 'user',
      count: 7,
      sample: ['ada'],
    }
    const sent = mockNetwork({
      'GET schema': () => schema,
      [list]: () => page([viewer('a')]),
      'GET history': history,
      'POST relationships/deletepreview': () => ({
        relationships: [viewer('a')],
        losses: [loss],
        gains: [],
        lossesInTotal: [
          { resourceType: 'document', permission: 'view', subjectType: 'user', subjects: 7, resources: 1 },
        ],
        gainsInTotal: [],
        isComplete: true,
      }),
      'POST relationships': () => ({ writtenAt: 'r2' }),
    })
    renderAt(`/?at=${at}`, RelationsPage)
    await userEvent.click(await screen.findByRole('button', { name: 'Delete…' }))
    const dialog = await screen.findByRole('alertdialog', { name: 'Delete this relationship?' })
    expect(await within(dialog).findByText('7 subjects lose view on document:a')).toBeTruthy()
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
    await waitFor(() =>
      expect(sent.filter(({ call }) => call === 'POST relationships').map(({ body }) => body)).toEqual([
        { updates: [{ operation: 'delete', relationship: viewer('a') }] },
      ]),
    )
    expect(sent.find(({ call }) => call.endsWith('deletepreview'))?.body).toEqual({
      filter: {
        ...{ resourceType: 'document', resourceId: 'a', relation: 'viewer' },
        ...{ subjectType: 'user', subjectId: 'ada', subjectRelation: '' },
      },
    })
  })

  test('cannot be deleted while the preview is loading', async () => {
    let resolveEffect = (_: unknown) => {}
    const effect = new Promise((resolve) => {
      resolveEffect = resolve
    })
    mockNetwork({
      'GET schema': () => schema,
      [list]: () => page([viewer('a')]),
      'GET history': history,
      'POST relationships/deletepreview': () => effect,
    })
    renderAt(`/?at=${at}`, RelationsPage)
    await userEvent.click(await screen.findByRole('button', { name: 'Delete…' }))
    const dialog = await screen.findByRole('alertdialog', { name: 'Delete this relationship?' })
    await within(dialog).findByText('Calculating the effect…')
    const button = () => within(dialog).getByRole<HTMLButtonElement>('button', { name: /^Delete/ })
    expect(button().disabled).toBe(true)
    resolveEffect(createProblem(503, 'engine-unavailable', 'The engine does not answer.'))
    expect((await within(dialog).findByRole('alert')).textContent).toContain('The engine does not answer.')
    expect(button().textContent).toBe('Delete anyway')
    expect(button().disabled).toBe(false)
  })

  test('can be deleted together with others', async () => {
    const stored = [viewer('a'), { ...viewer('b'), expiresAt: '2999-01-01T00:00:00.000Z' }]
    const sent = mockNetwork({
      'GET schema': () => schema,
      [list]: () => page([...stored, { ...viewer('c'), resource: { type: 'passport/role', id: 'r' } }]),
      'POST relationships/deletepreview': () => ({
        ...{ relationships: stored, losses: [], gains: [], gainsInTotal: [], isComplete: true },
        lossesInTotal: [
          { resourceType: 'document', permission: 'view', subjectType: 'user', subjects: 1, resources: 2 },
        ],
      }),
      'POST relationships/deletelisted': () => ({ deletedAt: 'r2', deleted: stored }),
      'POST relationships': () => ({ writtenAt: 'r3' }),
    })
    renderAt('/', RelationsPage)
    const [first] = await screen.findAllByRole('row', { selected: false })
    first?.focus()
    await userEvent.keyboard('x')
    expect(await screen.findByText('1 relationship selected')).toBeTruthy()
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select all shown' }))
    expect(await screen.findByText('2 relationships selected')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Delete…' }))
    const dialog = await screen.findByRole('alertdialog', { name: 'Delete 2 relationships?' })
    expect(within(dialog).getByText(/^document:b#viewer@user:ada\[expiration:/)).toBeTruthy()
    expect(await within(dialog).findByText('1 subject loses view on 2 resources of type document')).toBeTruthy()
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
    const listed = { relationships: [viewer('a'), viewer('b')] }
    await waitFor(() => expect(sent.find(({ call }) => call.endsWith('deletelisted'))?.body).toEqual(listed))
    expect(sent.find(({ call }) => call.endsWith('deletepreview'))?.body).toEqual(listed)
    await waitFor(() => expect(screen.queryByRole('toolbar')).toBeNull())
  })

  test('has a lower bound in the preview if the effect is incomplete', async () => {
    const inTotal = { resourceType: 'document', permission: 'view', subjectType: 'user', subjects: 1, resources: 200 }
    mockNetwork({
      'GET schema': () => schema,
      [list]: () => page([viewer('a')]),
      'POST relationships/deletepreview': () => ({
        ...{ relationships: [viewer('a')], losses: [], gains: [], gainsInTotal: [], isComplete: false },
        lossesInTotal: [inTotal],
      }),
    })
    renderAt('/', RelationsPage)
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select all shown' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Delete…' }))
    expect(
      await screen.findByText('At least 1 subject loses view on at least 200 resources of type document', {
        exact: true,
      }),
    ).toBeTruthy()
  })
})

test('RelationsPage adds a relationship that the schema allows', async () => {
  const sent = mockNetwork({
    'GET schema': () => schema,
    [list]: () => page([viewer('a')]),
    'POST relationships': () => ({ writtenAt: 'r2' }),
  })
  renderAt('/?resourceType=document&resourceId=a', RelationsPage)
  await userEvent.click(await screen.findByRole('button', { name: 'Add relationship' }))
  const dialog = await screen.findByRole('dialog', { name: 'Add relationship' })
  await userEvent.selectOptions(await within(dialog).findByLabelText('Relation'), 'banned')
  await userEvent.type(await within(dialog).findByLabelText('Subject ID'), 'tom')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add' }))
  const relationship = { ...viewer('a', 'tom'), relation: 'banned' }
  await waitFor(() =>
    expect(sent.find(({ call }) => call === 'POST relationships')?.body).toEqual({
      updates: [{ operation: 'create', relationship }],
    }),
  )
})
