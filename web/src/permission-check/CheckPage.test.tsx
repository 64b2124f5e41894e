import type { Trace } from '@passport/contract/permission-terms'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createProblem, mockNetwork, renderAt, schema } from '../permissions/test-network.tsx'
import { CheckPage } from './CheckPage.tsx'

// The test DOM does not implement `showModal`.
beforeEach(() => {
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true
  }
})
afterEach(() => vi.unstubAllGlobals())

const place = { resource: { type: 'document', id: 'plan' }, subject: { type: 'user', id: 'eve' } }
const whole = '/?subject=user:eve&permission=view&resource=document:plan'
const createTrace = (permissionship: Trace['permissionship'], more: Partial<Trace> = {}): Trace => ({
  ...place,
  step: { kind: 'permission', name: 'view' },
  permissionship,
  partialCaveatMissing: [],
  duration: 380,
  children: [],
  ...more,
})
const viewer = { resource: place.resource, relation: 'viewer', subject: place.subject }

type Answers = Parameters<typeof mockNetwork>[0]
const answers = (permissionship: Trace['permissionship'], more: Answers = {}): Answers => ({
  'GET schema': () => schema,
  'GET objects': () => ({ items: [] }),
  'POST check': () => ({
    permissionship,
    partialCaveatMissing: [],
    checkedAt: 'r2',
    debugTrace: createTrace(permissionship),
  }),
  'POST closestmiss': () => ({ permissionship, partialCaveatMissing: [], items: [], checkedAt: 'r2' }),
  'POST grid': () => ({ items: [], checkedAt: 'r2' }),
  ...more,
})
const answer = () => screen.findByRole('region', { name: 'Answer' })

