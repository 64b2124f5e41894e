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
const toConfig = (...clouds: { id: string; authority: string; graph: string }[]) =>
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

test.for([
  ['server-error', 'meridian.example', 'http_500'],
  ['throttled', 'meridian.example', 'http_429'],
  ['down', 'meridian.example', 'unreachable'],
  ['metadata-issuer-changed', meridian?.id, 'answer_invalid'],
] as const)('with the fault %s, a cloud has no answer and the others have theirs', async ([fault, subject, error]) => {
  onTestFinished(() => open.setFault('none'))
  open.setFault(fault)
  expect(await find(subject ?? '')).toMatchObject([
    { found: null, error },
    { found: false, error: 'invalid_tenant' },
  ])
})
