import { allowInsecureRequests, type DPoPHandle, None } from 'oauth4webapi'
import { SigninError, signinError, toSigninError } from '../errors.ts'
import type { Metadata } from '../settings.ts'

/** The server, client and options of requests to the provider. */
export interface Connection {
  server: Metadata
  client: { client_id: string }
  options: RequestOptions
}

/** Options of every `oauth4webapi` request. */
export interface RequestOptions {
  signal: AbortSignal
  [allowInsecureRequests]: boolean
  DPoP?: DPoPHandle
}

/** A public client has no secret, so it does not authenticate (RFC 6749, section 2.1). */
export const publicClient = None()

/** Plain http is allowed only for the local machine. */
const isLoopback = ({ hostname }: URL): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

/** Throws `insecure_address` for a URL that would send data unencrypted. */
export function secureUrl(address: string): URL {
  const url = new URL(address)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return url
  throw signinError('insecure_address', address)
}

/** Returns options for requests below `address` that abort after `timeoutMs` or with `signal`. */
export function requestOptions(address: string, timeoutMs: number, signal?: AbortSignal): RequestOptions {
  const timeout = AbortSignal.timeout(timeoutMs)
  return {
    signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    [allowInsecureRequests]: isLoopback(new URL(address)),
  }
}

/**
 * Sends a request and reads its response; retries once if the provider requires its nonce in the proof (RFC 9449,
 * section 8). Every failure is a `SigninError`.
 */
export async function exchange<T>(
  send: () => Promise<Response>,
  read: (response: Response) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    const response = await send()
    return await read((await requiresNonce(response)) ? await send() : response)
  } catch (error) {
    throw toSigninError(error, signal)
  }
}

async function requiresNonce(response: Response): Promise<boolean> {
  if (response.ok || !response.headers.has('dpop-nonce')) return false
  const challenge = response.headers.get('www-authenticate') ?? (await response.clone().text())
  return challenge.includes('use_dpop_nonce')
}

/** Converts a response other than 200: to the provider's error code (RFC 6749, section 5.2), or else the status. */
export async function readErrorResponse(response: Response): Promise<SigninError> {
  const body = await response.json().catch(() => undefined)
  if (typeof body?.error === 'string') {
    return new SigninError(body.error, { code: body.error, description: body.error_description, cause: body })
  }
  return new SigninError(`${response.statusText} (${response.status})`, { code: 'http_error', cause: body })
}
