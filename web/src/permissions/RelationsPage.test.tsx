import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RelationsPage } from './RelationsPage.tsx'
import { network, refusal, schema, showAt } from './test-room.tsx'

beforeEach(() => {
  // There is no layout here: what scrolls is as high as a window.
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

describe('the relationships', () => {
  test('cannot be added before a type has relations, and that is said', async () => {
    network({ 'GET schema': () => ({ ...schema, definitions: [] }), [list]: () => page([]) })
    showAt('/', RelationsPage)
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Add a relationship' })
    expect(button.disabled).toBe(true)
    expect(screen.getByText('No type has relations to write yet.')).toBeDefined()
  })

  test('are those of the address, and more of them when the end is near', async () => {
    const sent = network({
      'GET schema': () => schema,
      [list]: ({ query }) => (query['cursor'] ? page([viewer('b')]) : page([viewer('a')], 'c1')),
    })
    showAt('/?resourceType=document&subjectRelation=&expiresWithin=7', RelationsPage)
    await screen.findByText('2 relationships')
    const [first, second] = sent.filter(({ call }) => call === list)
    expect(first?.query).toMatchObject({ resourceType: 'document', subjectRelation: '', limit: '1000' })
    expect(Date.parse(first?.query['expiresBefore'] ?? '')).toBeGreaterThan(Date.now() + 6.9 * 86_400_000)
    expect(second?.query['cursor']).toBe('c1')
    expect(screen.getAllByRole('row')).toHaveLength(3)
  })

  test('ten thousand of them are few in the document, and the keys go through them', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => viewer(`d${at}`))
    network({ 'GET schema': () => schema, [list]: () => page(many) })
    showAt('/', RelationsPage)
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

  test('are narrowed by a part of an id, in the address', async () => {
    network({ 'GET schema': () => schema, [list]: () => page([viewer('a')]) })
    const where = showAt('/', RelationsPage)
    await userEvent.type(await screen.findByLabelText('Resource id'), 'dra*{Enter}')
    await waitFor(() => expect(where()).toEqual({ resourceIdPrefix: 'dra' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Clear Resource begins: dra' }))
    await waitFor(() => expect(where()).toEqual({}))
  })

  test('have filters that a small window folds, which tell how many are set', async () => {
    network({ 'GET schema': () => schema, [list]: () => page([viewer('a')]) })
    showAt('/?resourceType=document&relation=viewer', RelationsPage)
    const fold = await screen.findByRole('button', { name: 'Filters, 2 set' })
    const form = screen.getByRole('form', { name: 'Filters' })
    expect([fold.getAttribute('aria-expanded'), form.classList.contains('max-sm:hidden')]).toEqual(['false', true])
    await userEvent.click(fold)
    expect([fold.getAttribute('aria-expanded'), form.classList.contains('max-sm:hidden')]).toEqual(['true', false])
    expect(fold.getAttribute('aria-controls')).toBe(form.id)
  })

  test('are followed as deep as is asked, and told from those that fit', async () => {
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
    network({
      'GET schema': () => ({ ...schema, definitions: [...schema.definitions, folder] }),
      [list]: ({ query }) => page(query['resourceId'] === 'f' ? [ofFolder] : [inFolder]),
    })
    showAt('/?resourceType=document&depth=2', RelationsPage)
    expect(await screen.findByText('2 relationships, 1 of them followed')).toBeTruthy()
    const { value, selectedOptions } = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Depth' })
    expect([value, selectedOptions[0]?.text]).toEqual(['2', 'Depth 2'])
  })
})

test.each([
  ['anywhere', [], 'No relationship names it: it stands in nothing, and nobody stands in it.'],
  ['in what is shown', [viewer('nothing')], 'No relationship that is shown names it.'],
])('an object that stands nowhere %s is told as that', async (_, others, words) => {
  const sent = network({
    'GET schema': () => schema,
    [list]: ({ query }) => page(query['resourceId'] ? others : query['subjectId'] ? [] : [viewer('a')]),
  })
  showAt('/?at=document:nothing', RelationsPage)
  const aside = await screen.findByRole('complementary', { name: 'document' })
  await within(aside).findByText(words)
  await waitFor(() => expect(sent.filter(({ query }) => query['limit'] === '1')).toHaveLength(2))
  expect(await within(aside).findByText(words)).toBeTruthy()
})

describe('a relationship', () => {
  const at = encodeURIComponent('document:a#viewer@user:ada')

  test('is looked at with who added it and when, and leads to the checker', async () => {
    network({ 'GET schema': () => schema, [list]: () => page([viewer('a')]), 'GET history': history })
    showAt(`/?at=${at}`, RelationsPage)
    const aside = await screen.findByRole('complementary', { name: 'Relationship' })
    expect(await within(aside).findByRole('link', { name: 'Ada Lovelace' })).toBeTruthy()
    expect(within(aside).getByRole('link', { name: 'Check it' }).getAttribute('href')).toContain(
      'subject=user%3Aada&permission=viewer&resource=document%3Aa',
    )
  })

  test('is deleted after its effect was told', async () => {
    const loss = {
      resource: { type: 'document', id: 'a' },
      permission: 'view',
      subjectType: 'user',
      count: 7,
      sample: ['ada'],
    }
    const sent = network({
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
    showAt(`/?at=${at}`, RelationsPage)
    await userEvent.click(await screen.findByRole('button', { name: 'Delete …' }))
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

  test('is not deleted before its effect is known, or that it is not', async () => {
    let tell = (_: unknown) => {}
    const told = new Promise((resolve) => {
      tell = resolve
    })
    network({
      'GET schema': () => schema,
      [list]: () => page([viewer('a')]),
      'GET history': history,
      'POST relationships/deletepreview': () => told,
    })
    showAt(`/?at=${at}`, RelationsPage)
    await userEvent.click(await screen.findByRole('button', { name: 'Delete …' }))
    const dialog = await screen.findByRole('alertdialog', { name: 'Delete this relationship?' })
    await within(dialog).findByText('Working out who would lose what …')
    const button = () => within(dialog).getByRole<HTMLButtonElement>('button', { name: /^Delete/ })
    expect(button().disabled).toBe(true)
    tell(refusal(503, 'engine-unavailable', 'The engine does not answer.'))
    expect((await within(dialog).findByRole('alert')).textContent).toContain('The engine does not answer.')
    expect(button().textContent).toBe('Delete all the same')
    expect(button().disabled).toBe(false)
  })

  test('and another are chosen and deleted together, and put back as they were', async () => {
    const stored = [viewer('a'), { ...viewer('b'), expiresAt: '2999-01-01T00:00:00.000Z' }]
    const sent = network({
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
    showAt('/', RelationsPage)
    const [first] = await screen.findAllByRole('row', { selected: false })
    first?.focus()
    await userEvent.keyboard('x')
    expect(await screen.findByText('1 relationship selected')).toBeTruthy()
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select all that are shown' }))
    expect(await screen.findByText('2 relationships selected')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Delete …' }))
    const dialog = await screen.findByRole('alertdialog', { name: 'Delete 2 relationships?' })
    expect(within(dialog).getByText(/^document:b#viewer@user:ada\[expiration:/)).toBeTruthy()
    expect(await within(dialog).findByText('1 subject loses view on 2 of type document')).toBeTruthy()
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
    const listed = { relationships: [viewer('a'), viewer('b')] }
    await waitFor(() => expect(sent.find(({ call }) => call.endsWith('deletelisted'))?.body).toEqual(listed))
    expect(sent.find(({ call }) => call.endsWith('deletepreview'))?.body).toEqual(listed)
    await waitFor(() => expect(screen.queryByRole('toolbar')).toBeNull())
  })

  test('of so many that not all was worked out, the least that changes is told as that', async () => {
    const inTotal = { resourceType: 'document', permission: 'view', subjectType: 'user', subjects: 1, resources: 200 }
    network({
      'GET schema': () => schema,
      [list]: () => page([viewer('a')]),
      'POST relationships/deletepreview': () => ({
        ...{ relationships: [viewer('a')], losses: [], gains: [], gainsInTotal: [], isComplete: false },
        lossesInTotal: [inTotal],
      }),
    })
    showAt('/', RelationsPage)
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select all that are shown' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Delete …' }))
    expect(
      await screen.findByText('At least 1 subject loses view on at least 200 of type document', { exact: true }),
    ).toBeTruthy()
  })

  test('is added as the schema allows it', async () => {
    const sent = network({
      'GET schema': () => schema,
      [list]: () => page([viewer('a')]),
      'POST relationships': () => ({ writtenAt: 'r2' }),
    })
    showAt('/?resourceType=document&resourceId=a', RelationsPage)
    await userEvent.click(await screen.findByRole('button', { name: 'Add a relationship' }))
    const dialog = await screen.findByRole('dialog', { name: 'Add a relationship' })
    await userEvent.selectOptions(await within(dialog).findByLabelText('Relation'), 'banned')
    await userEvent.type(await within(dialog).findByLabelText('Subject: id'), 'tom')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Add' }))
    const relationship = { ...viewer('a', 'tom'), relation: 'banned' }
    await waitFor(() =>
      expect(sent.find(({ call }) => call === 'POST relationships')?.body).toEqual({
        updates: [{ operation: 'create', relationship }],
      }),
    )
  })
})
