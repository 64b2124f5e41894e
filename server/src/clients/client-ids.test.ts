import { createClient, getClient } from '@passport/contract/clients'
import { getHealth } from '@passport/contract/health'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { registerClients } from './registered.ts'

const redirectUris = ['https://shop.example/callback']
let service: TestService
let ada: Visitor
let dev: Visitor

beforeAll(async () => {
  service = await startTestService()
  ;[ada, dev] = [await service.as('ada'), await service.as('dev')]
})

const create = (body: { clientId?: string; clientName: string }) =>
  ada.call(createClient, { body: { ...body, redirectUris } })
/** Saves the clients of a configuration, as a start of the server does. */
const configure = (...clientIds: string[]) => {
  const clients = clientIds.map((clientId) => ({ clientId, clientName: 'Shop', redirectUris }))
  return registerClients(service.sql, loadConfig({ CLIENTS: JSON.stringify(clients) }))
}
const readWarnings = async () => (await ada.call(getHealth, {})).warnings

describe('a client id in the form of a user id', () => {
  test('is refused at its field by the API, also that of a user', async () => {
    for (const clientId of [dev.id, crypto.randomUUID(), '00000000-0000-0000-0000-000000000000'])
      await expect(create({ clientId, clientName: 'Shop' })).rejects.toMatchObject({
        status: 400,
        body: { code: 'client-id-invalid', errors: [{ field: 'clientId', code: 'client-id-invalid' }] },
      })
  })

  test('is not derived from a name', async () => {
    const names = fc.uuid().chain((id) => fc.constantFrom(id, id.toUpperCase(), id.replaceAll('-', ' '), ` ${id}!`))
    for (const clientName of fc.sample(names, 8)) {
      const { client } = await create({ clientName })
      expect(client.clientId).toBe(
        `application-${clientName
          .toLowerCase()
          .match(/[0-9a-f]+/g)
          ?.join('-')}`,
      )
    }
  })

  test('is refused in the configuration in one line, and that of an earlier version works on and is named on Health', async () => {
    const ids = [dev.id, crypto.randomUUID().toUpperCase()]
    const message = ids.map((id) => `CLIENTS: clientId ${id}: Must not have the form of a user id.`).join('\n')
    await expect(configure(...ids, 'shop')).rejects.toMatchObject({ name: 'ConfigError', message })
    await configure('shop')
    const former = crypto.randomUUID()
    await service.sql`update clients set client_id = ${former} where client_id = 'shop'`
    await configure(former)
    expect((await ada.call(getClient, { params: { clientId: former } })).source).toBe('configuration')
    expect(await readWarnings()).toEqual([expect.stringContaining(former)])
  })
})
