import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigError, loadConfig, variables } from './config.ts'

const findErrors = (env: Record<string, string>) => {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.errors
  }
}

const connectors = (...ids: string[]) =>
  JSON.stringify(
    ids.map((id) => ({ id, name: 'X', kind: 'oidc', issuer: 'https://x.example', clientId: 'a', clientSecret: 'b' })),
  )
const identityProvider = (settings: Record<string, unknown>) =>
  JSON.stringify([
    { id: 'x', name: 'X', kind: 'oidc', issuer: 'https://x.example', clientId: 'a', clientSecret: 'b', ...settings },
  ])
const entraClouds = (...ids: string[]) =>
  JSON.stringify(
    ids.map((id) => ({
      id,
      authority: 'https://x.example',
      graph: 'https://y.example',
      clientId: 'a',
      clientSecret: 'b',
    })),
  )

test('without any variable the configuration is that of a local server', () => {
  expect(loadConfig({ PORT: '', HOST: '' })).toMatchObject({
    port: 3000,
    publicUrl: 'http://localhost:3000',
    isLoopback: true,
    brandName: 'Stage Passport',
    stack: 'dev',
    identityProviders: [{ id: 'local', kind: 'local' }],
    trustedProxies: [],
    trustedProxyHeader: 'x-forwarded-for',
  })
})

