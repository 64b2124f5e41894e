import { SigninError } from '../errors.ts'
import type { Metadata, Settings } from '../settings.ts'
import { readErrorResponse, type Send } from './connection.ts'

const wellKnown = '/.well-known/openid-configuration'

/** An `authority` may be the metadata URL itself. */
const metadataUrlOf = ({ authority, metadataUrl }: Settings): string => {
  if (metadataUrl) return metadataUrl
  return authority.includes(wellKnown) ? authority : authority.replace(/\/$/, '') + wellKnown
}

/** The issuer required in the metadata. */
const issuerOf = ({ authority, metadataUrl = '' }: Settings): string =>
  (authority || metadataUrl).replace(wellKnown, '')

/** Requests the metadata (OpenID Connect Discovery 1.0, section 4.1). */
export const sendDiscoveryRequest = (settings: Settings, send: Send, signal: AbortSignal): Promise<Response> =>
  send(metadataUrlOf(settings), { signal, redirect: 'manual' })

/** Reads the metadata, on top of the settings' seed. Rejects for another issuer (section 4.3). */
export async function readDiscoveryResponse(settings: Settings, response: Response): Promise<Metadata> {
  if (response.status !== 200) throw await readErrorResponse(response)
  const metadata: Metadata | null = await response.json()
  // Both as URLs, because an issuer may be written with or without a slash after its host.
  if (URL.parse(String(metadata?.issuer))?.href !== new URL(issuerOf(settings)).href) {
    throw new SigninError('The issuer of the metadata does not match the authority', { code: 'invalid_response' })
  }
  return { ...settings.metadataSeed, ...metadata } as Metadata
}
