import { startMisbehavingProvider } from '@passport/world/misbehaving-provider/provider'
import { afterAll, afterEach } from 'vitest'
import { createProvider } from './protocol/provider.ts'
import { resolveSettings, type SigninSettings } from './settings.ts'

/** The client id of the tests. */
export const clientId = 'harbour-app'
/** The redirect URL of the tests; nothing listens there. */
export const redirectUri = 'http://localhost:4000/callback'

/** Starts a provider for the tests of one file; its errors are reset after each test. */
export async function useProvider() {
  const op = await startMisbehavingProvider()
  afterEach(op.reset)
  afterAll(op.stop)

  const settingsWith = (overrides: Partial<SigninSettings> = {}) =>
    resolveSettings({ authority: op.issuer, client_id: clientId, redirect_uri: redirectUri, ...overrides })
  return {
    op,
    settingsWith,
    providerWith: (overrides?: Partial<SigninSettings>) => createProvider(settingsWith(overrides)),
  }
}
