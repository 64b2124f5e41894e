import { expect, test } from 'vitest'
import { clientId, useProvider } from '../test-provider.ts'
import { exchange } from './connection.ts'
import { readRevocationResponse, sendRevocationRequest } from './revocation.ts'

const { op, providerWith } = await useProvider()

const revoke = async () => {
  const connection = await providerWith().connect()
  return exchange(() => sendRevocationRequest(connection, 'opaque', 'access_token'), readRevocationResponse)
}

test('revokes a token with a form post', async () => {
  await revoke()
  const [request] = op.requests('/revoke')
  expect(request?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/)
  expect(request?.form).toEqual({ client_id: clientId, token_type_hint: 'access_token', token: 'opaque' })
})

test.each([
  [{ error: 'unsupported_token_type' }, 'unsupported_token_type'],
  [{ status: 503 } as never, 'Service Unavailable (503)'],
  ['close' as const, 'Network Error'],
])('a revocation response %j is reported as “%s”', async (behaviour, message) => {
  op.script.revocation = behaviour
  await expect(revoke()).rejects.toMatchObject({ name: 'SigninError', message })
})
