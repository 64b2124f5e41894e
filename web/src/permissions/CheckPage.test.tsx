import type { Trace } from '@passport/contract/permission-terms'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { CheckPage } from './CheckPage.tsx'
import { network, refusal, schema, showAt } from './test-room.tsx'

// The platform's dialog, of which this DOM has only the element.
beforeEach(() => {
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true
  }
})
afterEach(() => vi.unstubAllGlobals())

const place = { resource: { type: 'document', id: 'plan' }, subject: { type: 'user', id: 'eve' } }
const whole = '/?subject=user:eve&permission=view&resource=document:plan'
const trace = (permissionship: Trace['permissionship'], more: Partial<Trace> = {}): Trace => ({
  ...place,
  step: { kind: 'permission', name: 'view' },
  permissionship,
  partialCaveatMissing: [],
  duration: 380,
  children: [],
  ...more,
})
const viewer = { resource: place.resource, relation: 'viewer', subject: place.subject }

type Answers = Parameters<typeof network>[0]
const answers = (permissionship: Trace['permissionship'], more: Answers = {}): Answers => ({
  'GET schema': () => schema,
  'GET objects': () => ({ items: [] }),
  'POST check': () => ({
    permissionship,
    partialCaveatMissing: [],
    checkedAt: 'r2',
    debugTrace: trace(permissionship),
  }),
  'POST closestmiss': () => ({ permissionship, partialCaveatMissing: [], items: [], checkedAt: 'r2' }),
  'POST grid': () => ({ items: [], checkedAt: 'r2' }),
  ...more,
})
const answer = () => screen.findByRole('region', { name: 'Answer' })

