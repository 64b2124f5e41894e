import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test, vi } from 'vitest'
import * as csv from '../app/save-csv.ts'
import { createProblem, mockNetwork, renderAt, schema } from '../permissions/test-network.tsx'
import { LookupResourcesPage, LookupSubjectsPage } from './LookupPage.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const depends = (id: string) => ({ id, permissionship: 'conditional', partialCaveatMissing: ['hour'] })
const has = (id: string) => ({ id, permissionship: 'hasPermission', partialCaveatMissing: [] })
const page = (items: unknown[], cursor: string | null = null, hasCycle = false) => ({
  items,
  cursor,
  lookedUpAt: 'r',
  hasCycle,
})
const many = Array.from({ length: 1000 }, (_, index) => has(`d${String(index).padStart(4, '0')}`))
/** A schema with a type that has no permissions, and a relation only for usersets. */
const roles = {
  ...schema,
  definitions: [
    ...schema.definitions,
    { name: 'group', relations: [{ name: 'member', allowed: [{ type: 'user' }] }], permissions: [] },
    {
      name: 'passport/role',
      relations: [
        { name: 'member', allowed: [{ type: 'group', relation: 'member' }] },
        { name: 'parent', allowed: [{ type: 'passport/role' }] },
      ],
      permissions: [],
    },
  ],
}
/** Returns the rows of results, without the header. */
const findRows = async (name: string) =>
  (await within(screen.getByRole('region', { name })).findAllByRole('row')).slice(1)
/** Returns the texts of the names and verdicts in the rows, without the initials of pictures. */
const findTexts = async (name: string) =>
  (await findRows(name)).map((row) => {
    const copy = row.cloneNode(true) as HTMLElement
    for (const hidden of copy.querySelectorAll('[aria-hidden], [data-through]')) hidden.remove()
    return copy.textContent
  })

