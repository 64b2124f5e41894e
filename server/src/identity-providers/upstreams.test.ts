import { expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { createHttpClient } from '../http/http-client.ts'
import { createUpstreams } from './upstreams.ts'

const tenantId = 'aaaabbbb-0000-4000-8000-000000000001'

test.for([
  [{ signUp: 'open' }, false],
  [{ signUp: 'open', trustEmail: true }, true],
  [{ signUp: 'invited' }, true],
  [{}, true],
  [{ trustEmail: false }, false],
  [{ kind: 'local' }, true],
] as const)('trust in email addresses of a provider with %j is %s', ([settings, isTrusted]) => {
  const oidc = { kind: 'oidc', issuer: 'https://id.example', clientId: 'passport', clientSecret: 'secret' }
  const provider =
    'kind' in settings ? { id: 'local', ...settings } : { ...oidc, id: 'harbour', name: 'Harbour', ...settings }
  const config = loadConfig({ IDENTITY_PROVIDERS: JSON.stringify([provider]) })
  const { all } = createUpstreams(config, createHttpClient(config, 'http://localhost:3000'))
  expect(all.map(({ trustEmail }) => trustEmail)).toEqual([isTrusted])
})

test.for([
  ['its own tenant', `https://login.microsoftonline.com/${tenantId}/v2.0`, true],
  ['any tenant', 'https://login.microsoftonline.com/{tenantid}/v2.0', false],
  ['another tenant', 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0', false],
] as const)('accepts metadata of %s at Microsoft’s own host: %s, %s', async ([, issuer, isAccepted]) => {
  const cloud = {
    id: 'AzurePublic',
    authority: 'https://login.microsoftonline.com',
    graph: 'https://graph.microsoft.com',
    clientId: 'passport',
    clientSecret: 'secret',
    postLogoutRedirect: false,
  }
  const config = loadConfig({ ENTRA_CLOUDS: JSON.stringify([cloud]) })
  const httpClient = {
    ...createHttpClient(config, 'http://localhost:3000'),
    fetch: async () => Response.json({ issuer, jwks_uri: `${cloud.authority}/keys` }),
  }
  const { connect } = createUpstreams(config, httpClient)
  const tenant = { id: tenantId, orgId: 'o', cloud: cloud.id, isEnabled: true, allowGuests: false, needsGroups: false }
  const upstream = {
    id: `entra:${tenantId}`,
    name: 'Contoso',
    kind: 'oidc',
    issuer: `${cloud.authority}/${tenantId}/v2.0`,
    identityIssuer: `entra:${tenantId}`,
    signUp: 'open',
    trustEmail: true,
    freshness: 'prompt',
    tenant,
  } as const
  const connected = connect(upstream).then(
    ({ metadata, authMethod, registration }) => {
      expect([authMethod, registration.postLogoutRedirect]).toEqual(['client_secret_post', false])
      return metadata.issuer === issuer
    },
    () => false,
  )
  expect(await connected).toBe(isAccepted)
})
