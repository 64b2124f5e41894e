import * as api from '@passport/contract/clients'
import { expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'

test('a change of an application counts on a second server of the database within a minute', async () => {
  const first = await startTestService()
  const second = await startTestService({}, { sharedWith: first })
  const ada = await first.as('ada')
  const created = { clientName: 'Import', scopes: ['permissions.read' as const] }
  const { client, secret } = await ada.call(api.createClient, { body: created })
  const params = { clientId: client.clientId }
  const requestToken = (given: string | null) =>
    fetch(`${second.url}/connect/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client.clientId}:${given}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'permissions.read' }),
    })
  const expectStatus = (given: string | null, status: number) =>
    expect.poll(async () => (await requestToken(given)).status, { timeout: 60_000 }).toBe(status)

  await expectStatus(secret, 200)
  const { secret: newSecret, secretId } = await ada.call(api.createClientSecret, { params })
  await expectStatus(newSecret, 200)
  await ada.call(api.deleteClientSecret, { params: { ...params, secretId } })
  await expectStatus(newSecret, 401)
  await ada.call(api.putClient, { params, body: { ...client, enabled: false } })
  await expectStatus(secret, 401)
  await ada.call(api.putClient, { params, body: client })
  await expectStatus(secret, 200)
  await ada.call(api.putClient, { params, body: { ...client, scopes: ['permissions.write'] } })
  await expectStatus(secret, 400)
  await ada.call(api.deleteClient, { params })
  await expectStatus(secret, 401)
}, 120_000)
