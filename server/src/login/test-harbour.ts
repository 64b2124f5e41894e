import { type RunningProvider, startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService } from '../test-service.ts'

/** Starts the identity provider `harbour`, whose addresses are trusted, and a service at which anyone may sign up with it. */
export async function startHarbour(): Promise<{ provider: RunningProvider; service: TestService }> {
  const port = await findFreePort()
  const client = { clientId: 'passport', clientSecret: 'a secret of Harbour' }
  const provider = await startOidcProvider({
    ...client,
    redirectUri: `http://localhost:${port}/login/callback/harbour`,
  })
  onFileEnd(provider.stop)
  const harbour = { ...client, kind: 'oidc', id: 'harbour', name: 'Harbour', issuer: provider.issuer, signUp: 'open' }
  const service = await startTestService({
    PORT: String(port),
    IDENTITY_PROVIDERS: JSON.stringify([
      { id: 'local', kind: 'local', name: 'Passport' },
      { ...harbour, trustEmail: true },
    ]),
  })
  return { provider, service }
}