describe('the error names an invalid variable', () => {
  test.for([
    ['PORT', 'abc'],
    ['PORT', '70000'],
    ['WEB_CONCURRENCY', '0'],
    ['DRAIN_SECONDS', '-1'],
    ['DRAIN_SECONDS', '10s'],
    ['DRAIN_SECONDS', '3601'],
    ['PASSWORD_COST', 'low'],
    ['PASSWORD_COST', 'm=7,t=1,p=1'],
    ['PASSWORD_COST', 'm=19456,t=0,p=1'],
    ['PASSWORD_COST', 'm=9999999,t=1,p=1'],
    ['WEB_CONCURRENCY', 'all'],
    ['PUBLIC_URL', 'id.example'],
    ['PUBLIC_URL', 'https://id.example/path'],
    ['PUBLIC_URL', 'http://id.example'],
    ['DATABASE_URL', 'mysql://x'],
    ['PASSPORT_SECRET', 'short'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,nonsense'],
    ['TRUSTED_PROXY_HEADER', 'x-real-ip'],
    ['ALLOWED_HOSTS', 'http://passport:3000'],
    ['ALLOWED_HOSTS', 'passport:3000,Passport'],
    ['ALLOWED_HOSTS', 'passport/api'],
    ['STACK', 'Not Allowed'],
    ['LOG_LEVEL', 'loud'],
    ['METRICS_TOKEN', 'short'],
    ['IDENTITY_PROVIDERS', '[{"id":"x"}]'],
    ['IDENTITY_PROVIDERS', 'not json'],
    ['IDENTITY_PROVIDERS', '[]'],
    ['IDENTITY_PROVIDERS', identityProvider({ tokenEndpointAuthMethod: 'private_key_jwt' })],
    ['IDENTITY_PROVIDERS', identityProvider({ postLogoutRedirect: 'no' })],
    ['CLIENTS', '[{"clientId":"x","clientName":"X","redirectUris":[]}]'],
    ['CLIENTS', '[{"clientId":"x","clientName":"X","redirectUris":["https://x.example/#here"]}]'],
    ['CLIENTS', '[{"clientId":"x","clientName":"X","redirectUris":["myapp:/answer"]}]'],
    ['CLIENTS', '[{"clientId":"x","clientName":"X","redirectUris":["https://x.example/"],"pkce":"optional"}]'],
    [
      'CLIENTS',
      '[{"clientId":"x","clientName":"X","redirectUris":["https://x.example/"],"idTokenSigningAlg":"HS256"}]',
    ],
    [
      'CLIENTS',
      JSON.stringify(
        ['https://a.example/', 'https://b.example/'].map((uri) => ({
          clientId: 'x',
          clientName: 'X',
          redirectUris: [uri],
        })),
      ),
    ],
    ['CONNECTORS', '[{"id":"x"}]'],
    ['CONNECTORS', connectors('metahorizon')],
    ['CONNECTORS', connectors('entra')],
    ['CONNECTORS', connectors('x')],
    ['CONNECTORS', connectors('lighthouse', 'lighthouse')],
    ['ENTRA_CLOUDS', '[{"id":"AzurePublic"}]'],
    ['ENTRA_CLOUDS', entraClouds('Azure Public')],
    ['ENTRA_CLOUDS', entraClouds('AzureChina', 'AzureChina')],
    ['META_APP_ID', 'not-a-number'],
    ['META_GRAPH_URL', 'http://graph.example'],
    ['AWS_MARKETPLACE_REGION', 'Virginia'],
    ['AWS_MARKETPLACE_EVENT_KEYS', 'k'.repeat(31)],
    ['AWS_MARKETPLACE_EVENT_KEYS', `${'k'.repeat(31)} ${'k'.repeat(31)}`],
    ['AWS_MARKETPLACE_EVENT_KEYS', ['a', 'b', 'c'].map((key) => key.repeat(32)).join()],
    ['CORS_ORIGINS', '{"dev":["https://x.example/path"]}'],
    ['PASSPORT_CONFIG', 'no-such-file.json'],
  ] as const)('%s=%s', ([name, value]) => {
    const errors = findErrors({ [name]: value, ...(name === 'DATABASE_URL' && { PASSPORT_SECRET: 'x'.repeat(40) }) })
    expect(errors.length).toBeGreaterThan(0)
    for (const error of errors) expect(error).toMatch(new RegExp(`^${name}`))
  })

  test('and every other one', () => {
    expect(findErrors({ PORT: 'x', STACK: 'X' })).toHaveLength(2)
  })
})

describe('a URL of another server', () => {
  const client = { clientId: 'x', clientName: 'X', redirectUris: ['https://x.example/callback'] }
  const provider = { id: 'x', name: 'X', kind: 'oidc', issuer: 'https://x.example', clientId: 'a', clientSecret: 'b' }
  const findUrlErrors = (field: string, url: string) => {
    if (field === 'issuer') return findErrors({ IDENTITY_PROVIDERS: JSON.stringify([{ ...provider, issuer: url }]) })
    const value = field.endsWith('s') ? [url] : url
    return findErrors({ CLIENTS: JSON.stringify([{ ...client, [field]: value }]) })
  }
  const uris = ['redirectUris', 'postLogoutRedirectUris']
  const all = [...uris, 'backchannelLogoutUri', 'issuer']

  test.for([
    ...all.map((field) => [field, 'http://x.example/there', 'Plain http']),
    ...all.map((field) => [field, 'HTTP://192.168.1.5/there', 'Plain http']),
    ...all.map((field) => [field, 'https://me:secret@x.example/there', 'user name']),
    ...uris.flatMap((field) =>
      ['javascript:alert(1)', 'data:text/html,x', 'myapp:/there', 'file:///there'].map((uri) => [field, uri, 'scheme']),
    ),
    ...['backchannelLogoutUri', 'issuer'].map((field) => [field, 'com.example.app:/there', 'Must be an https URL']),
  ])('in `%s`, such as %s, is rejected at its field', ([field = '', url = '', reason = '']) => {
    const errors = findUrlErrors(field, url)
    expect(errors).toHaveLength(1)
    const [variable, list] = field === 'issuer' ? ['IDENTITY_PROVIDERS', 'identityProviders'] : ['CLIENTS', 'clients']
    expect(errors[0]).toMatch(new RegExp(`^${variable}: ${list}\\.0\\.${field}`))
    expect(errors[0]).toContain(reason)
    expect(errors[0]).not.toContain('secret@')
  })

  test.for([
    ...all.flatMap((field) =>
      [
        'https://x.example:8443/there',
        'http://localhost:5173/there',
        'http://127.0.0.1:9/there',
        'http://[::1]:9/there',
      ].map((url) => [field, url]),
    ),
    ...uris.map((field) => [field, 'com.example.app:/there']),
    ['postLogoutRedirectUris', 'https://x.example/#bye'],
  ])('in `%s`, such as %s, is accepted', ([field = '', url = '']) => {
    expect(findUrlErrors(field, url)).toEqual([])
  })
})

test.for([
  ['PASSPORT_SECRET', 'hunter2'],
  ['PASSPORT_OLD_SECRETS', `${'x'.repeat(40)} hunter2`],
  ['DATABASE_URL', 'mysql://me:hunter2@db.example/x'],
  ['METRICS_TOKEN', 'hunter2'],
  ['CLIENTS', '[{"clientSecret":"hunter2"'],
  ['IDENTITY_PROVIDERS', '{"clientSecret":hunter2}'],
] as const)('the error of %s does not contain its secret', ([name, value]) => {
  const errors = findErrors({ [name]: value, ...(name === 'DATABASE_URL' && { PASSPORT_SECRET: 'x'.repeat(40) }) })
  expect(errors).toEqual([expect.stringMatching(new RegExp(`^${name}: .`))])
  expect(errors.join()).not.toContain('hunter2')
})

test('a password cost below what OWASP recommends is possible only on localhost', () => {
  const cost = { PASSWORD_COST: 'm=8,t=1,p=1' }
  expect(loadConfig(cost).passwordCost).toEqual({ memoryCost: 8, timeCost: 1, parallelism: 1 })
  expect(findErrors({ ...cost, PUBLIC_URL: 'https://id.example' })).toEqual([
    expect.stringMatching(/^PASSWORD_COST: too weak/),
  ])
  const strong = { PASSWORD_COST: 'm=47104,t=1,p=1', PUBLIC_URL: 'https://id.example' }
  expect(loadConfig(strong).passwordCost.memoryCost).toBe(47_104)
})

test('the settings of the app at Meta require each other', () => {
  const settings = { META_APP_ID: '1', META_APP_SECRET: 'x', META_ORGANIZATION_ID: '2' }
  expect(loadConfig(settings).meta).toMatchObject({ appId: '1', graphUrl: 'https://graph.oculus.com' })
  expect(loadConfig({}).meta).toBeUndefined()
  for (const name of Object.keys(settings))
    expect(findErrors({ ...settings, [name]: '' })).toEqual([expect.stringMatching(`^${name}: required`)])
  expect(findErrors({ CONNECTORS: connectors('lighthouse', 'a2') })).toEqual([])
})

test('AWS Marketplace needs a region, and has up to two event keys', () => {
  const region = { AWS_MARKETPLACE_REGION: 'us-east-1' }
  const [first, second] = ['a'.repeat(32), 'b'.repeat(200)]
  expect(loadConfig({}).awsMarketplace).toBeUndefined()
  expect(loadConfig(region).awsMarketplace).toEqual({ region: 'us-east-1', eventKeys: [], queueUrls: [] })
  expect(loadConfig({ ...region, AWS_MARKETPLACE_EVENT_KEYS: `${first}, ${second}` }).awsMarketplace).toEqual({
    region: 'us-east-1',
    queueUrls: [],
    eventKeys: [first, second],
  })
  expect(findErrors({ AWS_MARKETPLACE_EVENT_KEYS: first })).toEqual([
    expect.stringMatching(/^AWS_MARKETPLACE_REGION: required/),
  ])
})

test('DATABASE_URL requires PASSPORT_SECRET', () => {
  expect(findErrors({ DATABASE_URL: 'postgres://localhost/x' })).toEqual([expect.stringMatching(/^PASSPORT_SECRET: /)])
  expect(findErrors({ DATABASE_URL: 'postgres://localhost/x', PASSPORT_SECRET: 'x'.repeat(40) })).toEqual([])
})

test.for([
  [{}, true],
  [{ HOST: '0.0.0.0' }, false],
  [{ HOST: '::1' }, true],
  [{ PUBLIC_URL: 'https://id.example' }, false],
  [{ PUBLIC_URL: 'http://127.0.0.1:3000' }, true],
  [{ PUBLIC_URL: 'https://passport.localhost' }, true],
] as const)('with %j, isLoopback is %s', ([env, isLoopback]) => {
  expect(loadConfig(env).isLoopback).toBe(isLoopback)
})

test('the environment overrides the configuration file', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'passport-config-')), 'passport.json')
  const provider = {
    id: 'entra',
    name: 'Microsoft',
    kind: 'oidc',
    issuer: 'https://login.example',
    clientId: 'a',
    clientSecret: 'b',
  }
  writeFileSync(file, JSON.stringify({ identityProviders: [provider], corsOrigins: { dev: ['https://a.example'] } }))
  const config = loadConfig({ PASSPORT_CONFIG: file, CORS_ORIGINS: '{"dev":[]}' })
  expect(config.identityProviders).toEqual([
    { ...provider, signUp: 'invited', freshness: 'auth_time', postLogoutRedirect: true },
  ])
  expect(config.corsOrigins).toEqual({ dev: [] })
  writeFileSync(file, Buffer.from('\ufeff{"corsOrigins":{"dev":["https://a.example"]}}', 'utf16le'))
  expect(loadConfig({ PASSPORT_CONFIG: file }).corsOrigins).toEqual({ dev: ['https://a.example'] })
  writeFileSync(file, Buffer.from('{"corsOrigins":{"søren":[]}}', 'latin1'))
  expect(findErrors({ PASSPORT_CONFIG: file })).toEqual(['PASSPORT_CONFIG: is not text in UTF-8'])
  writeFileSync(file, JSON.stringify({ identityProvider: [] }))
  expect(findErrors({ PASSPORT_CONFIG: file })).toEqual([
    expect.stringMatching(/^PASSPORT_CONFIG \(.*passport\.json\): .*identityProvider/),
  ])
})

test('the guide documents every variable', () => {
  const guide = readFileSync(new URL('../../docs/guide/configuration.md', import.meta.url), 'utf8')
  for (const name of Object.keys(variables)) expect(guide, name).toContain(`\`${name}\``)
})
