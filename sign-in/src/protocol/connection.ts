import { allowInsecureRequests, type DPoPHandle, None } from 'oauth4webapi'
import { SigninError, signinError, signinErrorOf } from '../errors.ts'
import type { Metadata } from '../settings.ts'

/** Whom requests go to, for which client, and how. */
export interface Connection {
  server: Metadata
  client: { client_id: string }
  options: RequestOptions
}

/** What every request of `oauth4webapi` is given. */
export interface RequestOptions {
  signal: AbortSignal
  [allowInsecureRequests]: boolean
  DPoP?: DPoPHandle
}

/** A public client does not authenticate: it has no secret to do so with (RFC 6749, section 2.1). */
export const publicClient = None()

/** Plain http is for this machine only. */
const isLoopback = ({ hostname }: URL): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

/** Throws `insecure_address` for an address that what is sent could be read on the way to. */
export function secureUrl(address: string): URL {
  const url = new URL(address)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return url
  throw signinError('insecure_address', address)
}

/** Options for requests below `address` that end after `timeoutMs`, or when `signal` fires. */
export function requestOptions(address: string, timeoutMs: number, signal?: AbortSignal): RequestOptions {
  const limit = AbortSignal.timeout(timeoutMs)
  return {
    signal: signal ? AbortSignal.any([limit, signal]) : limit,
    [allowInsecureRequests]: isLoopback(new URL(address)),
  }
}

/**
 * Sends a request and reads its answer; asks once more where the provider wants its nonce in the proof (RFC 9449,
 * section 8). Everything that goes wrong is a `SigninError`.
 */
export async function exchange<T>(
  send: () => Promise<Response>,
  read: (response: Response) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    const response = await send()
    return await read((await wantsNonce(response)) ? await send() : response)
  } catch (error) {
    throw signinErrorOf(error, signal)
  }
}

async function wantsNonce(response: Response): Promise<boolean> {
  if (response.ok || !response.headers.has('dpop-nonce')) return false
  const told = response.headers.get('www-authenticate') ?? (await response.clone().text())
  return told.includes('use_dpop_nonce')
}

/** What an answer other than 200 says: the provider's error code (RFC 6749, section 5.2), or else the status. */
export async function failureOf(response: Response): Promise<SigninError> {
  const body = await response.json().catch(() => undefined)
  if (typeof body?.error === 'string') {
    return new SigninError(body.error, { code: body.error, description: body.error_description, cause: body })
  }
  return new SigninError(`${response.statusText} (${response.status})`, { code: 'http_error', cause: body })
}
