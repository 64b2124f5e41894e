import { type Connector, type ConnectResponse, metaHorizon } from '@passport/contract/connections'
import type { Config } from '../config.ts'
import type { HttpClient } from '../http/http-client.ts'
import { createMeta, type Meta, type ProvenAccount } from './meta.ts'
import { parseMetaPayload } from './meta-payload.ts'
import { type BeginOptions, createOpenIdConnectors } from './openid-connector.ts'
import * as problems from './problems.ts'

/** The flow of a service: the redirect to it, and its response. `handle` is the secret in the cookie. */
export interface Flow {
  name: string
  /** Returns the URL to open. Throws 502. */
  begin: (handle: string, options?: BeginOptions) => Promise<string>
  /** Returns the account that the response proves. Throws 400 for a cancelled or unreadable one, 502 and 503. */
  redeem: (handle: string, response: ConnectResponse) => Promise<ProvenAccount>
}

export interface Connectors {
  /** The configured ones, for users. */
  all: Connector[]
  /** Returns the flow of a connector. Throws 404, and 503 `meta-not-configured`. */
  find: (id: string) => Flow
  /** Returns Meta's calls for headsets. Throws 404 for another connector, and 503 `meta-not-configured`. */
  findMeta: (id: string) => Meta
}

/** Creates the connectors of the configuration. */
export function createConnectors(
  config: Pick<Config, 'meta' | 'connectors' | 'publicUrl'>,
  httpClient: HttpClient,
): Connectors {
  const flows = new Map<string, Flow>()
  const meta = config.meta && createMeta(config.meta, httpClient)
  if (config.meta && meta) flows.set(metaHorizon, createMetaFlow(config.meta, config.publicUrl, meta))
  const openId = createOpenIdConnectors(config, httpClient)
  for (const { id, name } of config.connectors) {
    const readParameters = (response: ConnectResponse) => {
      if ('payload' in response) throw problems.linkPayloadInvalid()
      return response
    }
    flows.set(id, {
      name,
      begin: (handle, options) => openId.begin(id, handle, options),
      redeem: async (handle, response) => openId.redeem(id, handle, readParameters(response)),
    })
  }

  const rejectUnknown = (id: string): never => {
    throw id === metaHorizon ? problems.metaNotConfigured() : problems.connectorNotFound()
  }
  return {
    all: [...flows].map(([id, { name }]) => ({ id, name })),
    find: (id) => flows.get(id) ?? rejectUnknown(id),
    findMeta: (id) => (id === metaHorizon && meta ? meta : rejectUnknown(id)),
  }
}

/**
 * Meta's flow has no `state`, so only the cookie binds a response to its start, and the user confirms the account.
 * https://developers.meta.com/horizon/documentation/native/ps-account-linking/
 */
function createMetaFlow({ ssoUrl, organizationId }: NonNullable<Config['meta']>, publicUrl: string, meta: Meta): Flow {
  return {
    name: 'Meta Horizon',
    begin: async () => {
      const url = new URL(ssoUrl)
      url.searchParams.set('redirect_uri', `${publicUrl}/app/connect/${metaHorizon}/callback`)
      url.searchParams.set('organization_id', organizationId)
      return url.href
    },
    redeem: async (_handle, response) => {
      if (!('payload' in response)) throw problems.linkPayloadInvalid()
      if (response.payload === '') throw problems.linkCancelled()
      const parsed = parseMetaPayload(response.payload)
      if (!parsed) throw problems.linkPayloadInvalid()
      return meta.redeem(parsed)
    },
  }
}
