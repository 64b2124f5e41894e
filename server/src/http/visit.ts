import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { drawRandomBytes } from '../vault.ts'

/** The origin and the identifiers of a request, which the audit log records with the actor. */
export interface Visit {
  ip: string
  userAgent: string
  /** 32 hex digits, from the caller's `traceparent` (W3C Trace Context) if it sent one. */
  traceId: string
  /**
   * 32 hex digits that this server has drawn: the caller's choice of a trace id must not decide what a support code
   * finds. The trace id unless the caller sent one.
   */
  requestId: string
  /** The host that the client requested. */
  host: string
}

export type ReadVisit = (incoming: IncomingMessage) => Visit

/** The ids by which a request is found in logs. */
export type RequestIds = Pick<Visit, 'traceId' | 'requestId'>

/** The visits of requests in progress: a request that several handlers see has the same ids in all of them. */
const visits = new WeakMap<IncomingMessage, Visit>()

/** Returns the visit of a request that a handler has read before. */
export const findVisit = (incoming: IncomingMessage): Visit | undefined => visits.get(incoming)

/** The header in which trusted proxies list the addresses that a request came from. */
export type ProxyHeader = 'x-forwarded-for' | 'forwarded'

/**
 * Creates the reader of visits. `trusted` has the addresses and CIDR ranges of the operator's proxies, and the only
 * header that is accepted from them.
 */
export function createVisitReader(trusted: { proxies: string[]; header: ProxyHeader }): ReadVisit {
  const isTrusted = createTrustCheck(trusted.proxies)
  return (incoming) => {
    const known = visits.get(incoming)
    if (known) return known
    const visit = {
      ip: readClientAddress(incoming, trusted.header, isTrusted),
      userAgent: (incoming.headers['user-agent'] ?? '').slice(0, 512),
      ...readRequestIds(incoming.headers['traceparent']),
      host: readHost(incoming, isTrusted),
    }
    visits.set(incoming, visit)
    return visit
  }
}

type IsTrusted = (address: string) => boolean

/**
 * Returns the right-most address that is not a trusted proxy: each proxy appends the peer it saw, so clients can forge
 * entries further left. An invalid or hidden entry ends the search at the proxy that wrote it.
 */
function readClientAddress({ headers, socket }: IncomingMessage, header: ProxyHeader, isTrusted: IsTrusted): string {
  let address = normalise(socket.remoteAddress ?? '')
  if (!isTrusted(address)) return address
  const readHop = header === 'forwarded' ? readForwardedElement : readListedHop
  // Node joins several lines of either header with commas.
  const hops = String(headers[header] ?? '').split(',')
  for (const hop of hops.reverse()) {
    const hopAddress = readHop(hop)
    if (hopAddress === undefined) break
    address = normalise(hopAddress)
    if (!isTrusted(address)) break
  }
  return address
}

function readHost({ headers, socket }: IncomingMessage, isTrusted: IsTrusted): string {
  if (headers['x-forwarded-host'] === undefined) return headers.host ?? ''
  const forwarded = String(headers['x-forwarded-host']).split(',')[0]?.trim()
  return (isTrusted(normalise(socket.remoteAddress ?? '')) && forwarded) || (headers.host ?? '')
}

/**
 * Reads the address in the `for` of one element of `Forwarded` (RFC 7239); undefined for `unknown`, obfuscated names
 * and elements without `for`. A comma within quotes splits an element and makes it invalid, but no address has one.
 */
function readForwardedElement(element: string): string | undefined {
  let node: string | undefined
  for (const pair of element.split(';')) {
    const [, name, quoted, bare] = /^\s*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([^\s",;\\]+))\s*$/.exec(pair) ?? []
    if (name === undefined) return undefined
    if (name.toLowerCase() !== 'for') continue
    if (node !== undefined) return undefined
    node = quoted ?? bare ?? ''
  }
  return node === undefined ? undefined : readListedHop(node)
}

/** Reads the address in one entry of `X-Forwarded-For`, which may have a port; undefined if it is invalid. */
function readListedHop(hop: string): string | undefined {
  const text = hop.trim()
  const [, ipv6, ipv4] = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i.exec(text) ?? []
  if (ipv4 !== undefined) return isIPv4(ipv4) ? ipv4 : undefined
  const address = ipv6 ?? text
  return isIPv6(address) && !address.includes('%') ? address : undefined
}

function createTrustCheck(proxies: string[]): IsTrusted {
  if (proxies.length === 0) return () => false
  const ranges = proxies.map((proxy) =>
    proxy.includes('/') ? ipaddr.parseCIDR(proxy) : ipaddr.parseCIDR(`${proxy}/${proxy.includes(':') ? 128 : 32}`),
  )
  return (text) => {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return ranges.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits))
  }
}

/** Reports whether an address is a loopback address. */
export const isLoopback = (ip: string): boolean => ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback'

const maxCachedAddresses = 1000
const normalisedAddresses = new Map<string, string>()

/** Normalises an IP address; IPv4 mapped to IPv6 becomes IPv4. Cached, since few addresses send most requests. */
function normalise(address: string): string {
  const cached = normalisedAddresses.get(address)
  if (cached !== undefined) return cached
  const normalised = ipaddr.isValid(address) ? ipaddr.process(address).toString() : address
  if (normalisedAddresses.size >= maxCachedAddresses) normalisedAddresses.clear()
  normalisedAddresses.set(address, normalised)
  return normalised
}

/** Returns the network of an address by which failures are counted: its IPv4 /24 or IPv6 /64. */
export const networkOf = (ip: string): string => prefixOf(ip, 24)

/** Returns the addresses of one subscriber: an IPv4 address or an IPv6 /64. */
export const subscriberOf = (ip: string): string => prefixOf(ip, 32)

/** Returns the IPv6 /48 of an address, which one customer of a network may have whole; undefined for IPv4. */
export const siteOf = (ip: string): string | undefined =>
  ipaddr.isValid(ip) && kindOf(ip) === 'ipv6' ? prefixOf(ip, 32, 48) : undefined

/**
 * Estimates the distance between two addresses: `same-range` means the same IPv4 /16 or IPv6 /32, usually one network
 * operator. IPv4 and IPv6 are not comparable, because one home may use both.
 */
export function estimateDistance(ip: string, other: string): Distance {
  if (networkOf(ip) === networkOf(other)) return 'same-network'
  const isComparable = ipaddr.isValid(ip) && ipaddr.isValid(other) && kindOf(ip) === kindOf(other)
  if (!isComparable) return 'not-comparable'
  return prefixOf(ip, 16, 32) === prefixOf(other, 16, 32) ? 'same-range' : 'another-network'
}

export type Distance = 'same-network' | 'same-range' | 'another-network' | 'not-comparable'

const kindOf = (ip: string) => ipaddr.process(ip).kind()

function prefixOf(ip: string, bitsOfIpv4: number, bitsOfIpv6 = 64): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  const bits = address.kind() === 'ipv4' ? bitsOfIpv4 : bitsOfIpv6
  const network =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`)
  return `${network}/${bits}`
}

/** Draws a request id; the trace id is that of the caller's `traceparent` header, if that is valid. */
export function readRequestIds(traceparent: string | string[] | undefined): RequestIds {
  const requestId = drawRandomBytes(16).toString('hex')
  const sent = traceparent && /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(String(traceparent))?.[1]
  return { traceId: sent && !/^0+$/.test(sent) ? sent : requestId, requestId }
}
