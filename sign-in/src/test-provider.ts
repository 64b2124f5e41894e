import { startMisbehavingProvider } from '@passport/world/misbehaving-provider/provider'
import { afterAll, afterEach } from 'vitest'
import { createProvider } from './protocol/provider.ts'
import { resolveSettings, type SigninSettings } from './settings.ts'

/** The client that tests are. */
export const clientId = 'harbour-app'
/** Where its answers arrive; nothing is listening there. */
export const redirectUri = 'http://localhost:4000/callback'

/** A provider for the tests of one file; it behaves well again after each. */
export async function useProvider() {
  const shoal = await startMisbehavingProvider()
  afterEach(shoal.reset)
  afterAll(shoal.stop)

  const settingsWith = (more: Partial<SigninSettings> = {}) =>
    resolveSettings({ authority: shoal.issuer, client_id: clientId, redirect_uri: redirectUri, ...more })
  return { shoal, settingsWith, providerWith: (more?: Partial<SigninSettings>) => createProvider(settingsWith(more)) }
}
