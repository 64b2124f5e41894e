import { allTenants } from '@passport/world/entra/tenants'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { listMemberObjects, readOrganization, requestAppToken } from './graph.ts'
import { type EntraService, startEntraService } from './test-entra.ts'

let entra: EntraService
beforeAll(async () => {
  entra = await startEntraService()
})
beforeEach(() => entra.entra.setFault('none'))

const [tenant] = allTenants['AzurePublic'] ?? []
const tenantId = tenant?.id ?? ''
const person = tenant?.people[0]
const findAsked = () => {
  const { config, httpClient } = entra.service.services
  const [cloud] = config.entraClouds
  if (!cloud) throw new Error('No cloud is configured')
  return { httpClient, cloud }
}

test('an app-only token reads the tenant and the groups of its users', async () => {
  entra.entra.grantConsent(tenantId)
  const asked = findAsked()
  const token = await requestAppToken(asked, tenantId)
  expect(await readOrganization(asked, token)).toEqual({
    id: tenantId,
    displayName: tenant?.displayName,
    defaultDomain: tenant?.defaultDomain,
    verifiedDomains: tenant?.verifiedDomains,
  })
  const groups = tenant?.groups?.filter(({ memberIds }) => memberIds.includes(person?.oid ?? '')).map(({ id }) => id)
  expect((await listMemberObjects(asked, token, person?.oid ?? '')).sort()).toEqual(groups?.sort())
  await expect(listMemberObjects(asked, token, 'nobody')).rejects.toMatchObject({ code: 'not-found' })
})

test('a failure says who can correct it', async () => {
  const asked = findAsked()
  entra.entra.revokeConsent(tenantId)
  await expect(requestAppToken(asked, tenantId)).rejects.toMatchObject({ code: 'not-consented' })
  const otherSecret = { ...asked, cloud: { ...asked.cloud, clientSecret: 'another' } }
  await expect(requestAppToken(otherSecret, tenantId)).rejects.toMatchObject({ code: 'misconfigured' })
  entra.entra.grantConsent(tenantId, [])
  const token = await requestAppToken(asked, tenantId)
  await expect(readOrganization(asked, token)).rejects.toMatchObject({
    code: 'permission-missing',
    permission: 'Organization.Read.All',
  })
  await expect(readOrganization(asked, 'x')).rejects.toMatchObject({ code: 'unavailable' })
  entra.entra.setFault('down')
  await expect(requestAppToken(asked, tenantId)).rejects.toMatchObject({ code: 'unavailable' })
})
