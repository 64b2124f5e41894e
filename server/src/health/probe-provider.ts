import * as z from 'zod/mini'
import type { HttpClient } from '../http/http-client.ts'
import { CheckFailure } from './check.ts'

/** The metadata that a sign-in needs (OpenID Connect Discovery 1.0, section 3). */
const Metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
})
type Metadata = z.infer<typeof Metadata>
const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).check(z.minLength(1)) })

/**
 * Reads the metadata of an OpenID Provider, past any cache. Throws `CheckFailure` for a response that no sign-in could
 * use, and the error of the HTTP client. Microsoft's metadata for any organisation has a template as its issuer.
 */
export async function readProvider(
  httpClient: HttpClient,
  issuer: string,
  signal: AbortSignal,
  { hasOwnIssuer = true } = {},
): Promise<Metadata> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const metadata = await readJson(httpClient, url, Metadata, 'metadata', signal)
  if (hasOwnIssuer && metadata.issuer !== issuer) throw new CheckFailure('The metadata names another issuer')
  return metadata
}

/** Reads the keys of a provider. Throws like `readProvider`. */
export async function probeKeys(httpClient: HttpClient, metadata: Metadata, signal: AbortSignal): Promise<void> {
  await readJson(httpClient, metadata.jwks_uri, Keys, 'keys', signal)
}

async function readJson<T>(
  httpClient: HttpClient,
  url: string,
  schema: z.core.$ZodType<T>,
  what: string,
  signal: AbortSignal,
): Promise<T> {
  const response = await httpClient.fetch(url, { signal })
  if (response.status !== 200) throw new CheckFailure(`The ${what} answered with status ${response.status}`)
  const { success, data } = z.safeParse(schema, await response.json().catch(() => undefined))
  if (!success) throw new CheckFailure(`The ${what} cannot be read`)
  return data
}
