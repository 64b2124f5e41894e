import { allowInsecureRequests, customFetch, type DPoPHandle, None } from 'oauth4webapi'
import { SigninError, signinError, toSigninError } from '../errors.ts'
import type { Metadata, Settings } from '../settings.ts'

/** The server, client and options of requests to the provider. */
export interface Connection {
  server: Metadata
  client: { client_id: string }
  options: RequestOptions
}

/** Options of every `oauth4webapi` request. */
export interface RequestOptions {
  signal: AbortSignal
  [customFetch]: Send
  [allowInsecureRequests]: true
  DPoP?: DPoPHandle
}

/** Sends a request of the client. */
export type Send = NonNullable<Settings['fetch']>

/** A public client has no secret, so it does not authenticate (RFC 6749, section 2.1). */
export const publicClient = None()

const loopbackHost = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

/** Throws `insecure_address` for a URL that would send data unencrypted; plain http is for the local machine only. */
export function parseSecureUrl(text: string): URL {
  const url = new URL(text)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHost.test(url.hostname))) return url
  throw signinError('insecure_address', text)
}

/**
 * Returns the function that sends every request, only to secure URLs. It adds the application's headers; those of the
 * protocol take precedence.
 */
export const createSend =
  ({ fetch: ownFetch, headers, logger }: Pick<Settings, 'fetch' | 'headers' | 'logger'>): Send =>
  async (url, init) => {
    parseSecureUrl(url)
    const allHeaders = new Headers(headers)
    new Headers(init.headers).forEach((value, name) => {
      allHeaders.set(name, value)
    })
    const response = await (ownFetch ?? fetch)(url, { ...init, headers: allHeaders })
    logger.debug?.(`${init.method ?? 'GET'} ${url}: ${response.status}`)
    return response
  }

/** Returns options for requests that abort after `timeoutMs` or with `signal`. */
export function requestOptions(send: Send, timeoutMs: number, signal?: AbortSignal): RequestOptions {
  const timeout = AbortSignal.timeout(timeoutMs)
  return {
    signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    [customFetch]: send,
    // `send` decides, because one provider may have endpoints on several hosts.
    [allowInsecureRequests]: true,
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