describe('LookupResourcesPage', () => {
  test('looks up every possible permission and loads all pages', async () => {
    const sent = mockNetwork({
      'GET schema': () => schema,
      'POST lookupresources': ({ body }) =>
        (body as { cursor?: string }).cursor
          ? { ...page([has('b')]), visited: 3 }
          : { ...page([has('a')], 'c1'), visited: 5 },
    })
    renderAt('/?subject=user:ada', LookupResourcesPage)
    await screen.findByRole('region', { name: 'Document' })
    await waitFor(async () => expect((await findTexts('Document')).length).toBe(2))
    const bodies = sent.filter(({ call }) => call === 'POST lookupresources').map(({ body }) => body)
    const body = { resourceType: 'document', permission: 'view', subject: { type: 'user', id: 'ada' }, limit: 1000 }
    expect(bodies).toEqual([body, { ...body, cursor: 'c1' }])
  })

  test('stops and resumes loading on request', async () => {
    let answer: (page: unknown) => void = () => {}
    const sent = mockNetwork({
      'GET schema': () => schema,
      'POST lookupresources': ({ body }) =>
        (body as { cursor?: string }).cursor
          ? new Promise((resolve) => {
              answer = resolve
            })
          : page([has('a')], 'c1'),
    })
    renderAt('/?subject=user:ada', LookupResourcesPage)
    const section = within(await screen.findByRole('region', { name: 'Document' }))
    expect(await section.findByText('Loading: 1 so far')).toBeTruthy()
    expect(section.getByText('1+')).toBeTruthy()
    await userEvent.click(section.getByRole('button', { name: 'Stop' }))
    expect(await section.findByText('Stopped: 1 so far')).toBeTruthy()
    answer(page([has('b')]))
    const countLookups = () => sent.filter(({ call }) => call === 'POST lookupresources').length
    expect(countLookups()).toBe(2)
    await userEvent.click(section.getByRole('button', { name: 'Resume' }))
    await waitFor(() => expect(countLookups()).toBe(3))
    answer(page([has('b')]))
    expect(await section.findByTitle('document:b')).toBeTruthy()
    expect(section.queryByText(/so far/)).toBeNull()
  })

  test('exports all results, including pages that were not loaded', async () => {
    const saved = vi.spyOn(csv, 'saveCsv').mockImplementation(() => {})
    let answer: ((page: unknown) => void) | undefined
    let isHeld = true
    mockNetwork({
      'GET schema': () => schema,
      'POST lookupresources': ({ body }) => {
        if (!(body as { cursor?: string }).cursor) return page(many, 'c1')
        if (!isHeld) return page([depends('last')])
        return new Promise((resolve) => {
          answer = resolve
        })
      },
    })
    renderAt('/?subject=user:ada', LookupResourcesPage)
    await userEvent.click(await screen.findByRole('button', { name: 'Export CSV' }))
    expect(await screen.findByText('Exporting: 1,000 rows so far')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    isHeld = false
    answer?.(page([has('too late')]))
    await userEvent.click(await screen.findByRole('button', { name: 'Export CSV' }))
    await waitFor(() => expect(saved).toHaveBeenCalledOnce())
    const [name, lines = []] = saved.mock.calls[0] ?? []
    expect(name).toBe('what-can-you-access.csv')
    expect(lines.length).toBe(1 + 1000 + 1)
    expect(lines.at(-1)).toEqual(['document', 'last', '', 'view', 'depends', 'hour', ''])
  })

  test('renders few elements for many results', async () => {
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(45)
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
    vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(800)
    mockNetwork({
      'GET schema': () => schema,
      'POST lookupresources': ({ body }) => page(many, (body as { cursor?: string }).cursor ? null : 'c1'),
    })
    renderAt('/?subject=user:ada', LookupResourcesPage)
    const section = await screen.findByRole('region', { name: 'Document' })
    await within(section).findByTitle('document:d0000')
    expect(within(section).getByText('1,000+')).toBeTruthy()
    expect(section.querySelectorAll('*').length).toBeLessThan(400)
    const first = within(section).getByRole('button', { name: 'Allowed: view, document:d0000' })
    expect(within(section).getByRole('button', { name: 'Allowed: view, document:d0001' }).tabIndex).toBe(-1)
    act(() => first.focus())
    await userEvent.keyboard('{ArrowDown}')
    await waitFor(() =>
      expect(document.activeElement?.getAttribute('aria-label')).toBe('Allowed: view, document:d0001'),
    )
  })

  test('names types without results in one line at the end', async () => {
    mockNetwork({
      'GET schema': () => roles,
      'POST lookupresources': ({ body }) =>
        page((body as { resourceType: string }).resourceType === 'passport/role' ? [has('Admin')] : []),
    })
    renderAt('/?subject=user:ada', LookupResourcesPage)
    await screen.findByTitle('passport/role:Admin')
    expect(await findTexts('Role')).toEqual(['AdminAllowed'])
    expect((await screen.findByText(/^No results for:/)).textContent).toBe('No results for: Document, Group')
    expect(screen.queryByRole('region', { name: 'Document' })).toBeNull()
  })

  test('shows missing values and cycles', async () => {
    mockNetwork({
      'GET schema': () => schema,
      'POST lookupresources': () =>
        page([{ id: 'a', permissionship: 'conditional', partialCaveatMissing: ['hour', 'day'] }], null, true),
    })
    renderAt('/?subject=user:ada', LookupResourcesPage)
    expect(await screen.findByText('on hour, day')).toBeTruthy()
    expect(screen.getByText('Cycle')).toBeTruthy()
  })

  test('marks results as gained, lost, changed or unchanged since an earlier revision', async () => {
    const change = (operation: string, id: string, token: string) => ({
      ...{ operation, token, at: '2026-01-01T00:00:00.000Z', by: null },
      relationship: { resource: { type: 'document', id }, relation: 'viewer', subject: { type: 'user', id: 'ada' } },
    })
    const sent = mockNetwork({
      'GET schema': () => schema,
      'GET history': () => ({ items: [change('added', 'c', 't2'), change('removed', 'a', 't1')], cursor: null }),
      'POST lookupresources': ({ body }) =>
        page((body as { consistency?: unknown }).consistency ? [has('a'), depends('b')] : [has('b'), has('c')]),
    })
    const readSearch = renderAt('/?subject=user:ada', LookupResourcesPage)
    await userEvent.click(await screen.findByRole('button', { name: 'Compare with an earlier revision' }))
    const moment = screen.getByRole('combobox', { name: 'Earlier revision' })
    await screen.findByRole('option', { name: /^Before: Added document:c#viewer@user:ada/ })
    await userEvent.selectOptions(moment, 't1')
    await userEvent.click(screen.getByRole('button', { name: 'Look up' }))
    await waitFor(() => expect(readSearch()['since']).toBe('t1'))
    await screen.findByTitle('document:c')
    expect(await findTexts('Document')).toEqual([
      'aviewAllowedLost since',
      'bviewAllowedChangedbefore: Dependson hour',
      'cviewAllowedGained since',
    ])
    expect(sent.map(({ body }) => (body as { consistency?: unknown } | undefined)?.consistency)).toContainEqual({
      kind: 'atExactSnapshot',
      token: 't1',
    })
  })

  test('marks results of one of two subjects or of both', async () => {
    mockNetwork({
      'GET schema': () => schema,
      'POST lookupresources': ({ body }) =>
        page((body as { subject: { id: string } }).subject.id === 'ada' ? [has('a'), has('b')] : [has('b'), has('c')]),
    })
    const readSearch = renderAt('/?subject=user:ada&with=user:bo', LookupResourcesPage)
    await screen.findByTitle('document:c')
    const rowTexts = (await findTexts('Document')).map((text) => text?.replace(/viewAllowed/, ' '))
    expect(rowTexts).toEqual(['a Only user:ada', 'b Both', 'c Only user:bo'])
    await userEvent.selectOptions(screen.getByLabelText('Show'), 'Only user:bo')
    await waitFor(async () => expect((await findTexts('Document')).length).toBe(1))
    expect(readSearch()).toMatchObject({ side: 'right' })
  })

  test('shows the first object on the path to each result, with a link to the full explanation', async () => {
    const [resource, group] = [
      { type: 'document', id: 'a' },
      { type: 'group', id: 'staff' },
    ]
    const step = (relation: string, from: object, to: object) => ({
      ...{ resource: to, subject: from, permissionship: 'hasPermission', partialCaveatMissing: [], duration: 1 },
      step: { kind: 'relationship', relationship: { resource: to, relation, subject: from } },
    })
    const member = { ...step('member', { type: 'user', id: 'ada' }, group), children: [] }
    const debugTrace = { ...step('viewer', { ...group, relation: 'member' }, resource), children: [member] }
    mockNetwork({
      'GET schema': () => schema,
      'POST lookupresources': () => page([has('a')]),
      'POST check': () => ({ permissionship: 'hasPermission', partialCaveatMissing: [], checkedAt: 'r', debugTrace }),
    })
    renderAt('/?subject=user:ada', LookupResourcesPage)
    expect(await screen.findByTitle('group:staff')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Why: document:a' }).getAttribute('href')).toContain('permission=view')
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('What can ada access?')
  })

  test('shows the path to a result on request', async () => {
    const relationship = {
      resource: { type: 'document', id: 'a' },
      relation: 'viewer',
      subject: { type: 'user', id: 'ada' },
    }
    const debugTrace = {
      ...{
        resource: relationship.resource,
        subject: relationship.subject,
        step: { kind: 'relationship', relationship },
      },
      ...{ permissionship: 'hasPermission', partialCaveatMissing: [], duration: 1, children: [] },
    }
    const sent = mockNetwork({
      'GET schema': () => schema,
      'POST lookupresources': () => page([has('a')]),
      'POST check': () => ({ permissionship: 'hasPermission', partialCaveatMissing: [], checkedAt: 'r', debugTrace }),
    })
    renderAt('/?subject=user:ada', LookupResourcesPage)
    await userEvent.click(await screen.findByRole('button', { name: 'Allowed: view, document:a' }))
    const link = await screen.findByRole('link', { name: 'viewer' })
    expect(link.getAttribute('href')).toContain('resourceType=document&resourceId=a&relation=viewer')
    expect(sent.find(({ call }) => call === 'POST check')?.body).toMatchObject({ withTrace: true, permission: 'view' })
  })

  test('shows a column for each permission, and moves between its cells with the arrow keys', async () => {
    const [document] = schema.definitions.slice(1)
    const permissions = ['view', 'edit'].map((name) => ({ name, expression: 'viewer', subjects: [{ type: 'user' }] }))
    const results: Record<string, unknown[]> = { view: [has('a'), has('b'), depends('c')], edit: [has('b')] }
    mockNetwork({
      'GET schema': () => ({ ...schema, definitions: [schema.definitions[0], { ...document, permissions }] }),
      'POST lookupresources': ({ body }) => page(results[(body as { permission: string }).permission] ?? []),
    })
    renderAt('/?subject=user:ada', LookupResourcesPage)
    await screen.findByTitle('document:a')
    const table = within(screen.getByRole('table', { name: 'Document' }))
    expect(table.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
      'Name',
      'view 3',
      'edit 1',
      'Through',
    ])
    expect(await findTexts('Document')).toEqual(['aviewAllowed–', 'bviewAllowededitAllowed', 'cviewDependson hour–'])
    act(() => table.getByRole('button', { name: 'Allowed: view, document:a' }).focus())
    for (const [key, cell] of [
      ['ArrowDown', 'Allowed: view, document:b'],
      ['ArrowRight', 'Allowed: edit, document:b'],
      ['End', 'Depends on hour: view, document:c'],
      ['Home', 'Allowed: view, document:a'],
    ]) {
      await userEvent.keyboard(`{${key}}`)
      await waitFor(() => expect(globalThis.document.activeElement?.getAttribute('aria-label')).toBe(cell))
    }
  })

  test('shows the other permissions if one fails', async () => {
    const [document] = schema.definitions.slice(1)
    const permissions = ['view', 'edit'].map((name) => ({ name, expression: 'viewer', subjects: [{ type: 'user' }] }))
    mockNetwork({
      'GET schema': () => ({ ...schema, definitions: [schema.definitions[0], { ...document, permissions }] }),
      'POST lookupresources': ({ body }) =>
        (body as { permission: string }).permission === 'view'
          ? page([has('a')])
          : createProblem(409, 'too-much-work', 'It is too much.'),
    })
    renderAt('/?subject=user:ada', LookupResourcesPage)
    expect((await screen.findByRole('alert')).textContent).toContain('It is too much.')
    expect(await findTexts('Document')).toEqual(['aviewAllowed–'])
  })
})

describe('LookupSubjectsPage', () => {
  test('shows the wildcard with its exceptions in a row, and the relationship that grants it', async () => {
    const relationship = {
      resource: { type: 'document', id: 'a' },
      relation: 'viewer',
      subject: { type: 'user', id: '*' },
    }
    const sent = mockNetwork({
      'GET schema': () => schema,
      'POST lookupsubjects': () =>
        page([
          {
            ...has('*'),
            excluded: [has('tom'), { ...has('eve'), permissionship: 'conditional', partialCaveatMissing: ['hour'] }],
          },
          { ...has('ada'), excluded: [] },
        ]),
      'POST check': () => ({
        ...{ permissionship: 'hasPermission', partialCaveatMissing: [], checkedAt: 'r' },
        debugTrace: {
          ...{
            resource: relationship.resource,
            subject: relationship.subject,
            step: { kind: 'relationship', relationship },
          },
          ...{ permissionship: 'hasPermission', partialCaveatMissing: [], duration: 1, children: [] },
        },
      }),
    })
    renderAt('/?resource=document:a&permission=view', LookupSubjectsPage)
    const [everyone, ada] = await waitFor(() => findRows('User'))
    expect(everyone?.textContent).toContain('Except tom, eve (depends on hour).')
    expect(within(ada as HTMLElement).getByRole('button', { name: 'Allowed: view, user:ada' })).toBeTruthy()
    await userEvent.click(within(everyone as HTMLElement).getByRole('button', { name: 'Allowed: view, user:*' }))
    const link = await screen.findByRole('link', { name: 'viewer' })
    expect(link.getAttribute('href')).toContain('subjectId=*')
    expect(screen.queryByRole('link', { name: 'Full explanation' })).toBeNull()
    const body = sent.find(({ call }) => call === 'POST check')?.body as { subject: { id: string } }
    expect(['*', 'ada', 'tom', 'eve']).not.toContain(body.subject.id)
  })

  test('marks the wildcard with other exceptions as changed', async () => {
    const everyone = (...excluded: string[]) => [{ ...has('*'), excluded: excluded.map(has) }, has('ada')]
    mockNetwork({
      'GET schema': () => schema,
      'GET history': () => ({ items: [], cursor: null }),
      'POST lookupsubjects': ({ body }) =>
        page((body as { consistency?: unknown }).consistency ? everyone('tom') : everyone()),
    })
    renderAt('/?resource=document:a&permission=view&since=t1', LookupSubjectsPage)
    await waitFor(async () =>
      expect(await findTexts('User')).toEqual([
        'EveryoneNo exceptions before: Except tom.viewAllowedChangedbefore: Allowed',
        'adaviewAllowedUnchanged',
      ]),
    )
  })

  test('looks up every permission if none is given', async () => {
    const sent = mockNetwork({ 'GET schema': () => schema, 'POST lookupsubjects': () => page([has('ada')]) })
    renderAt('/?resource=document:a', LookupSubjectsPage)
    expect(await screen.findByRole('heading', { name: /^Who can access a ?\?$/ })).toBeTruthy()
    expect(await findTexts('User')).toEqual(['adaAllowed'])
    expect(sent.filter(({ call }) => call === 'POST lookupsubjects')).toHaveLength(1)
  })
})
