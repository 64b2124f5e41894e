import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { Problem } from '../http/problem.ts'
import { type MetaResponse, readLabel } from './meta-payload.ts'
import * as problems from './problems.ts'

/** An account at a service, as the service names it. */
export interface ProvenAccount {
  externalId: string
  label: string
}

/** The calls of Meta's Graph API for account linking. */
export interface Meta {
  /** Redeems the code of a response. Throws 502 and 503. */
  redeem: (response: MetaResponse) => Promise<ProvenAccount>
  /** Checks the nonce of a headset, which is valid once. Throws 403, 502 and 503. */
  checkNonce: (userId: string, nonce: string) => Promise<ProvenAccount>
  /** Makes a call without effect. Rejects if Meta does not respond, or refuses the app and its secret. */
  probe: () => Promise<void>
}

/** Meta often refuses a new token for some seconds. */
const retryDelaysMs = [1_500, 2_000, 2_000, 2_500]

/** An error object of the Graph API. */
class GraphError extends Error {
  readonly code: unknown
  constructor(message: string, code: unknown) {
    super(message)
    this.code = code
  }
}

/** The code of an error about the app or its token. */
const authenticationErrorCode = 190

/** Creates the client of Meta's Graph API. Its tokens are used at once, and not stored. */
export function createMeta(
  { appId, appSecret, graphUrl }: NonNullable<Config['meta']>,
  httpClient: HttpClient,
  wait: (ms: number) => Promise<unknown> = delay,
): Meta {
  const appToken = `OC|${appId}|${appSecret}`
  const call = async (method: 'GET' | 'POST', path: string, parameters: Record<string, string>) => {
    const url = new URL(path, graphUrl.replace(/\/*$/, '/'))
    url.search = String(new URLSearchParams(parameters))
    // The URL has secrets, so no error repeats it.
    const response = await httpClient.fetch(url, { method }).catch((cause: unknown) => {
      throw problems.metaUnreachable(cause)
    })
    const body = await response.json().catch(() => undefined)
    return readBody(response.status, body)
  }

  async function readAlias(token: string): Promise<string> {
    for (const delayMs of [...retryDelaysMs, undefined]) {
      try {
        const { alias } = await call('GET', 'me', { access_token: token, fields: 'id,alias' })
        return typeof alias === 'string' ? alias : ''
      } catch (error) {
        if (!isNotReady(error)) throw error
        if (delayMs === undefined) throw problems.metaNotReady(error)
        await wait(delayMs)
      }
    }
    return ''
  }

  return {
    redeem: ({ code, externalId }) =>
      withProblems(async () => {
        const parameters = { code, access_token: appToken, org_scoped_id: externalId }
        const { oauth_token: token } = await call('POST', 'sso_authorize_code', parameters)
        if (typeof token !== 'string') throw problems.metaUnreachable(new Error('Meta sent no token'))
        return { externalId, label: readLabel(await readAlias(token), externalId) }
      }),
    checkNonce: (userId, nonce) =>
      withProblems(async () => {
        const proof = { nonce, user_id: userId, access_token: appToken }
        const { is_valid: isValid } = await call('POST', 'user_nonce_validate', proof)
        if (isValid !== true) throw problems.nonceInvalid()
        const fields = { access_token: appToken, fields: 'org_scoped_id' }
        const { org_scoped_id: externalId } = await call('GET', userId, fields)
        if (typeof externalId !== 'string') throw problems.metaUnreachable(new Error('Meta sent no org_scoped_id'))
        return { externalId, label: externalId }
      }),
    probe: async () => {
      try {
        await call('POST', 'user_nonce_validate', { nonce: 'none', user_id: '0', access_token: appToken })
      } catch (error) {
        // Any other error object is about the nonce or the user.
        const isResponse = error instanceof GraphError && error.code !== authenticationErrorCode
        if (!isResponse) throw error instanceof GraphError ? problems.metaRefused(error) : error
      }
    },
  }
}

/** Returns the object of a successful response. Throws `GraphError` for an error object, and 502 for anything else. */
function readBody(status: number, body: unknown): Record<string, unknown> {
  const object = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined
  const error = object?.['error'] as { message?: unknown; code?: unknown } | undefined
  if (error) throw new GraphError(`${error.message} (${error.code})`, error.code)
  if (!object || status !== 200) throw problems.metaUnreachable(new Error(`Meta responded ${status}`))
  return object
}

const isNotReady = (error: unknown) => error instanceof GraphError && /token not authorized/i.test(error.message)

async function withProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof GraphError ? problems.metaRefused(error) : (error as Problem)
  }
}
