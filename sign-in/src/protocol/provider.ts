import { type CompactVerifyGetKey, createLocalJWKSet } from 'jose'
import { DPoP, type DPoPHandle } from 'oauth4webapi'
import { rejectOnAbort } from '../abortable-promise.ts'
import { SigninError } from '../errors.ts'
import type { Metadata, Settings } from '../settings.ts'
import { memoize } from '../share-calls.ts'
import { createKeyPairStore } from '../storage/key-pair-store.ts'
import { type Connection, createSend, exchange, readErrorResponse, requestOptions } from './connection.ts'
import { readDiscoveryResponse, sendDiscoveryRequest } from './discovery.ts'
import { createKeySet } from './key-set.ts'

/** One client's view of the provider; loaded data is cached for the lifetime of the page. */
export interface Provider {
  metadata: (signal?: AbortSignal) => Promise<Metadata>
  /** Opens a connection for one call; its timeout starts now. */
  connect: (signal?: AbortSignal) => Promise<Connection>
  /** The provider's keys: those of the settings, or the published ones. */
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
  const send = createSend(settings)

  const loadMetadata = memoize(() =>
    exchange(
      () => sendDiscoveryRequest(settings, send, AbortSignal.timeout(requestTimeout)),
      (response) => readDiscoveryResponse(settings, response),
    ),
  )
  // An aborting caller must not cancel the load for others.
  const metadata = async (signal?: AbortSignal) => settings.metadata ?? rejectOnAbort(loadMetadata(), signal)

  const keys = memoize(async () => {
    if (settings.signingKeys) return createLocalJWKSet({ keys: settings.signingKeys })
    const { jwks_uri } = await metadata()
    if (!jwks_uri) throw new SigninError('The provider metadata has no jwks_uri', { code: 'invalid_response' })
    return createKeySet(() =>
      exchange(() => send(jwks_uri, { signal: AbortSignal.timeout(requestTimeout), redirect: 'manual' }), readKeys),
    )
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
      const options = requestOptions(send, requestTimeout, signal)
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

/** Reads the provider's keys (RFC 7517, section 5). */
async function readKeys(response: Response): Promise<CompactVerifyGetKey> {
  if (response.status !== 200) throw await readErrorResponse(response)
  return createLocalJWKSet(await response.json())
}
