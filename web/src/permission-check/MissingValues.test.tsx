import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { createProblem, mockNetwork, renderAt, schema } from '../permissions/test-network.tsx'
import { CheckPage } from './CheckPage.tsx'

afterEach(() => vi.unstubAllGlobals())

const url = '/?subject=user:eve&permission=view&resource=document:plan'
const depends = { permissionship: 'conditional', partialCaveatMissing: ['hour'], checkedAt: 'r2' }
const common = {
  'GET schema': () => schema,
  'POST closestmiss': () => ({ ...depends, items: [] }),
  'POST grid': () => ({ items: [], checkedAt: 'r2' }),
}
const findChecks = (sent: { call: string }[]) => sent.filter(({ call }) => call === 'POST check')

test('reports a value of the wrong type at its field and does not send it', async () => {
  const sent = mockNetwork({ ...common, 'POST check': () => depends })
  renderAt(url, () => <CheckPage />)
  const field = await screen.findByLabelText<HTMLInputElement>('hour (int)')
  await userEvent.type(field, 'ten{Enter}')
  expect(screen.getByText('`hour` must be an integer.')).toBeDefined()
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(findChecks(sent)).toHaveLength(1)
  await userEvent.clear(field)
  await userEvent.type(field, '10{Enter}')
  await waitFor(() => expect(findChecks(sent).at(-1)).toMatchObject({ body: { context: { hour: 10 } } }))
})

test('shows a value that the service rejected at its field, to be corrected', async () => {
  const reject = () => createProblem(400, 'context-type', '`hour` must be an integer.', 'context.hour')
  const sent = mockNetwork({
    ...common,
    'POST check': ({ body }) => ((body as { context: { hour: unknown } }).context.hour === 10 ? depends : reject()),
  })
  renderAt(`${url}&context=${encodeURIComponent('{"day":"fri","hour":"ten"}')}`, () => <CheckPage />)
  const field = await screen.findByLabelText<HTMLInputElement>('hour (int)')
  expect([field.value, field.getAttribute('aria-invalid')]).toEqual(['ten', 'true'])
  await userEvent.clear(field)
  await userEvent.type(field, '10{Enter}')
  await waitFor(() => expect(findChecks(sent).at(-1)).toMatchObject({ body: { context: { day: 'fri', hour: 10 } } }))
})
