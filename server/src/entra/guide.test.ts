import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { createClient } from '@passport/contract/clients'
import { type CreatedEntraOrg, getOrgEntra } from '@passport/contract/entra'
import { allTenants } from '@passport/world/entra/tenants'
import { expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { answerConsent, startEntraService } from './test-entra.ts'

const guide = readFileSync(new URL('../../../docs/guide/entra-organisations.md', import.meta.url), 'utf8')

test('the command of the guide creates an organisation, whose tenant can consent', async () => {
  const { service, ada } = await startEntraService()
  const { client, secret } = await ada.call(createClient, { body: { clientName: 'Sales', scopes: ['passport.admin'] } })
  const response = await fetch(`${service.url}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'passport.admin' }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  const [, command = ''] = /```sh\n(.*?)```/s.exec(guide) ?? []
  const { stdout } = await promisify(execFile)('sh', ['-euc', command], {
    env: { PATH: process.env['PATH'], PASSPORT: service.url, TOKEN: token },
  })
  const { org, consentUrl } = JSON.parse(stdout) as CreatedEntraOrg
  await ada.fetch(await answerConsent(consentUrl))
  expect(await ada.call(getOrgEntra, { params: { orgId: org.id } })).toMatchObject({ consent: 'granted' })
})

test('the clouds of the guide are a valid configuration', () => {
  const [, clouds = ''] = /```json\n(.*?)```/s.exec(guide) ?? []
  const config = loadConfig({ PUBLIC_URL: 'https://id.example', ENTRA_CLOUDS: clouds })
  expect(config.entraClouds.map(({ id }) => id)).toEqual(Object.keys(allTenants))
})

test('the domains, users and groups of the guide exist in the demo world', () => {
  const tenants = Object.values(allTenants).flat()
  const known = tenants.flatMap(({ people, groups = [], verifiedDomains, displayName }) => [
    ...[...people.flatMap(({ name, email }) => [name, email]), ...verifiedDomains, displayName],
    ...groups.map(({ displayName }) => displayName),
  ])
  const named = [...guide.matchAll(/`([\w.@-]+\.example)`|(Mira Olsen|Lena Roth|Meridian Freight|Meridian Dispatch)/g)]
  expect(named.length).toBeGreaterThan(10)
  for (const [, address, name] of named) expect(known).toContain(address ?? name)
})
