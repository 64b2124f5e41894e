import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { LookupResourcesPage } from './LookupResourcesPage.tsx'
import { LookupSubjectsPage } from './LookupSubjectsPage.tsx'
import { network, schema, showAt } from './test-room.tsx'

afterEach(() => vi.unstubAllGlobals())

const depends = (id: string) => ({ id, permissionship: 'conditional', partialCaveatMissing: ['hour'] })
const has = (id: string) => ({ id, permissionship: 'hasPermission', partialCaveatMissing: [] })
const page = (items: unknown[], cursor: string | null = null, hasCycle = false) => ({
  items,
  cursor,
  lookedUpAt: 'r',
  hasCycle,
})
const rowsOf = (name: string) => within(screen.getByRole('region', { name })).findAllByRole('listitem')
const texts = async (name: string) => (await rowsOf(name)).map(({ textContent }) => textContent)

describe('what somebody can access', () => {
  test('is asked of every permission that such a subject can have, and read on page by page', async () => {
    const sent = network({
      'GET schema': () => schema,
      'POST lookupresources': ({ body }) =>
        (body as { cursor?: string }).cursor ? page([has('b')]) : page([has('a')], 'c1'),
    })
    showAt('/?subject=user:ada', LookupResourcesPage)
    await screen.findByRole('region', { name: 'document · view' })
    expect((await texts('document · view')).length).toBe(1)
    await userEvent.click(screen.getByRole('button', { name: 'Show more' }))
    await waitFor(async () => expect((await texts('document · view')).length).toBe(2))
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
    const bodies = sent.filter(({ call }) => call === 'POST lookupresources').map(({ body }) => body)
    expect(bodies).toEqual([
      { resourceType: 'document', permission: 'view', subject: { type: 'user', id: 'ada' }, limit: 50 },
      { resourceType: 'document', permission: 'view', subject: { type: 'user', id: 'ada' }, limit: 50, cursor: 'c1' },
    ])
  })

  test('depends on what is missing, and went in a circle', async () => {
    network({
      'GET schema': () => schema,
      'POST lookupresources': () =>
        page([{ id: 'a', permissionship: 'conditional', partialCaveatMissing: ['hour', 'day'] }], null, true),
    })
    showAt('/?subject=user:ada', LookupResourcesPage)
    expect(await screen.findByText('hour, day')).toBeTruthy()
    expect(screen.getByText('Goes in a circle')).toBeTruthy()
  })

  test('is compared with how it was before a change: gained, lost, unchanged', { timeout: 20_000 }, async () => {
    const change = (operation: string, id: string, token: string) => ({
      ...{ operation, token, at: '2026-01-01T00:00:00.000Z', by: null },
      relationship: { resource: { type: 'document', id }, relation: 'viewer', subject: { type: 'user', id: 'ada' } },
    })
    const sent = network({
      'GET schema': () => schema,
      'GET history': () => ({ items: [change('added', 'c', 't2'), change('removed', 'a', 't1')], cursor: null }),
      'POST lookupresources': ({ body }) =>
        page((body as { consistency?: unknown }).consistency ? [has('a'), depends('b')] : [has('b'), has('c')]),
    })
    const where = showAt('/?subject=user:ada', LookupResourcesPage)
    await userEvent.click(await screen.findByRole('button', { name: 'Compare with earlier' }))
    const moment = screen.getByRole('combobox', { name: 'Earlier moment' })
    await screen.findByRole('option', { name: /^before: Added document:c#viewer@user:ada/ })
    await userEvent.selectOptions(moment, 't1')
    await userEvent.click(screen.getByRole('button', { name: 'Look up' }))
    await waitFor(() => expect(where()['since']).toBe('t1'))
    await screen.findByText('document:c')
    expect(await texts('document · view')).toEqual([
      'document:aLost sinceAllowedWhy',
      'document:bChangedAllowedbefore: Dependson hourWhy',
      'document:cGained sinceAllowedWhy',
    ])
    expect(sent.map(({ body }) => (body as { consistency?: unknown } | undefined)?.consistency)).toContainEqual({
      kind: 'atExactSnapshot',
      token: 't1',
    })
  })

  test('is compared: only the one, only the other, both', async () => {
    network({
      'GET schema': () => schema,
      'POST lookupresources': ({ body }) =>
        page((body as { subject: { id: string } }).subject.id === 'ada' ? [has('a'), has('b')] : [has('b'), has('c')]),
    })
    const where = showAt('/?subject=user:ada&with=user:bo', LookupResourcesPage)
    await screen.findByText('document:c')
    const told = (await texts('document · view')).map((text) => text?.replace(/Allowed.*/, ''))
    expect(told).toEqual(['document:aOnly user:ada', 'document:bBoth', 'document:cOnly user:bo'])
    await userEvent.selectOptions(screen.getByLabelText('Show'), 'Only user:bo')
    await waitFor(async () => expect((await texts('document · view')).length).toBe(1))
    expect(where()).toMatchObject({ side: 'right' })
  })

  test('tells how on demand, from the trace', async () => {
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
    const sent = network({
      'GET schema': () => schema,
      'POST lookupresources': () => page([has('a')]),
      'POST check': () => ({ permissionship: 'hasPermission', partialCaveatMissing: [], checkedAt: 'r', debugTrace }),
    })
    showAt('/?subject=user:ada', LookupResourcesPage)
    await userEvent.click(await screen.findByRole('button', { name: 'Why document:a' }))
    const link = await screen.findByRole('link', { name: 'viewer' })
    expect(link.getAttribute('href')).toContain('resourceType=document&resourceId=a&relation=viewer')
    expect(sent.find(({ call }) => call === 'POST check')?.body).toMatchObject({ withTrace: true, permission: 'view' })
  })

  test('is asked with the form, whose question goes into the address', async () => {
    network({ 'GET schema': () => schema, 'POST lookupresources': () => page([]) })
    const where = showAt('/', LookupResourcesPage)
    await userEvent.type(await screen.findByLabelText('Subject: id'), 'ada')
    await userEvent.selectOptions(screen.getByLabelText('Type'), 'document')
    await userEvent.click(screen.getByRole('button', { name: 'Look up' }))
    expect(where()).toEqual({ subject: 'user:ada', type: 'document' })
    expect(await screen.findByText('Nothing.')).toBeTruthy()
  })
})

describe('who can access something', () => {
  test('is everyone but those who are left out, in a row of its own without a why', async () => {
    network({
      'GET schema': () => schema,
      'POST lookupsubjects': () =>
        page([
          {
            ...has('*'),
            excluded: [has('tom'), { ...has('eve'), permissionship: 'conditional', partialCaveatMissing: ['hour'] }],
          },
          { ...has('ada'), excluded: [] },
        ]),
    })
    showAt('/?resource=document:a&permission=view', LookupSubjectsPage)
    const [everyone, ada] = await waitFor(() => rowsOf('user'))
    expect(everyone?.textContent).toContain('But not user:tom, user:eve (depends on hour).')
    expect(within(everyone as HTMLElement).queryByRole('button')).toBeNull()
    expect(within(ada as HTMLElement).getByRole('button', { name: 'Why user:ada' })).toBeTruthy()
  })

  test('has changed where everyone leaves somebody else out than before', async () => {
    const everyone = (...excluded: string[]) => [{ ...has('*'), excluded: excluded.map(has) }, has('ada')]
    network({
      'GET schema': () => schema,
      'GET history': () => ({ items: [], cursor: null }),
      'POST lookupsubjects': ({ body }) =>
        page((body as { consistency?: unknown }).consistency ? everyone('tom') : everyone()),
    })
    showAt('/?resource=document:a&permission=view&since=t1', LookupSubjectsPage)
    await waitFor(async () =>
      expect(await texts('user')).toEqual([
        'user:*EveryoneChangedNobody is left out.Allowedbefore: AllowedBut not user:tom.Relations',
        'user:adaUnchangedAllowedWhy',
      ]),
    )
  })
})
