import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { mockNetwork, renderAt, schema } from '../permissions/test-network.tsx'
import { LookupResourcesPage, LookupSubjectsPage } from './LookupPage.tsx'

afterEach(() => vi.unstubAllGlobals())

const emptyPage = { items: [], cursor: null, lookedUpAt: 'r', hasCycle: false }

describe('LookupForm', () => {
  test('submits the lookup to the URL and shows its results', async () => {
    mockNetwork({ 'GET schema': () => schema, 'POST lookupresources': () => emptyPage })
    const readSearch = renderAt('/', LookupResourcesPage)
    await userEvent.type(await screen.findByLabelText('Subject ID'), 'ada')
    await userEvent.selectOptions(screen.getByLabelText('Type'), 'document')
    await userEvent.click(screen.getByRole('button', { name: 'Look up' }))
    expect(readSearch()).toEqual({ subject: 'user:ada', type: 'document' })
    expect(await screen.findByText('No results')).toBeTruthy()
  })

  test.each(['a b', 'al:ice', 'a#b'])('keeps the invalid id %j, shows the error and focuses the field', async (id) => {
    mockNetwork({ 'GET schema': () => schema, 'GET objects': () => ({ items: [] }) })
    const readSearch = renderAt('/', LookupResourcesPage)
    const box = await screen.findByLabelText('Subject ID')
    await userEvent.type(box, id)
    expect(screen.queryByText(/is not valid here/)).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'Look up' }))
    const message = `\`${id}\` is not valid here: use 1 to 1024 characters A to Z, a to z, 0 to 9 and / _ | - = +.`
    expect(await screen.findByText(message)).toBeTruthy()
    expect((box as HTMLInputElement).value).toBe(id)
    expect(box.getAttribute('aria-invalid')).toBe('true')
    expect(document.activeElement).toBe(box)
    expect(readSearch()).toEqual({})
  })

  test('shows an error at each field with a name that the schema lacks, and sends no request', async () => {
    const sent = mockNetwork({ 'GET schema': () => schema })
    renderAt('/?subject=nouser:alice&permission=zzz&type=folder&with=user:a%20b', LookupResourcesPage)
    const readValueAndError = async (label: string) => {
      const control = await screen.findByLabelText(label)
      const message = document.getElementById(control.getAttribute('aria-describedby') ?? '')?.textContent
      return [(control as HTMLInputElement).value, message]
    }
    expect(await readValueAndError('Subject ID')).toEqual(['alice', 'The type `nouser` does not exist.'])
    expect(await readValueAndError('Type')).toEqual(['folder', 'The type `folder` does not exist.'])
    expect((await readValueAndError('Permission'))[0]).toBe('zzz')
    expect((await readValueAndError('Other subject ID'))[1]).toContain('`a b` is not valid here')
    expect(screen.getByText('Invalid lookup')).toBeTruthy()
    await userEvent.selectOptions(screen.getByLabelText('Type'), 'document')
    expect((await readValueAndError('Permission'))[1]).toBe('`document` has no permission or relation `zzz`.')
    expect(sent.some(({ call }) => call === 'POST lookupresources')).toBe(false)
  })

  test('shows an error for an unknown permission or type until another is selected', async () => {
    mockNetwork({ 'GET schema': () => schema })
    renderAt('/?resource=document:a&permission=zzz&type=group', LookupSubjectsPage)
    const permission = await screen.findByLabelText('Permission')
    expect((permission as HTMLSelectElement).value).toBe('zzz')
    expect(screen.getAllByText('`document` has no permission or relation `zzz`.').length).toBe(2)
    await userEvent.selectOptions(permission, 'view')
    expect(screen.getByText('The type `group` does not exist.')).toBeTruthy()
    await userEvent.selectOptions(screen.getByLabelText('Type'), '')
    expect(screen.queryByText('The type `group` does not exist.')).toBeNull()
  })
})