describe('CheckPage', () => {
  test('disables Check with an invalid context or without a revision', async () => {
    mockNetwork(answers('hasPermission'))
    renderAt(whole, () => <CheckPage />)
    await answer()
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Check' })
    await userEvent.type(screen.getByLabelText('Context'), '{{hour: 10}')
    expect(await screen.findByText('Must be a JSON object.')).toBeDefined()
    expect(button.disabled).toBe(true)
    await userEvent.clear(screen.getByLabelText('Context'))
    expect(button.disabled).toBe(false)
    await userEvent.selectOptions(screen.getByLabelText('Consistency'), 'atExactSnapshot')
    expect(button.disabled).toBe(true)
    await userEvent.type(screen.getByLabelText('Revision'), 'r1')
    expect(button.disabled).toBe(false)
  })

  test('sends the entered check and writes it to the URL', async () => {
    const sent = mockNetwork(answers('hasPermission'))
    const readSearch = renderAt('/', () => <CheckPage />)
    await userEvent.type(await screen.findByRole('combobox', { name: 'Subject ID' }), 'eve')
    await userEvent.type(await screen.findByRole('combobox', { name: 'Resource ID' }), 'plan')
    await userEvent.click(screen.getByRole('button', { name: 'Check' }))
    expect((await answer()).textContent).toContain('Allowedeve can view plan')
    expect(readSearch()).toEqual({ subject: 'user:eve', permission: 'view', resource: 'document:plan' })
    expect(sent.find(({ call }) => call === 'POST check')?.body).toEqual({
      ...place,
      permission: 'view',
      withTrace: true,
    })
  })

  test.for([
    ['hasPermission', 'Allowed'],
    ['noPermission', 'Denied'],
    ['conditional', 'Depends'],
  ] as const)('stamps %s as %s', async ([permissionship, stamp]) => {
    mockNetwork(answers(permissionship))
    renderAt(whole, () => <CheckPage />)
    expect(within(await answer()).getByText(stamp)).toBeDefined()
  })

  test('shows the reason in words', async () => {
    const denied = { permissionship: 'noPermission', partialCaveatMissing: [], checkedAt: 'r2', reason: 'excluded' }
    mockNetwork(answers('noPermission', { 'POST check': () => denied }))
    renderAt(whole, () => <CheckPage />)
    expect(within(await answer()).getByText('A relationship excludes the subject')).toBeDefined()
  })

  test('repeats the check when the same question is submitted', async () => {
    const sent = mockNetwork(answers('noPermission'))
    renderAt(whole, () => <CheckPage />)
    await answer()
    await userEvent.click(screen.getByRole('button', { name: 'Check' }))
    await waitFor(() => expect(sent.filter(({ call }) => call === 'POST check')).toHaveLength(2))
  })

  test('shows a validation error at its field', async () => {
    const wrong = () => createProblem(400, 'malformed-id', 'That is no id.', 'resource.id')
    mockNetwork(answers('noPermission', { 'POST check': wrong }))
    renderAt(whole, () => <CheckPage />)
    await within(await screen.findByRole('group', { name: 'Resource' })).findByText('That is no id.')
    expect(screen.getByRole('combobox', { name: 'Resource ID' }).getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByRole('combobox', { name: 'Subject ID' }).getAttribute('aria-invalid')).toBeNull()
  })

  test('shows the usersets of a cycle and offers no retry', async () => {
    const circle = ['document:plan#viewer', 'document:plan#view']
    const errors = [{ field: 'body', code: 'cycle', message: 'In a circle.', circle }]
    const problem = { type: '', title: '', status: 409, detail: 'In a circle.', code: 'cycle', traceId: 't', errors }
    mockNetwork(answers('noPermission', { 'POST check': () => Response.json(problem, { status: 409 }) }))
    renderAt(whole, () => <CheckPage />)
    const alert = within(await screen.findByRole('alert'))
    const searched = alert.getAllByRole('link').map((link) => {
      const { searchParams } = new URL(link.getAttribute('href') ?? '', location.origin)
      return [link.textContent, Object.fromEntries(searchParams)]
    })
    expect(searched).toEqual([
      ['document:plan#viewer', { resourceType: 'document', resourceId: 'plan', relation: 'viewer' }],
      ['document:plan#view', { resourceType: 'document', resourceId: 'plan' }],
    ])
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  })

  test('repeats the check with a missing value, converted to its type', async () => {
    const depends = {
      permissionship: 'conditional',
      partialCaveatMissing: ['hour'],
      checkedAt: 'r2',
      debugTrace: createTrace('conditional', {
        caveat: { name: 'office_hours', expression: 'hour > 8', context: {}, result: 'missing', missing: ['hour'] },
      }),
    }
    const sent = mockNetwork(answers('conditional', { 'POST check': () => depends }))
    const readSearch = renderAt(whole, () => <CheckPage />)
    await userEvent.type(await screen.findByLabelText('hour (int)'), '10')
    await userEvent.click(screen.getByRole('button', { name: 'Check again' }))
    await waitFor(() => expect(readSearch()).toMatchObject({ context: '{"hour":10}' }))
    await waitFor(() =>
      expect(sent.findLast(({ call }) => call === 'POST check')?.body).toMatchObject({ context: { hour: 10 } }),
    )
    await userEvent.click(await screen.findByRole('button', { name: /^Show evaluation/ }))
    expect(await screen.findByText('hour > 8')).toBeDefined()
  })

  test('draws the path, with its relationships linked to the viewer', async () => {
    const step = { kind: 'relationship', relationship: viewer } as const
    const reason = createTrace('hasPermission', { children: [createTrace('hasPermission', { step })] })
    const reasoned = { permissionship: 'hasPermission', partialCaveatMissing: [], checkedAt: 'r2', debugTrace: reason }
    mockNetwork(answers('hasPermission', { 'POST check': () => reasoned }))
    renderAt(whole, () => <CheckPage />)
    const path = await screen.findByRole('list', { name: 'Path 1' })
    expect(within(path).getByTitle('user:eve')).toBeDefined()
    expect(within(path).getByTitle('document:plan')).toBeDefined()
    const link = within(path).getByRole('link', { name: 'viewer' })
    const { searchParams } = new URL(link.getAttribute('href') ?? '', location.origin)
    expect(Object.fromEntries(searchParams)).toEqual({
      resourceType: 'document',
      resourceId: 'plan',
      relation: 'viewer',
      subjectType: 'user',
      subjectId: 'eve',
      subjectRelation: '',
    })
  })

  test('draws the granting and the excluding path of a denial, or a missing path', async () => {
    const row = (relation: string) =>
      createTrace('hasPermission', {
        step: { kind: 'relationship', relationship: { ...viewer, relation } },
      })
    const exclusion = createTrace('noPermission', {
      step: { kind: 'exclusion' },
      children: [row('viewer'), row('banned')],
    })
    const traces = [createTrace('noPermission', { children: [exclusion] }), createTrace('noPermission')]
    const answer = () => ({
      ...{ permissionship: 'noPermission', partialCaveatMissing: [], checkedAt: 'r2' },
      debugTrace: traces.shift(),
    })
    mockNetwork(answers('noPermission', { 'POST check': answer }))
    renderAt(whole, () => <CheckPage />)
    const granted = within(await screen.findByRole('list', { name: 'Granted by' }))
    expect(granted.getByRole('link', { name: 'viewer' })).toBeDefined()
    const excluded = within(screen.getByRole('list', { name: 'Excluded by' }))
    expect(excluded.getByRole('link', { name: 'banned' })).toBeDefined()
    await userEvent.click(screen.getByRole('button', { name: 'Check' }))
    expect((await screen.findByRole('list', { name: 'No path' })).textContent).toContain('no path to view')
  })

  test('moves the focus to the first empty field', async () => {
    mockNetwork(answers('hasPermission'))
    renderAt('/?subject=user:eve', () => <CheckPage />)
    const resource = await screen.findByRole('combobox', { name: 'Resource ID' })
    await waitFor(() => expect(document.activeElement).toBe(resource))
    await userEvent.type(resource, 'plan')
    expect(document.activeElement).toBe(resource)
  })

  test('marks a cycle, a truncated branch and a failed caveat in the evaluation', async () => {
    const reason = createTrace('noPermission', {
      children: [
        createTrace('noPermission', { isCycle: true }),
        createTrace('noPermission', { isCut: true }),
        createTrace('noPermission', {
          caveat: { name: 'office_hours', expression: 'hour > 8', context: { hour: 7 }, result: 'false', missing: [] },
        }),
      ],
    })
    const denied = { permissionship: 'noPermission', partialCaveatMissing: [], checkedAt: 'r2', debugTrace: reason }
    mockNetwork(answers('noPermission', { 'POST check': () => denied }))
    renderAt(`${whole}&view=tree`, () => <CheckPage />)
    expect(await screen.findByText('cycle, counts as no')).toBeDefined()
    expect(screen.getByText('truncated')).toBeDefined()
    expect(screen.getByText(/does not hold/)).toBeDefined()
    expect(screen.getByText('{"hour":7}')).toBeDefined()
  })
})

