import { expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { createHttpClient } from '../http/http-client.ts'
import { testSecret } from '../test-database.ts'
import { createVault } from '../vault.ts'
import { createUpstreams } from './upstreams.ts'

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
  const { all } = createUpstreams(config, createVault(testSecret), createHttpClient(config, 'http://localhost:3000'))
  expect(all.map(({ trustEmail }) => trustEmail)).toEqual([isTrusted])
})
