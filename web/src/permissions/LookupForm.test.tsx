import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { LookupResourcesPage } from './LookupResourcesPage.tsx'
import { LookupSubjectsPage } from './LookupSubjectsPage.tsx'
import { network, schema, showAt } from './test-room.tsx'

afterEach(() => vi.unstubAllGlobals())

const nothing = { items: [], cursor: null, lookedUpAt: 'r', hasCycle: false }

describe('a lookup', () => {
  test('is asked with the form, whose question goes into the address', async () => {
    network({ 'GET schema': () => schema, 'POST lookupresources': () => nothing })
    const where = showAt('/', LookupResourcesPage)
    await userEvent.type(await screen.findByLabelText('Subject: id'), 'ada')
    await userEvent.selectOptions(screen.getByLabelText('Type'), 'document')
    await userEvent.click(screen.getByRole('button', { name: 'Look up' }))
    expect(where()).toEqual({ subject: 'user:ada', type: 'document' })
    expect(await screen.findByText('Nothing is found')).toBeTruthy()
  })

  test.each(['a b', 'al:ice', 'a#b'])('is not asked of %j, which stays there', async (id) => {
    network({ 'GET schema': () => schema, 'GET objects': () => ({ items: [] }) })
    const where = showAt('/', LookupResourcesPage)
    const box = await screen.findByLabelText('Subject: id')
    await userEvent.type(box, id)
    expect(screen.queryByText(/cannot stand here/)).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'Look up' }))
    const told = `\`${id}\` cannot stand here: 1 to 1024 of A to Z, a to z, 0 to 9 and / _ | - = +.`
    expect(await screen.findByText(told)).toBeTruthy()
    expect((box as HTMLInputElement).value).toBe(id)
    expect(box.getAttribute('aria-invalid')).toBe('true')
    expect(document.activeElement).toBe(box)
    expect(where()).toEqual({})
  })

  test('says what the schema does not have, at the field', async () => {
    const sent = network({ 'GET schema': () => schema })
    showAt('/?subject=nouser:alice&permission=zzz&type=folder&with=user:a%20b', LookupResourcesPage)
    const described = async (label: string) => {
      const control = await screen.findByLabelText(label)
      const told = document.getElementById(control.getAttribute('aria-describedby') ?? '')?.textContent
      return [(control as HTMLInputElement).value, told]
    }
    expect(await described('Subject: id')).toEqual(['alice', 'There is no type `nouser`.'])
    expect(await described('Type')).toEqual(['folder', 'There is no type `folder`.'])
    expect((await described('Permission'))[0]).toBe('zzz')
    expect((await described('Other subject: id'))[1]).toContain('`a b` cannot stand here')
    expect(screen.getByText('That cannot be asked')).toBeTruthy()
    await userEvent.selectOptions(screen.getByLabelText('Type'), 'document')
    expect((await described('Permission'))[1]).toBe('`document` has no permission or relation `zzz`.')
    expect(sent.some(({ call }) => call === 'POST lookupresources')).toBe(false)
  })

  test('is not asked of a permission that there is not', async () => {
    network({ 'GET schema': () => schema })
    showAt('/?resource=document:a&permission=zzz&type=group', LookupSubjectsPage)
    const permission = await screen.findByLabelText('Permission')
    expect((permission as HTMLSelectElement).value).toBe('zzz')
    expect(screen.getAllByText('`document` has no permission or relation `zzz`.').length).toBe(2)
    await userEvent.selectOptions(permission, 'view')
    expect(screen.getByText('There is no type `group`.')).toBeTruthy()
    await userEvent.selectOptions(screen.getByLabelText('Type'), '')
    expect(screen.queryByText('There is no type `group`.')).toBeNull()
  })
})
