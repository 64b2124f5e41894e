import { processDiscoveryResponse } from 'oauth4webapi'
import { SigninError } from '../errors.ts'
import type { Metadata, Settings } from '../settings.ts'
import { readErrorResponse, secureUrl } from './connection.ts'

const wellKnown = '/.well-known/openid-configuration'

/** The issuer required in the metadata. */
const issuerOf = ({ authority, metadataUrl }: Settings): URL =>
  new URL(authority || (metadataUrl ?? '').replace(wellKnown, ''))

/** Requests the metadata (OpenID Connect Discovery 1.0, section 4.1). */
export const sendDiscoveryRequest = ({ authority, metadataUrl }: Settings, signal: AbortSignal): Promise<Response> =>
  fetch(secureUrl(metadataUrl || authority.replace(/\/$/, '') + wellKnown), { signal, redirect: 'manual' })

/** Reads the metadata, on top of the settings' seed. Rejects for another issuer (section 4.3). */
export async function readDiscoveryResponse(settings: Settings, response: Response): Promise<Metadata> {
  if (response.status !== 200) throw await readErrorResponse(response)
  const metadata = await processDiscoveryResponse(issuerOf(settings), response)
  if (!metadata.jwks_uri) throw new SigninError('The provider metadata has no jwks_uri', { code: 'invalid_response' })
  return { ...settings.metadataSeed, ...metadata }
}
