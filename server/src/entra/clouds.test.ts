import { findFreePort } from '@passport/world/port'
import { expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { createHttpClient } from '../http/http-client.ts'
import { findTenants } from './clouds.ts'

test('a cloud that nobody serves is a row of its own', async () => {
  const authority = `http://localhost:${await findFreePort()}`
  const cloud = { id: 'AzurePublic', authority, graph: authority, clientId: 'passport', clientSecret: 'secret' }
  const config = loadConfig({ ENTRA_CLOUDS: JSON.stringify([cloud]) })
  const services = { config, httpClient: createHttpClient(config, 'http://localhost') }
  expect(await findTenants(services, 'contoso.com')).toEqual([
    { cloud: 'AzurePublic', authority, found: null, error: 'unreachable', elapsedMs: expect.any(Number) },
  ])
})
