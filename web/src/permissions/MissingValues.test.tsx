import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { CheckPage } from './CheckPage.tsx'
import { network, refusal, schema, showAt } from './test-room.tsx'

afterEach(() => vi.unstubAllGlobals())

const whole = '/?subject=user:eve&permission=view&resource=document:plan'
const depends = { permissionship: 'conditional', partialCaveatMissing: ['hour'], checkedAt: 'r2' }
const common = {
  'GET schema': () => schema,
  'POST closestmiss': () => ({ ...depends, items: [] }),
  'POST grid': () => ({ items: [], checkedAt: 'r2' }),
}
const asked = (sent: { call: string }[]) => sent.filter(({ call }) => call === 'POST check')

test('a value that is none of the type is told at its field, and not sent', async () => {
  const sent = network({ ...common, 'POST check': () => depends })
  showAt(whole, () => <CheckPage />)
  const field = await screen.findByLabelText<HTMLInputElement>('hour (int)')
  await userEvent.type(field, 'ten{Enter}')
  expect(screen.getByText('`hour` wants a whole number.')).toBeDefined()
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(asked(sent)).toHaveLength(1)
  await userEvent.clear(field)
  await userEvent.type(field, '10{Enter}')
  await waitFor(() => expect(asked(sent).at(-1)).toMatchObject({ body: { context: { hour: 10 } } }))
})

test('a value that the service refuses is mended where it was given', async () => {
  const refused = () => refusal(400, 'context-type', '`hour` wants a whole number.', 'context.hour')
  const sent = network({
    ...common,
    'POST check': ({ body }) => ((body as { context: { hour: unknown } }).context.hour === 10 ? depends : refused()),
  })
  showAt(`${whole}&context=${encodeURIComponent('{"day":"fri","hour":"ten"}')}`, () => <CheckPage />)
  const field = await screen.findByLabelText<HTMLInputElement>('hour (int)')
  expect([field.value, field.getAttribute('aria-invalid')]).toEqual(['ten', 'true'])
  await userEvent.clear(field)
  await userEvent.type(field, '10{Enter}')
  await waitFor(() => expect(asked(sent).at(-1)).toMatchObject({ body: { context: { day: 'fri', hour: 10 } } }))
})
