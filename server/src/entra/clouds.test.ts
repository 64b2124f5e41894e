import { type RunningEntra, startEntra } from '@passport/world/entra/entra'
import { allTenants } from '@passport/world/entra/tenants'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { createHttpClient } from '../http/http-client.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { findTenants } from './clouds.ts'

const registration = { clientId: 'passport', clientSecret: 'the secret of Passport at Entra' }
const start = (id: string) =>
  startEntra({ id, ...registration, redirectUris: [], consentRedirectUri: 'http://localhost:1/' })
const [meridian] = allTenants['AzurePublic'] ?? []
const ofAnyCloud = { authority: expect.any(String), elapsedMs: expect.any(Number) }

let open: RunningEntra
let china: RunningEntra
const toConfig = (...clouds: { id: string; authority: string; graph: string; [setting: string]: unknown }[]) =>
  loadConfig({ ENTRA_CLOUDS: JSON.stringify(clouds.map((cloud) => ({ ...cloud, ...registration }))) })
const find = (domainOrTenantId: string, config = bothClouds()) =>
  findTenants({ config, httpClient: createHttpClient(config, 'http://localhost:1') }, domainOrTenantId)
const bothClouds = () => toConfig({ id: 'AzurePublic', ...hostsOf(open) }, { id: 'AzureChina', ...hostsOf(china) })
const hostsOf = ({ authority, graph }: RunningEntra) => ({ authority, graph })

beforeAll(async () => {
  open = await start('AzurePublic')
  china = await start('AzureChina')
  for (const { stop } of [open, china]) onFileEnd(stop)
})

describe('the tenant of a domain', () => {
  test('is found in its cloud, by domain and by id', async () => {
    const found = {
      ...ofAnyCloud,
      cloud: 'AzurePublic',
      found: true,
      tenantId: meridian?.id,
      issuer: `${open.authority}/${meridian?.id}/v2.0`,
      region: 'EU',
      subScope: null,
      cloudInstance: 'microsoftonline.com',
      endpoints: {
        authorization: `${open.authority}/${meridian?.id}/oauth2/v2.0/authorize`,
        token: `${open.authority}/${meridian?.id}/oauth2/v2.0/token`,
        jwks: `${open.authority}/${meridian?.id}/discovery/v2.0/keys`,
      },
    }
    const missing = { ...ofAnyCloud, cloud: 'AzureChina', found: false, error: 'invalid_tenant' }
    expect(await find('meridian.example')).toEqual([expect.objectContaining(found), missing])
    expect(await find(meridian?.id ?? '')).toEqual([expect.objectContaining(found), missing])
    expect(await find('nobody.example')).toMatchObject([{ found: false }, { found: false }])
  })

  test('is looked for in every cloud', async () => {
    const ids = (await find('orient.example')).map((answer) => answer.found && answer.tenantId)
    expect(ids).toEqual([allTenants['AzurePublic']?.at(-1)?.id, allTenants['AzureChina']?.[0]?.id])
  })

  test('of another cloud is not one of this cloud', async () => {
    const renamed = { ...hostsOf(open), authority: open.authority.replace('localhost', '127.0.0.1') }
    const answers = await find('meridian.example', toConfig({ id: 'AzurePublic', ...renamed }))
    expect(answers).toMatchObject([{ found: false, error: 'other_cloud' }])
  })
})

describe('the names of a tenant', () => {
  const nameless = { displayName: null, defaultDomainName: null, federationBrandName: null, namespaceType: null }
  const names = { displayName: 'Marisol Hospitals', defaultDomainName: 'marisol.example' }
  const withOwnTenant = () =>
    toConfig({ id: 'AzurePublic', ...hostsOf(open), tenantId: meridian?.id.toUpperCase(), userRealm: true })

  test('are unknown unless the configuration has a tenant of the operator', async () => {
    expect(await find('marisol.example')).toMatchObject([nameless, { found: false }])
  })

  test('are read with a token of that tenant, which may have to permit it first', async () => {
    expect(await find('marisol.example', withOwnTenant())).toMatchObject([{ ...nameless, namespaceType: 'Federated' }])
    open.grantConsent(meridian?.id ?? '')
    onTestFinished(() => open.revokeConsent(meridian?.id ?? ''))
    const found = await find('marisol.example', withOwnTenant())
    expect(found).toMatchObject([{ ...names, federationBrandName: names.displayName, namespaceType: 'Federated' }])
    const marisol = found[0]?.found ? found[0].tenantId : ''
    expect(await find(marisol, withOwnTenant())).toMatchObject([{ ...names, namespaceType: null }])
    expect(await find('meridian.example', withOwnTenant())).toMatchObject([{ namespaceType: 'Managed' }])
  })

  test('are not necessary: a cloud without Graph has the tenant', async () => {
    onTestFinished(() => open.setFault('none'))
    open.setFault('down', { path: /token|getuserrealm/ })
    expect(await find('marisol.example', withOwnTenant())).toMatchObject([{ found: true, ...nameless }])
  })
})

test.for([
  ['server-error', 'meridian.example', 'http_500'],
  ['throttled', 'meridian.example', 'http_429'],
  ['down', 'meridian.example', 'unreachable'],
  ['metadata-issuer-changed', meridian?.id, 'answer_invalid'],
  ['metadata-issuer-changed', 'meridian.example', 'answer_invalid'],
] as const)('with the fault %s, a cloud has no answer and the others have theirs', async ([fault, subject, error]) => {
  onTestFinished(() => open.setFault('none'))
  open.setFault(fault)
  expect(await find(subject ?? '')).toMatchObject([
    { found: null, error },
    { found: false, error: 'invalid_tenant' },
  ])
})