describe('the checker', () => {
  test('asks nothing while values cannot be read, or a revision is missing', async () => {
    network(answers('hasPermission'))
    showAt(whole, () => <CheckPage />)
    await answer()
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Check' })
    await userEvent.type(screen.getByLabelText('Context'), '{{hour: 10}')
    expect(await screen.findByText('This is no JSON object.')).toBeDefined()
    expect(button.disabled).toBe(true)
    await userEvent.clear(screen.getByLabelText('Context'))
    expect(button.disabled).toBe(false)
    await userEvent.selectOptions(screen.getByLabelText('Consistency'), 'atExactSnapshot')
    expect(button.disabled).toBe(true)
    await userEvent.type(screen.getByLabelText('Revision'), 'r1')
    expect(button.disabled).toBe(false)
  })

  test('asks what was put together, and keeps it in the address', async () => {
    const sent = network(answers('hasPermission'))
    const address = showAt('/', () => <CheckPage />)
    await userEvent.type(await screen.findByRole('combobox', { name: 'Subject: id' }), 'eve')
    await userEvent.type(await screen.findByRole('combobox', { name: 'Resource: id' }), 'plan')
    await userEvent.click(screen.getByRole('button', { name: 'Check' }))
    expect((await answer()).textContent).toContain('Alloweduser:eve has view on document:plan')
    expect(address()).toEqual({ subject: 'user:eve', permission: 'view', resource: 'document:plan' })
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
    network(answers(permissionship))
    showAt(whole, () => <CheckPage />)
    expect(within(await answer()).getByText(stamp)).toBeDefined()
  })

  test('tells the reason as its code', async () => {
    const told = { permissionship: 'noPermission', partialCaveatMissing: [], checkedAt: 'r2', reason: 'excluded' }
    network(answers('noPermission', { 'POST check': () => told }))
    showAt(whole, () => <CheckPage />)
    expect(within(await answer()).getByText('excluded')).toBeDefined()
  })

  test('asks anew where the same is asked again', async () => {
    const sent = network(answers('noPermission'))
    showAt(whole, () => <CheckPage />)
    await answer()
    await userEvent.click(screen.getByRole('button', { name: 'Check' }))
    await waitFor(() => expect(sent.filter(({ call }) => call === 'POST check')).toHaveLength(2))
  })

  test('ties what is wrong to its part of the sentence', async () => {
    const wrong = () => refusal(400, 'malformed-id', 'That is no id.', 'resource.id')
    network(answers('noPermission', { 'POST check': wrong }))
    showAt(whole, () => <CheckPage />)
    await within(await screen.findByRole('group', { name: 'Resource' })).findByText('That is no id.')
    expect(screen.getByRole('combobox', { name: 'Resource: id' }).getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByRole('combobox', { name: 'Subject: id' }).getAttribute('aria-invalid')).toBeNull()
  })

  test('tells by which sets a way goes round, and does not offer to try that again', async () => {
    const circle = ['document:plan#viewer', 'document:plan#view']
    const errors = [{ field: 'body', code: 'cycle', message: 'In a circle.', circle }]
    const problem = { type: '', title: '', status: 409, detail: 'In a circle.', code: 'cycle', traceId: 't', errors }
    network(answers('noPermission', { 'POST check': () => Response.json(problem, { status: 409 }) }))
    showAt(whole, () => <CheckPage />)
    const told = within(await screen.findByRole('alert'))
    const searched = told.getAllByRole('link').map((link) => {
      const { searchParams } = new URL(link.getAttribute('href') ?? '', location.origin)
      return [link.textContent, Object.fromEntries(searchParams)]
    })
    expect(searched).toEqual([
      ['document:plan#viewer', { resourceType: 'document', resourceId: 'plan', relation: 'viewer' }],
      ['document:plan#view', { resourceType: 'document', resourceId: 'plan' }],
    ])
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  })

  test('takes a missing value and asks again with it, as its type is', async () => {
    const depends = {
      permissionship: 'conditional',
      partialCaveatMissing: ['hour'],
      checkedAt: 'r2',
      debugTrace: trace('conditional', {
        caveat: { name: 'office_hours', expression: 'hour > 8', context: {}, result: 'missing', missing: ['hour'] },
      }),
    }
    const sent = network(answers('conditional', { 'POST check': () => depends }))
    const address = showAt(whole, () => <CheckPage />)
    await userEvent.type(await screen.findByLabelText('hour (int)'), '10')
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(address()).toMatchObject({ context: '{"hour":10}' }))
    await waitFor(() =>
      expect(sent.findLast(({ call }) => call === 'POST check')?.body).toMatchObject({ context: { hour: 10 } }),
    )
    expect(screen.getByText('hour > 8')).toBeDefined()
  })

  test('leads from a relationship of the reason to the viewer', async () => {
    const step = { kind: 'relationship', relationship: viewer } as const
    const reason = trace('hasPermission', { children: [trace('hasPermission', { step })] })
    const reasoned = { permissionship: 'hasPermission', partialCaveatMissing: [], checkedAt: 'r2', debugTrace: reason }
    network(answers('hasPermission', { 'POST check': () => reasoned }))
    showAt(whole, () => <CheckPage />)
    const link = await screen.findByRole('link', { name: 'document:plan#viewer@user:eve' })
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

  test('tells of a circle, of what was left out, and of a caveat that failed', async () => {
    const reason = trace('noPermission', {
      children: [
        trace('noPermission', { isCycle: true }),
        trace('noPermission', { isCut: true }),
        trace('noPermission', {
          caveat: { name: 'office_hours', expression: 'hour > 8', context: { hour: 7 }, result: 'false', missing: [] },
        }),
      ],
    })
    const told = { permissionship: 'noPermission', partialCaveatMissing: [], checkedAt: 'r2', debugTrace: reason }
    network(answers('noPermission', { 'POST check': () => told }))
    showAt(whole, () => <CheckPage />)
    expect(await screen.findByText('goes in a circle, counts as no')).toBeDefined()
    expect(screen.getByText('more below it than is shown')).toBeDefined()
    expect(screen.getByText(/does not hold/)).toBeDefined()
    expect(screen.getByText('{"hour":7}')).toBeDefined()
  })
})

describe('the closest miss', () => {
  const miss = { change: 'add', relationship: viewer, permissionship: 'hasPermission', partialCaveatMissing: [] }
  const withMiss = (items: unknown[]) => ({
    'POST closestmiss': () => ({ permissionship: 'noPermission', partialCaveatMissing: [], items, checkedAt: 'r2' }),
    'POST relationships': () => ({ writtenAt: 'r3' }),
    'GET /passport/admin/tools/relations': () => ({ items: [], cursor: null, readAt: 'r2' }),
  })

  test('that takes the place of another says so', async () => {
    const conditional = { ...viewer, caveat: { name: 'office_hours', context: { opens: 9 } } }
    const stored = () => ({ items: [conditional], cursor: null, readAt: 'r2' })
    const answered = answers('conditional', { ...withMiss([miss]), 'GET /passport/admin/tools/relations': stored })
    network(answered)
    showAt(whole, () => <CheckPage />)
    await userEvent.click(await screen.findByRole('button', { name: 'Add document:plan#viewer@user:eve' }))
    expect((await screen.findByText(/It takes the place of/)).textContent).toContain('[office_hours:{"opens":9}]')
  })

  test('is written after a yes, and taken back by Undo', async () => {
    const sent = network(answers('noPermission', withMiss([miss])))
    showAt(whole, () => <CheckPage />)
    const written = () => sent.filter(({ call }) => call === 'POST relationships').map(({ body }) => body)
    await userEvent.click(await screen.findByRole('button', { name: 'Add document:plan#viewer@user:eve' }))
    expect(written()).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Add it' }))
    const asBefore = { operation: 'mustNotMatch', filter: expect.objectContaining({ resourceId: 'plan' }) }
    const update = { operation: 'touch', relationship: viewer }
    await waitFor(() => expect(written()).toEqual([{ updates: [update], preconditions: [asBefore] }]))
    await waitFor(() => expect(sent.filter(({ call }) => call === 'POST check')).toHaveLength(2))
  })

  test('of the directory is changed there', async () => {
    const own = { ...viewer, resource: { type: 'passport/group', id: 'g' } }
    network(answers('noPermission', withMiss([{ ...miss, relationship: own }])))
    showAt(whole, () => <CheckPage />)
    expect(await screen.findByText('Kept by the directory, and changed there.')).toBeDefined()
    expect(screen.queryByRole('button', { name: /^Add / })).toBeNull()
  })

  test('says where nothing small would do, and nothing where the engine cannot tell', async () => {
    network(answers('noPermission', withMiss([])))
    showAt(whole, () => <CheckPage />)
    expect(await screen.findByText('No single relationship would.')).toBeDefined()
  })

  test('is not there where the engine cannot suppose', async () => {
    network(answers('noPermission', { 'POST closestmiss': () => refusal(501, 'not-supported', 'no') }))
    showAt(whole, () => <CheckPage />)
    await answer()
    await waitFor(() => expect(screen.queryByText('What would grant it')).toBeNull())
  })
})

test('the grid leads to each permission', async () => {
  const items = [
    { name: 'view', kind: 'permission', permissionship: 'noPermission', partialCaveatMissing: [] },
    { name: 'viewer', kind: 'relation', permissionship: 'conditional', partialCaveatMissing: ['hour'] },
  ]
  network(answers('noPermission', { 'POST grid': () => ({ items, checkedAt: 'r2' }) }))
  showAt(whole, () => <CheckPage />)
  const link = await screen.findByRole('link', { name: 'viewer' })
  expect(link.getAttribute('href')).toContain('permission=viewer')
  expect(link.closest('li')?.textContent).toContain('Dependson hour')
})
