import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigError, loadConfig, variables } from './config.ts'

const faultsOf = (env: Record<string, string>) => {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults
  }
}

test('needs nothing', () => {
  expect(loadConfig({ PORT: '', HOST: '' })).toMatchObject({
    port: 3000,
    publicUrl: 'http://localhost:3000',
    isLoopback: true,
    brandName: 'Stage Passport',
    stack: 'dev',
    identityProviders: [{ id: 'local', kind: 'local' }],
    trustedProxies: [],
    supportContact: 'an administrator of Stage Passport',
  })
})

describe('a wrong value stops the start with a line that names it', () => {
  test.for([
    ['PORT', 'abc'],
    ['PORT', '70000'],
    ['PUBLIC_URL', 'id.example'],
    ['PUBLIC_URL', 'https://id.example/path'],
    ['PUBLIC_URL', 'http://id.example'],
    ['DATABASE_URL', 'mysql://x'],
    ['PASSPORT_SECRET', 'short'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,nonsense'],
    ['STACK', 'Not Allowed'],
    ['LOG_LEVEL', 'loud'],
    ['METRICS_TOKEN', 'short'],
    ['IDENTITY_PROVIDERS', '[{"id":"x"}]'],
    ['IDENTITY_PROVIDERS', 'not json'],
    ['IDENTITY_PROVIDERS', '[]'],
    ['CLIENTS', '[{"clientId":"x","clientName":"X","redirectUris":[]}]'],
    ['CLIENTS', '[{"clientId":"x","clientName":"X","redirectUris":["https://x.example/#here"]}]'],
    ['CLIENTS', '[{"clientId":"x","clientName":"X","redirectUris":["myapp:/answer"]}]'],
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
    ['CORS_ORIGINS', '{"dev":["https://x.example/path"]}'],
    ['PASSPORT_CONFIG', 'no-such-file.json'],
  ] as const)('%s=%s', ([name, value]) => {
    const faults = faultsOf({ [name]: value, ...(name === 'DATABASE_URL' && { PASSPORT_SECRET: 'x'.repeat(40) }) })
    expect(faults.length).toBeGreaterThan(0)
    for (const fault of faults) expect(fault).toMatch(new RegExp(`^${name}`))
  })

  test('and all of them at once', () => {
    expect(faultsOf({ PORT: 'x', STACK: 'X' })).toHaveLength(2)
  })
})

test.for([
  ['PASSPORT_SECRET', 'hunter2'],
  ['DATABASE_URL', 'mysql://me:hunter2@db.example/x'],
  ['METRICS_TOKEN', 'hunter2'],
  ['CLIENTS', '[{"clientSecret":"hunter2"'],
  ['IDENTITY_PROVIDERS', '{"clientSecret":hunter2}'],
] as const)('what is wrong with %s is told without what is secret in it', ([name, value]) => {
  const told = faultsOf({ [name]: value, ...(name === 'DATABASE_URL' && { PASSPORT_SECRET: 'x'.repeat(40) }) })
  expect(told).toEqual([expect.stringMatching(new RegExp(`^${name}: .`))])
  expect(told.join()).not.toContain('hunter2')
})

test('a database of one’s own needs a secret of one’s own', () => {
  expect(faultsOf({ DATABASE_URL: 'postgres://localhost/x' })).toEqual([expect.stringMatching(/^PASSPORT_SECRET: /)])
  expect(faultsOf({ DATABASE_URL: 'postgres://localhost/x', PASSPORT_SECRET: 'x'.repeat(40) })).toEqual([])
})

test.for([
  [{}, true],
  [{ HOST: '0.0.0.0' }, false],
  [{ HOST: '::1' }, true],
  [{ PUBLIC_URL: 'https://id.example' }, false],
  [{ PUBLIC_URL: 'http://127.0.0.1:3000' }, true],
  [{ PUBLIC_URL: 'https://passport.localhost' }, true],
] as const)('with %j the demonstration people may be here: %s', ([env, isLoopback]) => {
  expect(loadConfig(env).isLoopback).toBe(isLoopback)
})

test('a file says the longer things, and the environment has the last word', () => {
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
  expect(config.identityProviders).toEqual([{ ...provider, signUp: 'invited' }])
  expect(config.corsOrigins).toEqual({ dev: [] })
  writeFileSync(file, JSON.stringify({ identityProvider: [] }))
  expect(faultsOf({ PASSPORT_CONFIG: file })).toEqual([
    expect.stringMatching(/^PASSPORT_CONFIG \(.*passport\.json\): .*identityProvider/),
  ])
})

test('the guide tells every variable', () => {
  const guide = readFileSync(new URL('../../docs/guide/configuration.md', import.meta.url), 'utf8')
  for (const name of Object.keys(variables)) expect(guide, name).toContain(`\`${name}\``)
})
