import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startClouds } from './start-clouds.ts'

const directory = mkdtempSync(join(tmpdir(), 'clouds-'))
const clouds = await startClouds(0, 'http://localhost:9', directory)
afterAll(async () => {
  for (const { entra } of clouds) await entra.stop()
  rmSync(directory, { recursive: true })
})

const readMetadata = async (authority: string, tenant: string) => {
  const response = await fetch(`${authority}/${tenant}/v2.0/.well-known/openid-configuration`)
  return (await response.json()) as { issuer?: string; error?: string; cloud_instance_name?: string }
}

test('the demo world has three clouds, and each knows its own tenants', async () => {
  expect(clouds.map(({ configuration: { id } }) => id)).toEqual(['AzurePublic', 'AzureUSGovernment', 'AzureChina'])
  for (const { entra } of clouds)
    for (const { id, defaultDomain, people } of entra.tenants.filter(({ home }) => !home))
      if (people.length > 0)
        expect(await readMetadata(entra.authority, defaultDomain)).toMatchObject({
          issuer: `${entra.authority}/${id}/v2.0`,
        })
  const [, government, china] = clouds
  expect(await readMetadata(china?.entra.authority ?? '', 'meridian.example')).toMatchObject({
    error: 'invalid_tenant',
  })
  // The commercial cloud describes government tenants by the endpoints of their own cloud.
  expect(await readMetadata(clouds[0]?.entra.authority ?? '', 'harborcounty.example')).toMatchObject({
    issuer: expect.stringContaining(government?.entra.authority ?? '-'),
    cloud_instance_name: 'microsoftonline.us',
  })
})
