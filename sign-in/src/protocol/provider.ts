import { type CompactVerifyGetKey, createRemoteJWKSet, customFetch } from 'jose'
import { DPoP, type DPoPHandle } from 'oauth4webapi'
import { signinErrorOf } from '../errors.ts'
import { unlessAborted } from '../outcome.ts'
import type { Metadata, Settings } from '../settings.ts'
import { createKeyPairStore } from '../storage/key-pair-store.ts'
import { type Connection, exchange, requestOptions, secureUrl } from './connection.ts'
import { discoveryRequest, readDiscoveryResponse } from './discovery.ts'

/** The provider as one client sees it; what is loaded once is kept as long as the page. */
export interface Provider {
  metadata: (signal?: AbortSignal) => Promise<Metadata>
  /** For one call: its time limit begins now. */
  connect: (signal?: AbortSignal) => Promise<Connection>
  /** The provider's keys; unknown ones are looked for anew, at most every 30 s. */
  keys: () => Promise<CompactVerifyGetKey>
  /** What makes the proofs with this browser's key; undefined without DPoP. */
  dpop: () => Promise<DPoPHandle | undefined>
  /** Throws the key away: tokens that are bound to it are worth nothing any more. */
  forgetKeyPair: () => Promise<void>
}

/** Nothing is loaded before it is asked for. */
export function createProvider(settings: Settings): Provider {
  const { authority, client_id, requestTimeout } = settings
  const keyPairs = createKeyPairStore(`${authority}:${client_id}`)

  const discovered = keep(async () => {
    return exchange(
      () => discoveryRequest(settings, AbortSignal.timeout(requestTimeout)),
      (response) => readDiscoveryResponse(settings, response),
    )
  })
  // One who gives up does not take the metadata from others who wait for it.
  const metadata = async (signal?: AbortSignal) => settings.metadata ?? unlessAborted(discovered(), signal)

  const keys = keep(async () => {
    const { jwks_uri = '' } = await metadata()
    const set = createRemoteJWKSet(secureUrl(jwks_uri), { timeoutDuration: requestTimeout, [customFetch]: fetchKeys })
    // On their way while the tokens are; whoever needs them is told of a failure.
    set.reload().catch(() => {})
    return set
  })

  // One handle for the life of the page: it knows the nonces that the provider gave.
  const handle = keep(async (): Promise<DPoPHandle> => {
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

/** Its private half stays inside the browser: it is not extractable. */
const generateKeyPair = () =>
  crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])

/** Loads once; what failed is tried anew by the next who asks. */
function keep<T>(load: () => Promise<T>) {
  let kept: Promise<T> | undefined
  const forget = () => {
    kept = undefined
  }
  const ask = () => {
    kept ??= load().catch((error) => {
      forget()
      throw error
    })
    return kept
  }
  return Object.assign(ask, { forget })
}

const fetchKeys = (url: string, init: RequestInit): Promise<Response> =>
  fetch(url, init).catch((error) => {
    throw signinErrorOf(error)
  })
