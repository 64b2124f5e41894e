import { type CompactVerifyGetKey, createRemoteJWKSet, customFetch } from 'jose'
import { DPoP, type DPoPHandle } from 'oauth4webapi'
import { toSigninError } from '../errors.ts'
import { rejectOnAbort } from '../outcome.ts'
import type { Metadata, Settings } from '../settings.ts'
import { createKeyPairStore } from '../storage/key-pair-store.ts'
import { type Connection, exchange, requestOptions, secureUrl } from './connection.ts'
import { readDiscoveryResponse, sendDiscoveryRequest } from './discovery.ts'

/** One client's view of the provider; loaded data is cached for the lifetime of the page. */
export interface Provider {
  metadata: (signal?: AbortSignal) => Promise<Metadata>
  /** Opens a connection for one call; its timeout starts now. */
  connect: (signal?: AbortSignal) => Promise<Connection>
  /** The provider's keys; unknown keys trigger a reload, at most every 30 s. */
  keys: () => Promise<CompactVerifyGetKey>
  /** Creates proofs with this browser's key; undefined without DPoP. */
  dpop: () => Promise<DPoPHandle | undefined>
  /** Discards the key pair, which makes tokens bound to it unusable. */
  forgetKeyPair: () => Promise<void>
}

/** Creates a provider that loads its data lazily. */
export function createProvider(settings: Settings): Provider {
  const { authority, client_id, requestTimeout } = settings
  const keyPairs = createKeyPairStore(`${authority}:${client_id}`)

  const loadMetadata = memoize(async () => {
    return exchange(
      () => sendDiscoveryRequest(settings, AbortSignal.timeout(requestTimeout)),
      (response) => readDiscoveryResponse(settings, response),
    )
  })
  // An aborting caller must not cancel the load for others.
  const metadata = async (signal?: AbortSignal) => settings.metadata ?? rejectOnAbort(loadMetadata(), signal)

  const keys = memoize(async () => {
    const { jwks_uri = '' } = await metadata()
    const set = createRemoteJWKSet(secureUrl(jwks_uri), { timeoutDuration: requestTimeout, [customFetch]: fetchKeys })
    // Starts loading in parallel with the tokens; a failure is reported on use.
    set.reload().catch(() => {})
    return set
  })

  // One handle for the lifetime of the page: it holds the provider's nonces.
  const handle = memoize(async (): Promise<DPoPHandle> => {
    let keyPair = await keyPairs.load()
    if (!keyPair) {
      keyPair = await generateKeyPair()
      await keyPairs.save(keyPair)
    }
    return DPoP({}, keyPair)
  })

  const dpop = async () => (settings.dpop ? handle() : undefined)

  return {
    metadata,
    keys,
    connect: async (signal) => {
      const server = await metadata(signal)
      const proofs = await dpop()
      const options = requestOptions(server.issuer, requestTimeout, signal)
      return {
        server,
        client: { client_id },
        options: proofs ? { ...options, DPoP: proofs } : options,
      }
    },
    dpop,
    forgetKeyPair: async () => {
      if (!settings.dpop) return
      handle.forget()
      await keyPairs.remove()
    },
  }
}

/** The private key is not extractable, so it never leaves the browser. */
const generateKeyPair = () =>
  crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])

/** Memoizes a load; the next call retries a failed one. */
function memoize<T>(load: () => Promise<T>) {
  let cached: Promise<T> | undefined
  const forget = () => {
    cached = undefined
  }
  const loadOnce = () => {
    cached ??= load().catch((error) => {
      forget()
      throw error
    })
    return cached
  }
  return Object.assign(loadOnce, { forget })
}

const fetchKeys = (url: string, init: RequestInit): Promise<Response> =>
  fetch(url, init).catch((error) => {
    throw toSigninError(error)
  })