describe('ClosestMiss', () => {
  const miss = { change: 'add', relationship: viewer, permissionship: 'hasPermission', partialCaveatMissing: [] }
  const withMiss = (items: unknown[]) => ({
    'POST closestmiss': () => ({ permissionship: 'noPermission', partialCaveatMissing: [], items, checkedAt: 'r2' }),
    'POST relationships': () => ({ writtenAt: 'r3' }),
    'GET /passport/admin/tools/relations': () => ({ items: [], cursor: null, readAt: 'r2' }),
  })

  test('warns that an addition replaces another relationship', async () => {
    const conditional = { ...viewer, caveat: { name: 'office_hours', context: { opens: 9 } } }
    const stored = () => ({ items: [conditional], cursor: null, readAt: 'r2' })
    mockNetwork(answers('conditional', { ...withMiss([miss]), 'GET /passport/admin/tools/relations': stored }))
    renderAt(whole, () => <CheckPage />)
    await userEvent.click(await screen.findByRole('button', { name: 'Add document:plan#viewer@user:eve' }))
    expect((await screen.findByText(/Replaces/)).textContent).toContain('[office_hours:{"opens":9}]')
  })

  test('writes a change only after confirmation, and checks again', async () => {
    const sent = mockNetwork(answers('noPermission', withMiss([miss])))
    renderAt(whole, () => <CheckPage />)
    const written = () => sent.filter(({ call }) => call === 'POST relationships').map(({ body }) => body)
    await userEvent.click(await screen.findByRole('button', { name: 'Add document:plan#viewer@user:eve' }))
    expect(written()).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Add relationship' }))
    const precondition = { operation: 'mustNotMatch', filter: expect.objectContaining({ resourceId: 'plan' }) }
    const update = { operation: 'touch', relationship: viewer }
    await waitFor(() => expect(written()).toEqual([{ updates: [update], preconditions: [precondition] }]))
    await waitFor(() => expect(sent.filter(({ call }) => call === 'POST check')).toHaveLength(2))
  })

  test('offers no change of relationships that the directory manages', async () => {
    const own = { ...viewer, resource: { type: 'passport/group', id: 'g' } }
    mockNetwork(answers('noPermission', withMiss([{ ...miss, relationship: own }])))
    renderAt(whole, () => <CheckPage />)
    expect(await screen.findByText('Managed by the directory')).toBeDefined()
    expect(screen.queryByRole('button', { name: /^Add / })).toBeNull()
  })

  test('shows the other permissions that an addition changes', async () => {
    const grid = (permissionship: string) => ({
      items: ['view', 'edit'].map((name) => ({ name, kind: 'permission', permissionship, partialCaveatMissing: [] })),
      checkedAt: 'r2',
    })
    mockNetwork(
      answers('noPermission', {
        ...withMiss([miss]),
        'POST grid': ({ body }) => grid((body as { whatIf?: object }).whatIf ? 'hasPermission' : 'noPermission'),
      }),
    )
    renderAt(whole, () => <CheckPage />)
    expect(await screen.findByText('Also changes edit on this resource')).toBeDefined()
  })

  test('shows the losses caused by a deletion', async () => {
    const lossesInTotal = [
      { resourceType: 'document', permission: 'view', subjectType: 'user', subjects: 14, resources: 31 },
    ]
    const sent = mockNetwork(
      answers('hasPermission', {
        ...withMiss([{ ...miss, change: 'remove', permissionship: 'noPermission' }]),
        'POST relationships/deletepreview': () => ({
          ...{ relationships: [viewer], losses: [], gains: [], gainsInTotal: [] },
          ...{ lossesInTotal, isComplete: true },
        }),
      }),
    )
    renderAt(whole, () => <CheckPage />)
    expect(await screen.findByText('14 subjects would lose view on 31 resources')).toBeDefined()
    expect(sent.find(({ call }) => call.endsWith('deletepreview'))?.body).toEqual({ relationships: [viewer] })
  })

  test('reports that no single change flips the answer', async () => {
    mockNetwork(answers('noPermission', withMiss([])))
    renderAt(whole, () => <CheckPage />)
    expect(await screen.findByText('No single change would flip the answer.')).toBeDefined()
  })

  test('is hidden if the engine does not support it', async () => {
    mockNetwork(answers('noPermission', { 'POST closestmiss': () => createProblem(501, 'not-supported', 'no') }))
    renderAt(whole, () => <CheckPage />)
    await answer()
    await waitFor(() => expect(screen.queryByText('What would allow it')).toBeNull())
  })
})

test('PermissionGrid links to each permission', async () => {
  const items = [
    { name: 'view', kind: 'permission', permissionship: 'noPermission', partialCaveatMissing: [] },
    { name: 'viewer', kind: 'relation', permissionship: 'conditional', partialCaveatMissing: ['hour'] },
  ]
  mockNetwork(answers('noPermission', { 'POST grid': () => ({ items, checkedAt: 'r2' }) }))
  renderAt(whole, () => <CheckPage />)
  const link = await screen.findByRole('link', { name: 'viewer' })
  expect(link.getAttribute('href')).toContain('permission=viewer')
  expect(link.closest('li')?.textContent).toContain('Dependson hour')
})
